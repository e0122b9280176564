package decide

import "isochron/txn"

// Durable is a vote that is durable at a replica, where replicas acknowledge votes past their
// leader (D2PC section 3.3).
type Durable struct {
	Self, Leader txn.NodeID
	Coordinator  txn.NodeID // of the attempt
	Participants int
	Addressed    bool // the vote names the members whose majorities commit it
	// Term is the replica's term, Entry the entry's.
	Term, Entry uint64
	// OnAppend: the leader reveals such a vote when it appends it.
	OnAppend bool
}

// Acknowledged reports whether the replica acknowledges the vote. Not for an entry of an older
// term: having it does not prevent the election of a leader without it, and the leader of the term
// reports it once it is committed. Not where raft's messages carry the same information: if the
// vote is the attempt's only one and its coordinator is at the leader, followers' appends reach
// that node at the same time; the leader itself acknowledges if its locks wait for a pre-commit.
func (d Durable) Acknowledged() bool {
	switch {
	case !d.Addressed || d.Entry != d.Term:
		return false
	case d.Participants != 1 || d.Coordinator != d.Leader:
		return true
	}
	return d.Self == d.Leader && !d.OnAppend
}
