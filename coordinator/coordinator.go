package coordinator

import (
	"slices"
	"time"

	"isochron/decide"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Coordinator runs the transactions of one gateway. It begins and ends them, and passes requests
// and messages to its parts, each of which owns its state.
type Coordinator struct {
	cfg     Config
	env     Env
	clock   txn.Clock // of ages, and of the timestamps of attempts
	nextTxn uint64
	txns    transactions
	sweepAt time.Duration

	protocolSwitch    *protocolSwitch       // the present protocol, and transactions that wait for the next
	admission         *admissionController  // which transactions may begin
	classes           *classes              // of transactions
	policy            *policy               // the protocol's rules of reads and locks
	forecasts         *forecasts            // of hot records
	temperatures      *temperatures         // of records that are updated often
	reads             *reads                // rounds of reads
	execs             *statements           // rounds of statements
	snapshotReads     *snapshotReads        // read timestamps of weaker levels
	recent            *recentWrites         // writes that near replicas may not have yet
	attempts          *attempts             // numbers of its own attempts
	commits           *commitManager        // pending attempts
	decisions         *decisions            // decisions logged before any participant is notified
	coords            *decide.CoCoordinator // for attempts of other gateways
	leaders           *leaders
	reports           *reports
	contentionQueries *contentionQueries
	asks              *asks // requests to agents of sources
	decideEnv         *decideEnv
}

// The bounds of one gateway.
const (
	maxTransactions = 100_000
	maxCommitments  = 100_000
	maxSpans        = 4096 // spans that one transaction may have read
)

// New starts an incarnation.
func New(cfg Config) *Coordinator {
	env := cfg.Env
	c := &Coordinator{cfg: cfg, env: env, txns: transactions{}, nextTxn: 1, snapshotReads: &snapshotReads{env: env}, recent: newRecentWrites()}
	// A reply to an earlier incarnation must not be taken for one to this.
	numbers := &requestNumbers{last: uint64(cfg.Epoch) << 32}
	c.leaders = &leaders{env: env, hints: map[txn.ShardID]hint{}}
	c.protocolSwitch = &protocolSwitch{params: &c.cfg.Params, env: env, host: c}
	c.policy = &policy{cfg: &c.cfg, leaders: c.leaders, env: env}
	c.classes = &classes{cfg: &c.cfg, leaders: c.leaders, env: env}
	c.attempts = &attempts{cfg: &c.cfg, next: 1}
	c.contentionQueries = &contentionQueries{env: env, numbers: numbers, ownerOf: c.txns.ownerOf, open: map[uint64]*contentionQuery{}}
	c.asks = &asks{cfg: &c.cfg, env: env, numbers: numbers, open: map[uint64]*ask{}}
	c.reports = &reports{env: env}
	c.forecasts = &forecasts{cfg: &c.cfg, env: env, policy: c.policy}
	bounds := yield.LateBounds{Sleep: cfg.Params.Forecast.Sleep, Again: cfg.Params.Forecast.Again, Alone: cfg.Params.Forecast.Alone}
	c.admission = &admissionController{cfg: &c.cfg, env: env, txns: c.txns, reports: c.reports, host: c, forecasts: c.forecasts,
		late:      yield.NewLateScheduler(bounds, cfg.Seed, uint64(cfg.Self)<<32|uint64(cfg.Epoch)),
		admission: yield.NewAdmission(yield.AdmissionBounds{Off: cfg.Params.AdmissionOff, Wait: cfg.Params.AdmissionWait})}
	c.temperatures = &temperatures{cfg: &c.cfg, env: env, leaders: c.leaders}
	c.reports.left = c.left
	c.reads = &reads{cfg: &c.cfg, env: env, policy: c.policy, classes: c.classes, leaders: c.leaders, numbers: numbers, reports: c.reports, protocolSwitch: c.protocolSwitch,
		recent: c.recent, clock: &c.clock, snapshotReads: c.snapshotReads, forecasts: c.forecasts, temperatures: c.temperatures, executor: c, parts: map[uint64]*shardRequest{}}
	c.execs = &statements{cfg: &c.cfg, env: env, reads: c.reads, leaders: c.leaders}
	c.decisions = &decisions{cfg: &c.cfg, env: env, leaders: c.leaders, attempts: c.attempts, txns: c.txns}
	late := &latePrepares{cfg: &c.cfg, env: env, leaders: c.leaders}
	c.decideEnv = &decideEnv{Env: env, leaders: c.leaders, decisions: c.decisions, late: late}
	c.commits = &commitManager{cfg: &c.cfg, env: env, txns: c.txns, policy: c.policy, classes: c.classes, leaders: c.leaders, attempts: c.attempts, decisions: c.decisions,
		reports: c.reports, protocolSwitch: c.protocolSwitch, recent: c.recent, clock: &c.clock, snapshotReads: c.snapshotReads, reads: c.reads, ender: c, late: late, leased: leaseClock{writes: yield.AboveLeases{Inside: cfg.Params.InjectedBugs.WriteInsideLease}}, all: map[txn.Attempt]*pendingCommit{}, branched: map[txn.Attempt]*transaction{}}
	c.execs.commits = c.commits
	c.decisions.submit, c.decisions.rule = c.Submit, c.commits.rule
	c.coords = decide.NewCoCoordinator(cfg.Self, c.decideEnv, cfg.Params)
	c.useProtocol(cfg.Spec)
	return c
}

// requestNumbers numbers the requests to other nodes.
type requestNumbers struct{ last uint64 }

func (n *requestNumbers) take() uint64 {
	n.last++
	return n.last
}

// Submit processes a client's request.
func (c *Coordinator) Submit(req *Request) {
	if req.Op == OpContention {
		c.contentionQueries.begin(req)
		return
	}
	if req.Op == OpAskSources {
		c.asks.begin(req)
		return
	}
	if c.protocolSwitch.queueOrCancel(req) {
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
		answerRollback(c.commits, t, req, Response{Txn: id})
	case req.Op == OpPublish:
		if t != nil && t.commit == nil && t.failed == nil {
			c.publish(t, req.Writes)
		}
	case t == nil && id.IsZero():
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable, "this gateway's limit of %d open transactions is reached; retry later", maxTransactions)})
	case t == nil && (id.Epoch != c.cfg.Epoch || id.Node != c.cfg.Self):
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindAborted, "the gateway restarted after transaction %v began; nothing was executed; retry the transaction", id)})
	case t == nil:
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindInvalidRequest, "transaction %v has ended", id)})
	case t.round != nil || t.commit != nil || t.admission.waiting != nil:
		req.answer(Response{Txn: id, Err: txn.Errorf(txn.KindInvalidRequest, "transaction %v has a request in progress", id)})
	case t.failed != nil:
		err := t.failed
		c.end(t, err)
		answerRollback(c.commits, t, req, t.response(err))
	default:
		if t.schemaChecks = req.SchemaChecks; c.admission.enters(t, req) {
			c.run(t, req)
		}
	}
}

