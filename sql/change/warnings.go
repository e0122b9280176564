package change

import (
	"cmp"
	"math"
	"slices"

	"isochron/sql/expr"
)

// MySQL computes and writes one row after the other; here all rows are computed before the first is written. Their warnings
// are brought into MySQL's order: that of the rows.

// ofRow notes that the warnings since the last call are of a row; 0: of the statement.
func (r *run) ofRow(number int) {
	list, _ := r.Context.Warnings()
	for len(r.warned) < len(list) {
		r.warned = append(r.warned, number)
	}
}

// sortWarnings sorts the warnings by the rows that they are of.
func (r *run) sortWarnings() {
	list, _ := r.Context.Warnings()
	r.ofRow(math.MaxInt)
	if slices.IsSorted(r.warned) {
		return
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.warned[a], r.warned[b]) })
	sorted := make([]expr.Warning, len(list))
	for i, at := range order {
		sorted[i] = list[at]
	}
	copy(list, sorted)
}
