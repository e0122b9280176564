package store

import "github.com/tidwall/btree"

// memIter walks [start, end) of one state.
type memIter struct {
	state      *memState
	it         btree.MapIter[string, []byte]
	key        []byte // a copy of the present key, made on demand
	start, end string
	bounded    bool // end is a bound
	valid      bool
	closed     bool
}

func (i *memIter) First() bool { return i.land(i.it.Seek(i.start)) }

func (i *memIter) Last() bool {
	if !i.bounded {
		return i.land(i.it.Last())
	}
	return i.land(i.below(i.end))
}

func (i *memIter) SeekGE(key []byte) bool {
	return i.land(i.it.Seek(max(string(key), i.start)))
}

func (i *memIter) SeekLT(key []byte) bool {
	bound := string(key)
	if i.bounded {
		bound = min(bound, i.end)
	}
	return i.land(i.below(bound))
}

func (i *memIter) Next() bool { return i.valid && i.land(i.it.Next()) }
func (i *memIter) Prev() bool { return i.valid && i.land(i.it.Prev()) }

func (i *memIter) Key() []byte {
	if len(i.key) == 0 {
		i.key = append(i.key, i.it.Key()...)
	}
	return i.key
}

func (i *memIter) Value() []byte { return i.it.Value() }

func (i *memIter) Close() {
	if !i.closed {
		i.state.readers--
		i.closed, i.valid = true, false
	}
}

// below moves to the greatest key under the bound.
func (i *memIter) below(bound string) bool {
	if i.it.Seek(bound) {
		return i.it.Prev()
	}
	return i.it.Last()
}

// land records whether the move ended on a key inside the bounds.
func (i *memIter) land(onKey bool) bool {
	i.valid, i.key = false, i.key[:0]
	if onKey && !i.closed {
		k := i.it.Key()
		i.valid = k >= i.start && (!i.bounded || k < i.end)
	}
	return i.valid
}
