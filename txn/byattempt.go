package txn

import "github.com/tidwall/btree"

// Incarnation is one life of a coordinator.
type Incarnation struct {
	Node  NodeID
	Epoch uint32
}

// Incarnation is the life of a coordinator in which the attempt was made.
func (a Attempt) Incarnation() Incarnation { return Incarnation{a.Node, a.Epoch} }

// ByAttempt holds something for each of many attempts, in their order, so that
// all below a mark can go at once.
type ByAttempt[T any] struct{ tree btree.BTreeG[attemptItem[T]] }

// attemptItem has a pointer, because the tree moves its items about: some values are
// hundreds of bytes.
type attemptItem[T any] struct {
	attempt Attempt
	value   *T
}

// NewByAttempt returns an empty one.
func NewByAttempt[T any]() *ByAttempt[T] {
	less := func(a, b attemptItem[T]) bool { return a.attempt.Less(b.attempt) }
	return &ByAttempt[T]{*btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// Get is what is held for an attempt.
func (m *ByAttempt[T]) Get(a Attempt) (T, bool) {
	item, ok := m.tree.Get(attemptItem[T]{attempt: a})
	if !ok {
		var none T
		return none, false
	}
	return *item.value, true
}

// Set holds v for an attempt.
func (m *ByAttempt[T]) Set(a Attempt, v T) { m.tree.Set(attemptItem[T]{a, &v}) }

// Delete forgets an attempt.
func (m *ByAttempt[T]) Delete(a Attempt) { m.tree.Delete(attemptItem[T]{attempt: a}) }

// Len is how many are held.
func (m *ByAttempt[T]) Len() int { return m.tree.Len() }

// All calls f for each, in the order of attempts, until it returns false.
func (m *ByAttempt[T]) All(f func(Attempt, T) bool) {
	m.tree.Scan(func(item attemptItem[T]) bool { return f(item.attempt, *item.value) })
}

// DropBelow forgets the attempts in [lo, hi), and tells which they were.
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
