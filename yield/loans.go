package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// loan is a lock of one who has voted that another has taken over, whose own vote rests on the first
// one's abort (Natto section 3.3.2). While both are undecided the borrower keeps the row for
// both: nobody else may have it before either has ended.
type loan struct {
	lender, borrower txn.ID
	age              txn.Age // the lender's
	key              txn.Key
	exclusive        bool
}

// loans are the locks that were taken over.
//
// Invariant: a lender has voted and is undecided, and so is its borrower.
type loans struct {
	world World
	rows  *rows
	locks *locks
	list  []loan
}

// lends reports whether some lock of a transaction was taken over.
func (l *loans) lends(id txn.ID) bool {
	return slices.ContainsFunc(l.list, func(o loan) bool { return o.lender == id })
}

// voted reports whether a transaction has voted here, and is undecided.
func (l *loans) voted(id txn.ID) bool { return l.locks.holders.voted(id) || l.lends(id) }

// TakeOver gives a vote that rests on the abort of lenders what it wants of what these have locked, and
// is what it is to lock now: what a lender has to itself nobody may share before both have ended.
func (t *Table) TakeOver(now time.Duration, borrower txn.ID, lenders []txn.ID, c LockSet) LockSet {
	return t.loans.takeOver(now, borrower, lenders, c)
}

func (l *loans) takeOver(now time.Duration, borrower txn.ID, lenders []txn.ID, c LockSet) LockSet {
	var alone []txn.Key
	for _, id := range lenders {
		for _, k := range c.Exclusive {
			l.lend(now, id, borrower, k)
		}
		for _, k := range c.Shared {
			if p, ok := l.rows.Get(k); ok && p.exclusive != nil && p.exclusive.Txn == id {
				l.lend(now, id, borrower, k)
				alone = append(alone, k)
			}
		}
	}
	if len(alone) > 0 {
		c.Shared = slices.DeleteFunc(slices.Clone(c.Shared), func(k txn.Key) bool { return slices.Contains(alone, k) })
		c.Exclusive = slices.Concat(c.Exclusive, alone)
	}
	return c
}

// lend takes a row from one who has voted, for another.
func (l *loans) lend(now time.Duration, id, borrower txn.ID, k txn.Key) {
	h := l.locks.holders.get(id)
	p, ok := l.rows.Get(k)
	if h == nil || !ok || !h.Voted || !p.has(h) {
		return
	}
	l.list = append(l.list, loan{lender: id, borrower: borrower, age: h.Age, key: k, exclusive: p.exclusive == h})
	if p.exclusive == h {
		p.exclusive = nil
	} else {
		p.shared = remove(p.shared, h)
	}
	h.keys = slices.DeleteFunc(h.keys, func(o txn.Key) bool { return o == k })
	if len(h.keys)+len(h.spans)+len(h.chained) == 0 {
		l.world.Freed(id, h.Since)
		l.locks.release(now, id)
	}
}

// repay forgets what one has lent that has ended, and gives back what it has borrowed: that of those
// who are undecided.
func (l *loans) repay(now time.Duration, ended txn.ID) {
	var back []loan
	l.list = slices.DeleteFunc(l.list, func(o loan) bool {
		if o.borrower == ended && o.lender != ended {
			back = append(back, o)
		}
		return o.borrower == ended || o.lender == ended
	})
	for _, o := range back {
		c := LockSet{Shared: []txn.Key{o.key}}
		if o.exclusive {
			c = LockSet{Exclusive: []txn.Key{o.key}}
		}
		l.locks.give(now, o.lender, o.age, &c).Voted = true
	}
}
