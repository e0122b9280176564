package source

import "isochron/txn"

// endedMax bounds the ended attempts that are remembered.
const endedMax = 65_536

// memory has the outcomes of attempts that ended here, or were decided before their first statement
// came. Such a tombstone keeps a statement that was sent before the decision and arrives after it from
// beginning a branch that no participant would end.
//
// Attempts finished at all participants need no entry: each gateway sends the number below which its
// attempts are. At endedMax the oldest entry counts as finished too; this can refuse a transaction but
// never begin one again.
type memory struct {
	ender map[txn.Attempt]txn.Outcome
	order []txn.Attempt // the oldest first
	below map[txn.NodeID]incarnation
}

// incarnation is a gateway's newest epoch, and the number below which all its attempts are finished.
type incarnation struct {
	epoch uint32
	below uint64
}

func newMemory() *memory {
	return &memory{ender: map[txn.Attempt]txn.Outcome{}, below: map[txn.NodeID]incarnation{}}
}

// over reports whether an attempt is finished at all participants, or its gateway's incarnation is dead.
func (e *memory) over(a txn.Attempt) bool {
	in := e.below[a.Node]
	return a.Epoch < in.epoch || a.Epoch == in.epoch && a.Seq < in.below
}

// knows reports whether an attempt may no longer begin a branch.
func (e *memory) knows(a txn.Attempt) bool {
	_, ok := e.ender[a]
	return ok || e.over(a)
}

// how returns an attempt's outcome, OutcomeNone if unknown.
func (e *memory) how(a txn.Attempt) txn.Outcome { return e.ender[a] }

// note records an outcome.
func (e *memory) note(a txn.Attempt, how txn.Outcome) {
	if _, ok := e.ender[a]; !ok {
		e.order = append(e.order, a)
	}
	e.ender[a] = how
	for len(e.order) > endedMax {
		e.retire(e.order[0], e.order[0].Seq+1)
		e.expire()
	}
}

// retire records that all attempts of an incarnation below a number are finished. Their entries go
// when they are the oldest.
func (e *memory) retire(of txn.Attempt, below uint64) {
	in := e.below[of.Node]
	switch {
	case of.Epoch > in.epoch:
		e.below[of.Node] = incarnation{of.Epoch, below}
	case of.Epoch == in.epoch && below > in.below:
		e.below[of.Node] = incarnation{in.epoch, below}
	default:
		return
	}
	e.expire()
}

// expire drops the oldest entries that are finished.
func (e *memory) expire() {
	n := 0
	for n < len(e.order) && e.over(e.order[n]) {
		delete(e.ender, e.order[n])
		n++
	}
	e.order = e.order[n:]
}
