package shard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"isochron/txn"
)

// given finds the reasons that go with KindAborted in the source, and those that
// are handed to a refusal of a vote that waits.
var given = regexp.MustCompile(`(?:txn\.KindAborted, (?:Reason: |fmt\.Sprintf\()?|\brefuse\()"([^"]+)"`)

// Every reason to abort has a cause.
func TestReasonsHaveCauses(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range append(files, "../yield/stands.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range given.FindAllStringSubmatch(string(source), -1) {
			found++
			if causeOf(txn.KindAborted, m[1]) == txn.CauseOther {
				t.Errorf("%s: %q has no cause", name, m[1])
			}
		}
	}
	if found < 12 {
		t.Errorf("only %d reasons were found: is the source written otherwise now?", found)
	}
	for _, reason := range []string{"a row it read has changed since", "a range it read has changed since", writtenSince} {
		if causeOf(txn.KindAborted, reason) == txn.CauseOther {
			t.Errorf("%q has no cause", reason)
		}
	}
}
