package source

import (
	"context"
	"time"

	"isochron/decide"
	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// Kind is what a directory says of a participant that is a source.
const Kind routing.Kind = "source"

// Config is what an agent is opened with beside its place in the cluster.
type Config struct {
	// Cluster tells this cluster's branches from those of others in the same database.
	Cluster uint64
	// Open gives the driver of a source. It must not block; the agent closes nothing, its
	// process does.
	Open func(s routing.Shard) (Driver, error)
	// BranchesMax bounds the branches that have not ended, and so the connections; 0: 512.
	BranchesMax int
	// AnswerBytesMax bounds what the statements of one request give together; 0: 16 MiB.
	AnswerBytesMax int
}

const (
	branchesMax    = 512
	answerBytesMax = 16 << 20
	// recallEvery is how many times RecoverAfter pass between two looks at what is prepared
	// there: what was on its way when a connection broke may be prepared after one look.
	recallEvery = 10
)

// Agent is the participant in front of a source: it runs branches, votes for them and ends
// them as it is told. It is a state machine; what blocks it has run outside its loop.
//
// Invariants: a branch whose prepare has begun ends by a decision alone, or because its
// prepare has failed; and of an attempt that it has ended it begins nothing again.
type Agent struct {
	cfg Config
	at  participant.Opening
	db  Driver
	voice

	branches branches
	ended    *memory
	orphans  *decide.Orphans
	links    link
	waiting  []task // could not be begun yet
}

// Opener opens agents.
func Opener(cfg Config) participant.Opener {
	if cfg.BranchesMax == 0 {
		cfg.BranchesMax = branchesMax
	}
	if cfg.AnswerBytesMax == 0 {
		cfg.AnswerBytesMax = answerBytesMax
	}
	return func(o participant.Opening) (participant.Participant, error) {
		db, err := cfg.Open(o.Shard)
		if err != nil {
			return nil, err
		}
		g := &Agent{cfg: cfg, at: o, voice: voice{o.Env, txn.ShardID(o.Shard.ID), uint64(o.Epoch)}, db: db,
			branches: branches{}, ended: newMemory(), orphans: decide.NewOrphans(o.Params.RecoverAfter)}
		// Its term is on the disk before anybody hears of it: no two incarnations have one.
		o.Env.AfterSync(func() { g.links.open = true; g.recall() })
		return g, nil
	}
}

// Deliver implements participant.Participant.
func (g *Agent) Deliver(from txn.NodeID, m *txn.Message) {
	if request, attempt, asks := m.Asks(); asks && !g.links.serving {
		g.tell(from, txn.Message{NotLeader: &txn.NotLeader{Shard: g.id, Term: g.term, Request: request, Attempt: attempt}})
		return
	}
	switch {
	case m.Access != nil && m.Access.Work != nil:
		g.work(from, m.Access)
	case m.Access != nil:
		g.tell(from, txn.Message{AccessReply: &txn.AccessReply{Shard: g.id, Request: m.Access.Request, Term: g.term,
			Refused: txn.KindMisuse, Reason: "a source is asked by statements, not for keys"}})
	case m.Prepare != nil:
		g.prepare(from, m.Prepare)
	case m.Decide != nil && g.links.serving:
		g.decide(from, m.Decide)
	case m.Inquire != nil:
		g.inquire(from, m.Inquire)
	case m.ProbeReply != nil:
		g.probed(m.ProbeReply)
	}
}

// task is work outside the loop.
type task struct {
	work func(context.Context) any
	done func(any)
}

// outside has something run outside the loop, later if too much is under way there.
func (g *Agent) outside(work func(context.Context) any, done func(any)) {
	if len(g.waiting) > 0 || !g.at.Env.Outside(work, done) {
		g.waiting = append(g.waiting, task{work, done}) // one for each branch at most
	}
}

// Tick implements participant.Participant.
func (g *Agent) Tick() {
	waiting := g.waiting
	g.waiting = nil
	for i, t := range waiting {
		if !g.at.Env.Outside(t.work, t.done) {
			g.waiting = append(g.waiting, waiting[i:]...)
			break
		}
	}
	now := g.now()
	if g.links.due(now) {
		g.recall()
	}
	for _, b := range g.branches.inOrder() {
		g.look(b, now)
	}
}

// NextWake implements participant.Participant.
func (g *Agent) NextWake() time.Duration {
	if len(g.waiting) > 0 {
		return g.now() + g.at.Params.TickInterval
	}
	at := g.links.nextWake()
	for _, b := range g.branches { // order: the least of all
		at = min(at, g.looksAt(b))
	}
	return at
}

// Peek implements participant.Participant: nothing is read there outside transactions.
func (g *Agent) Peek(k txn.Key) txn.Row { return txn.Row{Key: k} }

// Leader implements participant.Participant. Its term is its incarnation.
func (g *Agent) Leader() (txn.NodeID, uint64) {
	if !g.links.serving {
		return 0, g.term
	}
	return g.at.Self, g.term
}

// Serving implements participant.Participant.
func (g *Agent) Serving() bool { return g.links.serving }

var _ participant.Participant = (*Agent)(nil)
