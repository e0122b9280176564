package reveal

import (
	"slices"

	"github.com/tidwall/btree"

	"isochron/coverage"
	"isochron/txn"
)

// Overlay holds revealed rows that are not yet applied.
//
// Invariant: the rows of a key are in the order of their votes in this shard's log, which is also
// the order of their proposed and of their commit timestamps. The newest is newer than any version
// of the key in the engine: so an applied row remains while an older one is here.
//
// A hot row has as many rows here as commits are on their way to the disk: adding the newest and
// removing the oldest must not become slower with their number.
type Overlay struct {
	rows  btree.Map[txn.Key, *list]
	Rules *coverage.Counts // nil: nothing is counted
}

// list is the rows of one key, the oldest first; it has at least one. The slice is not retained by
// readers.
type list struct {
	rows []revealed
	room []revealed // the array of rows, including the space of removed ones
}

type revealed struct {
	txn.Row
	proposed  txn.Timestamp
	undecided bool
	applied   bool
}

// Reveal shows an attempt's writes to readers, ordered by the timestamp that this shard proposed.
// undecided: it may yet abort.
func (o *Overlay) Reveal(by txn.Version, proposed txn.Timestamp, undecided bool, writes []txn.Write) {
	for _, w := range writes {
		l, ok := o.rows.Get(w.Key)
		if !ok {
			l = &list{}
			o.rows.Set(w.Key, l)
		}
		l.insert(revealed{
			Row: txn.Row{Key: w.Key, Value: w.Value, Version: by}, proposed: proposed, undecided: undecided})
	}
}

// insert adds a row in order, unless it is there.
func (l *list) insert(row revealed) {
	i := len(l.rows)
	for i > 0 && l.rows[i-1].proposed > row.proposed {
		i--
	}
	if i > 0 && l.rows[i-1].Version == row.Version {
		return
	}
	if len(l.rows) == cap(l.rows) && len(l.rows) <= len(l.room)/2 { // half of the array is free: move to its start
		n := copy(l.room, l.rows)
		clear(l.room[n:])
		l.rows = l.room[:n]
	}
	whole := len(l.rows) == cap(l.rows)
	l.rows = slices.Insert(l.rows, i, row)
	if whole {
		l.room = l.rows[:cap(l.rows)]
	}
}

// find is the index of an attempt's row, -1 if there is none: usually near the oldest.
func (l *list) find(by txn.Version) int {
	return slices.IndexFunc(l.rows, func(r revealed) bool { return r.Version == by })
}

// Decide records the commit of an attempt whose writes were revealed before.
func (o *Overlay) Decide(by txn.Version, writes []txn.Write) {
	for _, w := range writes {
		if l, ok := o.rows.Get(w.Key); ok {
			if i := l.find(by); i >= 0 {
				l.rows[i].undecided = false
			}
		}
	}
}

// Applied records that the engine has an attempt's writes now.
func (o *Overlay) Applied(by txn.Version, proposed txn.Timestamp, writes []txn.Write) {
	for _, w := range writes {
		l, ok := o.rows.Get(w.Key)
		if !ok {
			continue
		}
		i := l.find(by)
		if i < 0 { // committed by the log, never revealed
			l.insert(revealed{Row: txn.Row{Key: w.Key, Value: w.Value, Version: by}, proposed: proposed})
			i = l.find(by)
		}
		o.Rules.HitIf(i > 0, coverage.AppliedStays)
		l.rows[i].undecided, l.rows[i].applied = false, true
		o.keep(w.Key, l)
	}
}

// keep drops the applied rows that no older row precedes.
func (o *Overlay) keep(k txn.Key, l *list) {
	for len(l.rows) > 0 && l.rows[0].applied {
		l.rows[0] = revealed{} // releases the value
		l.rows = l.rows[1:]
	}
	if len(l.rows) == 0 {
		o.rows.Delete(k)
	}
}

// Retract removes the writes of an aborted attempt.
func (o *Overlay) Retract(by txn.Version, writes []txn.Write) {
	for _, w := range writes {
		if l, ok := o.rows.Get(w.Key); ok {
			l.rows = slices.DeleteFunc(l.rows, func(r revealed) bool { return r.Version == by })
			o.keep(w.Key, l)
		}
	}
}

// Get is the newest revealed row of a key. A revealed deletion is ok with a nil
// value and version zero, like every deleted row.
func (o *Overlay) Get(k txn.Key) (row txn.Row, ok bool) {
	l, ok := o.rows.Get(k)
	if !ok {
		return txn.Row{}, false
	}
	return l.newest(), true
}

func (l *list) newest() txn.Row {
	row := l.rows[len(l.rows)-1].Row
	if row.Value == nil {
		row.Version = txn.Version{}
	}
	return row
}

// Span is the newest revealed row of each key of the span, in key order.
func (o *Overlay) Span(s txn.Span) []txn.Row {
	var out []txn.Row
	o.each(s, func(l *list) { out = append(out, l.newest()) })
	return out
}

func (o *Overlay) each(s txn.Span, f func(*list)) {
	o.rows.Ascend(s.Start, func(k txn.Key, l *list) bool {
		if k >= s.End {
			return false
		}
		f(l)
		return true
	})
}

// Undecided lists, each once, the attempts on which a reader of the keys and spans depends:
// attempts that wrote or deleted the newest row of one of them, and may yet abort.
func (o *Overlay) Undecided(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if o.rows.Len() == 0 {
		return nil
	}
	var out []txn.Attempt
	note := func(l *list) {
		if last := l.rows[len(l.rows)-1]; last.undecided && !slices.Contains(out, last.Version) {
			out = append(out, last.Version)
		}
	}
	for _, k := range keys {
		if l, ok := o.rows.Get(k); ok {
			note(l)
		}
	}
	for _, s := range spans {
		o.each(s, note)
	}
	return out
}
