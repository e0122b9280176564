package coordinator

import (
	"time"

	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Where tries of transactions fail for each other, those that begin wait at the
// gateway (yield.Admission): before their first request, holding nothing.

// parkAfter is how many sweeps without a request, and without an answer that is
// awaited, have a try be counted no more: about 100 ms.
const parkAfter = 5

// entrance is what a transaction has to do with admission.
type entrance struct {
	class   yield.Class
	entrant *yield.Entrant // nil: when it came nobody had lost of late
	waiting *Request       // its first request, which waits to be let in
	asked   bool           // it has sent a request
	left    bool
	missed  bool // a lock was not granted to it in time
	silent  int  // sweeps without a request
}

// classOf is the class of a transaction by its first request.
func classOf(req *Request) yield.Class {
	var key txn.Key
	switch {
	case len(req.Read.Gets) > 0:
		key = req.Read.Gets[0]
	case len(req.Read.Scans) > 0:
		key = req.Read.Scans[0].Span.Start
	case len(req.Writes) > 0:
		key = req.Writes[0].Key
	}
	return yield.Class{Table: key[:min(len(key), routing.TablePrefixBytes)], Once: req.Op == OpUpdate}
}

// enters reports whether a transaction's request may go on; else it waits.
func (c *Coordinator) enters(t *transaction, req *Request) bool {
	e := &t.entrance
	if e.asked {
		e.silent = 0
		c.admission.Resume(e.entrant)
		return true
	}
	e.asked = true
	e.class = classOf(req)
	if c.admission.Quiet() || t.asOf != 0 || t.readOnly && t.try == 0 || len(e.class.Table) < routing.TablePrefixBytes {
		return true
	}
	c.rebound()
	e.entrant = &yield.Entrant{Txn: t.id, Age: t.age}
	if c.admission.Enter(c.env.Now().Mono, e.class, e.entrant, time.Duration(t.lockWait)*time.Millisecond) {
		return true
	}
	e.waiting = req
	return false
}

// rebound follows what an operator has said last.
func (c *Coordinator) rebound() {
	want, p := c.env.Directory().Admission, c.cfg.Params
	c.admission.Rebound(yield.AdmissionBounds{
		Off: p.AdmissionOff || want.Off, Least: want.Least, Most: want.Most, Wait: p.AdmissionWait})
}

// leaves gives a try's place to others; more than once does no harm.
func (c *Coordinator) leaves(t *transaction, err *txn.Error) {
	e := &t.entrance
	if !e.asked || e.left {
		return
	}
	e.left = true
	how := yield.Committed
	if err != nil {
		how = lostOr(err, e.missed)
	}
	if e.entrant == nil && how != yield.Lost {
		return
	}
	c.admission.Leave(c.env.Now().Mono, e.class, e.entrant, how)
	c.letIn()
}

// lostOr tells of a try that did not commit whether it was for others.
func lostOr(err *txn.Error, missed bool) yield.Outcome {
	switch err.Why() {
	case txn.CauseWound, txn.CauseConflict, txn.CauseValidation, txn.CauseWrite, txn.CauseLockTimeout, txn.CauseCascade:
		return yield.Lost
	case txn.CauseClient:
		if missed {
			return yield.Lost
		}
	}
	return yield.Neither
}

// letIn lets those go on for whom there is room.
func (c *Coordinator) letIn() {
	for e := c.admission.Next(); e != nil; e = c.admission.Next() {
		if t := c.txns[e.Txn]; t != nil {
			req := t.entrance.waiting
			t.entrance.waiting = nil
			c.run(t, req)
		}
	}
}

// run carries out a request of a transaction that may go on.
func (c *Coordinator) run(t *transaction, req *Request) {
	if req.Op == OpRead || req.Op == OpUpdate {
		c.read(t, req)
		return
	}
	if req.Op == OpConfirm {
		c.confirm(t, req)
		return
	}
	c.commit(t, req, req.Writes)
}

// notLetIn answers the request of one that waits and whose client wants no more of it.
func (c *Coordinator) notLetIn(t *transaction, why *txn.Error) {
	if req := t.entrance.waiting; req != nil {
		t.entrance.waiting = nil
		req.answer(t.response(why))
	}
}

// refuse answers one that has waited for too long. It has not begun, and may ask again
// if more than its commit was asked for.
func (c *Coordinator) refuse(t *transaction) {
	err := txn.Errorf(txn.KindLockTimeout,
		"it was not let in in time: transactions that begin like it fail for each other, and wait for their turn; nothing was done").Because(txn.CauseLockTimeout)
	req := t.entrance.waiting
	if req.Op == OpCommit {
		c.end(t, err)
		return
	}
	c.reports.rollbacks[txn.CauseLockTimeout]++ // of the statement
	t.entrance = entrance{}
	req.answer(t.response(err))
}

// sweepAdmission refuses those who have waited for too long, and parks the silent.
func (c *Coordinator) sweepAdmission(now time.Duration) {
	if c.admission.Quiet() {
		return
	}
	c.rebound()
	for _, e := range c.admission.Tick(now) {
		if t := c.txns[e.Txn]; t != nil {
			c.refuse(t)
		}
	}
	c.admission.Inside(func(e *yield.Entrant) {
		t := c.txns[e.Txn]
		if t == nil || t.round != nil || t.commit != nil {
			return
		}
		if t.entrance.silent++; t.entrance.silent == parkAfter {
			c.admission.Park(e)
		}
	})
	c.letIn()
}

// Admission lists the kinds of transaction of which tries have failed for each other here of late.
func (c *Coordinator) Admission() []txn.AdmissionClass { return c.admission.Classes() }
