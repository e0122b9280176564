package session

import (
	"time"

	"isochron/txn"
)

// A transaction that lost and is done again, by its client or inside, keeps the age
// of its first try, so that it wins in the end. The client says nothing of that: the
// Next transaction of its connection is taken for the same one.

// The bounds of an age: who holds an old one wins against all that are younger, and
// no client shall be able to keep one permanently by losing on purpose.
const (
	ageIdleMax = time.Minute      // from a loss to the next try
	ageMax     = 10 * time.Minute // from the begin of the first try
)

// Lost is a transaction that ended without a commit, and may be done again.
type Lost struct {
	Tx     txn.Txn   // nil: none
	own    string    // the digest of the statement that it was, if it was one of its own
	First  time.Time // when its first try began
	at     time.Time // when its last try ended
	reason txn.Kind
}

// Loses reports whether a transaction that ends so may be done again: then it has
// kept to the rules, and was not the client's own rollback.
func Loses(k txn.Kind) bool {
	switch k {
	case txn.KindAborted, txn.KindStale, txn.KindLockTimeout, txn.KindUnavailable:
		return true
	}
	return false
}

// Lose remembers a transaction that has ended for this reason; first is when its first try
// began; own is what its statement is known by, if it was one of its own.
func (l *Lost) Lose(tx txn.Txn, first time.Time, own string, k txn.Kind) {
	*l = Lost{Tx: tx, own: own, First: first, at: time.Now(), reason: k}
}

// Regain gives the lost transaction that one does again which begins now. What stands
// between the tries of an explicit one, as a question of the driver's that is its own
// transaction, does not take its age.
func (l *Lost) Regain(now time.Time, own func() string) (before Lost) {
	if l.Tx == nil {
		return Lost{}
	}
	if now.Sub(l.at) > ageIdleMax || now.Sub(l.First) > ageMax {
		*l = Lost{}
		return Lost{}
	}
	if l.own != own() {
		return Lost{}
	}
	before, *l = *l, Lost{}
	return before
}
