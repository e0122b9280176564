package protocol

import (
	"strings"
	"testing"
)

// Any cluster goes over to any row that it can have, but for those whose declared transactions need
// what a shard does not take any more by then.
func TestWhoCanSwitch(t *testing.T) {
	for _, c := range []struct{ from, to, broken string }{
		{Default, "2pc+2pl", ""}, {Default, "natto-recsf", ""}, {"natto-recsf", "natto-recsf", ""},
		{"natto-recsf", Default, "cannot go over to another protocol"},
		{Default, "tapir", "laboratory"}, {Default, "none", "there is no protocol"},
	} {
		if err := CheckSwitch(c.from, c.to); (err == nil) != (c.broken == "") || err != nil && !strings.Contains(err.Error(), c.broken) {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
}
