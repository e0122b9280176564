package sim

import (
	"io"
	"slices"
	"strings"
	"testing"

	"isochron/coverage"
	"isochron/protocol"
)

// Every rule lists the protocols that can hit it, and there is one.
func TestRulesFollowTheProtocol(t *testing.T) {
	for _, r := range coverage.All() {
		if ruleHits[r] == nil || !slices.ContainsFunc(protocol.Table(), ruleHits[r]) {
			t.Errorf("no protocol can hit %s", r.Name())
		}
	}
	of := func(name string, among ...string) (names []string) {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := FaultRunConfig{Switch: among}
		rules := cfg.rulesOf(spec)
		return rules.Never()
	}
	for _, c := range []struct {
		rule       string
		has, lacks []string
	}{
		{"joint-acks", of("d2pc+occ"), of("2pc+occ")},
		{"joint-acks", of("2pc+occ", "2pc+occ", "d2pc+occ"), of("tapir")},
		{"switch-drained", of("2pc+2pl", "2pc+2pl", "txsql"), of("2pc+2pl")},
		{"record-passes", of("2pc+2pl", "2pc+2pl", "natto-recsf"), of("2pc+2pl", "2pc+2pl", "txsql")},
		{"record-passes", of("natto-recsf", "2pc+2pl"), of("natto-recsf")},
		{"conflicts-with-open", of("tapir"), of("mysql")},
		{"timestamp-below-read", of("tapir"), of("carousel-fast")},
		{"suffix-cut", of("mysql"), of("starry")},
	} {
		if !slices.Contains(c.has, c.rule) || slices.Contains(c.lacks, c.rule) {
			t.Errorf("%s is of %v and not of %v", c.rule, c.has, c.lacks)
		}
	}
}

// Runs in which a rule is never hit fail and name it: here an injected bug removes the rule. With
// the rule its first seed is reported.
func TestFaultRunsFailIfARuleIsNeverHit(t *testing.T) {
	hunt := func(bug string) (Summary, string) {
		bugs, _, err := InjectBug(bug)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := RunSeeds(FaultRunConfig{Seed: 1, Seeds: 2, Specs: []string{"d2pc+2pl-group"}, Faults: AllFaults(), InjectedBugs: bugs, Rules: true}, io.Discard)
		if len(sum.Failed) > 0 || len(sum.Rules) != 1 || err == nil {
			t.Fatalf("%s: %v, %d of %d runs failed", bug, err, len(sum.Failed), sum.Runs)
		}
		return sum, err.Error()
	}
	bitten := func(sum Summary, r coverage.Rule) RuleHits {
		rules := sum.Rules[0].Rules
		return rules[slices.IndexFunc(rules, func(b RuleHits) bool { return b.Rule == r })]
	}
	sum, err := hunt("skip-confirmation") // which harms no promise
	if b := bitten(sum, coverage.PromiseOverRestart); b.Times == 0 || b.First == 0 || strings.Contains(err, b.Rule.Name()) {
		t.Errorf("with the rule: %+v, %s", b, err)
	}
	sum, err = hunt("forget-promise")
	if b := bitten(sum, coverage.PromiseOverRestart); b.Times != 0 || b.First != 0 || !strings.Contains(err, "on d2pc+2pl-group ") || !strings.Contains(err, b.Rule.Name()) {
		t.Errorf("without the rule: %+v, %s", b, err)
	}
}

// Counting changes nothing: one seed is one run.
func TestRulesAreCountedOnTheSide(t *testing.T) {
	for _, name := range []string{"d2pc+2pl-group", "2pc+2pl-logged", "txsql", "aria", "tapir", "carousel-fast"} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		with, without := RunSeed(3, spec, FaultRunConfig{Faults: AllFaults(), Rules: true}), RunSeed(3, spec, FaultRunConfig{Faults: AllFaults()})
		if with.Hash != without.Hash || with.Rules == nil || without.Rules != nil {
			t.Errorf("%s: %x with counts, %x without", name, with.Hash, without.Hash)
		}
	}
}
