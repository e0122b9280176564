package decide

import "isochron/txn"

// Durable is a vote that a replica has on its disk, where replicas acknowledge votes past their
// leader (D2PC section 3.3).
type Durable struct {
	Self, Leader txn.NodeID
	Coordinator  txn.NodeID // of the attempt
	Participants int
	Addressed    bool // the vote names the members whose majorities commit it
	// Term is what the replica is in, Entry that of the entry.
	Term, Entry uint64
	// OnAppend: the leader reveals such a vote when it appends it.
	OnAppend bool
}

// Acknowledged reports whether the replica says so. Of an entry of an older term it does not:
// having it does not keep a leader without it from being elected, and the leader of the term tells
// of it once it is committed. Nor does it where that tells nobody more than raft does: of a
// vote that is the only one, whose coordinator stands beside the leader, followers tell it
// nothing, for their appends reach the same node at the same time; the leader's own does if its
// locks wait for a pre-commit.
func (d Durable) Acknowledged() bool {
	switch {
	case !d.Addressed || d.Entry != d.Term:
		return false
	case d.Participants != 1 || d.Coordinator != d.Leader:
		return true
	}
	return d.Self == d.Leader && !d.OnAppend
}
