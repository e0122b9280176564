package coordinator

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// attempts numbers a gateway's own attempts, and knows which are not finished everywhere.
// One may be reserved for a transaction before its commit, which passes on what it writes
// under that name.
type attempts struct {
	cfg    *Config
	next   uint64
	active []uint64 // not finished everywhere, rising
}

// retiredBelow is below which all are finished everywhere.
func (a *attempts) retiredBelow() uint64 {
	if len(a.active) > 0 {
		return a.active[0]
	}
	return a.next
}

// reserve is the attempt that the transaction's commit is, or will be.
func (a *attempts) reserve(t *transaction) txn.Attempt {
	if t.reserved == 0 {
		t.reserved = a.next
		a.next++
		a.active = append(a.active, t.reserved)
	}
	return txn.Attempt{Node: a.cfg.Self, Epoch: a.cfg.Epoch, Seq: t.reserved}
}

// giveBack ends a reserved attempt that was never begun.
func (a *attempts) giveBack(t *transaction) {
	if t.reserved != 0 {
		a.retire(t.reserved)
		t.reserved = 0
	}
}

// changeMind gives up the reserved attempt if something is not to be written as it
// was passed on: whoever has read that must not take the new value for it, and an
// attempt is what names a value.
func (a *attempts) changeMind(t *transaction, writes []txn.Write) {
	if a.cfg.Params.InjectedBugs.KeepVersion {
		return
	}
	for _, was := range t.published {
		if !slices.ContainsFunc(writes, was.Same) {
			a.cfg.Params.Rules.Hit(coverage.AnotherVersion)
			a.giveBack(t)
			t.published = nil
			return
		}
	}
}

// retire says that an own attempt is finished everywhere.
func (a *attempts) retire(seq uint64) {
	i, ok := slices.BinarySearch(a.active, seq)
	switch {
	case ok && i == 0: // as most do: they end in the order they began
		a.active = a.active[1:]
	case ok:
		a.active = slices.Delete(a.active, i, i+1)
	}
}
