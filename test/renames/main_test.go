package main

import (
	"strings"
	"testing"
)

// A story differs if a byte differs that no rename of a message explains.
func TestStoriesThroughRenames(t *testing.T) {
	renames := messageRenames("# comment\nname\tsim.Probe\tsim.Other\nmessage\tProbe\tTxnStatusQuery\nmessage\tFinding\tInquireReply\n")
	before := map[string]string{"a.txt": "1 va -> wa Probe: is T over?\n2 ProbeReply: no\n# Probe it\n"}
	for _, c := range []struct {
		name, after string
		want        string // in the only difference; "": none
	}{
		{"renamed", "1 va -> wa TxnStatusQuery: is T over?\n2 ProbeReply: no\n# Probe it\n", ""},
		{"renamed in a comment", "1 va -> wa TxnStatusQuery: is T over?\n2 ProbeReply: no\n# TxnStatusQuery it\n", ""},
		{"another comment", "1 va -> wa TxnStatusQuery: is T over?\n2 ProbeReply: no\n# TxnStatusQuery this\n", "a.txt:3:"},
		{"not renamed", "1 va -> wa Probe: is T over?\n2 ProbeReply: no\n# Probe it\n", "a.txt:1:"},
		{"part of a word", "1 va -> wa TxnStatusQuery: is T over?\n2 TxnStatusQueryReply: no\n# Probe it\n", "a.txt:2:"},
		{"another time", "1 va -> wa TxnStatusQuery: is T over?\n3 ProbeReply: no\n# Probe it\n", "a.txt:2:"},
		{"shorter", "1 va -> wa TxnStatusQuery: is T over?\n", "a.txt:2:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compare(before, map[string]string{"a.txt": c.after}, renames)
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("got %q, want a difference with %q", got, c.want)
			}
		})
	}
	if got := compare(before, map[string]string{"b.txt": ""}, renames); len(got) != 2 {
		t.Errorf("a story lost and one gained: %q", got)
	}
}
