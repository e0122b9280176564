package server

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

func mustRow(t *testing.T, name string) protocol.Spec {
	t.Helper()
	spec, err := protocol.LiveByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// An existing cluster is started with another protocol, and with none.
func TestStartingSwitchesTheProtocol(t *testing.T) {
	cfg := testConfig(t, t.TempDir(), mustRow(t, "2pc+2pl-home"))
	want := 0
	for _, name := range []string{"2pc+2pl-home", "d2pc+occ", "txsql", "", "2pc+2pl-home"} {
		cfg.Spec = protocol.Spec{}
		inForce := "txsql"
		if name != "" {
			cfg.Spec, inForce = mustRow(t, name), name
		}
		c := startTest(t, cfg)
		for _, region := range cfg.WAN.Regions {
			atomically(t, c.DB(region), increment)
			want++
		}
		if got := count(t, c.DB(cfg.WAN.Regions[2])); got != want || c.Spec().Name != inForce {
			t.Errorf("started with %q: counted %d, want %d; it runs %s", name, got, want, c.Spec().Name)
		}
		if began := c.about.Protocol; began != "2pc+2pl-home" {
			t.Errorf("it began with %s", began)
		}
		closeTest(t, c)
	}
}

// Processes switch while clients count. An unreachable node has the switch abandoned unless the operator allows
// it; that node switches when it is back.
func TestProcessesSwitch(t *testing.T) {
	cfgs := members(t, 3, "uniform:4ms:3")
	var ps []*Process
	for _, cfg := range cfgs {
		ps = append(ps, startProcess(t, cfg))
	}
	awaitReady(t, ps...)
	defer func() {
		for _, p := range ps {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	counted, stop := atomic.Int64{}, make(chan struct{})
	var wg sync.WaitGroup
	for _, p := range ps[:2] {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					atomically(t, p.DB(), increment)
					counted.Add(1)
				}
			}
		})
	}
	order := func(want routing.Protocol) Outcome {
		raw := []byte(`{"do":"set-protocol","protocol":{"to":"` + want.To + `","drain_ms":2000,"limit_ms":20000,"absent":` + map[bool]string{true: "true", false: "false"}[want.Absent] + `}}`)
		return ps[1].execute(raw)
	}
	end := func(p *Process, try uint64) routing.Protocol {
		t.Helper()
		for range 3000 {
			r, ok := p.Report()
			gone := true
			for _, s := range r.Shards {
				gone = gone && (!s.Serving || s.ProtocolSeq == r.Change.Seq)
			}
			if ok && gone && r.Change.Try >= try && !r.Change.Under() {
				if r.Protocol != r.Change.InForce(protocol.Table()[0].Name) {
					t.Errorf("the node uses %s, its directory has %+v", r.Protocol, r.Change)
				}
				return *r.Change
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the switch has no end at node %d", p.cfg.Self)
		return routing.Protocol{}
	}
	if out := order(routing.Protocol{To: "pigeon"}); !strings.Contains(out.Refused, "no protocol") {
		t.Errorf("an unknown protocol: %+v", out)
	}
	if out := order(routing.Protocol{To: "tapir"}); !strings.Contains(out.Refused, "simulations only") {
		t.Errorf("a protocol of the laboratory: %+v", out)
	}
	if out := order(routing.Protocol{To: "d2pc+2pl-home"}); out.Refused+out.Error != "" {
		t.Fatalf("%+v", out)
	}
	for _, p := range ps {
		if got := end(p, 1); got.Name != "d2pc+2pl-home" {
			t.Errorf("%+v", got)
		}
	}
	if err := ps[2].Close(); err != nil {
		t.Error(err)
	}
	if out := order(routing.Protocol{To: "txsql"}); out.Refused+out.Error != "" {
		t.Fatalf("%+v", out)
	}
	if got := end(ps[0], 2); got.Name != "d2pc+2pl-home" || !strings.Contains(got.Failed, "node 3 in ") || !strings.Contains(got.Failed, "does not answer") {
		t.Errorf("without node 3: %+v", got)
	}
	if out := order(routing.Protocol{To: "txsql", Absent: true}); out.Refused+out.Error != "" {
		t.Fatalf("%+v", out)
	}
	if got := end(ps[0], 3); got.Name != "txsql" {
		t.Errorf("though node 3 is silent: %+v", got)
	}
	cfg := cfgs[2]
	cfg.Spec = protocol.Table()[3] // the configuration is ignored
	ps[2] = startProcess(t, cfg)
	awaitReady(t, ps[2])
	if got := end(ps[2], 3); got.Name != "txsql" {
		t.Errorf("the node that was away: %+v", got)
	}
	close(stop)
	wg.Wait()
	if got := count(t, ps[2].DB()); got != int(counted.Load()) {
		t.Errorf("counted %d, want %d", got, counted.Load())
	}
}

// Transactions open at the drain deadline are rolled back with an error that lets the client retry; queued ones
// then begin.
func TestIdleTransactionsAreRolledBack(t *testing.T) {
	cfg := testConfig(t, t.TempDir(), mustRow(t, "2pc+2pl-home"))
	c := startTest(t, cfg)
	defer closeTest(t, c)
	db := c.DB(cfg.WAN.Regions[0])
	atomically(t, db, increment)
	ctx := context.Background()
	idle := db.Begin(txn.Options{})
	if _, err := idle.Read(ctx, txn.Read{Gets: []txn.Key{counter()}, Lock: txn.LockExclusive}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.SetProtocol(ctx, "d2pc+2pl-home"); err != nil {
			t.Error(err)
		}
	})
	for c.Spec().Name != "d2pc+2pl-home" {
		atomically(t, c.DB(cfg.WAN.Regions[1]), func(ctx context.Context, tx txn.Txn) error {
			_, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{counter()}})
			return err
		})
	}
	wg.Wait()
	idle.Put(counter(), []byte("x"))
	if err := idle.Commit(ctx); txn.KindOf(err) != txn.KindAborted || !strings.Contains(err.Error(), "switching its commit protocol") {
		t.Errorf("the idle one: %v", err)
	}
	idle.Rollback()
	atomically(t, db, increment)
	if got := count(t, db); got != 2 {
		t.Errorf("counted %d", got)
	}
}
