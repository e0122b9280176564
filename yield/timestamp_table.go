package yield

import (
	"slices"

	"github.com/tidwall/btree"

	"isochron/coverage"
	"isochron/txn"
)

// TimestampTable is one replica's record of undecided transactions, where each replica validates
// for itself: their reads and writes, and at which timestamps. Nothing waits in it. A plain policy
// refuses every conflict. One by timestamp (TAPIR) accepts an undecided write beside a read or a
// write of the same row if their timestamps order them.
//
// Invariant, by timestamp: no write is accepted at or below the timestamp of a read of the same row
// accepted before, undecided or committed. Reads that are dropped raise the floor.
type TimestampTable struct {
	reads  btree.Map[txn.Key, []timestampEntry] // undecided
	writes btree.Map[txn.Key, []timestampEntry] // undecided
	spans  []spanTimestamp                      // undecided
	read   map[txn.Key]txn.Timestamp            // the latest committed read
	ranges []spanTimestamp                      // committed
	floor  txn.Timestamp
	freed  []txn.Key        // no longer written by any undecided attempt, since the last call of Freed
	Rules  *coverage.Counts // nil: nothing is counted
}

type timestampEntry struct {
	by txn.Attempt
	at txn.Timestamp
}

type spanTimestamp struct {
	span txn.Span
	timestampEntry
}

// The committed reads of rows and of ranges that are kept.
const (
	maxReadsKept  = 100_000
	maxRangesKept = 1_000
)

// NewTimestampTable returns a table that assumes reads up to floor.
func NewTimestampTable(floor txn.Timestamp) *TimestampTable {
	return &TimestampTable{read: map[txn.Key]txn.Timestamp{}, floor: floor}
}

// Judge validates reads and writes at a timestamp against undecided attempts and earlier reads: OK;
// Abstain, for a conflict with an undecided one; or Retry, above the returned timestamp.
func (s *TimestampTable) Judge(p Policy, by txn.Attempt, at txn.Timestamp, c LockSet) (txn.ValidationResult, txn.Timestamp) {
	for _, k := range c.Shared {
		if list, ok := s.writes.Get(k); ok && slices.ContainsFunc(list, others(by)) {
			s.Rules.Hit(coverage.TimestampOverUndecided)
			return txn.ValidationAbstain, 0
		}
	}
	for _, span := range c.Spans {
		if s.written(span, others(by)) {
			s.Rules.Hit(coverage.TimestampOverUndecided)
			return txn.ValidationAbstain, 0
		}
	}
	above := txn.Timestamp(0)
	for _, k := range c.Exclusive {
		if !p.ByTimestamp && s.touched(k, by) {
			return txn.ValidationAbstain, 0
		}
		above = max(above, s.floor, s.lastRead(k, by))
		if list, _ := s.writes.Get(k); slices.ContainsFunc(list, func(o timestampEntry) bool { return o.by != by && o.at == at }) {
			above = max(above, at) // two versions of a row cannot have the same timestamp
		}
	}
	if p.ByTimestamp && len(c.Exclusive) > 0 && at <= above {
		s.Rules.Hit(coverage.TimestampBelowRead)
		return txn.ValidationRetry, above
	}
	return txn.ValidationOK, 0
}

// Clashes reports whether an attempt and an undecided one in the table exclude each other,
// whichever came first. Under a plain policy: one writes what the other reads or writes. By
// timestamp: a write is not after a read of the same row that has missed it, or two writes of a row
// have the same timestamp. What Judge calls OK does not clash.
func (s *TimestampTable) Clashes(p Policy, by txn.Attempt, at txn.Timestamp, c LockSet) bool {
	missed := func(o timestampEntry) bool { return o.by != by && (!p.ByTimestamp || o.at <= at) }
	misses := func(o timestampEntry) bool { return o.by != by && (!p.ByTimestamp || o.at >= at) }
	beside := func(o timestampEntry) bool { return o.by != by && (!p.ByTimestamp || o.at == at) }
	for _, k := range c.Shared {
		if list, ok := s.writes.Get(k); ok && slices.ContainsFunc(list, missed) {
			return true
		}
	}
	for _, span := range c.Spans {
		if s.written(span, missed) {
			return true
		}
	}
	for _, k := range c.Exclusive {
		reads, _ := s.reads.Get(k)
		writes, _ := s.writes.Get(k)
		if slices.ContainsFunc(reads, misses) || slices.ContainsFunc(writes, beside) ||
			slices.ContainsFunc(s.spans, func(o spanTimestamp) bool { return o.span.Contains(k) && misses(o.timestampEntry) }) {
			return true
		}
	}
	return false
}

// touched reports whether another undecided attempt reads or writes a row.
func (s *TimestampTable) touched(k txn.Key, by txn.Attempt) bool {
	for _, m := range []*btree.Map[txn.Key, []timestampEntry]{&s.reads, &s.writes} {
		if list, ok := m.Get(k); ok && slices.ContainsFunc(list, others(by)) {
			return true
		}
	}
	return slices.ContainsFunc(s.spans, func(o spanTimestamp) bool { return o.by != by && o.span.Contains(k) })
}

