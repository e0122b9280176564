package txn

import (
	"strings"
	"testing"
)

// Every reason has a kind, a distinct text and, if it rolls the transaction back, a cause that
// metrics count.
func TestRefusals(t *testing.T) {
	seen := map[string]AbortReason{}
	for w := NotRefused + 1; w < reasonCount; w++ {
		r := Refusal{Reason: w, ConflictingTxn: ID{Node: 3, Epoch: 1, Seq: 7}}
		text := r.String()
		if text == "" || r.Kind() == 0 || !r.Refused() || strings.Contains(text, "%") {
			t.Errorf("reason %d: kind %v, text %q", w, r.Kind(), text)
		}
		if strings.Contains(text, r.ConflictingTxn.String()) != w.named() {
			t.Errorf("reason %d: conflicting transaction in the text %q: want %v", w, text, w.named())
		}
		if r.Kind() == KindAborted && r.Cause() == CauseOther {
			t.Errorf("%q has no cause", text)
		}
		if other, twice := seen[text]; twice {
			t.Errorf("reasons %d and %d have the same text", w, other)
		}
		seen[text] = w
	}
	if (Refusal{}).Refused() || (Refusal{}).Kind() != 0 || (Refusal{}).String() != "" {
		t.Error("the zero Refusal refuses")
	}
}
