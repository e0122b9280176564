package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"isochron/protocol"
)

// Every bug can be injected by its name, and that injects no other.
func TestEveryBugHasAName(t *testing.T) {
	for _, name := range BugNames() {
		bugs, _, err := InjectBug(name)
		if err != nil {
			t.Fatal(err)
		}
		v, set := reflect.ValueOf(bugs), 0
		for i := range v.NumField() {
			if v.Field(i).Bool() {
				set++
			}
		}
		if set != 1 {
			t.Errorf("%s plants %d bugs", name, set)
		}
	}
	if !slices.Contains(BugNames(), "ack-before-sync") {
		t.Errorf("the names are %v", BugNames())
	}
	if _, _, err := InjectBug("nothing"); err == nil || !strings.Contains(err.Error(), "skip-validation") {
		t.Errorf("an unknown bug is refused with %v", err)
	}
	fields := BugNames()
	// order: independent bugs.
	for field := range harms {
		if !slices.Contains(fields, dashed(field)) {
			t.Errorf("there is no bug %s, which harms lists", field)
		}
	}
}

// The report of a failure has the violation, its story, and the command that repeats it.
func TestAFailureHasATrace(t *testing.T) {
	bugs, _, err := InjectBug("skip-validation")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	_, err = RunSeeds(FaultRunConfig{Seed: 2, Seeds: 10, Specs: []string{"2pc+2pl"}, Faults: AllFaults(), InjectedBugs: bugs, Injected: "skip-validation", StopAfter: 1}, &out)
	if err == nil {
		t.Fatal("nothing was found")
	}
	for _, part := range []string{"violations", "events of t", "Prepare a", "--protocol 2pc+2pl --faults all --inject-bug skip-validation --trace"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in the report:\n%.2000s", part, out.String())
		}
	}
	if n := strings.Count(out.String(), "\n"); n > failureTraceMax+60 {
		t.Errorf("the report has %d lines", n)
	}
}

// The rare paths of a protocol follow from its choices, and are reported reached or not.
func TestRareGoalsFollowTheProtocol(t *testing.T) {
	of := func(name string) map[string]int {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, p := range SometimesGoals(spec, Counts{"sent: query decision": 3, "sent: wounded": 2}) {
			out[p.Path] = p.Times
		}
		return out
	}
	const recall, wounds, fence = "a recovering node queries co-coordinators", "a transaction loses its locks to an older one", "a fence is found, or logged, for an attempt without a vote"
	classic, occ, d2pc := of("2pc+2pl"), of("2pc+occ"), of("d2pc+2pl")
	if _, has := classic[recall]; has || d2pc[recall] != 3 || d2pc[wounds] != 2 {
		t.Errorf("2pc+2pl has %v, d2pc+2pl %v", classic, d2pc)
	}
	if _, has := occ[wounds]; has || len(occ) >= len(classic) {
		t.Errorf("2pc+occ has %v", occ)
	}
	if n, has := classic[fence]; !has || n != 0 {
		t.Errorf("a path that was not reached: %v, %d", has, n)
	}
}
