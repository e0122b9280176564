package coordinator

import (
	"testing"
	"time"

	"isochron/txn"
)

// openForecast is a gateway with forecasts, of shards at different distances: 2, 5 and 8 at 20, 50
// and 80 ms.
func openForecast(t *testing.T) (*gateway, *spread) {
	t.Helper()
	g, env := openSpread(t)
	g.useProtocol(openRow(t, "2pc+2pl-postponed"))
	return g, env
}

// lock makes a transaction lock rows, and returns its request.
func (g *gateway) lock(keys ...txn.Key) *Request {
	req := &Request{Op: OpRead, Read: txn.Read{Gets: keys, Lock: txn.LockExclusive}}
	req.Done = func(r Response) { g.answered[req] = r }
	g.Submit(req)
	return req
}

// until does the timed work until then.
func (g *gateway) until(end time.Duration) {
	for next := g.NextDeparture(); next <= end; next = g.NextDeparture() {
		g.env.now = max(g.env.now, next)
		g.Depart()
	}
	g.env.now = end
}

// grant answers all requests sent since, each with a delay after it left, and advances the clock.
func (g *gateway) grant(env *spread, from int, waited time.Duration) {
	for i, m := range env.sent[from:] {
		if a := m.Access; a != nil {
			g.until(env.at[len(env.at)-len(env.sent[from:])+i] + time.Duration(a.Shard)*10*time.Millisecond + waited)
			rows := make([]txn.Row, len(a.Keys))
			for j, k := range a.Keys {
				rows[j].Key = k
			}
			g.Deliver(txn.NodeID(a.Shard), &txn.Message{AccessReply: &txn.AccessReply{Shard: a.Shard, Request: a.Request, Term: 1, Rows: rows}})
		}
	}
}

