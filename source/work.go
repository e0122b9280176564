package source

import (
	"context"
	"slices"
	"time"

	"isochron/txn"
)

// Statements: they are executed in the order of their works, each work once.

// statementRunner has branches execute statements.
type statementRunner struct{ *state }

// take takes in what is to be done in a branch.
func (ws *statementRunner) take(from txn.NodeID, m *txn.Access) {
	w := m.Batch
	ws.ended.retire(w.Attempt, w.Retired)
	b := ws.branches[w.Attempt]
	switch {
	case w.Term != ws.term: // whether an earlier incarnation has done it is not known here
		ws.send(from, txn.Message{NotLeader: &txn.NotLeader{Shard: ws.id, Leader: ws.at.Self, Term: ws.term, Request: m.Request}})
		return
	case b == nil && ws.ended.knows(w.Attempt) && !ws.at.Params.InjectedBugs.ForgetTombstone:
		ws.over(from, m)
		return
	case b == nil && w.Step != 1:
		ws.refuse(from, m.Request, txn.KindAborted, "the source has lost the transaction's branch", nil, txn.CauseLeader)
		return
	case b == nil && len(ws.branches) >= ws.cfg.BranchesMax:
		ws.refuse(from, m.Request, txn.KindUnavailable, "the source's agent has as many branches as it may; try again later", nil, txn.CauseUnavailable)
		return
	case b == nil:
		b = ws.open(from, m)
	case w.Step <= b.step:
		ws.again(b, from, m)
		return
	case w.Step != b.step+1 || b.phase != working || b.last != nil || b.decided != nil:
		ws.refuse(from, m.Request, txn.KindAborted, "the transaction's branch takes no more statements", nil, txn.CauseOther)
		return
	}
	b.step, b.todo, b.reply, b.lastContact = w.Step, m, nil, ws.now()
	if b.last = w.Last; w.Last != nil {
		b.replies = from
	}
	b.meets(w.Peers)
	ws.counts.worked(len(w.Statements))
	ws.proceed(b)
}

// over answers a work of a branch that has ended.
func (ws *statementRunner) over(from txn.NodeID, m *txn.Access) {
	switch how := ws.ended.how(m.Batch.Attempt); {
	case m.Batch.Last == nil || !m.Batch.Last.OnePhase || how == txn.OutcomeAborted:
		ws.refuse(from, m.Request, txn.KindAborted, "the transaction was rolled back there before", nil, txn.CauseOther)
	case how == txn.OutcomeCommitted:
		ws.refuse(from, m.Request, txn.KindUnknown, "the transaction is committed, but what its last statements gave was lost on its way", nil, txn.CauseOther)
	default:
		ws.refuse(from, m.Request, txn.KindUnknown, brokeInCommit, nil, txn.CauseUnavailable)
	}
}

// open notes a new branch. Work of dead incarnations of its gateway is rolled back first.
func (ws *statementRunner) open(from txn.NodeID, m *txn.Access) *branch {
	w, now := m.Batch, ws.now()
	wait := ws.at.Params.LockWait
	if m.WaitMillis > 0 {
		wait = time.Duration(m.WaitMillis) * time.Millisecond
	}
	b := &branch{
		name: Name{Cluster: ws.cfg.Cluster, Attempt: w.Attempt, Source: ws.id, RecordShard: w.RecordShard},
		txn:  m.Txn, age: m.Age, retransmit: new(retransmit), gateway: from, lastContact: now, began: now,
		options: BranchOptions{Isolation: isolation(w.Level), LockWait: wait, Silence: time.Duration(w.SilenceMillis) * time.Millisecond},
	}
	if ws.at.Spec.Yield.Versions {
		b.began = 0 // nothing is held before its prepare
	}
	dead := func(o *branch) bool {
		return o.name.Attempt.Node == w.Attempt.Node && o.name.Attempt.Epoch < w.Attempt.Epoch
	}
	for _, o := range ws.branches { // order: whether there is one
		if dead(o) {
			ws.giveUp(dead)
			break
		}
	}
	ws.branches[w.Attempt] = b
	return b
}

