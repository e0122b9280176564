package source

import (
	"context"
	"slices"
	"time"

	"isochron/txn"
)

// Statements are executed in the order of their batches, each batch once.

// statementRunner executes branches' statements.
type statementRunner struct{ *state }

// take handles a batch of statements.
func (ws *statementRunner) take(from txn.NodeID, m *txn.Access) {
	w := m.Batch
	ws.ended.retire(w.Attempt, w.Retired)
	b := ws.branches[w.Attempt]
	switch {
	case w.Term != ws.term: // an earlier incarnation may have executed it
		ws.send(from, txn.Message{NotLeader: &txn.NotLeader{Shard: ws.id, Leader: ws.at.Self, Term: ws.term, Request: m.Request}})
		return
	case b == nil && ws.ended.knows(w.Attempt) && !ws.at.Params.InjectedBugs.ForgetTombstone:
		ws.over(from, m)
		return
	case b == nil && w.Step != 1:
		ws.refuse(from, m.Request, txn.KindAborted, "the source has lost the transaction's branch", nil, txn.CauseLeader)
		return
	case b == nil && len(ws.branches) >= ws.cfg.BranchesMax:
		ws.refuse(from, m.Request, txn.KindUnavailable, "the source's agent is at its limit of branches; retry later", nil, txn.CauseUnavailable)
		return
	case b == nil:
		b = ws.open(from, m)
	case w.Step <= b.step:
		ws.again(b, from, m)
		return
	case w.Step != b.step+1 || b.phase != working || b.last != nil || b.decided != nil:
		ws.refuse(from, m.Request, txn.KindAborted, "the transaction's branch is ending and accepts no more statements", nil, txn.CauseOther)
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

// over replies to a batch of a branch that has ended.
func (ws *statementRunner) over(from txn.NodeID, m *txn.Access) {
	switch how := ws.ended.how(m.Batch.Attempt); {
	case m.Batch.Last == nil || !m.Batch.Last.OnePhase || how == txn.OutcomeAborted:
		ws.refuse(from, m.Request, txn.KindAborted, "the transaction was already rolled back at the source", nil, txn.CauseOther)
	case how == txn.OutcomeCommitted:
		ws.refuse(from, m.Request, txn.KindUnknown, "the transaction is committed, but the results of its last statements were lost", nil, txn.CauseOther)
	default:
		ws.refuse(from, m.Request, txn.KindUnknown, brokeInCommit, nil, txn.CauseUnavailable)
	}
}

// open adds a branch. Branches of dead incarnations of its gateway are abandoned first.
func (ws *statementRunner) open(from txn.NodeID, m *txn.Access) *branch {
	w, now := m.Batch, ws.now()
	wait := ws.at.Params.LockWait
	if m.WaitMillis > 0 {
		wait = time.Duration(m.WaitMillis) * time.Millisecond
	}
	b := &branch{
		name: Name{Cluster: ws.cfg.Cluster, Attempt: w.Attempt, Source: ws.id, RecordShard: w.RecordShard},
		txn:  m.Txn, age: m.Age, progress: new(progress), gateway: from, lastContact: now, began: now,
		options: BranchOptions{Isolation: isolation(w.Level), LockWait: wait, Silence: time.Duration(w.SilenceMillis) * time.Millisecond},
	}
	if ws.at.Spec.Yield.Versions {
		b.began = 0 // it holds nothing before its prepare
	}
	dead := func(o *branch) bool {
		return o.name.Attempt.Node == w.Attempt.Node && o.name.Attempt.Epoch < w.Attempt.Epoch
	}
	for _, o := range ws.branches { // order: whether one is dead
		if dead(o) {
			ws.giveUp(dead)
			break
		}
	}
	ws.branches[w.Attempt] = b
	return b
}

// giveUp abandons the matching branches.
func (ws *statementRunner) giveUp(of func(*branch) bool) {
	for _, o := range ws.branches.inOrder() {
		if of(o) {
			ws.abandoned(o)
		}
	}
}

// isolation maps a level to the source's.
func isolation(l txn.Level) Isolation {
	switch l {
	case txn.RepeatableRead:
		return RepeatableRead
	case txn.ReadCommitted:
		return ReadCommitted
	}
	return Serializable
}

// meets notes the transaction's other sources.
func (b *branch) meets(peers []txn.Peer) {
	for _, p := range peers {
		if p.Shard != b.name.Source && !slices.Contains(b.peers, p) {
			b.peers = append(b.peers, p)
		}
	}
}

// again replies to a repeated batch.
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

// executed is the result of a batch.
type executed struct {
	handle  Branch
	results []txn.Result
	err     *Error
}

// execute runs a batch's statements.
func (ws *statementRunner) execute(b *branch) {
	m, db, most := b.todo, ws.db, ws.cfg.AnswerBytesMax
	name, options, handle := b.name, b.options, b.handle
	options.Incarnation = ws.barrier.incarnation
	b.workedAt, b.progress = ws.now(), new(progress)
	done := b.progress
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
			done.done.Add(1)
		}
		return out
	}, func(result any) { ws.executed(b, m, result.(executed)) })
}

// tooLarge is MySQL's error number of a packet over the allowed size.
const tooLarge = 1153

func answerTooLarge() *Error {
	return &Error{Code: tooLarge, State: "HY000", Text: "the batch's results exceed the agent's limit of bytes; select fewer rows"}
}

// endedByOthers is the reason sent to requests pending when their branch was rolled back.
const endedByOthers = "the transaction was rolled back: it failed at another participant, or its gateway abandoned it"

// executed replies to a batch. A failed statement ends the branch if the error does, or if the batch
// has the transaction's last statements.
func (ws *statementRunner) executed(b *branch, m *txn.Access, x executed) {
	b.todo, b.handle = nil, x.handle
	b.hold(m.Batch, len(x.results))
	if b.decided != nil { // rolled back whatever the result
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
	b.decided = &txn.Decide{Shard: ws.id, Attempt: b.name.Attempt, Txn: b.txn} // proceed rolls it back
}
