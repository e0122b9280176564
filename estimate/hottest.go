package estimate

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// RecordTemperature is a record and how often it is updated.
type RecordTemperature struct {
	Key         txn.Key
	Temperature Temperature
}

// Hottest are the hottest of the records that are wanted, so many at most, the hottest first and
// equally hot ones in the order of their keys. It looks at all that are known: it is for people.
func (t *Temperatures) Hottest(now time.Duration, most int, wanted func(txn.Key) bool) []RecordTemperature {
	var out []RecordTemperature
	t.all.Scan(func(k txn.Key, r *record[warmth]) bool {
		is := t.of(r, now)
		if is == 0 || len(out) == most && is <= out[len(out)-1].Temperature || !wanted(k) {
			return true
		}
		at, _ := slices.BinarySearchFunc(out, is, func(have RecordTemperature, is Temperature) int {
			return cmp.Or(cmp.Compare(is, have.Temperature), -1) // behind those that are as hot
		})
		out = slices.Insert(out, at, RecordTemperature{k, is})
		out = out[:min(len(out), most)]
		return true
	})
	return out
}
