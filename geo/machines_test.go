package geo

import (
	"fmt"
	"testing"
)

// Machines of one region are as near as its own, and as far from others as their regions are.
func TestMachinesOfRegions(t *testing.T) {
	w, base := mustParse(t, "natto3*2"), mustParse(t, "natto3")
	checkWhole(t, w)
	if got := fmt.Sprint(w.Regions); got != "[dc1-1 dc2-1 dc3-1 dc1-2 dc2-2 dc3-2]" {
		t.Errorf("the machines are %s", got)
	}
	for pair, want := range map[[2]Region]int64{{"dc1-1", "dc1-2"}: base.Intra().Microseconds(), {"dc1-1", "dc2-2"}: 4000, {"dc3-2", "dc1-1"}: 6000, {"dc2-1", "dc3-1"}: 8000} {
		if got := w.RTT(pair[0], pair[1]).Microseconds(); got != want {
			t.Errorf("%v: %d us, not %d", pair, got, want)
		}
	}
}
