package sim

import "testing"

// A node is lost for ever and another takes its place, or a replica goes to another node and
// comes back to one that lives on, while nothing else is wrong and while much is; TestFaultRunOfEveryProtocol
// does it while everything is. The long form: isochron sim --hunt 300 --faults replace, and the
// same with --faults replace,crashes,partitions,acks.
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
			if met["nodes lost for ever"] == 0 || met["replacements written"] != met["nodes lost for ever"] {
				t.Errorf("%d nodes were lost, %d replaced", met["nodes lost for ever"], met["replacements written"])
			}
			movedBack(t, met)
		})
	}
}

// movedBack judges that replicas were moved, and all came back.
func movedBack(t *testing.T, met Counts) {
	t.Helper()
	if met["replicas moved"] == 0 || met["replicas moved"] != met["replicas moved back"] {
		t.Errorf("%d replicas were moved, %d moved back", met["replicas moved"], met["replicas moved back"])
	}
}
