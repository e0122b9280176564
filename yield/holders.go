package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// Holder is a transaction that holds locks at this shard, has reserved something, or is in a chain
// of uncommitted writes. The table owns it and reuses it after the transaction's end.
//
// Invariants: a voted holder leaves only by a decision; a transaction that holds nothing has no
// Holder.
type Holder struct {
	Txn   txn.ID
	Age   txn.Age
	Voted bool
	// Revealed: its voted writes are shown to readers; it is undecided.
	Revealed bool
	// Since is when its contention span began here.
	Since   time.Duration
	keys    []txn.Key // locked, each once
	spans   []txn.Span
	waiters []*Waiter
	objects []*object
	// tenure numbers an uninterrupted set of locks here: it changes when the holder releases some
	// of them and stays.
	tenure     uint64 // the last deadlock probe of it
	lastProbed pursuit
	chained    []txn.Key // rows in whose chain it is, or whose last published value it has read
	written    []txn.Row // its published rows, with versions
	// Its reservations: rows, and the number of spans.
	reserved      []txn.Key
	reservedSpans int
}

// object is one lock of one holder, for policies that allocate one with or without a conflict.
type object struct {
	key       txn.Key
	exclusive bool
	holder    *Holder
}

// value returns its published value of a row.
func (h *Holder) value(k txn.Key) txn.Row {
	for _, row := range h.written {
		if row.Key == k {
			return row
		}
	}
	panic("yield: one in a chain has not written its row")
}

// inChain reports whether it is in a chain, or has read the last value of one. It is false for nil.
func (h *Holder) inChain() bool { return h != nil && len(h.chained) > 0 }

// serial numbers events of a table, from 1 on.
type serial uint64

func (s *serial) next() uint64 {
	*s++
	return uint64(*s)
}

// holders are the transactions that hold something here. A holder that replaces a former one
// allocates nothing.
type holders struct {
	byTxn  map[txn.ID]*Holder
	spare  []*Holder
	serial *serial
}

func newHolders(s *serial) holders { return holders{byTxn: map[txn.ID]*Holder{}, serial: s} }

// get returns the transaction's entry, nil if it holds nothing.
func (l *holders) get(id txn.ID) *Holder { return l.byTxn[id] }

// enter returns the transaction's entry, made if there is none.
func (l *holders) enter(now time.Duration, id txn.ID, age txn.Age) *Holder {
	h := l.byTxn[id]
	if h != nil {
		if age.Region > h.Age.Region {
			h.Age = age // it has become multi-region
		}
		return h
	}
	if n := len(l.spare); n > 0 {
		h, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		h = &Holder{}
	}
	h.Txn, h.Age, h.Since = id, age, now
	l.renew(h)
	l.byTxn[id] = h
	return h
}

// Locks reports whether it holds more than reservations. It is false for nil.
func (h *Holder) Locks() bool { return h != nil && len(h.keys)+len(h.spans)+len(h.chained) > 0 }

// renew gives a holder a new tenure.
func (l *holders) renew(h *Holder) { h.tenure = l.serial.next() }

// keep empties a former holder and keeps it for reuse.
func (l *holders) keep(h *Holder) {
	const most = 64 // beyond that its lists are not kept
	if len(l.spare) >= spares || cap(h.keys) > most {
		return
	}
	clear(h.keys)
	clear(h.written)
	clear(h.reserved)
	*h = Holder{keys: h.keys[:0], spans: h.spans[:0], chained: h.chained[:0], written: h.written[:0], reserved: h.reserved[:0]}
	l.spare = append(l.spare, h)
}

// list lists them in the order of their ids.
func (l *holders) list() []*Holder {
	out := make([]*Holder, 0, len(l.byTxn))
	for _, h := range l.byTxn { // order: sorted below
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *Holder) int {
		if a.Txn.Less(b.Txn) {
			return -1
		}
		return 1
	})
	return out
}
