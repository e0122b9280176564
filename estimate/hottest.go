package estimate

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// RecordTemperature is a record with its temperature.
type RecordTemperature struct {
	Key         txn.Key
	Temperature Temperature
}

// Hottest returns at most so many of the hottest records selected by wanted, the hottest first,
// equally hot ones in key order. It visits all records: for display only.
func (t *Temperatures) Hottest(now time.Duration, most int, wanted func(txn.Key) bool) []RecordTemperature {
	var out []RecordTemperature
	t.all.Scan(func(k txn.Key, r *record[warmth]) bool {
		is := t.of(r, now)
		if is == 0 || len(out) == most && is <= out[len(out)-1].Temperature || !wanted(k) {
			return true
		}
		at, _ := slices.BinarySearchFunc(out, is, func(have RecordTemperature, is Temperature) int {
			return cmp.Or(cmp.Compare(is, have.Temperature), -1) // after equally hot ones
		})
		out = slices.Insert(out, at, RecordTemperature{k, is})
		out = out[:min(len(out), most)]
		return true
	})
	return out
}
