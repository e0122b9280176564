package sim

import (
	"bytes"
	"strings"
	"testing"

	"isochron/history"
	"isochron/protocol"
)

// shaped is a run with every option of its load and its network.
func shaped(rows ...string) FaultRunConfig {
	return FaultRunConfig{Seed: 1, Seeds: 1, Specs: rows, Faults: AllFaults(), Shards: 7, Zipf: 0.99, Loss: 0.02, Jitter: 0.2}
}

// Options of load and network take effect: each changes the run, and the same options give the same
// run.
func TestFaultRunsHaveAShape(t *testing.T) {
	t.Parallel()
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]string{}
	for name, change := range map[string]func(*FaultRunConfig){
		"unchanged":    func(*FaultRunConfig) {},
		"other shards": func(c *FaultRunConfig) { c.Shards = 1 },
		"other skew":   func(c *FaultRunConfig) { c.Zipf = 1.2 },
		"other loss":   func(c *FaultRunConfig) { c.Loss = 0.05 },
		"other jitter": func(c *FaultRunConfig) { c.Jitter = 0.5 },
		"none":         func(c *FaultRunConfig) { *c = FaultRunConfig{Faults: c.Faults} },
	} {
		cfg := shaped()
		change(&cfg)
		if err := cfg.Check(); err != nil {
			t.Fatal(err)
		}
		first, second := RunSeed(5, spec, cfg), RunSeed(5, spec, cfg)
		if first.Hash != second.Hash || first.Hash == 0 {
			t.Errorf("%s: one seed ran as %x and as %x", name, first.Hash, second.Hash)
		}
		if other := seen[first.Hash]; other != "" {
			t.Errorf("%s runs as %s", name, other)
		}
		seen[first.Hash] = name
	}
}

// Skewed clients choose some rows much more often than others, and all shards have rows.
func TestFaultRunsSkewTheirKeys(t *testing.T) {
	t.Parallel()
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	share := func(zipf float64) float64 {
		uses, all, most := map[string]int{}, 0, 0
		cfg := FaultRunConfig{Shards: 7, Zipf: zipf}
		cfg.Histories = func(_ uint64, _ string, bank, _ *history.History) {
			for _, r := range bank.Records {
				for _, op := range r.Ops {
					if op.Kind != history.Transfer {
						continue
					}
					for _, a := range op.Accounts {
						uses[a.Name]++
						most = max(most, uses[a.Name])
						all++
					}
				}
			}
		}
		RunSeed(3, spec, cfg)
		parts := map[string]bool{}
		for name := range uses { // order: into a set
			parts[name[:2]] = true
		}
		if len(parts) != 7 {
			t.Errorf("zipf %v: the accounts lie in %d parts", zipf, len(parts))
		}
		return float64(most) / float64(max(all, 1))
	}
	if even, skewed := share(0), share(1.5); skewed < 2*even {
		t.Errorf("the account that is used most has %.2f of the uses evenly, and %.2f with zipf 1.5", even, skewed)
	}
}

// Each run commits something, whatever the options of its load and its network.
func TestFaultRunsDoWork(t *testing.T) {
	t.Parallel()
	rests := 0
	for _, name := range []string{"txsql", "d2pc+occ", "tapir"} {
		cfg := shaped(name)
		cfg.Seed, cfg.Seeds = 84, seeds(t, 4) // seed 85 of tapir commits nothing before the faults rest
		sum, err := RunSeeds(cfg, t.Output())
		if err != nil {
			t.Error(err)
		}
		median, least := sum.WorkDone()
		t.Logf("%s: %d commits in the median, %d at the least; %d rests", name, median, least, sum.Counts["rests, for nothing was committed"])
		if sum.Idle > 0 || least == 0 || median < 5 {
			t.Errorf("%s: of %d runs %d have committed nothing, the median is %d", name, sum.Runs, sum.Idle, median)
		}
		rests += sum.Counts["rests, for nothing was committed"]
	}
	if rests == 0 {
		t.Error("the faults of no run had to rest: look for a seed in which they do")
	}
}

// The printed command reproduces the run.
func TestFaultRunsPrintHowToRepeatThem(t *testing.T) {
	cfg := shaped("2pc+occ")
	var out bytes.Buffer
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	report(&out, Result{Seed: 9, Protocol: spec.Name}, spec, cfg, false)
	if want := "isochron sim --seeds 1 --seed 9 --protocol 2pc+occ --faults all --shards 7 --zipf 0.99 --loss 0.02 --jitter 0.2 --trace"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q in it", out.String(), want)
	}
}
