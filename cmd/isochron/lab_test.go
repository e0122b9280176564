package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func labCommand(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(t.Context(), append([]string{"lab"}, args...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestLabList(t *testing.T) {
	code, out, _ := labCommand(t, "list")
	for _, want := range []string{"d2pc/fig5", "Zipf coefficient", "2pc+occ"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("status %d, without %q: %s", code, want, out)
		}
	}
	fits(t, out)
	code, out, _ = labCommand(t, "list", "--json")
	var all []struct {
		Figure    string
		Protocols []string
		Claims    int
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != exitOK || len(all) < 4 || all[0].Claims == 0 || len(all[0].Protocols) == 0 {
		t.Errorf("status %d, %v: %s", code, err, out)
	}
}

// A request that makes no sense is refused in one line, with exit code 2.
func TestLabRunRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		args []string
	}{
		{"no figure", []string{"run", "d2pc/fig99"}},
		{"names of figures", []string{"run"}},
		{"no figure", []string{"run", "d2pc/fig5", "d2pc/fig99"}},
		{"--parallel", []string{"run", "d2pc/fig5", "--parallel", "-1"}},
		{"unknown flag", []string{"run", "d2pc/fig5", "--fast"}},
		{"quick run", []string{"run", "d2pc/fig5", "--quick", "--record", t.TempDir()}},
		{"not known", []string{"tables", "docs"}},
		{"not known", []string{"walk"}},
	} {
		code, out, errs := labCommand(t, c.args...)
		if code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.text) {
			t.Errorf("%v: status %d, %q, %q", c.args, code, out, errs)
		}
	}
}

// A run that is stopped ends well and leaves nothing behind.
func TestLabRunIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	dir := filepath.Join(t.TempDir(), "figures")
	var stdout, stderr strings.Builder
	code := run(ctx, []string{"lab", "run", "d2pc/fig5", "--out", dir}, &stdout, &stderr)
	if code != exitOK || stdout.String() != "" || !strings.Contains(stderr.String(), "stopped") {
		t.Errorf("status %d, %q, %q", code, stdout.String(), stderr.String())
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", dir, err)
	}
}

// A document that is not as its records say is named by --check, and written without it.
func TestLabTables(t *testing.T) {
	docs := t.TempDir()
	if err := os.Mkdir(filepath.Join(docs, "generated"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "generated/claims.md"), []byte("an old page"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := labCommand(t, "tables", "--docs", docs, "--check"); code != exitFailed || !strings.Contains(errs, "generated/claims.md") {
		t.Errorf("status %d, %q", code, errs)
	}
	if code, out, errs := labCommand(t, "tables", "--docs", docs); code != exitOK || !strings.Contains(out, "generated/claims.md") {
		t.Errorf("status %d, %q, %q", code, out, errs)
	}
	if code, out, errs := labCommand(t, "tables", "--docs", docs, "--check"); code != exitOK || !strings.Contains(out, "as their records say") {
		t.Errorf("status %d, %q, %q", code, out, errs)
	}
}
