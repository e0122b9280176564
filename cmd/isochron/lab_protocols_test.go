package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"isochron/protocol"
	"isochron/sim"
)

// The table has a line per protocol, within listWidth columns; NAME prints all texts of one.
func TestLabProtocols(t *testing.T) {
	code, out, errs := labCommand(t, "protocols")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitOK || errs != "" || len(lines) != 1+len(protocol.Table()) {
		t.Fatalf("status %d, %q, %d lines:\n%s", code, errs, len(lines), out)
	}
	fits(t, out)
	for i, r := range protocol.Table() {
		on := "  cluster"
		if r.RunsOn == protocol.SimulationOnly {
			on = "  sim"
		}
		if !strings.HasPrefix(lines[1+i], r.Name+"  ") || !strings.HasSuffix(lines[1+i], on) {
			t.Errorf("%s: the line is %q", r.Name, lines[1+i])
		}
		_, full, _ := labCommand(t, "protocols", r.Name)
		fits(t, full)
		full = strings.Join(strings.Fields(full), " ")
		for _, word := range []string{r.Name, r.Base, r.Reads.String(), r.Yield.Name, r.Decide.String(), r.Reveal.String(), r.Validates.String(), r.Replicates.String(), r.Isolation.String(), r.CommitRTT, r.SpanRTT, r.Source, r.Notes} {
			if !strings.Contains(full, strings.Join(strings.Fields(word), " ")) {
				t.Errorf("%s: there is no %q in\n%s", r.Name, word, full)
			}
		}
		for _, c := range r.Choices() {
			if !strings.Contains(full, c.Value) || !strings.Contains(full, " meaning "+c.Meaning+" cost "+c.Cost) {
				t.Errorf("%s: the choice %+v is missing in\n%s", r.Name, c, full)
			}
		}
		under, stories := sim.Stories(r)
		if ending := "stories " + strings.Join(stories, " "); under == r.Name && !strings.HasSuffix(full, ending) ||
			under != r.Name && !strings.HasSuffix(full, strings.Replace(ending, "stories", "stories of "+under, 1)) {
			t.Errorf("%s: the stories of %s are missing in\n%s", r.Name, under, full)
		}
	}
	_, out, _ = labCommand(t, "protocols", "txsql", "--json")
	var one protocolReport
	if err := json.Unmarshal([]byte(out), &one); err != nil || len(one.Choices) != len(protocol.Table()[0].Choices()) || one.StoriesRun != "txsql" || len(one.Stories) == 0 {
		t.Errorf("%v: %s", err, out)
	}
	code, out, _ = labCommand(t, "protocols", "--json")
	var rows []protocolReport
	if err := json.Unmarshal([]byte(out), &rows); err != nil || code != exitOK || len(rows) != len(protocol.Table()) {
		t.Fatalf("status %d, %v: %s", code, err, out)
	}
	for i, r := range protocol.Table() {
		if got := rows[i]; got.Name != r.Name || got.Cluster != (r.RunsOn == protocol.InClusters) || got.Commit != r.CommitRTT || got.Span != r.SpanRTT || !slices.Equal(got.Steps, r.Steps(earliest)) || got.Source != r.Source {
			t.Errorf("%s: --json has %+v", r.Name, got)
		}
	}
	if code, out, errs := labCommand(t, "protocols", "d2pc+occ", "o2"); code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("an argument: status %d, %q, %q", code, out, errs)
	}
}

// fits fails if a line is longer than the lists of lab may be.
func fits(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if n := len([]rune(line)); n > listWidth {
			t.Errorf("%d columns, at most %d: %s", n, listWidth, line)
		}
	}
}
