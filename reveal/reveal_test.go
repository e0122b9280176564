package reveal

import (
	"testing"

	"isochron/txn"
)

func attempt(n uint64) txn.Attempt { return txn.Attempt{Node: 1, Epoch: 1, Seq: n} }

func TestOverlayShowsTheNewestUntilApplied(t *testing.T) {
	var o Overlay
	o.Reveal(attempt(1), []txn.Write{{Key: "x", Value: []byte("1")}})
	o.Reveal(attempt(2), []txn.Write{{Key: "x", Value: []byte("2")}, {Key: "y"}})
	if row, ok := o.Get("x"); !ok || string(row.Value) != "2" || row.Version != attempt(2) {
		t.Errorf("x: %+v %v", row, ok)
	}
	if row, ok := o.Get("y"); !ok || row.Value != nil || !row.Version.IsZero() {
		t.Errorf("a revealed deletion reads as no row: %+v %v", row, ok)
	}
	if rows := o.Span(txn.Span{Start: "a", End: "y"}); len(rows) != 1 {
		t.Errorf("span: %v", rows)
	}
	o.Applied(attempt(1), []txn.Write{{Key: "x"}})
	if row, _ := o.Get("x"); string(row.Value) != "2" {
		t.Errorf("applying the older write must leave the newer revealed: %+v", row)
	}
	o.Applied(attempt(2), []txn.Write{{Key: "x"}, {Key: "y"}})
	if _, ok := o.Get("x"); ok {
		t.Error("applied rows must leave the overlay")
	}
}

func TestPending(t *testing.T) {
	var p Pending
	w := []txn.Write{{Key: "k"}}
	p.Add(w)
	p.Add(w)
	p.Remove(w)
	if !p.Touches("k") || !p.TouchesSpan(txn.Span{Start: "a", End: "z"}) || p.TouchesSpan(txn.Span{Start: "l", End: "z"}) {
		t.Error("one of two undecided writes is left on k")
	}
	p.Remove(w)
	if p.Touches("k") {
		t.Error("nothing is left on k")
	}
}