// InTheWay reports whether an undecided attempt writes what a read needs, and the first such row;
// "" if only a range conflicts.
func (s *TimestampTable) InTheWay(keys []txn.Key, spans []txn.Span) (at txn.Key, yes bool) {
	for _, k := range keys {
		if s.Written(k) {
			return k, true
		}
	}
	return "", slices.ContainsFunc(spans, func(span txn.Span) bool { return s.written(span, others(txn.Attempt{})) })
}

// Written reports whether an undecided attempt writes a row.
func (s *TimestampTable) Written(k txn.Key) bool {
	_, ok := s.writes.Get(k)
	return ok
}

// Freed lists, since its last call, the rows whose last undecided writer has ended. Others may
// write them by now.
func (s *TimestampTable) Freed() []txn.Key {
	out := s.freed
	s.freed = nil
	return out
}

// WritersOf lists the undecided attempts that write what a lock set has read, each once, in order.
func (s *TimestampTable) WritersOf(c LockSet) (out []txn.Attempt) {
	note := func(list []timestampEntry) {
		for _, w := range list {
			out = append(out, w.by)
		}
	}
	for _, k := range c.Shared {
		if list, ok := s.writes.Get(k); ok {
			note(list)
		}
	}
	for _, span := range c.Spans {
		s.writes.Ascend(span.Start, func(k txn.Key, list []timestampEntry) bool {
			if k < span.End {
				note(list)
			}
			return k < span.End
		})
	}
	slices.SortFunc(out, func(a, b txn.Attempt) int {
		switch {
		case a.Less(b):
			return -1
		case b.Less(a):
			return 1
		}
		return 0
	})
	return slices.Compact(out)
}

func others(by txn.Attempt) func(timestampEntry) bool {
	return func(o timestampEntry) bool { return o.by != by }
}

// written reports whether a row of the span has an undecided write like that.
func (s *TimestampTable) written(span txn.Span, like func(timestampEntry) bool) (yes bool) {
	s.writes.Ascend(span.Start, func(k txn.Key, list []timestampEntry) bool {
		if k >= span.End {
			return false
		}
		yes = slices.ContainsFunc(list, like)
		return !yes
	})
	return yes
}

// lastRead is the latest timestamp at which another attempt has read a row.
func (s *TimestampTable) lastRead(k txn.Key, by txn.Attempt) txn.Timestamp {
	at := s.read[k]
	list, _ := s.reads.Get(k)
	for _, o := range list {
		if o.by != by {
			at = max(at, o.at)
		}
	}
	for _, ranges := range [][]spanTimestamp{s.spans, s.ranges} {
		for _, o := range ranges {
			if o.by != by && o.span.Contains(k) {
				at = max(at, o.at)
			}
		}
	}
	return at
}

// Hold enters the reads and writes of an undecided attempt. Shared are the rows that it has read,
// including written ones.
func (s *TimestampTable) Hold(by txn.Attempt, at txn.Timestamp, c LockSet) {
	add := func(m *btree.Map[txn.Key, []timestampEntry], k txn.Key) {
		list, _ := m.Get(k)
		m.Set(k, append(slices.Clip(list), timestampEntry{by, at}))
	}
	for _, k := range c.Shared {
		add(&s.reads, k)
	}
	for _, k := range c.Exclusive {
		add(&s.writes, k)
	}
	for _, span := range c.Spans {
		s.spans = append(s.spans, spanTimestamp{span, timestampEntry{by, at}})
	}
}

// Drop removes a decided attempt. If it committed, its reads are remembered.
func (s *TimestampTable) Drop(by txn.Attempt, at txn.Timestamp, c LockSet, committed bool) {
	cut := func(m *btree.Map[txn.Key, []timestampEntry], k txn.Key) (last bool) {
		list, _ := m.Get(k)
		if list = slices.DeleteFunc(slices.Clone(list), func(o timestampEntry) bool { return o.by == by }); len(list) > 0 {
			m.Set(k, list)
			return false
		}
		m.Delete(k)
		return true
	}
	for _, k := range c.Shared {
		cut(&s.reads, k)
	}
	for _, k := range c.Exclusive {
		if cut(&s.writes, k) {
			s.freed = append(s.freed, k)
		}
	}
	s.spans = slices.DeleteFunc(s.spans, func(o spanTimestamp) bool { return o.by == by })
	if committed {
		s.Remember(by, at, c)
	}
}

// Remember records the reads of a committed attempt.
func (s *TimestampTable) Remember(by txn.Attempt, at txn.Timestamp, c LockSet) {
	for _, k := range c.Shared {
		s.read[k] = max(s.read[k], at)
	}
	for _, span := range c.Spans {
		s.ranges = append(s.ranges, spanTimestamp{span, timestampEntry{by, at}})
	}
	if len(s.read) > maxReadsKept {
		for _, at := range s.read { // order: a maximum
			s.floor = max(s.floor, at)
		}
		clear(s.read)
	}
	for len(s.ranges) > maxRangesKept {
		s.floor = max(s.floor, s.ranges[0].at)
		s.ranges = s.ranges[1:]
	}
}
