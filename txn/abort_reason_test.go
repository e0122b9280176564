package txn

import (
	"strings"
	"testing"
)

// Every refusal says what a client may conclude and what happened; whatever rolls a
// transaction back has a cause to be counted under.
func TestRefusals(t *testing.T) {
	seen := map[string]AbortReason{}
	for w := NotRefused + 1; w < whys; w++ {
		r := Refusal{Reason: w, ConflictingTxn: ID{Node: 3, Epoch: 1, Seq: 7}}
		text := r.String()
		if text == "" || r.Kind() == 0 || !r.Refused() || strings.Contains(text, "%") {
			t.Errorf("%d: %v, %q", w, r.Kind(), text)
		}
		if strings.Contains(text, r.ConflictingTxn.String()) != w.named() {
			t.Errorf("%d names whom it met, or does not: %q", w, text)
		}
		if r.Kind() == KindAborted && r.Cause() == CauseOther {
			t.Errorf("%q has no cause", text)
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%d and %d say the same", w, other)
		}
		seen[text] = w
	}
	if (Refusal{}).Refused() || (Refusal{}).Kind() != 0 || (Refusal{}).String() != "" {
		t.Error("no refusal refuses")
	}
}
