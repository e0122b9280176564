package coordinator

import (
	"testing"

	"isochron/protocol"
	"isochron/txn"
)

// The protocol decides how priority affects a transaction's age, and a retry inherits the age.
func TestProtocolsApplyPriority(t *testing.T) {
	for name, want := range map[string]txn.Age{ // order: independent cases
		"natto-2pl":     {},
		"natto-2pl-p":   {Priority: txn.PriorityHigh},
		"natto-2pl-pow": {Preempts: true},
	} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := openFake(t)
		c.cfg.Spec, c.cfg.Params = spec, txn.Params{}.WithDefaults()
		first := c.begin(Start{Age: txn.Age{Priority: txn.PriorityHigh}}).age
		again := c.begin(Start{Age: first, Try: 1}).age
		if first.Priority != want.Priority || first.Preempts != want.Preempts || again != first {
			t.Errorf("%s: %+v, and again %+v", name, first, again)
		}
	}
}
