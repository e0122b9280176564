package main

import (
	"io"
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT i_id FROM item WHERE i_id IN (?, ?, ?)":            "SELECT i_id FROM item WHERE i_id IN (?, ..)",
		"INSERT INTO t (a, b) VALUES (?, NULL), (?, NULL), (?, ?)": "INSERT INTO t (a, b) VALUES (?, ..), ..",
		"SELECT s_dist_07\n\t\tFROM stock WHERE s_i_id = ?":        "SELECT s_dist_NN FROM stock WHERE s_i_id = ?",
		"UPDATE t SET a = ABS(?) WHERE id = ?":                     "UPDATE t SET a = ABS(?, ..) WHERE id = ?",
	} {
		if got := shortened(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A statement that costs more than EXPLAIN says, or than on another build, is counted.
func TestReport(t *testing.T) {
	r := &report{Map: "azure5", Builds: []string{"new", "old"}}
	r.add([]*statement{{Of: "joins", Text: "a", Explain: "2", Rounds: 3, Least: 2, Times: 2}, {Of: "joins", Text: "b", Explain: "1 2", Rounds: 2, Least: 2, Times: 1}})
	r.add([]*statement{{Of: "joins", Text: "b", Explain: "", Rounds: 1, Least: 1, Times: 1}, {Of: "joins", Text: "c", Explain: "1", Rounds: 1, Least: 1, Times: 1}})
	var out strings.Builder
	r.Print(&out)
	for _, want := range []string{"joins 2-3 (2) - a", "joins 2 (1,2) 1 () b", "joins - 1 (1) c", "3 statements; on the first build 1 have cost more than EXPLAIN says, 1 more than on another"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--transactions", "0"}, {"--isochron", ""}, {"--wan", "nowhere"}, {"more"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