// Expected work of a part postpones the others, and makes itself leave earlier: here a quarter of a
// quarter of 640 ms is expected of the near row.
func TestExpectedWorkPostponesDepartures(t *testing.T) {
	g, env := openForecast(t)
	first := g.lock(specOf(2))
	g.grant(env, 0, 640*time.Millisecond)
	if r := g.answered[first]; r.Err != nil || len(r.Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	g.Submit(&Request{Op: OpEnd, Txn: first.begun})
	if r, ok := g.forecasts.hot.Of(specOf(2)); !ok || r.Wait != 160*time.Millisecond || r.Accessing != 0 || r.Accessed != 1 || r.Committed != 1 {
		t.Fatalf("%+v", r)
	}
	env.to, env.at = nil, nil
	begun := env.now
	g.lock(specOf(2), specOf(5), specOf(8))
	g.until(begun + time.Second)
	want := map[txn.NodeID]time.Duration{8: 0, 5: 30 * time.Millisecond, 2: 20 * time.Millisecond} // 80+0, 50+0, 20+40
	for i, n := range env.to {
		if at := env.at[i] - begun; at != want[n] {
			t.Errorf("node %d is asked at %v, not at %v", n, at, want[n])
		}
	}
	if len(env.to) != 3 {
		t.Errorf("asked %v", env.to)
	}
}

// hopeless makes several transactions contend for a row that was always lost, so that others have
// no chance there.
func (g *gateway) hopeless(t *testing.T, k txn.Key) (inside []*Request) {
	t.Helper()
	for range 4 {
		req := g.lock(k)
		g.end(g.txns[req.begun], txn.Errorf(txn.KindAborted, "lost").Because(txn.CauseConflict))
	}
	for range 3 {
		inside = append(inside, g.lock(k))
	}
	if r, _ := g.forecasts.hot.Of(k); r.Accessed != 4 || r.Committed != 0 || r.Accessing != 3 {
		t.Fatalf("%+v", r)
	}
	return inside
}

// A transaction with no chance to get its locks sends no request, and aborts at the eleventh block.
// One at a single participant is not blocked.
func TestHopelessTransactionsAreBlocked(t *testing.T) {
	g, env := openForecast(t)
	g.hopeless(t, specOf(2))
	asked := len(env.to)
	began := env.now
	req := g.lock(specOf(2), specOf(8))
	g.until(began + 99*time.Millisecond)
	if r, ok := g.answered[req]; ok || len(env.to) != asked {
		t.Fatalf("after 99 ms: %+v, asked %v", r, env.to[asked:])
	}
	open, _ := g.Open()
	g.until(began + 100*time.Millisecond)
	r := g.answered[req]
	if r.Err == nil || r.Err.Kind != txn.KindAborted || len(env.to) != asked || g.NextDeparture() != txn.Never {
		t.Fatalf("after 100 ms: %+v, asked %v", r, env.to[asked:])
	}
	if left, _ := g.Open(); left != open-1 {
		t.Errorf("%d of %d transactions are open", left, open)
	}
	if c := g.admission.late.Counts(); c.Blocked != 11 || c.GaveUp != 1 || !g.admission.admission.Quiet() {
		t.Errorf("%+v", c)
	}
	if r, _ := g.forecasts.hot.Of(specOf(2)); r.Accessing != 3 || r.Accessed != 4 {
		t.Errorf("a refused transaction counts: %+v", r)
	}
}

// It is admitted when its competitors have ended.
func TestABlockedTransactionIsAdmittedLater(t *testing.T) {
	g, env := openForecast(t)
	inside := g.hopeless(t, specOf(2))
	asked := len(env.to)
	began := env.now
	g.lock(specOf(2), specOf(8))
	g.until(began + 25*time.Millisecond)
	for _, in := range inside[1:] {
		g.Submit(&Request{Op: OpEnd, Txn: in.begun})
	}
	g.until(began + time.Second)
	if got := env.at[asked:]; len(got) != 2 || got[0] != began+30*time.Millisecond || env.to[asked] != 8 || got[1] != began+90*time.Millisecond {
		t.Errorf("asked %v at %v", env.to[asked:], got)
	}
	if r, _ := g.forecasts.hot.Of(specOf(2)); r.Accessing != 2 {
		t.Errorf("%+v", r)
	}
}

// A sleeping transaction whose client leaves, or whose protocol ends, is answered, and its sleep is
// cancelled.
func TestASleepingTransactionEnds(t *testing.T) {
	for name, leave := range map[string]func(g *gateway, req *Request){
		"its client": func(g *gateway, req *Request) { g.Submit(&Request{Op: OpEnd, Txn: req.begun}) },
		"its protocol": func(g *gateway, req *Request) {
			g.useProtocol(openRow(t, "2pc+2pl-nro"))
			g.rollBackOpen(protocolChanges(), func(*transaction) bool { return true })
		},
	} {
		g, env := openForecast(t)
		g.hopeless(t, specOf(2))
		asked := len(env.to)
		req := g.lock(specOf(2), specOf(8))
		leave(g, req)
		if r := g.answered[req]; r.Err == nil {
			t.Errorf("%s: it was not answered", name)
		}
		if s := g.admission.late.Next(txn.Never); s != nil {
			t.Errorf("%s: %v still waits for admission", name, s.Txn)
		}
		g.until(g.env.now + time.Second)
		if len(env.to) != asked || g.NextDeparture() != txn.Never {
			t.Errorf("%s: asked %v, the next at %v", name, env.to[asked:], g.NextDeparture())
		}
	}
}

// With admission off no transaction is blocked; and blind writes are counted.
func TestForecastsOfBlindWrites(t *testing.T) {
	g, env := openForecast(t)
	g.hopeless(t, specOf(2))
	env.dir.Admission.Off = true
	asked := len(env.sent)
	writes := []txn.Write{{Key: specOf(2), Value: []byte("1")}, {Key: specOf(8), Value: []byte("1")}}
	g.Submit(&Request{Op: OpCommit, Writes: writes})
	if r, _ := g.forecasts.hot.Of(specOf(8)); r.Accessing != 1 || len(env.sent) != asked+2 {
		t.Errorf("%+v, %d were asked", r, len(env.sent)-asked)
	}
	env.dir.Admission.Off = false
	asked = len(env.sent)
	g.Submit(&Request{Op: OpCommit, Writes: writes})
	if len(env.sent) != asked || g.NextDeparture() == txn.Never {
		t.Errorf("%d were asked of one that has no chance", len(env.sent)-asked)
	}
}

// Protocols without forecasts keep no statistics.
func TestNoStatisticsWithoutForecasts(t *testing.T) {
	g, env := openSpread(t)
	req := g.lock(specOf(2), specOf(8))
	g.until(time.Second)
	if g.forecasts.hot != nil || g.txns[req.begun].footprint != nil || len(env.to) != 2 {
		t.Errorf("statistics are kept; asked %v", env.to)
	}
}
