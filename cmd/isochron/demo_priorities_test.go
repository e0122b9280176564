package main

import (
	"encoding/json"
	"strings"
	"testing"

	"isochron/sqlload"
)

// The demo of priorities pays with both, and what it has counted is there.
func TestTheDemoOfPriorities(t *testing.T) {
	var out, stderr strings.Builder
	if code := run(t.Context(), []string{"demo", "--priorities", "--wan-scale", "0.02", "--port", "0", "--for", "6s", "--clients", "2", "--json"}, &out, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var told struct {
		Priorities []sqlload.PriorityFigures
		Aim        float64
		Balance    bool `json:"books_balance"`
	}
	if err := json.Unmarshal([]byte(out.String()), &told); err != nil || !told.Balance || told.Aim != sqlload.PriorityAim || len(told.Priorities) != 2 {
		t.Fatalf("%v in %s", err, &out)
	}
	for i, want := range []string{"low", "high"} {
		if f := told.Priorities[i]; f.Priority != want || f.Payments == 0 {
			t.Errorf("%s priority: %+v", want, f)
		}
	}
}
