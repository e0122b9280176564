package main

import (
	"strings"
	"testing"
	"time"
)

// What cannot be redrawn gets a line for each tenth, and no bar.
func TestMeterOfAFile(t *testing.T) {
	var out strings.Builder
	m := newMeter(&out, "natto/fig10", false)
	for done := range 200 {
		m.show(time.Duration(done+1)*time.Second, 200*time.Second)
	}
	m.clear()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 10 || lines[0] != "isochron: natto/fig10:  10%, 20s of 3m20s of virtual time" || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	if newMeter(&out, "", true).progress() != nil {
		t.Error("a quiet meter receives progress")
	}
}
