package sim

import (
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
)

// The clock of the node that leads runs ahead again and again, sooner than it is measured: updates
// that were declared come after their stamps. They are counted, and not one is lost or done twice.
func TestUpdatesThatComeLate(t *testing.T) {
	row, err := protocol.ByName("natto-recsf")
	if err != nil {
		t.Fatal(err)
	}
	a := openAdders(t, 1, row, node.Bugs{})
	leader, late := a.h.w.hosts[0], uint64(0)
	for i := range 200 {
		a.h.w.After(time.Duration(i)*huntUnit/4, func() {
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
