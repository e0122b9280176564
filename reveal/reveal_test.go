package reveal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"isochron/txn"
)

func attempt(n uint64) txn.Attempt { return txn.Attempt{Node: 1, Epoch: 1, Seq: n} }

func TestOverlayShowsTheNewestUntilApplied(t *testing.T) {
	var o Overlay
	o.Reveal(attempt(1), 1, false, []txn.Write{{Key: "x", Value: []byte("1")}})
	o.Reveal(attempt(2), 2, false, []txn.Write{{Key: "x", Value: []byte("2")}, {Key: "y"}})
	if row, ok := o.Get("x"); !ok || string(row.Value) != "2" || row.Version != attempt(2) {
		t.Errorf("x: %+v %v", row, ok)
	}
	if row, ok := o.Get("y"); !ok || row.Value != nil || !row.Version.IsZero() {
		t.Errorf("a revealed deletion reads as no row: %+v %v", row, ok)
	}
	if rows := o.Span(txn.Span{Start: "a", End: "y"}); len(rows) != 1 {
		t.Errorf("span: %v", rows)
	}
	o.Applied(attempt(1), 1, []txn.Write{{Key: "x"}})
	if row, _ := o.Get("x"); string(row.Value) != "2" {
		t.Errorf("applying the older write must leave the newer revealed: %+v", row)
	}
	o.Applied(attempt(2), 2, []txn.Write{{Key: "x"}, {Key: "y"}})
	if _, ok := o.Get("x"); ok {
		t.Error("applied rows must leave the overlay")
	}
}

// A hot row has many revealed rows. In any order of operations the list has the same rows as a
// plain list.
func TestManyRevealedRowsOfOneKey(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var o Overlay
		var plain []revealed // in the order of their timestamps
		for n := uint64(1); n <= 300; n++ {
			o.Reveal(attempt(n), txn.Timestamp(n), true, x(fmt.Sprint(n)))
			plain = append(plain, revealed{Row: txn.Row{Key: "x", Version: attempt(n), Value: fmt.Append(nil, n)}, proposed: txn.Timestamp(n), undecided: true})
			for len(plain) > 0 && r.IntN(3) == 0 {
				i := min(r.IntN(len(plain)), r.IntN(40)) // mostly old ones, seldom the oldest
				by := plain[i].Version
				if r.IntN(4) == 0 {
					o.Retract(by, x(""))
					plain = slices.Delete(plain, i, i+1)
				} else {
					o.Applied(by, plain[i].proposed, x(""))
					plain[i].undecided, plain[i].applied = false, true
				}
				for len(plain) > 0 && plain[0].applied {
					plain = plain[1:]
				}
			}
			row, ok := o.Get("x")
			undecided := o.Undecided([]txn.Key{"x"}, nil)
			if ok != (len(plain) > 0) {
				t.Fatalf("after %d: there is one: %v, want %v", n, ok, !ok)
			}
			if last := len(plain) - 1; ok && (row.Version != plain[last].Version || string(row.Value) != string(plain[last].Value) || len(undecided) == 1 != plain[last].undecided) {
				t.Fatalf("after %d: newest %+v, undecided %v; want %+v", n, row, undecided, plain[last])
			}
		}
	}
}

func x(value string) []txn.Write { return []txn.Write{{Key: "x", Value: []byte(value)}} }

func TestABlindWriteNeverHidesANewerOne(t *testing.T) {
	var o Overlay
	o.Reveal(attempt(1), 1, true, x("1"))
	o.Reveal(attempt(2), 2, true, x("2"))
	o.Decide(attempt(2), x(""))
	o.Applied(attempt(2), 2, x("2"))
	if row, ok := o.Get("x"); !ok || string(row.Value) != "2" {
		t.Errorf("with an older write undecided below it, an applied one must stay: %+v %v", row, ok)
	}
	// A row committed by the log alone, between them.
	o.Applied(attempt(3), 1, x("3"))
	if row, _ := o.Get("x"); string(row.Value) != "2" {
		t.Errorf("an older write that is applied late came on top: %+v", row)
	}
	o.Retract(attempt(1), x(""))
	if _, ok := o.Get("x"); ok {
		t.Error("with the oldest retracted only applied rows are left, and must be dropped")
	}
}

func TestAReaderDependsOnlyOnTheNewest(t *testing.T) {
	var o Overlay
	all := []txn.Span{{Start: "a", End: "z"}}
	o.Reveal(attempt(1), 1, true, x("1"))
	o.Reveal(attempt(2), 2, true, x("2"))
	o.Reveal(attempt(4), 4, true, []txn.Write{{Key: "y"}})
	if got := o.Undecided([]txn.Key{"x", "w"}, nil); !slices.Equal(got, []txn.Attempt{attempt(2)}) {
		t.Errorf("of x: %v", got)
	}
	if got := o.Undecided([]txn.Key{"x"}, all); !slices.Equal(got, []txn.Attempt{attempt(2), attempt(4)}) {
		t.Errorf("of the span, with a deletion: %v", got)
	}
	o.Decide(attempt(2), x(""))
	if got := o.Undecided([]txn.Key{"x"}, nil); len(got) != 0 {
		t.Errorf("the newest is decided, the rows below do not matter: %v", got)
	}
	o.Retract(attempt(2), x(""))
	if row, _ := o.Get("x"); string(row.Value) != "1" {
		t.Errorf("with the newest retracted the one below shows: %+v", row)
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

// No policy reveals a transaction record before its log has it; other transactions of one shard
// are.
func TestNoPolicyRevealsARecordEarly(t *testing.T) {
	for c := OnDecision; c <= OnValidation; c++ {
		early := func(of txn.Class) bool { return c.OnItsAppend(of) || c.OnItsValidation(of) }
		of := txn.Class{Participants: 1, Hot: true}
		alone := early(of)
		if want := c != OnDecision && c != OnLog && c != OnPreCommit; alone != want {
			t.Errorf("%v: a commit by one entry is revealed early: %v", c, alone)
		}
		if of.Record = true; early(of) {
			t.Errorf("%v reveals a record early", c)
		}
	}
}
