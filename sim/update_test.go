package sim

import (
	"context"
	"strconv"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// adders add one to the first account, each in one round, while its leader is lost.
type adders struct {
	h              *faultRun
	added, unknown int
}

func openAdders(t *testing.T, seed uint64, spec protocol.Spec, bugs node.InjectedBugs) *adders {
	t.Helper()
	h := &faultRun{cfg: FaultRunConfig{InjectedBugs: bugs, Regions: 3}}
	h.open(seed, spec)
	t.Cleanup(h.w.Close)
	if !h.w.RunUntil(quietWait, h.w.Ready) || !h.setup() {
		t.Fatalf("the cluster does not start: %v", h.result.Violations)
	}
	return &adders{h: h}
}

// add tries until it receives an outcome.
func (a *adders) add(t *testing.T, c *Client) {
	ctx := context.Background()
	var last txn.Txn
	for range 1000 {
		tx := c.DB().Begin(txn.Options{RetryOf: last})
		done, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: a.h.bank.Keys()[:1], ForWrite: true, FixedSet: a.h.bank.Keys()[:1], ExpectsAbsent: a.added%2 == 0}, func(values [][]byte) ([]txn.Write, bool) {
			n, err := 0, error(nil)
			if values[0] != nil { // a near replica may not have it yet: then the read will not be valid
				n, err = strconv.Atoi(string(values[0]))
			}
			return []txn.Write{{Key: a.h.bank.Keys()[0], Value: strconv.AppendInt(nil, int64(n+1), 10)}}, err == nil
		})
		switch {
		case done && err == nil:
			a.added++
			return
		case txn.KindOf(err) == txn.KindUnknown:
			a.unknown++
			tx.Rollback()
			return
		case err == nil:
			t.Error("the value read is not a number")
			return
		}
		tx.Rollback()
		if last = nil; txn.KindOf(err) == txn.KindAborted {
			last = tx
		}
		c.Sleep(faultRunUnit)
	}
	t.Error("an addition did not finish")
}

// run lets six clients add, loses the leader in the middle, and reads the balance.
func (a *adders) run(t *testing.T) (balance int) {
	w := a.h.w
	var clients []*Client
	for i := range 6 {
		clients = append(clients, w.Go(txn.NodeID(1+i%3), func(c *Client) {
			for range 15 {
				c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * faultRunUnit))))
				a.add(t, c)
			}
		}))
	}
	half := func() bool { return a.added >= 45 }
	over := func() bool {
		for _, c := range clients {
			if !c.Done() {
				return false
			}
		}
		return true
	}
	if !w.RunUntil(readWait, half) {
		t.Fatalf("%d additions are done", a.added)
	}
	w.hosts[0].crash(strictly) // it leads the first account
	w.RunUntil(10*faultRunUnit, over)
	w.hosts[0].restart()
	if !w.RunUntil(10*readWait, over) {
		t.Fatal("the clients did not finish")
	}
	a.h.do(t, func(c *Client) {
		for range 100 {
			if v, err := a.h.readAsOf(c, txn.Options{}); err == nil {
				balance, _ = strconv.Atoi(v)
				return
			}
			c.Sleep(faultRunUnit)
		}
		t.Error("the account cannot be read")
	})
	return balance
}

// A row that is read, changed and committed in one round is an update like any other: none is lost,
// none is applied twice, whatever happens to the leader.
func TestUpdatesInOneGo(t *testing.T) {
	for _, spec := range protocol.Live() {
		t.Run(spec.Name, func(t *testing.T) {
			a := openAdders(t, 1, spec, node.InjectedBugs{})
			got := a.run(t) - 100
			if got < a.added || got > a.added+a.unknown {
				t.Errorf("%d were added, %d more may have been, and the account has %d more", a.added, a.unknown, got)
			}
		})
	}
	t.Run("planted", func(t *testing.T) {
		spec, err := protocol.ByName("2pc+occ")
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) { // an update reads at the leader, so few conflict
			a := openAdders(t, seed, spec, node.InjectedBugs{SkipValidation: true})
			if got := a.run(t) - 100; got < a.added {
				t.Logf("seed %d: %d of %d additions are in the account", seed, got, a.added)
				return
			}
		}
		t.Error("nothing was validated, and yet all additions are in the account")
	})
}

// A client that does not use the returned value has an open transaction with that read in it.
func TestAnUpdateWhoseResultIsUnused(t *testing.T) {
	spec, err := protocol.ByName(protocol.Default)
	if err != nil {
		t.Fatal(err)
	}
	a := openAdders(t, 1, spec, node.InjectedBugs{})
	a.h.do(t, func(c *Client) {
		ctx, key := context.Background(), a.h.bank.Keys()[0]
		tx := c.DB().Begin(txn.Options{})
		seen := ""
		done, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true}, func(values [][]byte) ([]txn.Write, bool) {
			seen = string(values[0])
			return nil, false
		})
		if done || err != nil || seen != "100" {
			t.Errorf("done %v, %v, saw %q", done, err, seen)
		}
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{key}})
		if err != nil || string(res.Values[0]) != "100" {
			t.Errorf("the transaction reads %q, %v afterwards", res.Values, err)
		}
		tx.Put(key, []byte("7"))
		if err := tx.Commit(ctx); err != nil {
			t.Errorf("the transaction cannot commit: %v", err)
		}
		if v, err := a.h.readAsOf(c, txn.Options{}); v != "7" || err != nil {
			t.Errorf("the account has %q, %v", v, err)
		}
	})
}

// An update whose row is expected not to exist reads nothing: its vote checks that. If there is the
// row, it is read after all, in the same call. What it declines was not read.
func TestAnUpdateThatExpectsAbsentRows(t *testing.T) {
	spec, err := protocol.ByName(protocol.Default)
	if err != nil {
		t.Fatal(err)
	}
	a := openAdders(t, 1, spec, node.InjectedBugs{})
	a.h.do(t, func(c *Client) {
		ctx, there := context.Background(), a.h.bank.Keys()[0]
		for _, w := range []struct {
			key    txn.Key
			seen   string
			rounds int
		}{{there + "-new", "-", 0}, {there + "-new", "-1", 1}, {there, "-100", 1}} {
			tx := c.DB().Begin(txn.Options{})
			seen := ""
			done, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: []txn.Key{w.key}, ForWrite: true, ExpectsAbsent: true}, func(values [][]byte) ([]txn.Write, bool) {
				seen += "-" + string(values[0])
				return []txn.Write{{Key: w.key, Value: []byte("1")}}, true
			})
			if w.rounds > 0 {
				w.seen = "-" + w.seen
			}
			if !done || err != nil || seen != w.seen || int(tx.Stats().Rounds) != w.rounds {
				t.Errorf("%s: done %v, %v, saw %q, %d rounds; want %q, %d", w.key, done, err, seen, tx.Stats().Rounds, w.seen, w.rounds)
			}
		}
		tx := c.DB().Begin(txn.Options{})
		done, err := tx.(txn.Updater).Update(ctx, txn.Read{Gets: []txn.Key{there}, ForWrite: true, ExpectsAbsent: true}, func(values [][]byte) ([]txn.Write, bool) {
			return nil, values[0] != nil
		})
		if done || err != nil {
			t.Errorf("declined: done %v, %v", done, err)
		}
		if res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{there}}); err != nil || string(res.Values[0]) != "1" {
			t.Errorf("then it reads %q, %v", res.Values, err)
		}
	})
}
