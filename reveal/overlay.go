package reveal

import (
	"slices"

	"github.com/tidwall/btree"

	"isochron/txn"
)

// Overlay holds revealed, not yet applied rows.
//
// Invariant: the rows of a key are in the order in which this shard's log has
// their votes, which is that of the timestamps that the shard proposed for them
// and of those they get. The newest of them is newer than anything the engine
// has of the key: so a row that is applied stays while an older one is here.
type Overlay struct {
	rows btree.Map[txn.Key, []revealed]
}

type revealed struct {
	txn.Row
	proposed  txn.Timestamp
	undecided bool
	applied   bool
}

// Reveal shows an attempt's writes to readers, in the place of the timestamp
// that this shard proposed for it. undecided: it may yet abort.
func (o *Overlay) Reveal(by txn.Version, proposed txn.Timestamp, undecided bool, writes []txn.Write) {
	for _, w := range writes {
		list, _ := o.rows.Get(w.Key)
		o.rows.Set(w.Key, insert(list, revealed{
			Row: txn.Row{Key: w.Key, Value: w.Value, Version: by}, proposed: proposed, undecided: undecided}))
	}
}

// insert puts a row in its place. Readers may hold the old list.
func insert(list []revealed, row revealed) []revealed {
	i := len(list)
	for i > 0 && list[i-1].proposed > row.proposed {
		i--
	}
	if i > 0 && list[i-1].Version == row.Version {
		return list
	}
	return slices.Insert(slices.Clip(list), i, row)
}

// Decide says that an attempt is committed whose writes were revealed before.
func (o *Overlay) Decide(by txn.Version, writes []txn.Write) {
	o.update(by, writes, func(r *revealed) { r.undecided = false })
}

// Applied says that the engine has an attempt's writes now.
func (o *Overlay) Applied(by txn.Version, proposed txn.Timestamp, writes []txn.Write) {
	for _, w := range writes {
		if list, ok := o.rows.Get(w.Key); ok && !slices.ContainsFunc(list, func(r revealed) bool { return r.Version == by }) {
			o.Reveal(by, proposed, false, []txn.Write{w}) // committed by the log alone
		}
	}
	o.update(by, writes, func(r *revealed) { r.undecided, r.applied = false, true })
}

// update changes an attempt's rows, and lets go of those that need not be here.
func (o *Overlay) update(by txn.Version, writes []txn.Write, change func(*revealed)) {
	for _, w := range writes {
		old, ok := o.rows.Get(w.Key)
		if !ok {
			continue
		}
		list := slices.Clone(old)
		for i := range list {
			if list[i].Version == by {
				change(&list[i])
			}
		}
		o.keep(w.Key, list)
	}
}

// keep drops the applied rows that nothing older follows in the engine's place.
func (o *Overlay) keep(k txn.Key, list []revealed) {
	for len(list) > 0 && list[0].applied {
		list = list[1:]
	}
	if len(list) == 0 {
		o.rows.Delete(k)
		return
	}
	o.rows.Set(k, list)
}

// Retract takes back the writes of an attempt that aborted.
func (o *Overlay) Retract(by txn.Version, writes []txn.Write) {
	for _, w := range writes {
		if list, ok := o.rows.Get(w.Key); ok {
			o.keep(w.Key, slices.DeleteFunc(slices.Clone(list), func(r revealed) bool { return r.Version == by }))
		}
	}
}

// Get is the newest revealed row of a key. A revealed deletion is ok with a nil
// value and version zero, like every deleted row.
func (o *Overlay) Get(k txn.Key) (row txn.Row, ok bool) {
	list, ok := o.rows.Get(k)
	if !ok {
		return txn.Row{}, false
	}
	return newest(list), true
}

func newest(list []revealed) txn.Row {
	row := list[len(list)-1].Row
	if row.Value == nil {
		row.Version = txn.Version{}
	}
	return row
}

// Span is the newest revealed row of each key of the span, in key order.
func (o *Overlay) Span(s txn.Span) []txn.Row {
	var out []txn.Row
	o.each(s, func(list []revealed) { out = append(out, newest(list)) })
	return out
}

func (o *Overlay) each(s txn.Span, f func([]revealed)) {
	o.rows.Ascend(s.Start, func(k txn.Key, list []revealed) bool {
		if k >= s.End {
			return false
		}
		f(list)
		return true
	})
}

// Undecided lists, each once, the attempts on which a reader of the keys and
// spans depends: those that wrote the newest row of one of them, or deleted it,
// and may yet abort.
func (o *Overlay) Undecided(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if o.rows.Len() == 0 {
		return nil
	}
	var out []txn.Attempt
	note := func(list []revealed) {
		if last := list[len(list)-1]; last.undecided && !slices.Contains(out, last.Version) {
			out = append(out, last.Version)
		}
	}
	for _, k := range keys {
		if list, ok := o.rows.Get(k); ok {
			note(list)
		}
	}
	for _, s := range spans {
		o.each(s, note)
	}
	return out
}
