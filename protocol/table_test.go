package protocol

import (
	"strings"
	"testing"
)

func TestTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table() {
		if seen[r.Name] || r.Name == "" || r.Gives == "" || r.Source == "" || len(r.Steps) == 0 {
			t.Errorf("row %q is incomplete or stands twice", r.Name)
		}
		seen[r.Name] = true
		if back, err := ByName(r.Name); err != nil || back.Name != r.Name {
			t.Errorf("%s is not found by its name: %v", r.Name, err)
		}
		if r.Steps[0] != Validate {
			t.Errorf("%s reveals or logs before it validates", r.Name)
		}
	}
	if !seen[Default] {
		t.Errorf("the default row %q is not in the table", Default)
	}
}

func TestAnUnknownNameIsToldTheOthers(t *testing.T) {
	_, err := ByName("3pc")
	if err == nil || !strings.Contains(err.Error(), "2pc+occ") {
		t.Errorf("the error does not help: %v", err)
	}
}
