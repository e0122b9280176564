package reveal

import (
	"github.com/tidwall/btree"

	"isochron/txn"
)

// Pending is the set of keys with undecided writes.
type Pending struct {
	keys btree.Map[txn.Key, int]
}

// Add counts the writes of an attempt as undecided, once for each call.
func (p *Pending) Add(writes []txn.Write) { p.count(writes, 1) }

// Remove undoes one Add of the same writes.
func (p *Pending) Remove(writes []txn.Write) { p.count(writes, -1) }

func (p *Pending) count(writes []txn.Write, by int) {
	for _, w := range writes {
		n, _ := p.keys.Get(w.Key)
		if n += by; n > 0 {
			p.keys.Set(w.Key, n)
		} else {
			p.keys.Delete(w.Key)
		}
	}
}

// Touches reports whether the key has an undecided write.
func (p *Pending) Touches(k txn.Key) bool {
	_, ok := p.keys.Get(k)
	return ok
}

// TouchesSpan reports whether a key of the span has an undecided write.
func (p *Pending) TouchesSpan(s txn.Span) bool {
	found := false
	p.keys.Ascend(s.Start, func(k txn.Key, _ int) bool {
		found = k < s.End
		return false
	})
	return found
}
