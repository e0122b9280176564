package source

import "isochron/txn"

// endedMax bounds the attempts that are remembered after their end.
const endedMax = 65_536

// memory knows how attempts ended here, or that they were told to end before they came:
// a tombstone keeps what was sent before, and arrives after, from beginning a branch that
// nobody would ever end.
//
// What all participants have finished needs no memory: gateways say below which number that
// is so. What is too much to remember is treated as if they had said it, which can refuse a
// transaction and never begin one again.
type memory struct {
	ender map[txn.Attempt]txn.Outcome
	order []txn.Attempt // the oldest first
	below map[txn.NodeID]incarnation
}

// incarnation is a gateway's newest, and below which of its attempts all are finished.
type incarnation struct {
	epoch uint32
	below uint64
}

func newMemory() *memory {
	return &memory{ender: map[txn.Attempt]txn.Outcome{}, below: map[txn.NodeID]incarnation{}}
}

// over reports whether an attempt is finished everywhere, or its gateway's incarnation is dead.
func (e *memory) over(a txn.Attempt) bool {
	in := e.below[a.Node]
	return a.Epoch < in.epoch || a.Epoch == in.epoch && a.Seq < in.below
}

// knows reports whether nothing more may be begun of an attempt.
func (e *memory) knows(a txn.Attempt) bool {
	_, ok := e.ender[a]
	return ok || e.over(a)
}

// how is how an attempt ended, OutcomeNone if that is not known.
func (e *memory) how(a txn.Attempt) txn.Outcome { return e.ender[a] }

// note remembers an end.
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

// retire says that all attempts of an incarnation below a number are finished. What is
// remembered of them goes when its turn comes, with the oldest.
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

// expire forgets the oldest, as far as they are finished.
func (e *memory) expire() {
	n := 0
	for n < len(e.order) && e.over(e.order[n]) {
		delete(e.ender, e.order[n])
		n++
	}
	e.order = e.order[n:]
}
