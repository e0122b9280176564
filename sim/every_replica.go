package sim

import (
	"fmt"

	"isochron/protocol"
	"isochron/replica"
	"isochron/shard"
	"isochron/store"
	"isochron/txn"
)

// This file has the simulator's part of protocols in which every replica validates.

// integrated formats the messages of replicas without a log.
func (w messageFormatter) integrated(m *txn.Message) string {
	switch {
	case m.ReplicaVote != nil:
		o := m.ReplicaVote
		text := fmt.Sprintf("ReplicaVote: %s votes %v on %v at shard %d, in view %d", w.node(o.Replica), o.Result, o.Attempt, o.Shard, o.View)
		if o.Reason != "" {
			text += ": " + o.Reason
		}
		return text
	case m.SlowPathRequest != nil:
		return fmt.Sprintf("SlowPathRequest: replicas of shard %d disagree on %v, its leader decides", m.SlowPathRequest.Shard, m.SlowPathRequest.Prepare.Attempt)
	case m.Accept != nil:
		return fmt.Sprintf("Accept: accept %s for %v at shard %d, in view %d", yesNo(m.Accept.Yes), m.Accept.Prepare.Attempt, m.Accept.Shard, m.Accept.View)
	case m.Accepted != nil:
		return fmt.Sprintf("Accepted: %s has %s for %v at shard %d on disk, in view %d",
			w.node(m.Accepted.Replica), yesNo(m.Accepted.Yes), m.Accepted.Attempt, m.Accepted.Shard, m.Accepted.View)
	case m.ChangeView != nil:
		return fmt.Sprintf("ChangeView: shard %d changes to view %d", m.ChangeView.Shard, m.ChangeView.View)
	case m.ViewRecord != nil:
		return fmt.Sprintf("ViewRecord: %s has %d open and %d decided attempts of shard %d, from view %d",
			w.node(m.ViewRecord.Replica), len(m.ViewRecord.Entries), len(m.ViewRecord.Decided), m.ViewRecord.Shard, m.ViewRecord.Normal)
	case m.StartView != nil:
		return fmt.Sprintf("StartView: view %d of shard %d begins with %d open attempts", m.StartView.View, m.StartView.Shard, len(m.StartView.Entries))
	case m.AntiEntropyRequest != nil:
		return fmt.Sprintf("AntiEntropyRequest: %d decided attempts of shard %d are known here, and view %d; are there others?", m.AntiEntropyRequest.Count, m.AntiEntropyRequest.Shard, m.AntiEntropyRequest.View)
	case m.AntiEntropyReply != nil:
		return fmt.Sprintf("AntiEntropyReply: %d decided attempts of shard %d", len(m.AntiEntropyReply.Entries), m.AntiEntropyReply.Shard)
	}
	return ""
}

func yesNo(yes bool) string {
	if yes {
		return "Yes"
	}
	return "No"
}

// forcibleEach are the classes of messages of these protocols that decide which path is taken.
var forcibleEach = []string{
	"replica vote ok", "replica vote against", "slow path request", "accept", "accepted", "change view", "view record", "start view", "anti entropy request", "anti entropy reply",
}

// recorded reports whether a disk holds a record of a Yes.
func (w *Cluster) recorded(disk store.Reader, s txn.ShardID, a txn.Attempt) bool {
	if w.cfg.Spec.Replicates == protocol.Unordered {
		return replica.Recorded(disk, s, a)
	}
	return shard.Recorded(disk, s, a)
}

// checkOpinion checks that a replica's vote on an attempt is on its own disk.
func (n *nemesis) checkOpinion(h *host, s txn.ShardID, a txn.Attempt) {
	n.counts["crash clones"]++
	if !n.w.recorded(h.engine.CrashStrict(), s, a) {
		n.volatile = append(n.volatile, fmt.Sprintf("n%d answers for %v at shard %d, and has that not on its disk", h.id, a, s))
	}
}
