package sim

import "testing"

// A node is lost permanently and another replaces it, or a replica moves to another node and back
// to a live one, without other faults and with many; TestFaultRunOfEveryProtocol does it with all.
// The long form: isochron sim --seeds 300 --faults replace, and the same with --faults
// replace,crashes,partitions,acks.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		faults Faults
		seed   uint64
	}{
		{"alone", Faults{Replace: true}, 1},
		{"amid faults", Faults{Replace: true, Crashes: true, Partitions: true, Acknowledgements: true}, 101},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			met := runEach(t, FaultRunConfig{Seed: c.seed, Seeds: seeds(t, 2), Specs: DefaultRows, Faults: c.faults})
			if met["nodes lost permanently"] == 0 || met["replacements written"] != met["nodes lost permanently"] {
				t.Errorf("%d nodes were lost, %d replaced", met["nodes lost permanently"], met["replacements written"])
			}
			movedBack(t, met)
		})
	}
}

// movedBack checks that replicas were moved, and all were moved back.
func movedBack(t *testing.T, met Counts) {
	t.Helper()
	if met["replicas moved"] == 0 || met["replicas moved"] != met["replicas moved back"] {
		t.Errorf("%d replicas were moved, %d moved back", met["replicas moved"], met["replicas moved back"])
	}
}
