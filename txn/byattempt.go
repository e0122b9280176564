package txn

import "github.com/tidwall/btree"

// Incarnation identifies one run of a node's coordinator, from its start to its end.
type Incarnation struct {
	Node  NodeID
	Epoch uint32
}

// Incarnation returns the coordinator run in which the attempt was made.
func (a Attempt) Incarnation() Incarnation { return Incarnation{a.Node, a.Epoch} }

// ByAttempt is a map from attempts to values, sorted by attempt, so that all entries below a mark
// can be removed together.
type ByAttempt[T any] struct{ tree btree.BTreeG[attemptItem[T]] }

// attemptItem has a pointer because the tree moves its items: some values are hundreds of bytes.
type attemptItem[T any] struct {
	attempt Attempt
	value   *T
}

// NewByAttempt returns an empty map.
func NewByAttempt[T any]() *ByAttempt[T] {
	less := func(a, b attemptItem[T]) bool { return a.attempt.Less(b.attempt) }
	return &ByAttempt[T]{*btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// Get returns the value of an attempt.
func (m *ByAttempt[T]) Get(a Attempt) (T, bool) {
	item, ok := m.tree.Get(attemptItem[T]{attempt: a})
	if !ok {
		var none T
		return none, false
	}
	return *item.value, true
}

// Set stores v for an attempt.
func (m *ByAttempt[T]) Set(a Attempt, v T) { m.tree.Set(attemptItem[T]{a, &v}) }

// Delete removes an attempt.
func (m *ByAttempt[T]) Delete(a Attempt) { m.tree.Delete(attemptItem[T]{attempt: a}) }

// Len is the number of attempts.
func (m *ByAttempt[T]) Len() int { return m.tree.Len() }

// All calls f for each attempt in order until f returns false.
func (m *ByAttempt[T]) All(f func(Attempt, T) bool) {
	m.tree.Scan(func(item attemptItem[T]) bool { return f(item.attempt, *item.value) })
}

// DropBelow removes the attempts in [lo, hi) and returns them.
func (m *ByAttempt[T]) DropBelow(lo, hi Attempt) (gone []Attempt) {
	m.tree.Ascend(attemptItem[T]{attempt: lo}, func(item attemptItem[T]) bool {
		if !item.attempt.Less(hi) {
			return false
		}
		gone = append(gone, item.attempt)
		return true
	})
	for _, a := range gone {
		m.Delete(a)
	}
	return gone
}
