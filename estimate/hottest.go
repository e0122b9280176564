package estimate

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// Warm is a record and how often it is updated.
type Warm struct {
	Key txn.Key
	Is  Temperature
}

// Hottest are the hottest of the records that are wanted, so many at most, the hottest first and
// equally hot ones in the order of their keys. It looks at all that are known: it is for people.
func (t *Temperatures) Hottest(now time.Duration, most int, wanted func(txn.Key) bool) []Warm {
	var out []Warm
	t.all.Scan(func(k txn.Key, r *record[warmth]) bool {
		is := t.of(r, now)
		if is == 0 || len(out) == most && is <= out[len(out)-1].Is || !wanted(k) {
			return true
		}
		at, _ := slices.BinarySearchFunc(out, is, func(have Warm, is Temperature) int {
			return cmp.Or(cmp.Compare(is, have.Is), -1) // behind those that are as hot
		})
		out = slices.Insert(out, at, Warm{k, is})
		out = out[:min(len(out), most)]
		return true
	})
	return out
}
