package schedule

import (
	"slices"

	"isochron/txn"
)

// Statement is what the order of a part's statements goes by.
type Statement struct {
	Writes  bool
	Records []txn.Key // that it locks; none: not known
}

// Order is the order in which a part's statements are executed, as places among them as they
// came; nil: as they came. n is how many there are, and of says what one is.
//
// A statement that writes goes after later ones as long as both are known to lock no record in
// common. So each sees of the transaction's own writes what it would have seen, and those that
// write stay in their order.
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

// meets reports whether two statements may lock a record in common.
func (s Statement) meets(o Statement) bool {
	return len(s.Records) == 0 || slices.ContainsFunc(s.Records, func(k txn.Key) bool { return slices.Contains(o.Records, k) })
}
