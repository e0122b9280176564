package sim

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"isochron/protocol"
)

// seeds returns the number of seeds of a test: ISOCHRON_SEEDS, or short.
func seeds(t *testing.T, short int) int {
	t.Helper()
	text := os.Getenv("ISOCHRON_SEEDS")
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ISOCHRON_SEEDS is %q, not a number", text)
	}
	return n
}

// Every protocol keeps its guarantees under all faults together, and the runs have taken the rare
// paths.
func TestFaultRun(t *testing.T) {
	for _, row := range commonRows {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			sum, err := RunSeeds(FaultRunConfig{Seed: 21, Seeds: seeds(t, 20), Specs: []string{row}, Faults: AllFaults(), StopAfter: 3}, t.Output())
			t.Logf("%d runs: %v", sum.Runs, sum.Counts)
			if err != nil {
				t.Fatal(err)
			}
			for _, rare := range []string{"sent: inquire reply no", "sent: inquire reply yes", "sent: inquire reply committed", "sent: wounded", "sent: snapshot chunk", "reads at a timestamp: ok", "unknown", "crashes at an acknowledgement: vote", "losses of a role: coordinator",
				"leader transfers", "drained nodes", "skewed clocks", "forced: a full queue", "forced: a sync withheld", "forced: a node recovers early",
				"forced: entries that a majority had are overwritten", "forced: a read timestamp is lost with its leader", "forced: a leader reaches only followers without a vote",
				"forced: a log is overwritten, and its node restarts", "forced: followers restart within their promise"} {
				if sum.Counts[rare] == 0 {
					t.Errorf("no run reached %q: the faults have become too weak", rare)
				}
			}
		})
	}
}

// commonRows are the protocols that tests run for longer.
var commonRows = []string{"2pc+2pl", "2pc+2pl-home", "2pc+2pl-group", "2pc+occ", "d2pc+2pl", "d2pc+2pl-group", "d2pc+occ"}

// By default all protocols that a cluster can have are run, and those of the laboratory; each keeps
// its guarantees. Those with a test of their own are run there. The long form is make simtest.
func TestFaultRunOfEveryProtocol(t *testing.T) {
	t.Parallel()
	for _, spec := range protocol.Live() {
		if !slices.Contains(DefaultRows, spec.Name) {
			t.Errorf("%s is not hunted", spec.Name)
		}
	}
	others := slices.DeleteFunc(slices.Clone(DefaultRows), func(row string) bool {
		return slices.Contains(commonRows, row) || slices.Contains(integratedRows, row)
	})
	if len(others)+len(commonRows)+len(integratedRows) != len(DefaultRows) {
		t.Errorf("some of %v and %v are not in %v", commonRows, integratedRows, DefaultRows)
	}
	movedBack(t, runEach(t, FaultRunConfig{Seed: 101, Seeds: seeds(t, 3), Specs: others, Faults: AllFaults()}))
}

// runEach runs each protocol in parallel, with its own seeds: the first has the seeds from cfg.Seed
// on, the second the following ones. It returns the counts of all.
func runEach(t *testing.T, cfg FaultRunConfig) Counts {
	t.Helper()
	var mu sync.Mutex
	met := Counts{}
	t.Run("each", func(t *testing.T) {
		for i, row := range cfg.Specs {
			t.Run(row, func(t *testing.T) {
				t.Parallel()
				own := cfg
				own.Specs, own.Seed, own.StopAfter = []string{row}, cfg.Seed+uint64(i*cfg.Seeds), 3
				sum, err := RunSeeds(own, t.Output())
				t.Logf("%d runs from seed %d on: %v", sum.Runs, own.Seed, sum.Counts)
				if err != nil || sum.Runs < cfg.Seeds {
					t.Errorf("%d runs: %v", sum.Runs, err)
				}
				mu.Lock()
				defer mu.Unlock()
				met.add(sum.Counts)
			})
		}
	})
	return met
}

// integratedRows are the protocols in which every replica validates.
var integratedRows = []string{"carousel-fast", "tapir", "starry", "gpac"}

// The same for protocols in which every replica validates, which have their own rare paths.
func TestFaultRunIntegrated(t *testing.T) {
	t.Parallel()
	all := Counts{}
	for _, row := range integratedRows {
		sum, err := RunSeeds(FaultRunConfig{Seed: 1, Seeds: seeds(t, 7), Specs: []string{row}, Faults: AllFaults(), StopAfter: 3}, t.Output())
		t.Logf("%s, %d runs: %v", row, sum.Runs, sum.Counts)
		if err != nil {
			t.Fatal(err)
		}
		all.add(sum.Counts)
	}
	for _, rare := range []string{"sent: replica vote against", "sent: slow path request", "sent: accept", "sent: start view", "sent: anti entropy reply", "sent: inquire reply committed", "unknown",
		"path: no proposed", "path: yes proposed", "path: yes kept by a view", "path: fenced by a view", "path: decide with prepare",
		"note: takes over", "note: recovered, commits", "note: recovered, aborts", "forced: a coordinator is lost right after replicas agreed"} {
		if all[rare] == 0 {
			t.Errorf("no run reached %q: the faults have become too weak", rare)
		}
	}
}

// Without faults no outcome is lost or unknown, and no wait times out.
func TestCalm(t *testing.T) {
	t.Parallel()
	for _, row := range slices.Concat(commonRows, integratedRows) {
		sum, err := RunSeeds(FaultRunConfig{Seed: 1, Seeds: 3, Specs: []string{row}}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Counts["unknown"] > 0 || sum.Counts["ok"] < 300 {
			t.Errorf("%s: %v", row, sum.Counts)
		}
	}
}

// One seed is one run, byte for byte, traced or not.
func TestFaultRunIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(commonRows, []string{"tapir"}) {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := uint64(5); seed < 7; seed++ {
			cfg := FaultRunConfig{Faults: AllFaults()}
			first := RunSeed(seed, spec, cfg)
			lines := 0
			cfg.Trace = func(string) { lines++ }
			second := RunSeed(seed, spec, cfg)
			if first.Hash != second.Hash || first.Hash == 0 {
				t.Errorf("seed %d on %s ran as %x and as %x", seed, name, first.Hash, second.Hash)
			}
			if lines < 1000 {
				t.Errorf("the trace has %d lines", lines)
			}
		}
	}
}
