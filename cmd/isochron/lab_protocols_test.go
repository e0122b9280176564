package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"isochron/protocol"
)

// Every row stands in the table once, with all its words.
func TestLabProtocols(t *testing.T) {
	code, out, errs := labCommand(t, "protocols")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitOK || errs != "" || len(lines) != 1+len(protocol.Table()) {
		t.Fatalf("status %d, %q, %d lines:\n%s", code, errs, len(lines), out)
	}
	for i, r := range protocol.Table() {
		cluster := "  yes"
		if r.RunsOn == protocol.SimulationOnly {
			cluster = "  no"
		}
		for _, word := range []string{r.Name, r.Reads.String(), r.Yield.Name, r.Decide.String(), r.Reveal.String(), r.Validates.String(), r.Replicates.String(), r.Isolation.String(), r.CommitRTT, r.SpanRTT, r.Notes, cluster} {
			if !strings.Contains(lines[1+i], word) {
				t.Errorf("%s: there is no %q in\n%s", r.Name, word, lines[1+i])
			}
		}
	}
	code, out, _ = labCommand(t, "protocols", "--json")
	var rows []protocolReport
	if err := json.Unmarshal([]byte(out), &rows); err != nil || code != exitOK || len(rows) != len(protocol.Table()) {
		t.Fatalf("status %d, %v: %s", code, err, out)
	}
	for i, r := range protocol.Table() {
		if got := rows[i]; got.Name != r.Name || got.Cluster != (r.RunsOn == protocol.InClusters) || got.Commit != r.CommitRTT || got.Span != r.SpanRTT || !slices.Equal(got.Steps, r.Steps(earliest)) || got.Source != r.Source {
			t.Errorf("%s is told as %+v", r.Name, got)
		}
	}
	if code, out, errs := labCommand(t, "protocols", "d2pc+occ"); code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("an argument: status %d, %q, %q", code, out, errs)
	}
}
