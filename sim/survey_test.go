package sim

import (
	"context"
	"slices"
	"testing"
	"time"

	"isochron/node"
	"isochron/txn"
)

// A contention report has the wait edges of every node; a node that is down is named, and the
// replies of the others arrive all the same.
func TestContentionReport(t *testing.T) {
	h := openAsOf(t, node.InjectedBugs{})
	key := h.bank.Keys()[:1]
	var holder, waiter txn.Txn
	h.do(t, func(c *Client) {
		holder = c.DB().Begin(txn.Options{SessionID: 7})
		if _, err := holder.Read(context.Background(), txn.Read{Gets: key, Lock: txn.LockExclusive}); err != nil {
			t.Error(err)
		}
	})
	waiting := h.w.Go(2, func(c *Client) {
		waiter = c.DB().Begin(txn.Options{SessionID: 8, LockWaitMillis: 1000})
		if _, err := waiter.Read(context.Background(), txn.Read{Gets: key, Lock: txn.LockExclusive}); txn.KindOf(err) != txn.KindLockTimeout {
			t.Errorf("the waiter: %v", err)
		}
		waiter.Rollback()
	})
	survey := func(at txn.NodeID) (s txn.ContentionReport) {
		c := h.w.Go(at, func(c *Client) {
			var err error
			if s, err = c.DB().(txn.ContentionQuerier).Contention(context.Background()); err != nil {
				t.Error(err)
			}
		})
		if !h.w.RunUntil(readWait, c.Done) {
			t.Fatal("the report did not finish")
		}
		return s
	}
	h.w.Run(200 * time.Millisecond)
	for at, owner := range map[txn.NodeID]uint64{1: 7, 2: 8} {
		s := survey(at)
		var waits []txn.LockWait
		for _, r := range s.Nodes {
			waits = append(waits, r.Waits...)
		}
		if len(s.Silent) > 0 || len(s.Nodes) != len(h.w.hosts) || len(waits) != 1 {
			t.Fatalf("asked at node %d: %d answers, silent %v, waits %v", at, len(s.Nodes), s.Silent, waits)
		}
		w := waits[0]
		if w.Holder != holder.ID() || w.Key != key[0] || w.WaitedNanos <= 0 {
			t.Errorf("asked at node %d: %+v, want a wait for %v", at, w, holder.ID())
		}
		if len(s.SessionIDs) != 1 || s.SessionIDs[w.Txn]+s.SessionIDs[w.Holder] != owner {
			t.Errorf("asked at node %d: owners %v, want %d alone", at, s.SessionIDs, owner)
		}
	}
	if !h.w.RunUntil(readWait, waiting.Done) {
		t.Fatal("the waiter did not finish")
	}
	if r := survey(1).Nodes[2].Rollbacks; r[txn.CauseLockTimeout] != 1 || r[txn.CauseClient] != 1 {
		t.Errorf("rollbacks of node 2: %v", r)
	}
	h.w.hosts[2].crash(strictly)
	if s := survey(1); !slices.Equal(s.Silent, []txn.NodeID{3}) || s.Nodes[2] == nil {
		t.Errorf("with node 3 down: silent %v", s.Silent)
	}
}
