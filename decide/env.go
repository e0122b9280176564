package decide

import "isochron/txn"

// Env is the part of its node that a decider uses: a clock, a network, and the location of shards.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// Leader is the node to ask for a shard at the nth try, and its term: 0 if it is unknown; node
	// 0 if no node can be asked.
	Leader(s txn.ShardID, try int) (txn.NodeID, uint64)
	// Replicas are the nodes that hold a shard, Nearest is the one of them with the shortest round
	// trip.
	Replicas(s txn.ShardID) []txn.NodeID
	Nearest(s txn.ShardID) txn.NodeID
	// Wide reports whether a node is in another region.
	Wide(n txn.NodeID) bool
	// CoCoordinators are those of an attempt, one of each region that has one.
	CoCoordinators(a txn.Attempt) []txn.NodeID
	// LogDecision writes a decision on an attempt to the log of decisions, unless there is an
	// entry. Rule is called later, once, with the entry that is there, as far as that can be
	// determined.
	LogDecision(id txn.Attempt, s txn.ShardID, commit bool, at txn.Timestamp)
	// LogData writes an attempt's writes there, by the same rules.
	LogData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites)
	// NodeEvent receives an event for the operator's log, Trace a line of the simulator's trace.
	NodeEvent(n txn.NodeEvent)
	Trace(format string, args ...any)
}

// leadersHere calls notify for the participants whose leaders' nodes are here.
func leadersHere(w Env, here func(txn.NodeID) bool, participants []txn.ShardID, notify func(s txn.ShardID, leader txn.NodeID)) {
	for _, s := range participants {
		if n, _ := w.Leader(s, 0); n != 0 && here(n) {
			notify(s, n)
		}
	}
}

// PreCommit notifies the leaders that are here that every leader has voted on an attempt: they end
// its contention span (D2PC section 4.2), or reveal it.
func PreCommit(w Env, here func(txn.NodeID) bool, a txn.Attempt, id txn.ID, t *Tally) {
	leadersHere(w, here, t.Participants, func(s txn.ShardID, leader txn.NodeID) {
		w.Send(txn.Participant(leader, s), txn.Message{PreCommit: &txn.PreCommit{Shard: s, Attempt: a, Txn: id, At: t.Proposed()}})
	})
}
