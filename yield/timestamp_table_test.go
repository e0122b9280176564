package yield

import (
	"fmt"
	"slices"
	"testing"

	"isochron/txn"
)

func by(n uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: n} }

func reads(k ...txn.Key) LockSet  { return LockSet{Shared: k} }
func writes(k ...txn.Key) LockSet { return LockSet{Exclusive: k} }

func TestTimestampsAreValidated(t *testing.T) {
	span := LockSet{Spans: []txn.Span{{Start: "a", End: "m"}}}
	for _, c := range []struct {
		name        string
		held        LockSet // undecided at 10
		asks        LockSet // at 20
		plain, byTS txn.ValidationResult
	}{
		{"different rows", writes("a"), writes("b"), txn.ValidationOK, txn.ValidationOK},
		{"reads beside reads", reads("a"), reads("a"), txn.ValidationOK, txn.ValidationOK},
		{"a read under a write", writes("a"), reads("a"), txn.ValidationAbstain, txn.ValidationAbstain},
		{"a later write over a read", reads("a"), writes("a"), txn.ValidationAbstain, txn.ValidationOK},
		{"a write beside a write", writes("a"), writes("a"), txn.ValidationAbstain, txn.ValidationOK},
		{"a range under a write", writes("c"), span, txn.ValidationAbstain, txn.ValidationAbstain},
		{"a write beside the range", writes("z"), span, txn.ValidationOK, txn.ValidationOK},
		{"a later write into a range that was read", span, writes("c"), txn.ValidationAbstain, txn.ValidationOK},
	} {
		s := NewTimestampTable(0)
		s.Hold(by(1), 10, c.held)
		for p, want := range map[Policy]txn.ValidationResult{EachValidates: c.plain, EachByTimestamp: c.byTS} {
			if got, _ := s.Judge(p, by(2), 20, c.asks); got != want {
				t.Errorf("%s, %s: %v, not %v", c.name, p.Name, got, want)
			}
			if got, _ := s.Judge(p, by(1), 20, c.asks); got != txn.ValidationOK {
				t.Errorf("%s, %s: an attempt conflicts with itself: %v", c.name, p.Name, got)
			}
		}
		s.Drop(by(1), 10, c.held, false)
		if got, _ := s.Judge(EachValidates, by(2), 20, c.asks); got != txn.ValidationOK {
			t.Errorf("%s: an aborted attempt still conflicts: %v", c.name, got)
		}
	}
}

func TestNoWritePrecedesARead(t *testing.T) {
	s := NewTimestampTable(5)
	refused := func(what string, k txn.Key, at, want txn.Timestamp) {
		t.Helper()
		if got, above := s.Judge(EachByTimestamp, by(9), at, writes(k)); got != txn.ValidationRetry || above != want {
			t.Errorf("%s: %v above %d, not above %d", what, got, above, want)
		}
	}
	refused("reads that were dropped before it was opened", "x", 5, 5)
	s.Hold(by(1), 30, reads("a"))
	refused("an undecided read", "a", 30, 30)
	s.Drop(by(1), 30, reads("a"), true)
	refused("a committed read", "a", 29, 30)
	s.Remember(by(2), 40, LockSet{Spans: []txn.Span{{Start: "k", End: "l"}}})
	refused("a committed read of a range", "k1", 40, 40)
	if got, _ := s.Judge(EachByTimestamp, by(9), 41, writes("a", "k1")); got != txn.ValidationOK {
		t.Errorf("after all of them: %v", got)
	}
}

func TestDroppedReadsStayInTheMinimum(t *testing.T) {
	s := NewTimestampTable(0)
	for i := range maxReadsKept + 1 {
		s.Remember(by(1), 100, reads(txn.Key(fmt.Sprint("k", i))))
	}
	if got, above := s.Judge(EachByTimestamp, by(2), 100, writes("k7")); got != txn.ValidationRetry || above != 100 {
		t.Errorf("a dropped read does not count: %v above %d", got, above)
	}
	s = NewTimestampTable(0)
	for i := range maxRangesKept + 1 {
		s.Remember(by(1), txn.Timestamp(i+1), LockSet{Spans: []txn.Span{{Start: "a", End: "b"}}})
	}
	if len(s.ranges) > maxRangesKept || s.floor != 1 {
		t.Errorf("%d ranges kept, the floor is %d", len(s.ranges), s.floor)
	}
}

// The writers of rows and ranges that were read are listed once each, while undecided.
func TestTheTimestampTableListsWriters(t *testing.T) {
	s := NewTimestampTable(0)
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: seq} }
	s.Hold(at(3), 10, LockSet{Exclusive: []txn.Key{"a", "b"}})
	s.Hold(at(1), 11, LockSet{Exclusive: []txn.Key{"b"}, Shared: []txn.Key{"d"}})
	s.Hold(at(2), 12, LockSet{Exclusive: []txn.Key{"c"}})
	s.Hold(at(4), 13, LockSet{Exclusive: []txn.Key{"e"}})
	read := LockSet{Shared: []txn.Key{"a", "b", "d"}, Spans: []txn.Span{{Start: "b", End: "e"}}, Exclusive: []txn.Key{"e"}}
	if got := s.WritersOf(read); !slices.Equal(got, []txn.Attempt{at(1), at(2), at(3)}) {
		t.Errorf("writers: %v", got)
	}
	s.Drop(at(3), 10, LockSet{Exclusive: []txn.Key{"a", "b"}}, true)
	if got := s.WritersOf(read); !slices.Equal(got, []txn.Attempt{at(1), at(2)}) {
		t.Errorf("after a decision, writers: %v", got)
	}
}
