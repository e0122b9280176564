package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/decide"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Env is the world as a coordinator sees it.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
	// Leader is who a local replica believes leads the shard; ok is false if
	// there is no local replica or it knows of no leader.
	Leader(s txn.ShardID) (leader txn.NodeID, term uint64, ok bool)
	// Nearest is the replica with the shortest round trip.
	Nearest(s txn.ShardID) txn.NodeID
	// Wide reports whether a node is in another region.
	Wide(n txn.NodeID) bool
	// RoundTrip is the round trip to a node, as far as it is known.
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
	// CoCoordinators are the co-coordinators of an attempt, one in each region.
	CoCoordinators(a txn.Attempt) []txn.NodeID
	// Seen is a moment up to which this node has seen commits.
	Seen() txn.Timestamp
	// Note and Ended take what an operator logs and counts.
	Note(n txn.Note)
	Ended(e txn.Ended)
	Trace(format string, args ...any)
	Tracing() bool // whether anybody reads what Trace says
}

// Config of a coordinator.
type Config struct {
	Self   txn.NodeID
	Epoch  uint32 // this incarnation; higher than any before it
	Row    protocol.Row
	Params txn.Params
	Env    Env
	// DeadCoCoordinator, of experiments: it is no co-coordinator, not even of its
	// own attempts. It hears no acknowledgement and passes none on; its clients'
	// transactions are decided by the leaders' votes.
	DeadCoCoordinator bool
}

// Coordinator runs the transactions of one gateway.
type Coordinator struct {
	cfg        Config
	env        Env
	clock      txn.Clock
	moments    txn.Clock // of the weaker levels; apart, so that they change no age
	txns       transactions
	parts      map[uint64]*part // what is asked for and not answered, by request number
	commits    map[txn.Attempt]*commitment
	attempts   *attempts
	nextTxn    uint64
	numbers    *requestNumbers
	leaders    *leaders
	recent     recentWrites
	departures []*part // that have not left, in their order
	decisions  *decisions
	world      *world
	coords     *decide.CoCoordinator // for attempts of others
	room       *decide.Room          // for its own
	sweepAt    time.Duration
	surveys    *surveys
	admission  *yield.Admission
	reports    *reports
	turn       turn
}

// The bounds of one gateway.
const (
	maxTransactions = 100_000
	maxCommitments  = 100_000
	maxSpans        = 4096 // spans that one transaction may have read
)

// New starts an incarnation.
func New(cfg Config) *Coordinator {
	c := &Coordinator{
		cfg: cfg, env: cfg.Env, txns: transactions{}, parts: map[uint64]*part{},
		commits: map[txn.Attempt]*commitment{}, nextTxn: 1,
		// An answer to an earlier incarnation must not be taken for one to this.
		numbers: &requestNumbers{last: uint64(cfg.Epoch) << 32}, recent: newRecentWrites(),
		admission: yield.NewAdmission(yield.AdmissionBounds{Off: cfg.Params.AdmissionOff, Wait: cfg.Params.AdmissionWait}),
	}
	c.leaders = &leaders{env: cfg.Env, hints: map[txn.ShardID]hint{}}
	c.attempts = &attempts{cfg: &c.cfg, next: 1}
	c.reports = &reports{env: cfg.Env, left: c.leaves}
	c.surveys = &surveys{env: cfg.Env, numbers: c.numbers, ownerOf: c.txns.ownerOf, open: map[uint64]*survey{}}
	c.decisions = &decisions{cfg: &c.cfg, env: cfg.Env, leaders: c.leaders, attempts: c.attempts, txns: c.txns, runner: c}
	c.world = &world{Env: cfg.Env, leaders: c.leaders, decisions: c.decisions}
	c.coords = decide.NewCoCoordinator(cfg.Self, c.world, cfg.Params.RecoverAfter)
	c.goBy(cfg.Row)
	return c
}

