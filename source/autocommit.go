package source

import (
	"context"

	"isochron/txn"
)

// A transaction that is one statement at one source, and comes with its commit, is done in one
// trip by a driver that can. It is a branch here all the same: it waits behind a fence, has an end
// that is remembered, and is given up when its gateway says so. What became of one that was given
// up under way is not known unless the driver says it.

// alone is the driver for a work that is all of its transaction; nil: it is not, or the driver can
// do none at once.
func (ws *statementRunner) alone(b *branch) AtOnce {
	if b.handle != nil || b.last == nil || !b.last.OnePhase || len(b.todo.Batch.Statements) != 1 {
		return nil
	}
	db, _ := ws.db.(AtOnce)
	return db
}

// once does all of a transaction.
func (ws *statementRunner) once(b *branch, db AtOnce) {
	m, name, options := b.todo, b.name, b.options
	options.Incarnation = ws.barrier.incarnation
	b.phase, b.whole = preparing, true
	ws.begin(b, func(ctx context.Context) any {
		r, err := db.Once(ctx, name, options, m.Batch.Statements[0])
		return executed{results: []txn.Result{r}, err: asError(err)}
	}, func(result any) { ws.onceDone(b, m, result.(executed)) })
}

// onceDone answers what was all of a transaction, which has ended by that.
func (ws *statementRunner) onceDone(b *branch, m *txn.Access, x executed) {
	b.todo = nil
	if x.err == nil && x.results[0].Bytes() > ws.cfg.AnswerBytesMax {
		x.err = answerTooLarge()
		x.err.Unknown = x.results[0].Affected > 0
	}
	how, kind := txn.OutcomeAborted, txn.KindAborted
	switch err := x.err; {
	case err == nil:
		ws.send(b.gateway, txn.Message{AccessReply: &txn.AccessReply{Shard: ws.id, Request: m.Request, Term: ws.term, Batch: &txn.BatchResult{Results: x.results, Committed: true}}})
		ws.forget(b, txn.OutcomeCommitted)
		return
	case err.Unknown:
		how, kind = txn.OutcomeNone, txn.KindUnknown
	case err.Gone:
		kind = txn.KindUnavailable
	}
	if x.err.Gone {
		ws.broke()
	}
	text := x.err.Text
	if x.err.Unknown {
		text = inCommit(x.err)
	}
	ws.refuse(b.gateway, m.Request, kind, text, x.err.fault(), x.err.cause())
	ws.forget(b, how)
}
