package main

import (
	"encoding/json"
	"strings"
	"testing"

	"isochron/sqlload"
)

// The demo of priorities makes payments of both, and its counts agree with the rows.
func TestTheDemoOfPriorities(t *testing.T) {
	var out, stderr strings.Builder
	if code := run(t.Context(), []string{"demo", "--priorities", "--wan-scale", "0.02", "--port", "0", "--for", "6s", "--clients", "2", "--json"}, &out, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var answered struct {
		Priorities []sqlload.PriorityFigures
		Aim        float64
		Balance    bool `json:"books_balance"`
	}
	if err := json.Unmarshal([]byte(out.String()), &answered); err != nil || !answered.Balance || answered.Aim != sqlload.PriorityAim || len(answered.Priorities) != 2 {
		t.Fatalf("%v in %s", err, &out)
	}
	for i, want := range []string{"low", "high"} {
		if f := answered.Priorities[i]; f.Priority != want || f.Payments == 0 {
			t.Errorf("%s priority: %+v", want, f)
		}
	}
}