// giveUp rolls back the branches of which something is true.
func (ws *statementRunner) giveUp(of func(*branch) bool) {
	for _, o := range ws.branches.inOrder() {
		if of(o) {
			ws.abandoned(o)
		}
	}
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
func (ws *statementRunner) again(b *branch, from txn.NodeID, m *txn.Access) {
	switch w := m.Batch; {
	case w.Step < b.step:
	case b.reply != nil:
		ws.send(from, txn.Message{AccessReply: b.reply})
	default:
		b.lastContact = ws.now()
		ws.send(from, txn.Message{AccessReply: &txn.AccessReply{Shard: ws.id, Request: m.Request, Term: ws.term, Batch: &txn.BatchResult{Going: true}}})
	}
}

// executed is what came of a work.
type executed struct {
	handle  Branch
	results []txn.Result
	err     *Error
}

// execute runs the statements of a work.
func (ws *statementRunner) execute(b *branch) {
	m, db, most := b.todo, ws.db, ws.cfg.AnswerBytesMax
	name, options, handle := b.name, b.options, b.handle
	options.Incarnation = ws.barrier.incarnation
	b.workedAt, b.retransmit = ws.now(), new(retransmit)
	pace := b.retransmit
	ws.begin(b, func(ctx context.Context) any {
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
		for _, s := range m.Batch.Statements {
			r, err := out.handle.Execute(ctx, s)
			if out.err = asError(err); err != nil {
				return out
			}
			if bytes += r.Bytes(); bytes > most {
				out.err = answerTooLarge()
				return out
			}
			out.results = append(out.results, r)
			pace.done.Add(1)
		}
		return out
	}, func(result any) { ws.executed(b, m, result.(executed)) })
}

// tooLarge is MySQL's number of a packet that is larger than is allowed.
const tooLarge = 1153

func answerTooLarge() *Error {
	return &Error{Code: tooLarge, State: "HY000", Text: "the answers are larger than a source's agent sends at once; ask for fewer rows"}
}

// endedByOthers is what is said of what was under way or waited here when it ended.
const endedByOthers = "the transaction was rolled back: it had failed at another source, or its gateway gave it up"

// executed answers a work. A statement that fails ends the branch if the source says so, or
// if it was to be the last.
func (ws *statementRunner) executed(b *branch, m *txn.Access, x executed) {
	b.todo, b.handle = nil, x.handle
	b.hold(m.Batch, len(x.results))
	if b.decided != nil { // it is rolled back whatever came of it
		if x.err != nil && x.err.Ends {
			b.handle = nil
		}
		if b.victim {
			e := wideDeadlock()
			ws.refuse(b.gateway, m.Request, txn.KindAborted, e.Text, e.fault(), e.cause())
			return
		}
		ws.refuse(b.gateway, m.Request, txn.KindAborted, endedByOthers, nil, txn.CauseOther)
		return
	}
	if x.err == nil || !x.err.Ends && b.last == nil {
		w := &txn.BatchResult{Results: x.results}
		r := &txn.AccessReply{Shard: ws.id, Request: m.Request, Term: ws.term, Batch: w}
		if x.err != nil {
			w.Fault, r.Reason, r.Cause = x.err.fault(), x.err.Text, x.err.cause()
		}
		if x.err == nil && b.last != nil && b.last.OnePhase {
			b.held = r
			return
		}
		b.reply = r
		ws.send(b.gateway, txn.Message{AccessReply: r})
		return
	}
	kind := txn.KindAborted
	if x.err.Gone {
		kind = txn.KindUnavailable
		ws.broke()
	}
	ws.refuse(b.gateway, m.Request, kind, x.err.Text, x.err.fault(), x.err.cause())
	ws.warn(b)
	if x.err.Ends {
		b.handle = nil
	}
	b.decided = &txn.Decide{Shard: ws.id, Attempt: b.name.Attempt, Txn: b.txn} // goOn rolls it back
}
