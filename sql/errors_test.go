package sql

import (
	"testing"

	"isochron/txn"
)

// What a source says has its number, but that an outcome is unknown is always told in the same way:
// clients go by 1180 when they decide whether to do a transaction again.
func TestAnUnknownOutcomeHasOneNumber(t *testing.T) {
	lost := &txn.Fault{Code: 2013, State: "08S01"}
	for _, x := range []struct {
		err  *txn.Error
		want int
	}{
		{&txn.Error{Kind: txn.KindUnknown, Reason: "it broke", Fault: lost}, 1180},
		{&txn.Error{Kind: txn.KindUnknown, Reason: "it broke"}, 1180},
		{&txn.Error{Kind: txn.KindAborted, Reason: "it broke", Fault: lost}, 1429},
		{&txn.Error{Kind: txn.KindAborted, Reason: "it broke"}, 1213},
	} {
		if got := ofKind(x.err); got.Num != x.want {
			t.Errorf("%v with %v is told as %d, not %d", x.err, x.err.Fault, got.Num, x.want)
		}
	}
}
