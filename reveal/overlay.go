package reveal

import (
	"github.com/tidwall/btree"

	"isochron/txn"
)

// Overlay holds revealed, not yet applied rows.
//
// Invariant: the rows of a key are in timestamp order, which is the order in
// which their decisions stand in the log.
type Overlay struct {
	rows btree.Map[txn.Key, []txn.Row]
}

// Reveal shows an attempt's writes to readers.
func (o *Overlay) Reveal(by txn.Version, writes []txn.Write) {
	for _, w := range writes {
		row := txn.Row{Key: w.Key, Value: w.Value, Version: by}
		list, _ := o.rows.Get(w.Key)
		o.rows.Set(w.Key, append(list[:len(list):len(list)], row))
	}
}

// Applied drops an attempt's writes: the engine has them now.
func (o *Overlay) Applied(by txn.Version, writes []txn.Write) {
	for _, w := range writes {
		list, _ := o.rows.Get(w.Key)
		for i, row := range list {
			if row.Version == by {
				list = append(list[:i:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			o.rows.Delete(w.Key)
		} else {
			o.rows.Set(w.Key, list)
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

func newest(list []txn.Row) txn.Row {
	row := list[len(list)-1]
	if row.Value == nil {
		row.Version = txn.Version{}
	}
	return row
}

// Span is the newest revealed row of each key of the span, in key order.
func (o *Overlay) Span(s txn.Span) []txn.Row {
	var out []txn.Row
	o.rows.Ascend(s.Start, func(k txn.Key, list []txn.Row) bool {
		if k >= s.End {
			return false
		}
		out = append(out, newest(list))
		return true
	})
	return out
}
