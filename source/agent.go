package source

import (
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// Kind is the directory's kind of a participant that is a source.
const Kind = routing.SourceKind

// Config has an agent's settings that do not depend on its place in the cluster.
type Config struct {
	// Cluster distinguishes this cluster's branches from other clusters' in the same database.
	Cluster uint64
	// Open returns a source's driver. It must not block. The agent does not close the driver, its
	// process does.
	Open func(s routing.Shard) (Driver, error)
	// BranchesMax bounds the branches that have not ended, hence the connections; 0: 512.
	BranchesMax int
	// AnswerBytesMax bounds the bytes of all results of one request; 0: 16 MiB.
	AnswerBytesMax int
	// DetectAfter returns one source's Params.SourceWaits, given the cluster's value. nil: the cluster's.
	DetectAfter func(s routing.Shard, all time.Duration) time.Duration
}

const (
	branchesMax    = 512
	answerBytesMax = 16 << 20
	// queryDecisionEvery is the interval, in units of RecoverAfter, between two listings of the prepared
	// branches: a prepare under way when a connection breaks may take effect after one listing.
	queryDecisionEvery = 10
)

// Agent is the participant in front of a source: it runs branches, votes for them and ends them as
// decided. It is a state machine; blocking calls run outside its loop.
//
// Invariants: a branch whose prepare has begun ends only by a decision or because its prepare
// failed; no branch is begun again for an attempt that has ended.
type Agent struct {
	*state
	runner   statementRunner
	ender    branchEnder
	recovery recovery
	admin    adminHandler
	waits    waitings
}

// Factory returns a factory of agents with these settings.
func Factory(cfg Config) participant.Factory {
	if cfg.BranchesMax == 0 {
		cfg.BranchesMax = branchesMax
	}
	if cfg.AnswerBytesMax == 0 {
		cfg.AnswerBytesMax = answerBytesMax
	}
	return func(o participant.OpenOptions) (participant.Participant, error) {
		db, err := cfg.Open(o.Shard)
		if err != nil {
			return nil, err
		}
		if o.Spec.Yield.Versions {
			db = newVersions(db, o.Params.InjectedBugs)
		}
		s := &state{cfg: cfg, at: o, replySender: replySender{o.Env, txn.ShardID(o.Shard.ID), uint64(o.Epoch), tally{}}, db: db,
			branches: branches{}, ended: newMemory(), describing: map[asker]bool{}, orphans: decide.NewOrphans(o.Params.RecoverAfter)}
		g := &Agent{state: s, runner: statementRunner{s}, ender: branchEnder{s}, admin: adminHandler{s}}
		g.recovery = recovery{s, &g.ender}
		g.waits = newWaitings(s)
		s.proceed = g.next
		// The agent's term is on disk before any message carries it: no two incarnations share a term.
		o.Env.AfterSync(func() { g.links.open = true; g.recovery.queryDecision() })
		return g, nil
	}
}

// Deliver implements participant.Participant.
func (g *Agent) Deliver(from txn.NodeID, m *txn.Message) {
	if request, attempt, asks := m.Asks(); asks && !g.links.serving {
		g.send(from, txn.Message{NotLeader: &txn.NotLeader{Shard: g.id, Term: g.term, Request: request, Attempt: attempt}})
		return
	}
	switch {
	case m.Access != nil && m.Access.Batch != nil:
		g.runner.take(from, m.Access)
	case m.Access != nil:
		g.send(from, txn.Message{AccessReply: &txn.AccessReply{Shard: g.id, Request: m.Access.Request, Term: g.term,
			Refused: txn.KindInvalidRequest, Reason: "a source executes statements and serves no reads of keys"}})
	case m.Prepare != nil:
		g.ender.prepare(from, m.Prepare)
	case m.Decide != nil && g.links.serving:
		g.ender.decide(from, m.Decide)
	case m.Inquire != nil:
		g.ender.inquire(from, m.Inquire)
	case m.TxnStatusReply != nil:
		g.recovery.statusQueried(m.TxnStatusReply)
	case m.SourceQuery != nil:
		g.admin.asked(from, m.SourceQuery)
	case m.DeadlockProbe != nil && g.links.serving:
		g.waits.probe(m.DeadlockProbe)
	case m.DeadlockConfirm != nil && g.links.serving:
		g.waits.recheck(m.DeadlockConfirm)
	}
}

// Tick implements participant.Participant.
func (g *Agent) Tick() {
	g.retry()
	now := g.now()
	if g.links.due(now) {
		g.recovery.queryDecision()
	}
	for _, b := range g.branches.inOrder() {
		g.recovery.look(b, now)
	}
	g.waits.tick()
}

// NextWake implements participant.Participant.
func (g *Agent) NextWake() time.Duration {
	if len(g.waiting) > 0 {
		return g.now() + g.at.Params.TickInterval
	}
	at := min(g.links.nextWake(), g.waits.nextWake())
	for _, b := range g.branches { // order: the least of all
		at = min(at, g.recovery.looksAt(b))
	}
	return at
}

// ReadLocal implements participant.Participant: a source serves no reads outside transactions.
func (g *Agent) ReadLocal(k txn.Key) txn.Row { return txn.Row{Key: k} }

// Leader implements participant.Participant. The term is the agent's incarnation.
func (g *Agent) Leader() (txn.NodeID, uint64) {
	if !g.links.serving {
		return 0, g.term
	}
	return g.at.Self, g.term
}

// Serving implements participant.Participant.
func (g *Agent) Serving() bool { return g.links.serving }

// next starts the next step of a branch unless a step of it is under way.
func (g *Agent) next(b *branch) {
	switch d := b.decided; {
	case b.busy || g.branches[b.name.Attempt] != b:
	case d != nil && b.phase == prepared:
		g.ender.finish(b)
	case d != nil && !d.Commit && b.phase != prepareUnknown:
		g.ender.rollBack(b)
	case b.phase != working:
	case b.todo != nil && g.blocks(b):
	case b.todo != nil:
		if db := g.runner.alone(b); db != nil {
			g.runner.once(b, db)
			return
		}
		g.runner.execute(b)
	case b.last != nil && b.last.OnePhase:
		g.ender.commit(b)
	case b.last != nil:
		g.ender.prepareThere(b)
	}
}

var _ participant.Participant = (*Agent)(nil)
