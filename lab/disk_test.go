package lab

import (
	"os"
	"slices"
	"testing"
	"time"
)

func TestMeasureSync(t *testing.T) {
	dir := t.TempDir()
	s, err := MeasureSync(dir, 20)
	if err != nil || len(s) != 20 || !slices.IsSorted(s) || s.Part(0) <= 0 {
		t.Errorf("%v, %v", s, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("MeasureSync leaves %v (%v)", left, err)
	}
	if _, err := MeasureSync(dir+"/none", 1); err == nil {
		t.Error("there is no such directory")
	}
	four := Syncs{1 * time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond, 9 * time.Millisecond}
	if four.Part(50) != 3*time.Millisecond || four.Part(100) != 9*time.Millisecond || (Syncs{}).Part(50) != 0 {
		t.Errorf("%v and %v", four.Part(50), four.Part(100))
	}
}
