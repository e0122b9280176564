package sim

import (
	flags "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// injectedFile lists, one line each, the protocol and the first seed that show an injected bug. The
// seeds from 1 on are searched only when the file is written again (see searchAgain): any change of
// the runs moves many of them.
const injectedFile = "planted.txt"

const searchAgain = "go test ./sim -run FaultRunsFindInjectedBugs -args -rewrite"

// injected are bugs with the protocols under which the runs must find them, and the largest number
// of seeds: runs that need more have become too weak.
var injected = []struct {
	bug  string
	rows []string
	most int
	calm bool // without faults
}{
	{bug: "skip-validation", rows: commonRows, most: 10},
	{bug: "ack-before-sync", rows: commonRows, most: 30},
	{bug: "forget-fence", rows: []string{"2pc+2pl", "2pc+occ"}, most: 80},
	{bug: "ignore-range-checks", rows: []string{"2pc+occ"}, most: 30},
	{bug: "release-before-votes", rows: []string{"2pc+2pl", "2pc+2pl-home", "2pc+occ"}, most: 10},
	{bug: "ignore-undecided", rows: commonRows, most: 15},
	{bug: "release-untracked", rows: []string{"d2pc+2pl", "d2pc+2pl-group", "d2pc+occ"}, most: 20},
	{bug: "drop-dependency", rows: []string{"d2pc+2pl-group"}, most: 20},
	{bug: "reveal-at-own-vote", rows: []string{"d2pc+2pl-group"}, most: 10},
	{bug: "commit-open", rows: []string{"d2pc+2pl", "d2pc+2pl-group"}, most: 120},
	{bug: "count-old-acks", rows: []string{"d2pc+2pl", "d2pc+occ"}, most: 80},
	{bug: "forget-closed-ts", rows: []string{"2pc+2pl", "d2pc+occ"}, most: 150},
	{bug: "lease-counts-learners", rows: []string{"2pc+2pl", "d2pc+occ"}, most: 80},
	{bug: "answer-read-only-uncommitted", rows: []string{"bamboo"}, most: 250},
	{bug: "keep-version", rows: []string{"2pc+2pl-group"}, most: 600}, // the rarest
	{bug: "untracked-ranges", rows: []string{"d2pc+2pl-group"}, most: 60},
	{bug: "keep-overwritten", rows: []string{"2pc+2pl", "d2pc+occ"}, most: 30},
	{bug: "forget-promise", rows: []string{"2pc+2pl", "d2pc+occ"}, most: 60},
	{bug: "take-old-prepares", rows: []string{"2pc+2pl", "2pc+occ"}, most: 100},
	{bug: "uninitialized-votes", rows: []string{"2pc+2pl"}, most: 60},
	{bug: "half-acks", rows: []string{"d2pc+2pl"}, most: 60},
	{bug: "decide-unlogged", rows: []string{"r4"}, most: 100},
	{bug: "send-unaccepted", rows: []string{"gpac"}, most: 60},
	{bug: "reveal-at-own-vote", rows: []string{"r4+gdcc", "bonspiel"}, most: 60},
	{bug: "keep-reservation", rows: []string{"r4+gdcc", "r4+polaris", "bonspiel"}, most: 10},
	{bug: "renew-locked-lease", rows: []string{"r4+sundial"}, most: 60},
	{bug: "write-inside-lease", rows: []string{"r4+sundial"}, most: 30},
	{bug: "forget-max-read-ts", rows: []string{"2pc+occ"}, most: 60},
	{bug: "empty-returns", rows: []string{"2pc+2pl", "d2pc+occ"}, most: 60},
	{bug: "vote-before-prepare", rows: []string{"geotp-o1"}, most: 30},
	{bug: "abort-prepared", rows: []string{"geotp-o1"}, most: 30},
	{bug: "take-foreign", rows: []string{"geotp-o1"}, most: 5},
	{bug: "forget-tombstone", rows: []string{"geotp-o1", "geotp"}, most: 20},
	{bug: "trust-not-found", rows: []string{"geotp-o1", "geotp"}, most: 400},
	{bug: "unchecked-reads", rows: []string{"scalardb"}, most: 30},
	{bug: "roll-forward", rows: []string{"scalardb"}, most: 20},
	{bug: "forget-data", rows: []string{"carousel-basic"}, most: 60},
	{bug: "commit-despite-assumptions", rows: []string{"natto-cp"}, most: 120},
	{bug: "queue-by-receipt", rows: []string{"natto-ts"}, most: 30},
	{bug: "forward-aborted", rows: []string{"natto-recsf"}, most: 30},
	{bug: "handle-early", rows: []string{"natto-ts"}, most: 5},
	{bug: "forget-late", rows: []string{"natto-ts"}, most: 60},
	{bug: "switch-undrained", rows: []string{"2pc+2pl-home", "d2pc+occ", "2pc+2pl-group"}, most: 40, calm: true},
}

// The runs are worth something only if they find errors. Each injected bug must be found under the
// protocols where it can do harm, at the seed that is known for it. The long form, from the first
// seed on, is make simtest-bugs.
func TestFaultRunsFindInjectedBugs(t *testing.T) {
	t.Parallel()
	known, found := readPlanted(t), map[string]uint64{}
	again := flags.Lookup("rewrite").Value.String() == "true"
	var mu sync.Mutex
	t.Run("on", func(t *testing.T) {
		for _, c := range injected {
			for _, row := range c.rows {
				t.Run(c.bug+"/"+row, func(t *testing.T) {
					t.Parallel()
					name := c.bug + " " + row
					cfg := FaultRunConfig{Seed: known[name], Seeds: 1, Specs: []string{row}, Faults: AllFaults()}
					if c.calm {
						cfg.Faults = Faults{}
					}
					if again {
						cfg.Seed, cfg.Seeds = 1, c.most
					} else if known[name] == 0 || known[name] > uint64(c.most) {
						t.Fatalf("%s has seed %d for it on %s, want one from 1 to %d; to look for it: %s", injectedFile, known[name], row, c.most, searchAgain)
					}
					f := findPlanted(t, cfg, c.bug)
					if f.Anomaly == "" && again {
						t.Errorf("not found in the seeds 1 to %d: the faults have become too weak", c.most)
					} else if f.Anomaly == "" {
						t.Errorf("found no longer at seed %d: search again with %s, or isochron sim --seeds %d --inject-bug %s --protocol %s", cfg.Seed, searchAgain, c.most, c.bug, row)
					}
					mu.Lock()
					found[name] = f.Seed
					mu.Unlock()
				})
			}
		}
	})
	if again && !t.Failed() {
		writePlanted(t, found)
	}
}

// findPlanted searches one bug under the one protocol of cfg.
func findPlanted(t *testing.T, cfg FaultRunConfig, bug string) (found Found) {
	t.Helper()
	answer := 0
	_ = RunInjectedBugs(cfg, []string{bug}, func(f Found) { // the error reports a bug not found, as f does
		found, answer = f, answer+1
		t.Logf("%s on %s, seed %d, after %d: %s: %.200s", f.Bug, f.Protocol, f.Seed, f.Seeds, f.Anomaly, f.Detail)
	})
	if answer != 1 {
		t.Fatalf("%s was run under %d protocols of %v", bug, answer, cfg.Specs)
	}
	return found
}

func readPlanted(t *testing.T) map[string]uint64 {
	t.Helper()
	text, err := os.ReadFile(injectedFile)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		var bug, row string
		var seed uint64
		if _, err := fmt.Sscan(line, &bug, &row, &seed); err != nil {
			t.Fatalf("%s: %q: %v", injectedFile, line, err)
		}
		out[bug+" "+row] = seed
	}
	return out
}

func writePlanted(t *testing.T, seeds map[string]uint64) {
	t.Helper()
	var lines []string
	for name, seed := range seeds { // order: sorted below
		lines = append(lines, fmt.Sprintf("%s %d\n", name, seed))
	}
	slices.Sort(lines)
	if err := os.WriteFile(injectedFile, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
