package server

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"isochron/history"
	"isochron/protocol"
	"isochron/routing"
	"isochron/test/hours"
	"isochron/txn"
	"isochron/workload"
)

// realTime is a client's time on the real clock.
type realTime struct{ start time.Time }

func (e realTime) Elapsed() time.Duration { return time.Since(e.start) }
func (realTime) Sleep(d time.Duration)    { time.Sleep(d) }

// The clients of the history tests.
const (
	historyClients = 2 // in each region
	historySteps   = 40
)

// withClients starts a cluster whose tables are spread over shards in every region, runs setup at one gateway,
// step in many clients and final in one, and returns their records.
func withClients(t *testing.T, spec protocol.Spec, setup func(context.Context, txn.DB) error,
	step func(context.Context, *workload.Client), final func(context.Context, *workload.Client) bool) *history.History {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cfg := testConfig(t, t.TempDir(), spec)
	c := startTest(t, cfg)
	defer closeTest(t, c)
	spread(t, c)
	if err := setup(ctx, c.DB(cfg.WAN.Regions[0])); err != nil {
		t.Fatal(err)
	}
	h, env := new(history.History), realTime{time.Now()}
	var mu sync.Mutex
	newClient := func(process int) *workload.Client {
		return &workload.Client{
			Process: process, DB: c.DB(cfg.WAN.Regions[process%len(cfg.WAN.Regions)]), Env: env,
			Rand:   rand.New(rand.NewPCG(uint64(process), 1)),
			Record: func(r *history.Record) { mu.Lock(); defer mu.Unlock(); h.Add(r) },
			Pause:  5 * time.Millisecond, Tries: 50,
		}
	}
	var wg sync.WaitGroup
	n := historyClients * len(cfg.WAN.Regions)
	for process := range n {
		wg.Go(func() {
			me := newClient(process)
			for range historySteps {
				step(ctx, me)
			}
		})
	}
	wg.Wait()
	if !final(ctx, newClient(n)) {
		t.Error("the final read failed")
	}
	return h
}

// spread adds the workloads' tables to the directory and waits until every gateway has it.
func spread(t *testing.T, c *Cluster) {
	t.Helper()
	db := c.DB(c.cfg.WAN.Regions[0])
	key := txn.Key(routing.DirectoryKey)
	var epoch uint64
	atomically(t, db, func(ctx context.Context, tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
		if err != nil {
			return err
		}
		d, err := routing.Decode(res.Values[0])
		if err != nil {
			return err
		}
		workload.Spread(d, 1)
		d.Epoch++
		epoch = d.Epoch
		tx.Put(key, d.Encode())
		return nil
	})
	for _, r := range c.cfg.WAN.Regions {
		for c.DB(r).Directory().Epoch < epoch {
			time.Sleep(time.Millisecond)
		}
	}
	if err := c.awaitReady(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func wantNoViolation(t *testing.T, r *history.Report) {
	t.Helper()
	for _, v := range r.Violations {
		t.Error(v)
	}
	if r.Checked == 0 {
		t.Error("nothing was committed")
	}
	t.Logf("%d records checked", r.Checked)
}

// promptRows are the protocols whose deadlocks over several shards end by a rule and not by the bound of a wait:
// with the others these loads would take minutes.
func promptRows() []protocol.Spec {
	return slices.DeleteFunc(protocol.OverShards(), func(r protocol.Spec) bool { return r.Yield.Detect })
}

// shortRows are the protocols that differ most in their messages; fault-injection runs cover all.
var shortRows = []string{protocol.Default, "2pc+2pl-home", "d2pc+occ", "bonspiel", "aria"}

// The bank's history on real clocks and disks is serializable.
func TestBankHistory(t *testing.T) {
	for _, spec := range promptRows() {
		t.Run(spec.Name, func(t *testing.T) {
			if !slices.Contains(shortRows, spec.Name) {
				hours.Only(t)
			}
			bank := &workload.Bank{Parts: 3, Accounts: 9, BranchMax: 6, Each: 100}
			final := func(ctx context.Context, c *workload.Client) bool { return bank.ReadAll(ctx, c, true) }
			h := withClients(t, spec, bank.Setup, bank.Step, final)
			wantNoViolation(t, history.CheckBank(h, bank.Rules()))
		})
	}
}

// So is the history of hot lists.
func TestListHistory(t *testing.T) {
	for _, spec := range promptRows() {
		t.Run(spec.Name, func(t *testing.T) {
			if !slices.Contains(shortRows, spec.Name) {
				hours.Only(t)
			}
			lists := &workload.ListAppend{Parts: 3, Lists: 6}
			setup := func(context.Context, txn.DB) error { return nil }
			final := func(ctx context.Context, c *workload.Client) bool { return lists.ReadAll(ctx, c, true) }
			h := withClients(t, spec, setup, lists.Step, final)
			wantNoViolation(t, history.CheckLists(h))
		})
	}
}
