package yield

import "isochron/txn"

// VoteRule is what becomes, where rows are reserved, of a vote that meets a row which another has
// locked or, with a higher priority, reserved.
//
// A vote that waits keeps what its transaction has locked at other shards. Two of several regions
// that want the same rows wait for each other there, each behind the other's vote, or one behind the
// other's reservation while that one waits to read: a deadlock over shards, which ends by a chase
// (chase.go) or when others end the silent one. Where most transactions are of several regions and
// some rows are hot, nearly all that is measured are these waits.
type VoteRule uint8

// The rules.
const (
	// VotesWait: it waits, always (Bonspiel section 3.1.3 and table 4).
	VotesWait VoteRule = iota
	// VotesByAge: of two of several regions the older waits for the younger's lock and the younger
	// gives way, and none waits for a reservation. So no vote of several regions is in a cycle with
	// another. With one of a single region it is as in the paper: neither aborts the other's vote.
	VotesByAge
	// VotesGiveWay: it gives way to a lock and does not heed a higher reservation. Lock against lock
	// is as in the paper's public prototype, where votes wait for reservations without a bound.
	VotesGiveWay
)

// yieldsTo reports whether a vote gives way to the lock of another that has voted.
func (v VoteRule) yieldsTo(age, holder txn.Age) bool {
	switch v {
	case VotesByAge:
		return age.Region.MultiRegion() && holder.Region.MultiRegion() && !age.Older(holder)
	case VotesGiveWay:
		return true
	}
	return false
}
