package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A history of registers is judged and exported like one of lists; what cannot be
// judged gets one line and the status of bad usage.
func TestCheckOfRegisters(t *testing.T) {
	const lost = `{"isochron_history":1,"workload":"ycsb+t"}
{"index":0,"process":0,"invoke_ns":1,"complete_ns":9,"ops":[{"kind":"get","key":"x"},{"kind":"put","key":"x","value":1}],"outcome":"ok","at":5}
{"index":1,"process":1,"invoke_ns":1,"complete_ns":9,"ops":[{"kind":"get","key":"x"},{"kind":"put","key":"x","value":2}],"outcome":"ok","at":7}
{"end":2}
`
	for _, c := range []struct {
		name, text, message string
		exit                int
	}{
		{"a lost update", lost, "lost-update: 2 transactions", exitFailed},
		{"the same, one after the other", strings.Replace(lost, `[{"kind":"get","key":"x"},{"kind":"put","key":"x","value":2}]`,
			`[{"kind":"get","key":"x","value":1},{"kind":"put","key":"x","value":2}]`, 1), "serializable, and in the order of real time", exitOK},
		{"of another outcome", strings.Replace(lost, `"ok","at":7`, `"done"`, 1), "line 3: the outcome", exitUsage},
		{"cut short", lost[:len(lost)-10], "cut short", exitUsage},
		{"a bank's", `{"isochron_history":1,"workload":"bank"}
{"index":0,"process":0,"invoke_ns":1,"complete_ns":9,"ops":[{"kind":"ledger"}],"outcome":"ok"}
{"end":1}
`, "neither of lists", exitUsage},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.jsonl")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, output := runHere(t, c.exit, "check", file)
			if !strings.Contains(out+output, c.message) || c.exit == exitUsage && strings.Count(output, "\n") != 1 {
				t.Errorf("it printed %q and said %q", out, output)
			}
		})
	}
}
