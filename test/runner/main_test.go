package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// once fails, the first time that it is called for a name.
const once = `package p

import (
	"os"
	"testing"
)

func once(t *testing.T) {
	if _, err := os.Stat(t.Name()); err != nil {
		os.WriteFile(t.Name(), nil, 0o600)
		t.Fatal("by chance")
	}
}
`

// TestRuns runs small packages by go itself.
func TestRuns(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	for name, text := range map[string]string{
		"go.mod":            "module isochronous\n\ngo 1.26\n",
		"good/a_test.go":    "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) { t.Skip(\"no\") }\n",
		"flaky/a_test.go":   once + "\nfunc TestA(t *testing.T) { once(t) }\n\nfunc TestB(t *testing.T) {}\n",
		"bad/a_test.go":     "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"always\") }\n\nfunc TestAB(t *testing.T) {}\n",
		"four/a_test.go":    once + "\nfunc TestA(t *testing.T) { once(t) }\nfunc TestB(t *testing.T) { once(t) }\nfunc TestC(t *testing.T) { once(t) }\nfunc TestD(t *testing.T) { once(t) }\n",
		"ends/a_test.go":    once + "\nfunc TestA(t *testing.T) {\n\tif _, err := os.Stat(\"x\"); err != nil {\n\t\tos.WriteFile(\"x\", nil, 0o600)\n\t\tos.Exit(3)\n\t}\n}\n\nfunc TestB(t *testing.T) {}\n",
		"unbuilt/a_test.go": "package p\n\nfunc f() { return 1 }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		well bool
		last string // what the last line is
		says string
	}{
		{"-- CGO_ENABLED=0 ./good -- ./flaky", true, "3 tests passed, 0 failed, 1 flaky, 1 skipped, in 2 packages", "FLAKY: isochronous/flaky TestA failed once and passed"},
		{"-- ./bad ./good", false, "2 tests passed, 1 failed, 0 flaky, 1 skipped, in 2 packages", "FAILED: isochronous/bad TestA: it failed again"},
		{"-- ./four", false, "0 tests passed, 4 failed, 0 flaky, 0 skipped, in 1 packages", "more than 3 failed: none was run again"},
		{"-- ./ends", true, "1 tests passed, 0 failed, 1 flaky, 0 skipped, in 1 packages", "FLAKY: isochronous/ends failed once"},
		{"-- ./unbuilt ./good", false, "1 tests passed, 1 failed, 0 flaky, 1 skipped, in 2 packages", "FAILED: isochronous/unbuilt: it cannot be built"},
		{"-- ./gone", false, "0 tests passed, 1 failed, 0 flaky, 0 skipped, in 1 packages", "FAILED: "},
	} {
		var out strings.Builder
		well := run(groupsOf(strings.Fields(c.args)), realGoTest, &out)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if well != c.well || !strings.HasPrefix(lines[len(lines)-1], c.last) || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: well is %v, and it prints\n%s", c.args, well, &out)
		}
	}
}

// What races is red though it would pass the second time.
func TestARaceIsNotRunAgain(t *testing.T) {
	calls := 0
	test := func(_, _ []string, read func(io.Reader)) error {
		calls++
		read(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"WARNING: DATA RACE\n"}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":61}
`))
		return os.ErrInvalid
	}
	var out strings.Builder
	if run(groupsOf([]string{"--", "-race", "./p"}), test, &out) || calls != 1 || !strings.Contains(out.String(), "FAILED: p TestA: a data race") || !strings.Contains(out.String(), "   1.0  p  under the race detector") {
		t.Errorf("%d calls, and it prints\n%s", calls, &out)
	}
}