func (c *Coordinator) begin(from Start) *transaction {
	if len(c.txns) >= maxTransactions {
		return nil
	}
	t := &transaction{
		id:  txn.ID{Node: c.cfg.Self, Epoch: c.cfg.Epoch, Seq: c.nextTxn},
		age: from.Age, try: from.Try, lockWait: from.LockWaitMillis, silence: from.SilenceMillis, commitWait: from.CommitMillis, readOnly: from.ReadOnly, asOf: from.AsOf, protect: from.ProtectMillis,
		level: c.policy.levelOf(from.Level), owner: from.SessionID, upkeep: from.SystemTxn, record: from.Record,
		began: c.env.Now().Mono,
	}
	t.touched = t.first[:0]
	c.nextTxn++
	if from.AutoRetry && from.Lost < txn.Causes {
		c.reports.redone(from.Lost)
	}
	t.age.Region = c.classes.firstRank(t.age, t.try)
	if t.age.Start == 0 {
		t.age = txn.Age{Start: c.clock.Next(c.env.Now()), ID: t.id, Priority: from.Age.Priority}
	}
	if after := c.cfg.Params.PromoteAfterTries; after > 0 && t.try >= after {
		t.age.Priority = txn.PriorityHigh
	}
	t.age = c.cfg.Spec.Yield.Priority.Of(t.age)
	c.txns[t.id] = t
	return t
}

