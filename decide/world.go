package decide

import "isochron/txn"

// Env is what whoever decides needs of its node: a clock, somebody who carries
// messages, and what is known of where things are.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// Leader is who is asked for a shard at the nth try, and its term: 0 if it is not
	// known, and node 0 if nobody can be asked.
	Leader(s txn.ShardID, try int) (txn.NodeID, uint64)
	// Replicas are the nodes that hold a shard, Nearest is the one of them with the
	// shortest round trip.
	Replicas(s txn.ShardID) []txn.NodeID
	Nearest(s txn.ShardID) txn.NodeID
	// Wide reports whether a node is in another region.
	Wide(n txn.NodeID) bool
	// CoCoordinators are those of an attempt, one of each region that has one.
	CoCoordinators(a txn.Attempt) []txn.NodeID
	// LogDecision has a decision on an attempt written where decisions are logged, if
	// nothing is written there of it. What then stands there, as far as that can be
	// found out, is told by Rule, once, some time after the call.
	LogDecision(id txn.Attempt, s txn.ShardID, commit bool, at txn.Timestamp)
	// LogData has what an attempt writes written there, by the same rules.
	LogData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites)
	// NodeEvent takes what an operator logs, Trace a line of the story.
	NodeEvent(n txn.NodeEvent)
	Trace(format string, args ...any)
}

// leadersHere calls tell for the participants that are led from a node that is here.
func leadersHere(w Env, here func(txn.NodeID) bool, participants []txn.ShardID, notify func(s txn.ShardID, leader txn.NodeID)) {
	for _, s := range participants {
		if n, _ := w.Leader(s, 0); n != 0 && here(n) {
			notify(s, n)
		}
	}
}

// PreCommit tells the leaders that are here that every leader has voted on an attempt: they end its
// contention span (D2PC section 4.2), or reveal it.
func PreCommit(w Env, here func(txn.NodeID) bool, a txn.Attempt, id txn.ID, t *Tally) {
	leadersHere(w, here, t.Participants, func(s txn.ShardID, leader txn.NodeID) {
		w.Send(txn.Participant(leader, s), txn.Message{PreCommit: &txn.PreCommit{Shard: s, Attempt: a, Txn: id, At: t.Proposed()}})
	})
}
