package coordinator

import (
	"time"

	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Where tries of transactions often lose to each other, new ones wait at the gateway
// (yield.Admission): before their first request, holding nothing.

// parkAfter is the number of sweeps without a request and without a pending round after which a try
// is parked: about 100 ms.
const parkAfter = 5

// admissionState is a transaction's state in admission.
type admissionState struct {
	class   yield.Class
	request *yield.AdmissionRequest // nil: no class had losses when it arrived
	sleeper *yield.Sleeper          // nil: it was not judged by forecast
	waiting *Request                // its first request, which waits for admission
	asked   bool                    // it has sent a request
	left    bool
	missed  bool // a lock was not granted to it in time
	silent  int  // sweeps without a request
}

// admissionController admits transactions, or queues them.
type admissionController struct {
	cfg       *Config
	env       admissionEnv
	txns      transactions
	reports   *reports
	host      admissionHost
	forecasts *forecasts
	admission *yield.Admission
	late      *yield.LateScheduler
}

// admissionEnv is the part of the node that admissionController uses.
type admissionEnv interface {
	Now() txn.Now
	Directory() *routing.Directory
}

// admissionHost runs an admitted request, or ends a refused transaction.
type admissionHost interface {
	run(t *transaction, req *Request)
	end(t *transaction, reason *txn.Error)
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

// enters reports whether a transaction's request may proceed; otherwise it waits.
func (g *admissionController) enters(t *transaction, req *Request) bool {
	e := &t.admission
	if e.asked {
		e.silent = 0
		g.admission.Resume(e.request)
		return true
	}
	e.asked = true
	if g.cfg.Spec.Admission.Forecasts() {
		return !g.judges() || g.judge(t, req)
	}
	e.class = classOf(req)
	if g.admission.Quiet() || t.asOf != 0 || t.readOnly && t.try == 0 || len(e.class.Table) < routing.TablePrefixBytes {
		return true
	}
	g.rebound()
	e.request = &yield.AdmissionRequest{Txn: t.id, Age: t.age}
	if g.admission.Enter(g.env.Now().Mono, e.class, e.request, time.Duration(t.lockWait)*time.Millisecond) {
		return true
	}
	e.waiting = req
	return false
}

// rebound applies the operator's latest settings.
func (g *admissionController) rebound() {
	want, p := g.env.Directory().Admission, g.cfg.Params
	g.admission.Rebound(yield.AdmissionBounds{
		Off: p.AdmissionOff || want.Off, Least: want.Least, Most: want.Most, Wait: p.AdmissionWait})
}

// leaves frees a try's place; repeated calls are harmless.
func (g *admissionController) leaves(t *transaction, err *txn.Error) {
	e := &t.admission
	if !e.asked || e.left {
		return
	}
	e.left = true
	how := yield.Committed
	if err != nil {
		how = lostOr(err, e.missed)
	}
	g.late.Leave(e.sleeper)
	if e.request == nil && (how != yield.Lost || g.cfg.Spec.Admission.Forecasts()) {
		return
	}
	g.admission.Leave(g.env.Now().Mono, e.class, e.request, how)
	g.admitWaiting()
}

// lostOr reports whether a try that did not commit was lost to others.
func lostOr(err *txn.Error, missed bool) yield.Outcome {
	switch err.AbortCause() {
	case txn.CauseWound, txn.CauseConflict, txn.CauseValidation, txn.CauseWrite, txn.CauseLockTimeout, txn.CauseCascade:
		return yield.Lost
	case txn.CauseClient:
		if missed {
			return yield.Lost
		}
	}
	return yield.Neither
}

// admitWaiting starts the transactions for which there is room.
func (g *admissionController) admitWaiting() {
	for e := g.admission.Next(); e != nil; e = g.admission.Next() {
		if t := g.txns[e.Txn]; t != nil {
			req := t.admission.waiting
			t.admission.waiting = nil
			g.host.run(t, req)
		}
	}
}

// refuseAdmission answers the request of a queued transaction whose client has given up.
func (g *admissionController) refuseAdmission(t *transaction, reason *txn.Error) {
	if req := t.admission.waiting; req != nil {
		t.admission.waiting = nil
		req.answer(t.response(reason))
	}
}

// refuse answers a transaction whose wait timed out. It has not begun, and may request again unless
// it requested only its commit.
func (g *admissionController) refuse(t *transaction) {
	err := txn.Errorf(txn.KindLockTimeout,
		"admission queue timeout: too many conflicting transactions start on this table; nothing was executed; retry later").Because(txn.CauseLockTimeout)
	req := t.admission.waiting
	if req.Op == OpCommit {
		g.host.end(t, err)
		return
	}
	g.reports.timedOut()
	t.admission = admissionState{}
	req.answer(t.response(err))
}

// sweep refuses the transactions whose wait timed out, and parks idle ones.
func (g *admissionController) sweep(now time.Duration) {
	if g.admission.Quiet() {
		return
	}
	g.rebound()
	for _, e := range g.admission.Tick(now) {
		if t := g.txns[e.Txn]; t != nil {
			g.refuse(t)
		}
	}
	g.admission.Running(func(e *yield.AdmissionRequest) {
		t := g.txns[e.Txn]
		if t == nil || t.round != nil || t.commit != nil {
			return
		}
		if t.admission.silent++; t.admission.silent == parkAfter {
			g.admission.Park(e)
		}
	})
	g.admitWaiting()
}
