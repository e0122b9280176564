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

// The clock of the node that leads runs ahead again and again, sooner than it is measured: updates
// that were declared come after their stamps. They are counted, and not one is lost or done twice.
func TestUpdatesThatComeLate(t *testing.T) {
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
		t.Error("none came late")
	}
	t.Logf("%d came late", late)
}

// Of clients that add to one account in declared updates, all at once, the one of high priority is
// tried less often than the others, and as often as it adds where nobody is late.
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
		t.Fatal("the clients came to no end")
	}
	high, low := tries[txn.PriorityHigh], tries[txn.PriorityLow]/5
	t.Logf("of high priority %d tries for %d additions, of low %d", high, each, low)
	if high > each+each/4 || 2*high > low {
		t.Errorf("%d additions took %d tries of high priority, and %d of low", each, high, low)
	}
}

// tries is how often an addition is tried. None is promoted: each try is a transaction of its own.
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
	t.Error("an addition came to no end")
	return 0
}