// requestNumbers gives each request to another node its number.
type requestNumbers struct{ last uint64 }

func (n *requestNumbers) take() uint64 {
	n.last++
	return n.last
}

// Submit takes a client's request.
func (c *Coordinator) Submit(req *Request) {
	if req.Op == OpSurvey {
		c.surveys.begin(req)
		return
	}
	if c.heldBack(req) {
		return
	}
	id := req.Txn
	if id.IsZero() && req.Of != nil {
		id = req.Of.begun
	}
	t := c.txns[id]
	if t == nil && req.Op != OpEnd && req.Op != OpPublish && id.IsZero() {
		if t = c.begin(req.From); t != nil {
			req.begun = t.id
		}
	}
	switch {
	case req.Op == OpEnd:
		if t != nil && t.commit == nil {
			c.end(t, rolledBack(req.Cause))
		}
		req.answer(Response{Txn: id})
	case req.Op == OpPublish:
		if t != nil && t.commit == nil && t.failed == nil {
			c.publish(t, req.Writes)
		}
	case t == nil && id.IsZero():
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable, "this gateway has %d open transactions, its bound; try again later", maxTransactions)})
	case t == nil && (id.Epoch != c.cfg.Epoch || id.Node != c.cfg.Self):
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindAborted, "the gateway has started anew since transaction %v began; nothing was done", id)})
	case t == nil:
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindMisuse, "transaction %v has ended", id)})
	case t.round != nil || t.commit != nil || t.entrance.waiting != nil:
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindMisuse, "transaction %v is still busy with its last request", id)})
	case t.failed != nil:
		err := t.failed
		c.end(t, err)
		req.answer(t.response(err))
	case c.enters(t, req):
		c.run(t, req)
	}
}

func (c *Coordinator) begin(from Start) *transaction {
	if len(c.txns) >= maxTransactions {
		return nil
	}
	t := &transaction{
		id:  txn.ID{Node: c.cfg.Self, Epoch: c.cfg.Epoch, Seq: c.nextTxn},
		age: from.Age, try: from.Try, lockWait: from.LockWaitMillis, readOnly: from.ReadOnly, asOf: from.AsOf, hold: from.HoldMillis,
		level: c.levelOf(from.Level), owner: from.Owner, upkeep: from.Upkeep,
		began: c.env.Now().Mono,
	}
	t.touched = t.first[:0]
	c.nextTxn++
	if from.Inside && from.Lost < txn.Causes {
		c.reports.retried[from.Lost]++
	}
	if t.age.Start == 0 {
		t.age = txn.Age{Start: c.clock.Next(c.env.Now()), ID: t.id}
	}
	c.txns[t.id] = t
	return t
}

// end forgets a transaction that prepared nothing, and frees its locks.
func (c *Coordinator) end(t *transaction, why *txn.Error) {
	delete(c.txns, t.id)
	c.notLetIn(t, why)
	c.failRound(t, why)
	c.releaseLocks(t)
	c.attempts.giveBack(t)
	c.reports.end(t, why)
}

func (c *Coordinator) releaseLocks(t *transaction) {
	for _, tc := range t.touched {
		if tc.locked {
			c.leaders.send(tc.shard, txn.Message{Release: &txn.Release{Shard: tc.shard, Txn: t.id}})
		}
	}
}

// fail ends a transaction that lost; the client hears of it with its next request.
func (c *Coordinator) fail(t *transaction, err *txn.Error) {
	if t.failed != nil {
		return
	}
	t.failed = err
	c.notLetIn(t, err)
	c.releaseLocks(t)
	c.failRound(t, err)
	c.leaves(t, err)
}

