package yield

import (
	"slices"
	"time"

	"isochron/txn"
)

// lockTransfer is a lock of a voted transaction that another has taken over, whose own vote assumes
// the first one's abort (Natto section 3.3.2). While both are undecided the second holds the row
// for both: no other transaction is granted it before either has ended.
type lockTransfer struct {
	from, to  txn.ID
	age       txn.Age // of from
	key       txn.Key
	exclusive bool
}

// lockTransfers are the locks taken over.
//
// Invariant: from and to have voted and are undecided.
type lockTransfers struct {
	events TableEvents
	rows   *rows
	locks  *locks
	list   []lockTransfer
}

// hasTransferred reports whether some lock of a transaction was taken over.
func (l *lockTransfers) hasTransferred(id txn.ID) bool {
	return slices.ContainsFunc(l.list, func(o lockTransfer) bool { return o.from == id })
}

// voted reports whether a transaction has voted here, and is undecided.
func (l *lockTransfers) voted(id txn.ID) bool {
	return l.locks.holders.voted(id) || l.hasTransferred(id)
}

// TakeOver transfers to a vote the locks it needs of the transactions whose abort it assumes, and
// returns the lock set it is to lock now: a row that one of them holds exclusively is not shared
// before both have ended.
func (t *Table) TakeOver(now time.Duration, borrower txn.ID, lenders []txn.ID, c LockSet) LockSet {
	return t.transfers.takeOver(now, borrower, lenders, c)
}

func (l *lockTransfers) takeOver(now time.Duration, borrower txn.ID, lenders []txn.ID, c LockSet) LockSet {
	var alone []txn.Key
	for _, id := range lenders {
		for _, k := range c.Exclusive {
			l.transfer(now, id, borrower, k)
		}
		for _, k := range c.Shared {
			if p, ok := l.rows.Get(k); ok && p.exclusive != nil && p.exclusive.Txn == id {
				l.transfer(now, id, borrower, k)
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

// transfer takes a row from a voted transaction for another.
func (l *lockTransfers) transfer(now time.Duration, id, borrower txn.ID, k txn.Key) {
	h := l.locks.holders.get(id)
	p, ok := l.rows.Get(k)
	if h == nil || !ok || !h.Voted || !p.has(h) {
		return
	}
	l.list = append(l.list, lockTransfer{from: id, to: borrower, age: h.Age, key: k, exclusive: p.exclusive == h})
	if p.exclusive == h {
		p.exclusive = nil
	} else {
		p.shared = remove(p.shared, h)
	}
	h.keys = slices.DeleteFunc(h.keys, func(o txn.Key) bool { return o == k })
	if len(h.keys)+len(h.spans)+len(h.chained) == 0 {
		l.events.LocksReleased(id, h.Since)
		l.locks.release(now, id)
	}
}

// returnLocks drops the transfers from an ended transaction, and returns the locks that it had
// taken over to the undecided transactions.
func (l *lockTransfers) returnLocks(now time.Duration, ended txn.ID) {
	var back []lockTransfer
	l.list = slices.DeleteFunc(l.list, func(o lockTransfer) bool {
		if o.to == ended && o.from != ended {
			back = append(back, o)
		}
		return o.to == ended || o.from == ended
	})
	for _, o := range back {
		c := LockSet{Shared: []txn.Key{o.key}}
		if o.exclusive {
			c = LockSet{Exclusive: []txn.Key{o.key}}
		}
		l.locks.give(now, o.from, o.age, &c).Voted = true
	}
}
