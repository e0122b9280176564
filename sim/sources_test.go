package sim

import (
	"testing"

	"isochron/protocol"
	"isochron/yield"
)

// sourceRows are the rows for databases that are not ours.
func sourceRows() (out []protocol.Row) {
	for _, r := range protocol.Table() {
		if r.Yield == yield.OfItsSource {
			out = append(out, r)
		}
	}
	return out
}

// A hunt of each row over sources finds nothing, with faults and without, and does something.
func TestHuntsOverSources(t *testing.T) {
	for _, row := range sourceRows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			for faults, least := range map[Faults]int{{}: 60, AllFaults(): 5} {
				r := Hunt(11, row, HuntConfig{Faults: faults})
				if len(r.Violations) > 0 {
					t.Errorf("%v", r.Violations)
				}
				if r.Counts["prepared branches committed"] < least || r.Counts["at sources: ok"] < least {
					t.Errorf("it shows little: %v", r.Counts)
				}
			}
		})
	}
}
