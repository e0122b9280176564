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

// openAsOf is a calm cluster of three regions with an open bank.
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
		t.Fatalf("the cluster does not start: %v", h.result.Violations)
	}
	return h
}

// do runs code to its end as a client of the first node.
func (h *faultRun) do(t *testing.T, code func(c *Client)) {
	t.Helper()
	if c := h.w.Go(1, code); !h.w.RunUntil(readWait, c.Done) {
		t.Fatal("the client did not finish")
	}
}

// readAsOf reads the first account as of a read timestamp.
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

// Protected versions are kept as long as the protection is renewed; others are collected, and a
// read of them is refused instead of returning wrong rows.
func TestProtectedVersionsAreKept(t *testing.T) {
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
				t.Errorf("a protected read timestamp reads %q, %v; want 100", v, err)
				return
			}
			h.rewrite(t, c, 1, keep/10)
		}
		c.Sleep(2 * keep) // not renewed any more
		h.rewrite(t, c, 20, keep/10)
		if v, err := h.readAsOf(c, txn.Options{AsOf: at}); txn.KindOf(err) != txn.KindTooOld {
			t.Errorf("an old unprotected read timestamp reads %q, %v; want KindTooOld", v, err)
		}
	})
}

// A transaction at a read timestamp writes nothing, and a timestamp of the far future is refused.
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

// Rows read at a timestamp stay the same although the leader that served them crashes and the next
// leader's clock is behind: the closed timestamp is in the log. Without it, they change.
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
			t.Fatal("the client did not finish")
		}
		if want := map[bool]string{false: "100", true: "777"}[bug]; after != want {
			t.Errorf("closed timestamp dropped: %v; the account has %q at the same read timestamp, want %q", bug, after, want)
		}
	}
}