// run executes a request of an admitted transaction.
func (c *Coordinator) run(t *transaction, req *Request) {
	if c.commits.isFixedSet(t, req) {
		c.commits.prepareFixedSet(t, req)
		return
	}
	if req.Op == OpRead || req.Op == OpUpdate || req.Op == OpFixedSet {
		c.reads.begin(t, req)
		return
	}
	if req.Op == OpExecute {
		c.execs.begin(t, req)
		return
	}
	if req.Op == OpConfirm {
		c.commits.confirm(t, req)
		return
	}
	c.commit(t, req, req.Writes)
}

// commit starts the commit of a transaction with these writes.
func (c *Coordinator) commit(t *transaction, req *Request, writes []txn.Write) {
	c.forecasts.writes(t, writes)
	c.commits.begin(t, req, writes)
}

// committed ends a transaction that was committed with its statements.
func (c *Coordinator) committed(t *transaction, req *Request) { c.commits.committed(t, req) }

// left frees the place of a try that has ended; repeated calls are harmless.
func (c *Coordinator) left(t *transaction, err *txn.Error) {
	c.forecasts.left(t, err)
	c.temperatures.left(t, err)
	c.admission.leaves(t, err)
}

// end drops a transaction that prepared nothing, and releases its locks.
func (c *Coordinator) end(t *transaction, reason *txn.Error) {
	delete(c.txns, t.id)
	c.admission.refuseAdmission(t, reason)
	c.reads.giveUp(t, t.branches.doubt(c.env.Directory(), reason))
	t.releaseLocks(c.leaders)
	c.commits.abandon(t)
	c.attempts.giveBack(t)
	c.reports.end(t, reason)
}

// renamed implements ender.
func (c *Coordinator) renamed(t *transaction) *transaction {
	n := *t
	n.id = txn.ID{Node: c.cfg.Self, Epoch: c.cfg.Epoch, Seq: c.nextTxn}
	c.nextTxn++
	n.touched, n.commit, n.reserved = slices.Clone(t.touched), nil, 0
	delete(c.txns, t.id)
	c.txns[n.id] = &n
	return &n
}

// fail ends a transaction that lost; the client is notified with its next request.
func (c *Coordinator) fail(t *transaction, err *txn.Error) {
	if t.failed != nil {
		return
	}
	if waits := t.admission.waiting; waits != nil && waits.Op == OpCommit {
		c.end(t, err) // its client will send no more requests
		return
	}
	err = t.branches.doubt(c.env.Directory(), err)
	t.failed = err
	c.admission.refuseAdmission(t, err)
	t.releaseLocks(c.leaders)
	c.commits.abandon(t)
	c.reads.giveUp(t, err)
	c.left(t, err)
}

