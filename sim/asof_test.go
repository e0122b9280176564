package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// openAsOf is a calm cluster of three regions whose bank is open.
func openAsOf(t *testing.T, bugs node.InjectedBugs) *faultRun {
	t.Helper()
	spec, err := protocol.ByName("2pc+2pl")
	if err != nil {
		t.Fatal(err)
	}
	h := &faultRun{cfg: FaultRunConfig{InjectedBugs: bugs}}
	h.open(1, spec)
	t.Cleanup(h.w.Close)
	if !h.w.RunUntil(quietWait, h.w.Ready) || !h.setup() {
		t.Fatalf("the cluster does not come up: %v", h.result.Violations)
	}
	return h
}

// do runs code as a client of the first node to its end.
func (h *faultRun) do(t *testing.T, code func(c *Client)) {
	t.Helper()
	if c := h.w.Go(1, code); !h.w.RunUntil(readWait, c.Done) {
		t.Fatal("the client came to no end")
	}
}

// readAsOf reads the first account as of a moment.
func (h *faultRun) readAsOf(c *Client, opt txn.Options) (string, error) {
	tx := c.DB().Begin(opt)
	defer tx.Rollback()
	res, err := tx.Read(context.Background(), txn.Read{Gets: h.bank.Keys()[:1]})
	if err != nil {
		return "", err
	}
	return string(res.Values[0]), nil
}

// rewrite changes the first account n times, a while apart.
func (h *faultRun) rewrite(t *testing.T, c *Client, n int, apart time.Duration) {
	for i := range n {
		tx := c.DB().Begin(txn.Options{})
		tx.Put(h.bank.Keys()[0], fmt.Appendf(nil, "%d", 1000+i))
		if err := tx.Commit(context.Background()); err != nil {
			t.Errorf("a write without a fault: %v", err)
		}
		c.Sleep(apart)
	}
}

// What is held stays, however long it takes, as long as somebody renews it; what
// is not held goes, and a read of it says so instead of giving wrong rows.
func TestVersionsAreKeptWhileTheyAreHeld(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	keep := FaultRunParams(h.cfg.InjectedBugs).KeepVersions
	h.do(t, func(c *Client) {
		at, err := txn.ReadPresent(context.Background(), c.DB())
		if err != nil {
			t.Error(err)
			return
		}
		held := txn.Options{AsOf: at, ProtectMillis: (keep / 2).Milliseconds()}
		for range 30 { // three times as long as versions are kept
			if v, err := h.readAsOf(c, held); v != "100" || err != nil {
				t.Errorf("a held moment reads %q, %v; want 100", v, err)
				return
			}
			h.rewrite(t, c, 1, keep/10)
		}
		c.Sleep(2 * keep) // nobody renews it any more
		h.rewrite(t, c, 20, keep/10)
		if v, err := h.readAsOf(c, txn.Options{AsOf: at}); txn.KindOf(err) != txn.KindTooOld {
			t.Errorf("a moment long past that nobody holds reads %q, %v; want KindTooOld", v, err)
		}
	})
}

// A transaction of a moment writes nothing, and a moment of the far future is refused.
func TestASnapshotReadIsRefused(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	h.do(t, func(c *Client) {
		at, err := txn.ReadPresent(context.Background(), c.DB())
		if err != nil {
			t.Error(err)
			return
		}
		tx := c.DB().Begin(txn.Options{AsOf: at})
		tx.Put(h.bank.Keys()[0], []byte("1"))
		if err := tx.Commit(context.Background()); txn.KindOf(err) != txn.KindInvalidRequest {
			t.Errorf("a write in the past: %v", err)
		}
		if _, err := h.readAsOf(c, txn.Options{AsOf: at + txn.Timestamp(24*time.Hour)}); txn.KindOf(err) != txn.KindInvalidRequest {
			t.Errorf("a read of tomorrow: %v", err)
		}
	})
}

// A moment stays as it was read although the leader that answered dies, and the
// next one's clock is behind it: the floor is in the log. Without it, it is not.
func TestAReadTimestampSurvivesItsLeader(t *testing.T) {
	for _, bug := range []bool{false, true} {
		h := openAsOf(t, node.InjectedBugs{ForgetClosedTS: bug})
		h.w.hosts[0].wallShift = time.Minute // it leads the first account
		var at txn.Timestamp
		read := func(c *Client) (v string) {
			err := error(nil)
			for range 100 {
				if v, err = h.readAsOf(c, txn.Options{AsOf: at}); err == nil {
					return v
				}
				c.Sleep(faultRunUnit)
			}
			t.Errorf("no reading: %v", err)
			return v
		}
		h.do(t, func(c *Client) {
			var err error
			if at, err = txn.ReadPresent(context.Background(), c.DB()); err != nil {
				t.Error(err)
			}
			if v := read(c); v != "100" {
				t.Errorf("the account has %q", v)
			}
		})
		h.w.hosts[0].crash(strictly)
		after := ""
		c := h.w.Go(2, func(c *Client) {
			for range 200 {
				tx := c.DB().Begin(txn.Options{})
				tx.Put(h.bank.Keys()[0], []byte("777"))
				if tx.Commit(context.Background()) == nil {
					after = read(c)
					return
				}
				c.Sleep(faultRunUnit)
			}
		})
		if !h.w.RunUntil(readWait, c.Done) {
			t.Fatal("the client came to no end")
		}
		if want := map[bool]string{false: "100", true: "777"}[bug]; after != want {
			t.Errorf("floor forgotten: %v; the account has %q at the same moment, want %q", bug, after, want)
		}
	}
}
