package schedule

import (
	"slices"

	"isochron/txn"
)

// Statement has the data on which the order of a part's statements depends.
type Statement struct {
	Writes  bool
	Records []txn.Key // records that it locks; none: unknown
}

// Order is the order in which a part's n statements are executed, as indexes of their original
// order; nil: the original order. of returns a statement.
//
// A writing statement is moved behind later ones as long as both are known to lock no common
// record. So each statement sees the same writes of its transaction as before, and writing
// statements keep their order.
func (c Policy) Order(n int, of func(i int) Statement) []int {
	if c != WritesLast || n < 2 {
		return nil
	}
	var out, late []int
	for i := range n {
		s := of(i)
		if s.Writes && len(s.Records) > 0 {
			late = append(late, i)
			continue
		}
		if slices.ContainsFunc(late, func(j int) bool { return s.meets(of(j)) }) {
			out, late = append(out, late...), nil
		}
		out = append(out, i)
	}
	return append(out, late...)
}

// meets reports whether two statements may lock a common record.
func (s Statement) meets(o Statement) bool {
	return len(s.Records) == 0 || slices.ContainsFunc(s.Records, func(k txn.Key) bool { return slices.Contains(o.Records, k) })
}
