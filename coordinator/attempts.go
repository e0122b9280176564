package coordinator

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// attempts numbers a gateway's own attempts, and records which are not finished everywhere. An
// attempt may be reserved for a transaction before its commit, to publish its writes under that id.
type attempts struct {
	cfg    *Config
	next   uint64
	active []uint64 // not finished everywhere, rising
}

// retiredBelow is the number below which all attempts are finished everywhere.
func (a *attempts) retiredBelow() uint64 {
	if len(a.active) > 0 {
		return a.active[0]
	}
	return a.next
}

// reserve returns the attempt of the transaction's commit, present or future.
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

// changeMind gives up the reserved attempt if a published write has changed: its readers must not
// take the new value for the old, and a value is identified by its attempt.
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

// retire records that an own attempt is finished everywhere.
func (a *attempts) retire(seq uint64) {
	i, ok := slices.BinarySearch(a.active, seq)
	switch {
	case ok && i == 0: // the usual case: they end in the order in which they began
		a.active = a.active[1:]
	case ok:
		a.active = slices.Delete(a.active, i, i+1)
	}
}
