package source

import (
	"context"

	"isochron/txn"
)

// A transaction of one statement at one source, whose commit is sent with the statement, runs in
// one trip if the driver is a OneTripDriver. It is a branch like others: it waits behind the
// restart barrier, its end is remembered, and it is abandoned on its gateway's request. The outcome
// of a transaction abandoned while it runs is unknown unless the driver reports it.

// alone returns the driver that can run a batch as its whole transaction; nil if the batch is not the
// whole transaction, or the driver cannot.
func (ws *statementRunner) alone(b *branch) OneTripDriver {
	if b.handle != nil || b.last == nil || !b.last.OnePhase || len(b.todo.Batch.Statements) != 1 {
		return nil
	}
	db, _ := ws.db.(OneTripDriver)
	return db
}

// once runs a whole transaction.
func (ws *statementRunner) once(b *branch, db OneTripDriver) {
	m, name, options := b.todo, b.name, b.options
	options.Incarnation = ws.barrier.incarnation
	b.phase, b.whole = preparing, true
	ws.begin(b, func(ctx context.Context) any {
		r, err := db.Once(ctx, name, options, m.Batch.Statements[0])
		return executed{results: []txn.Result{r}, err: asError(err)}
	}, func(result any) { ws.onceDone(b, m, result.(executed)) })
}

// onceDone answers a batch that was its whole transaction; the transaction has ended.
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
