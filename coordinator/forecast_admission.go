package coordinator

import (
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Admission by forecast, where the protocol chooses it: before its first request a transaction that
// is likely not to get its locks sleeps at the gateway, holding nothing (yield.LateScheduler).

// judges reports whether a transaction's first request is judged by forecast.
func (g *admissionController) judges() bool {
	return g.cfg.Spec.Admission.Forecasts() && !g.cfg.Params.AdmissionOff && !g.env.Directory().Admission.Off
}

// judge reports whether a transaction's first request may proceed; otherwise it sleeps, or was
// answered with an abort.
func (g *admissionController) judge(t *transaction, req *Request) bool {
	e, lost := &t.admission, g.forecasts.chance(t, req)
	places := 0
	if lost > 0 {
		places = placesOf(g.env.Directory(), req)
	}
	if e.sleeper == nil {
		e.sleeper = &yield.Sleeper{Txn: t.id}
	}
	switch g.late.Judge(g.env.Now().Mono, e.sleeper, lost, places) {
	case yield.Sleep:
		e.waiting = req
		return false
	case yield.GiveUp:
		e.waiting = req // answered at the transaction's end
		g.host.end(t, txn.Errorf(txn.KindAborted,
			"admission refused: transactions on the same rows are likely to fail; nothing was executed; retry later").Because(txn.CauseLockTimeout))
		return false
	}
	return true
}

// wake judges again the transactions whose sleep is over.
func (g *admissionController) wake() {
	now := g.env.Now().Mono
	for s := g.late.Next(now); s != nil; s = g.late.Next(now) {
		t := g.txns[s.Txn]
		if t == nil || t.admission.waiting == nil {
			continue
		}
		req := t.admission.waiting
		t.admission.waiting = nil
		if !g.judges() || g.judge(t, req) {
			g.host.run(t, req)
		}
	}
}

// placesOf is the number of participants of a request, 2 for more.
func placesOf(d *routing.Directory, req *Request) int {
	var first uint64
	several := false
	at := func(s uint64) {
		several = several || first != 0 && s != first
		first = s
	}
	for _, k := range req.Read.Gets {
		if s, ok := d.ShardOf(string(k)); ok {
			at(s)
		}
	}
	for i := range req.Statements {
		at(uint64(req.Statements[i].Source))
	}
	for _, w := range req.Writes {
		if s, ok := d.ShardOf(string(w.Key)); ok {
			at(s)
		}
	}
	for _, s := range req.Read.Scans {
		pieces, _ := d.Pieces(string(s.Span.Start), string(s.Span.End)) // the round reports the error
		for _, p := range pieces {
			at(p.Shard)
		}
	}
	if several {
		return 2
	}
	return 1
}
