package source

import (
	"context"
	"slices"
	"time"

	"isochron/txn"
)

// Statements: they are executed in the order of their works, each work once.

// work takes in what is to be done in a branch.
func (g *Agent) work(from txn.NodeID, m *txn.Access) {
	w := m.Work
	g.ended.retire(w.Attempt, w.Retired)
	b := g.branches[w.Attempt]
	switch {
	case w.Term != g.term: // whether an earlier incarnation has done it is not known here
		g.tell(from, txn.Message{NotLeader: &txn.NotLeader{Shard: g.id, Leader: g.at.Self, Term: g.term, Request: m.Request}})
		return
	case b == nil && g.ended.knows(w.Attempt) && !g.at.Params.Bugs.ForgetTombstone:
		g.refuse(from, m, txn.KindAborted, "the transaction was rolled back there before", nil, txn.CauseOther)
		return
	case b == nil && w.Step != 1:
		g.refuse(from, m, txn.KindAborted, "the source has lost the transaction's branch", nil, txn.CauseLeader)
		return
	case b == nil && len(g.branches) >= g.cfg.BranchesMax:
		g.refuse(from, m, txn.KindUnavailable, "the source's agent has as many branches as it may; try again later", nil, txn.CauseUnavailable)
		return
	case b == nil:
		b = g.open(from, m)
	case w.Step <= b.step:
		g.again(b, from, m)
		return
	case w.Step != b.step+1 || b.phase != working || b.last != nil || b.decided != nil:
		g.refuse(from, m, txn.KindAborted, "the transaction's branch takes no more statements", nil, txn.CauseOther)
		return
	}
	b.step, b.todo, b.reply, b.heardAt = w.Step, m, nil, g.now()
	if b.last = w.Last; w.Last != nil {
		b.voter = from
	}
	b.meets(w.Peers)
	g.goOn(b)
}

// open notes a new branch. Work of dead incarnations of its gateway is rolled back first.
func (g *Agent) open(from txn.NodeID, m *txn.Access) *branch {
	w, now := m.Work, g.now()
	wait := g.at.Params.LockWait
	if m.WaitMillis > 0 {
		wait = time.Duration(m.WaitMillis) * time.Millisecond
	}
	b := &branch{
		name: Name{Cluster: g.cfg.Cluster, Attempt: w.Attempt, Source: g.id, DecidedAt: w.DecidedAt},
		txn:  m.Txn, gateway: from, heardAt: now, began: now,
		options: BranchOptions{Isolation: isolation(w.Level), LockWait: wait},
	}
	for _, o := range g.branches.inOrder() {
		if a := o.name.Attempt; a.Node == w.Attempt.Node && a.Epoch < w.Attempt.Epoch {
			g.abandoned(o)
		}
	}
	g.branches[w.Attempt] = b
	return b
}

// isolation is the source's word for a level.
func isolation(l txn.Level) Isolation {
	switch l {
	case txn.RepeatableRead:
		return RepeatableRead
	case txn.ReadCommitted:
		return ReadCommitted
	}
	return Serializable
}

// meets notes the other sources of the transaction.
func (b *branch) meets(peers []txn.Peer) {
	for _, p := range peers {
		if p.Shard != b.name.Source && !slices.Contains(b.peers, p) {
			b.peers = append(b.peers, p)
		}
	}
}

// again answers a work that came before.
func (g *Agent) again(b *branch, from txn.NodeID, m *txn.Access) {
	switch w := m.Work; {
	case w.Step < b.step:
	case b.reply != nil:
		g.tell(from, txn.Message{AccessReply: b.reply})
	default:
		b.heardAt = g.now()
		g.tell(from, txn.Message{AccessReply: &txn.AccessReply{Shard: g.id, Request: m.Request, Term: g.term, Worked: &txn.Worked{Going: true}}})
	}
}

// executed is what came of a work.
type executed struct {
	handle  Branch
	results []txn.Result
	err     *Error
}

// execute runs the statements of a work.
func (g *Agent) execute(b *branch) {
	m, db, most := b.todo, g.db, g.cfg.AnswerBytesMax
	name, options, handle := b.name, b.options, b.handle
	g.begin(b, func(ctx context.Context) any {
		out := executed{handle: handle}
		if handle == nil {
			h, err := db.Begin(ctx, name, options)
			if err != nil {
				out.err = asError(err)
				out.err.Ends = true
				return out
			}
			out.handle = h
		}
		bytes := 0
		for _, s := range m.Work.Statements {
			r, err := out.handle.Execute(ctx, s)
			if out.err = asError(err); err != nil {
				return out
			}
			if bytes += r.Bytes(); bytes > most {
				out.err = &Error{Code: tooLarge, State: "HY000", Text: "the answers are larger than a source's agent sends at once; ask for fewer rows"}
				return out
			}
			out.results = append(out.results, r)
		}
		return out
	}, func(result any) { g.executed(b, m, result.(executed)) })
}

// tooLarge is MySQL's number of a packet that is larger than is allowed.
const tooLarge = 1153

// endedByOthers is what is said of what was under way or waited here when it ended.
const endedByOthers = "the transaction was rolled back: it had failed at another source, or its gateway gave it up"

// executed answers a work. A statement that fails ends the branch if the source says so, or
// if it was to be the last.
func (g *Agent) executed(b *branch, m *txn.Access, x executed) {
	b.todo, b.handle = nil, x.handle
	if b.decided != nil { // it is rolled back whatever came of it
		if x.err != nil && x.err.Ends {
			b.handle = nil
		}
		g.refuse(b.gateway, m, txn.KindAborted, endedByOthers, nil, txn.CauseOther)
		return
	}
	if x.err == nil || !x.err.Ends && b.last == nil {
		w := &txn.Worked{Results: x.results}
		r := &txn.AccessReply{Shard: g.id, Request: m.Request, Term: g.term, Worked: w}
		if x.err != nil {
			w.Fault, r.Reason, r.Cause = x.err.fault(), x.err.Text, x.err.cause()
		}
		b.reply = r
		g.tell(b.gateway, txn.Message{AccessReply: r})
		return
	}
	kind := txn.KindAborted
	if x.err.Gone {
		kind = txn.KindUnavailable
		g.broke()
	}
	g.refuse(b.gateway, m, kind, x.err.Text, x.err.fault(), x.err.cause())
	g.warn(b)
	if x.err.Ends {
		b.handle = nil
	}
	b.decided = &txn.Decide{Shard: g.id, Attempt: b.name.Attempt, Txn: b.txn} // goOn rolls it back
}

// warn tells the transaction's other sources that it cannot commit, past its coordinator
// (GeoTP section 4.1, early abort). What has failed here was never prepared, and never will be.
func (g *Agent) warn(b *branch) {
	for _, p := range b.peers {
		g.at.Env.Send(txn.Participant(p.Node, p.Shard), txn.Message{Decide: &txn.Decide{Shard: p.Shard, Attempt: b.name.Attempt, Txn: b.txn}})
	}
}