// Deliver hands over a message meant for a coordinator.
func (c *Coordinator) Deliver(from txn.NodeID, m *txn.Message) {
	switch {
	case c.cfg.DeadCoCoordinator && (m.Ack != nil || m.Recall != nil || m.Decision != nil):
	case m.AccessReply != nil:
		c.onAccessReply(from, m.AccessReply)
	case m.Vote != nil:
		c.onVote(from, m)
	case m.DecideAck != nil:
		c.toAttempt(m.DecideAck.Attempt, from, m)
	case m.Finding != nil:
		c.toAttempt(m.Finding.Attempt, from, m)
	case m.NotLeader != nil:
		c.onNotLeader(from, m)
	case m.Opinion != nil:
		c.onOpinion(from, m)
	case m.Accepted != nil:
		c.toAttempt(m.Accepted.Attempt, from, m)
	case m.Ack != nil && m.Ack.Attempt.Node != c.cfg.Self:
		c.coords.OnAck(m.Ack)
	case m.Ack != nil:
		c.toAttempt(m.Ack.Attempt, from, m)
	case m.Resolved != nil:
		c.toAttempt(m.Resolved.Attempt, from, m)
	case m.Recall != nil:
		if !c.coords.OnRecall(from, m.Recall) {
			c.toAttempt(m.Recall.Attempt, from, m)
		}
	case m.Decision != nil:
		c.toAttempt(m.Decision.Attempt, from, m)
		c.coords.OnDecision(m.Decision)
	case m.Chase != nil:
		c.onChase(m.Chase)
	case m.SurveyReply != nil:
		c.surveys.hear(from, m.SurveyReply)
	case m.Wounded != nil:
		if t := c.txns[m.Wounded.Txn]; t != nil && t.commit == nil {
			c.fail(t, woundedBy(m.Wounded))
		}
	case m.Probe != nil:
		t := c.txns[m.Probe.Txn]
		c.env.Send(txn.Participant(from, m.Probe.Shard), txn.Message{ProbeReply: &txn.ProbeReply{
			Shard: m.Probe.Shard, Txn: m.Probe.Txn, StampNanos: m.Probe.StampNanos, Alive: t != nil && t.failed == nil}})
	}
}

// Tick does what is due; see NextWake.
func (c *Coordinator) Tick() {
	c.Depart()
	now := c.env.Now().Mono
	if now < c.sweepAt {
		return
	}
	c.sweepAt = now + sweepEvery
	for _, id := range sortedKeys(c.parts) {
		switch p := c.parts[id]; {
		case p == nil:
		case now >= p.wakeAt:
			c.wakePart(p)
		case c.asksLeader(p) && c.leaders.succeeded(p.access.Shard, p.term):
			c.askSuccessor(p)
		}
	}
	for _, k := range c.commitments() {
		if k.Due(now) {
			c.wakeCommit(k)
		}
	}
	c.tickTurn(now)
	c.recent.expire(now)
	c.coords.Expire(now)
	c.surveys.expire(now)
	c.sweepAdmission(now)
	c.decisions.sweep(now)
}

func (c *Coordinator) onNotLeader(from txn.NodeID, env *txn.Message) {
	m := env.NotLeader
	if m.Leader != 0 {
		c.leaders.heard(m.Shard, m.Leader, m.Term)
	} else {
		c.leaders.doubt(m.Shard, from)
	}
	if p := c.parts[m.Request]; m.Request != 0 && p != nil {
		c.partNotLed(p, m)
	}
	c.toAttempt(m.Attempt, from, env)
}

// Open is the number of transactions and commitments that have not ended.
func (c *Coordinator) Open() (transactions, commitments int) { return len(c.txns), len(c.commits) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m { // order: sorted below
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func sortedShards[V any](m map[txn.ShardID]V) []txn.ShardID { return sortedKeys(m) }

// Rollbacks are the transactions of this incarnation that were rolled back, by cause.
func (c *Coordinator) Rollbacks() []uint64 { return slices.Clone(c.reports.rollbacks[:]) }

// Retried are those of the Rollbacks that the gateway did again by itself, by cause.
func (c *Coordinator) Retried() []uint64 { return slices.Clone(c.reports.retried[:]) }
