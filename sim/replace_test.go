package sim

import (
	"io"
	"testing"

	"isochron/node"
)

// A node is lost for ever and another takes its place, while nothing else is
// wrong and while everything is.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, faults := range []Faults{{Replace: true}, {Replace: true, Crashes: true, Partitions: true, Acknowledgements: true}} {
		sum, err := RunHunt(HuntConfig{Seed: 1, Seeds: seeds(t, 8), Faults: faults, StopAfter: 2}, t.Output())
		t.Logf("%d runs: %v", sum.Runs, sum.Counts)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Counts["nodes lost for ever"] == 0 || sum.Counts["replacements written"] != sum.Counts["nodes lost for ever"] {
			t.Errorf("%d nodes were lost, %d replaced", sum.Counts["nodes lost for ever"], sum.Counts["replacements written"])
		}
	}
}

// The hunt sees what new ids are for: a node that comes back empty under its
// old name undoes what it had acknowledged.
func TestHuntFindsEmptyReturns(t *testing.T) {
	t.Parallel()
	cfg := HuntConfig{Seed: 1, Seeds: 60, Faults: AllFaults(), Bugs: node.Bugs{EmptyReturns: true}, StopAfter: 1}
	sum, err := RunHunt(cfg, io.Discard)
	if err == nil {
		t.Fatalf("%d runs did not show it", sum.Runs)
	}
	t.Logf("seed %d: %v", sum.Failed[0].Seed, sum.Failed[0].Violations[0])
}

// A replica goes to another node and comes back to one that lives on, while
// nothing else is wrong and while everything is.
func TestMoves(t *testing.T) {
	t.Parallel()
	for _, faults := range []Faults{{Replace: true}, AllFaults()} {
		sum, err := RunHunt(HuntConfig{Seed: 100, Seeds: seeds(t, 12), Faults: faults, StopAfter: 2}, t.Output())
		t.Logf("%d runs: %v", sum.Runs, sum.Counts)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Counts["replicas moved"] == 0 || sum.Counts["replicas moved"] != sum.Counts["replicas moved back"] {
			t.Errorf("%d replicas were moved, %d moved back", sum.Counts["replicas moved"], sum.Counts["replicas moved back"])
		}
	}
}
