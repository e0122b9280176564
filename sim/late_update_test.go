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

// The clock of the leading node runs ahead again and again, before a measurement can show it: 2FI
// updates are received after their arrival times. They are counted, and none is lost or applied
// twice.
func TestUpdatesReceivedLate(t *testing.T) {
	spec, err := protocol.ByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	a := openAdders(t, 1, spec, node.InjectedBugs{})
	leader, late := a.h.w.hosts[0], uint64(0)
	for i := range 200 {
		a.h.w.After(time.Duration(i)*faultRunUnit/4, func() {
			leader.wallShift += 40 * time.Millisecond
			if !leader.up() {
				return
			}
			for _, s := range leader.node.Statuses() {
				late = max(late, s.Counts.Late)
			}
		})
	}
	got := a.run(t) - 100
	if got < a.added || got > a.added+a.unknown {
		t.Errorf("%d were added, %d more may have been, and the account has %d more", a.added, a.unknown, got)
	}
	if late == 0 {
		t.Error("none was late")
	}
	t.Logf("%d were late", late)
}

// Of clients that add to one account in concurrent 2FI updates, the one with high priority needs
// fewer tries than the others, and one for each addition where none is late.
func TestFixedSetUpdatesHeedPriority(t *testing.T) {
	spec, err := protocol.ByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	a := openAdders(t, 1, spec, node.InjectedBugs{})
	const each = 20
	tries := map[txn.Priority]int{}
	var clients []*Client
	for i := range 6 {
		priority := txn.PriorityLow
		if i == 0 {
			priority = txn.PriorityHigh
		}
		clients = append(clients, a.h.w.Go(txn.NodeID(1+i%3), func(c *Client) {
			for range each {
				tries[priority] += a.tries(t, c, priority)
			}
		}))
	}
	if !a.h.w.RunUntil(10*readWait, func() bool { return allDone(clients) }) {
		t.Fatal("the clients did not finish")
	}
	high, low := tries[txn.PriorityHigh], tries[txn.PriorityLow]/5
	t.Logf("of high priority %d tries for %d additions, of low %d", high, each, low)
	if high > each+each/4 || 2*high > low {
		t.Errorf("%d additions took %d tries of high priority, and %d of low", each, high, low)
	}
}

// tries returns the number of tries of an addition. None is promoted: each try is its own
// transaction.
func (a *adders) tries(t *testing.T, c *Client, p txn.Priority) int {
	keys := a.h.bank.Keys()[:1]
	for n := 1; n < 1000; n++ {
		tx := c.DB().Begin(txn.Options{Priority: p})
		done, err := tx.(txn.Updater).Update(context.Background(), txn.Read{Gets: keys, ForWrite: true, FixedSet: keys}, func(values [][]byte) ([]txn.Write, bool) {
			n, err := strconv.Atoi(string(values[0]))
			return []txn.Write{{Key: keys[0], Value: strconv.AppendInt(nil, int64(n+1), 10)}}, err == nil
		})
		if done && err == nil {
			return n
		}
		tx.Rollback()
	}
	t.Error("an addition did not finish")
	return 0
}
