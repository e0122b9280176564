package decide

import (
	"slices"

	"isochron/routing"
	"isochron/txn"
)

// Route determines which nodes receive votes past their leaders, and may know a decision: one
// co-coordinator in each region (D2PC section 4.2).
type Route struct {
	Directory *routing.Directory
	Policy    Policy // of the protocol
	// Leader is the node that leads a participant, as far as known here; 0: unknown. It is used
	// only where participants decide for themselves.
	Leader func(txn.ShardID) txn.NodeID
	// Some, for experiments: only these co-coordinate in regions other than the attempt's own.
	// Empty: all.
	Some []txn.NodeID
}

// CoCoordinator is the node that co-coordinates an attempt in a region, 0 if the region has none:
// the attempt's own node in its own region, elsewhere one of the region's nodes by attempt number,
// so that they share the work. Gateways do not co-coordinate the attempts of others: they may be
// gone at any time.
func (r Route) CoCoordinator(region string, a txn.Attempt) txn.NodeID {
	d := r.Directory
	if d.RegionOf(uint32(a.Node)) == region {
		return a.Node
	}
	var here []txn.NodeID
	for _, other := range d.Nodes {
		if id := txn.NodeID(other.ID); other.Region == region && !other.Gateway && (len(r.Some) == 0 || slices.Contains(r.Some, id)) {
			here = append(here, id)
		}
	}
	if len(here) == 0 {
		return 0
	}
	return here[a.Seq%uint64(len(here))]
}

// CoCoordinators are those of an attempt, one of each region that has one. There are none where
// participants decide for themselves: no other node knows more than they do.
func (r Route) CoCoordinators(a txn.Attempt) []txn.NodeID {
	var out []txn.NodeID
	if r.Policy.ParticipantsDecide() {
		return nil
	}
	for _, region := range r.Directory.Regions() {
		if n := r.CoCoordinator(region, a); n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Acknowledge calls notify with each node that receives a vote from a replica of a region. leads:
// it is the leader, which also notifies the regions without a replica, and all regions if the
// message names no log entry.
func (r Route) Acknowledge(from string, m *txn.Ack, leads bool, notify func(txn.NodeID)) {
	if r.Policy.ParticipantsDecide() {
		r.acknowledgeToAll(m, notify)
		return
	}
	shard, ok := r.Directory.Shard(uint64(m.Shard))
	for _, region := range r.Directory.Regions() {
		own := region == from
		switch to := r.CoCoordinator(region, m.Attempt); {
		case to == 0, m.No && to == m.Attempt.Node: // the coordinator receives the vote itself
		case own, leads && (m.No || m.Replica == 0 || !ok || !r.replicaIn(shard, region)):
			notify(to)
		}
	}
}

// acknowledgeToAll calls notify with the coordinator, except for a No, which it receives itself,
// and with each node that leads a participant.
func (r Route) acknowledgeToAll(m *txn.Ack, notify func(txn.NodeID)) {
	sent := []txn.NodeID{m.Attempt.Node}
	if !m.No {
		notify(m.Attempt.Node)
	}
	for _, s := range m.Participants {
		if n := r.Leader(s); n != 0 && !slices.Contains(sent, n) {
			sent = append(sent, n)
			notify(n)
		}
	}
}

// replicaIn reports whether a region holds a replica of the shard.
func (r Route) replicaIn(s routing.Shard, region string) bool {
	for _, id := range s.Replicas {
		if r.Directory.RegionOf(id) == region {
			return true
		}
	}
	return false
}
