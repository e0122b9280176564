package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestInjectedBugsAreFoundByName(t *testing.T) {
	out, _ := runHere(t, exitOK, "sim", "--seeds", "10", "--inject-bug", "skip-validation", "--protocol", "2pc+2pl")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 || !strings.Contains(lines[1], "skip-validation") || !strings.Contains(lines[1], "after ") {
		t.Errorf("it printed %q", out)
	}
	out, _ = runHere(t, exitFailed, "sim", "--seeds", "1", "--faults", "none", "--inject-bug", "forget-fence", "--protocol", "2pc+2pl", "--json")
	var found []foundBug
	if err := json.Unmarshal([]byte(out), &found); err != nil || len(found) != 1 || found[0].Found || found[0].Seeds != 1 {
		t.Errorf("it printed %q: %v", out, err)
	}
	if _, output := runHere(t, exitUsage, "sim", "--seeds", "1", "--inject-bug", "nothing"); strings.Count(output, "\n") != 1 || !strings.Contains(output, "count-old-acks") {
		t.Errorf("of an unknown bug it said %q", output)
	}
}

func TestAFaultRunReportsItsRareGoals(t *testing.T) {
	out, _ := runHere(t, exitOK, "sim", "--seeds", "1", "--faults", "none", "--protocol", "2pc+2pl")
	for _, part := range []string{"Rare paths of 2pc+2pl", "NOT reached", "locks of a dead client are freed", "Messages sent: "} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in %q", part, out)
		}
	}
}