// Deliver passes on a message addressed to a coordinator.
func (c *Coordinator) Deliver(from txn.NodeID, m *txn.Message) {
	switch {
	case c.cfg.DeadCoCoordinator && (m.Ack != nil || m.QueryDecision != nil || m.Decision != nil):
	case m.AccessReply != nil:
		c.reads.receive(from, m.AccessReply)
	case m.Vote != nil:
		c.commits.vote(from, m)
	case m.Forward != nil:
		onForward(c.commits, m.Forward)
	case m.FixedSetReads != nil:
		c.commits.onFixedSetReads(m.FixedSetReads)
	case m.DecideAck != nil:
		c.commits.receive(m.DecideAck.Attempt, from, m)
	case m.InquireReply != nil:
		c.commits.receive(m.InquireReply.Attempt, from, m)
	case m.NotLeader != nil:
		c.onNotLeader(from, m)
	case m.ReplicaVote != nil:
		c.commits.replicaVote(from, m)
	case m.Accepted != nil:
		c.commits.receive(m.Accepted.Attempt, from, m)
	case m.Ack != nil && m.Ack.Attempt.Node != c.cfg.Self:
		c.coords.OnAck(m.Ack)
	case m.Ack != nil:
		c.commits.receive(m.Ack.Attempt, from, m)
	case m.DependencyDecided != nil:
		c.commits.receive(m.DependencyDecided.Attempt, from, m)
	case m.QueryDecision != nil:
		if !c.coords.OnQueryDecision(from, m.QueryDecision) {
			c.commits.receive(m.QueryDecision.Attempt, from, m)
		}
	case m.Decision != nil:
		c.commits.receive(m.Decision.Attempt, from, m)
		c.coords.OnDecision(m.Decision)
	case m.DeadlockProbe != nil:
		c.onDeadlockProbe(m.DeadlockProbe)
	case m.ContentionReply != nil:
		c.contentionQueries.receive(from, m.ContentionReply)
	case m.SourceReply != nil:
		c.asks.receive(m.SourceReply)
	case m.Wounded != nil:
		if t := c.txns[m.Wounded.Txn]; t != nil && t.commit == nil {
			c.fail(t, woundedBy(m.Wounded))
		}
	case m.TxnStatusQuery != nil:
		t := c.txns[m.TxnStatusQuery.Txn]
		c.env.Send(txn.Participant(from, m.TxnStatusQuery.Shard), txn.Message{TxnStatusReply: &txn.TxnStatusReply{
			Shard: m.TxnStatusQuery.Shard, Txn: m.TxnStatusQuery.Txn, SentNanos: m.TxnStatusQuery.SentNanos, Alive: t != nil && t.failed == nil}})
	}
}

// Tick does the work that is due; see NextWake.
func (c *Coordinator) Tick() {
	c.Depart()
	now := c.env.Now().Mono
	if now < c.sweepAt {
		return
	}
	c.sweepAt = now + sweepEvery
	c.reads.sweep(now)
	c.commits.sweep(now)
	c.protocolSwitch.sweep(now)
	c.recent.expire(now)
	c.coords.Expire(now)
	c.contentionQueries.expire(now)
	c.asks.expire(now)
	c.admission.sweep(now)
	c.decisions.sweep(now)
}

func (c *Coordinator) onNotLeader(from txn.NodeID, env *txn.Message) {
	m := env.NotLeader
	if m.Leader != 0 {
		c.leaders.observe(m.Shard, m.Leader, m.Term)
	} else {
		c.leaders.doubt(m.Shard, from)
	}
	if p := c.reads.parts[m.Request]; m.Request != 0 && p != nil {
		c.reads.partNotLed(p, m)
	}
	c.commits.receive(m.Attempt, from, env)
}

// rollBackOpen ends transactions that are open and not committing.
func (c *Coordinator) rollBackOpen(reason *txn.Error, which func(*transaction) bool) {
	for _, t := range c.txns.open() {
		if which(t) {
			c.fail(t, reason)
		}
	}
}

// RollBackOpen ends all transactions that are not committing, before the node stops: their locks
// are released now, and not when other nodes detect the stop.
func (c *Coordinator) RollBackOpen() {
	c.rollBackOpen(txn.Errorf(txn.KindAborted, "transaction rolled back: the node is stopping; retry the transaction at another node"),
		func(*transaction) bool { return true })
}

// FollowProtocol applies the protocol of the directory; spec is its resolved form. Open
// transactions of another protocol end.
func (c *Coordinator) FollowProtocol(p routing.Protocol, spec protocol.Spec) {
	c.protocolSwitch.follow(p, spec)
}

// Adopt finishes an attempt whose coordinator seems lost.
func (c *Coordinator) Adopt(o txn.Orphan) { c.commits.adopt(o) }

// Coordinate makes this node decide another gateway's attempt, if the participants are to send
// their votes here.
func (c *Coordinator) Coordinate(p *txn.Prepare) {
	if p.VotesTo != c.cfg.Self || p.Attempt.Node == c.cfg.Self || c.coords.Knows(p.Attempt) {
		return
	}
	c.commits.coordinate(txn.Orphan{Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants, RecordShard: p.RecordShard})
	for _, other := range p.Delegated {
		c.env.Send(txn.Participant(other.To, other.Prepare.Shard), txn.Message{Prepare: other.Prepare})
	}
}
