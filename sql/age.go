package sql

import (
	"time"

	"isochron/txn"
)

// A transaction that lost and is done again, by its client or inside, keeps the age
// of its first try, so that it wins in the end. The client says nothing of that: the
// next transaction of its connection is taken for the same one.

// The bounds of an age: who holds an old one wins against all that are younger, and
// nobody shall be able to hold one for ever by losing on purpose.
const (
	ageIdleMax = time.Minute      // from a loss to the next try
	ageMax     = 10 * time.Minute // from the begin of the first try
)

// lost is a transaction that ended without a commit, and may be done again.
type lost struct {
	tx     txn.Txn   // nil: none
	own    string    // the digest of the statement that it was, if it was one of its own
	first  time.Time // when its first try began
	at     time.Time // when its last try ended
	reason txn.Kind
}

// loses reports whether a transaction that ends so may be done again: then it has
// kept to the rules, and was not the client's own rollback.
func loses(k txn.Kind) bool {
	switch k {
	case txn.KindAborted, txn.KindStale, txn.KindLockTimeout, txn.KindUnavailable:
		return true
	}
	return false
}

// lose remembers a transaction that has ended for this reason; own is ownText of its statement.
func (l *lost) lose(t *transaction, own string, k txn.Kind) {
	*l = lost{tx: unwatched(t.real), own: own, first: t.firstBegan(), at: time.Now(), reason: k}
}

// regain gives the lost transaction that one does again which begins now. What stands
// between the tries of an explicit one, as a question of the driver's that is its own
// transaction, does not take its age.
func (l *lost) regain(now time.Time, own func() string) (before lost) {
	if l.tx == nil {
		return lost{}
	}
	if now.Sub(l.at) > ageIdleMax || now.Sub(l.first) > ageMax {
		*l = lost{}
		return lost{}
	}
	if l.own != own() {
		return lost{}
	}
	before, *l = *l, lost{}
	return before
}

// ownText is what tells statements that are their own transactions apart; "" of a
// transaction that may have several. It is only asked for while something was lost.
func ownText(s *Session) string {
	if !s.statement.own {
		return ""
	}
	if text := s.shownText.Load(); text != nil {
		return "own " + digest(*text)
	}
	return "own"
}

// firstBegan is when the first try of a transaction began.
func (t *transaction) firstBegan() time.Time {
	if !t.first.IsZero() {
		return t.first
	}
	return t.began
}
