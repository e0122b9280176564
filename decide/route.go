package decide

import (
	"slices"

	"isochron/routing"
	"isochron/txn"
)

// Route says who hears of votes past their leaders, and who may know a decision: one
// co-coordinator in each region (D2PC section 4.2).
type Route struct {
	Directory *routing.Directory
	Policy    Policy // of the row
	// Leader is the node that leads a participant, as far as is known here; 0: nobody knows. It
	// is asked only where participants decide for themselves.
	Leader func(txn.ShardID) txn.NodeID
	// Some, of experiments: only these co-coordinate in regions other than their own
	// attempt's. Empty: all.
	Some []txn.NodeID
}

// CoCoordinator is the node that co-coordinates an attempt in a region, 0 if the region
// has none: the attempt's own node in its own region, elsewhere one of the region's nodes
// in turn, so that they share the work. Gateways take no part in what is not their own:
// they may be gone at any time.
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

// CoCoordinators are those of an attempt, one of each region that has one. Where participants
// decide for themselves nobody else knows what they do not.
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

// Acknowledge calls tell with each node that is told of a vote by a replica of a region;
// leads: it is the leader, which speaks for the regions that have no replica, and for all
// when no entry of a log is told of.
func (r Route) Acknowledge(from string, m *txn.Ack, leads bool, notify func(txn.NodeID)) {
	if r.Policy.ParticipantsDecide() {
		r.acknowledgeToAll(m, notify)
		return
	}
	shard, ok := r.Directory.Shard(uint64(m.Shard))
	for _, region := range r.Directory.Regions() {
		own := region == from
		switch to := r.CoCoordinator(region, m.Attempt); {
		case to == 0, m.No && to == m.Attempt.Node: // the coordinator has the vote itself
		case own, leads && (m.No || m.Replica == 0 || !ok || !r.replicaIn(shard, region)):
			notify(to)
		}
	}
}

// acknowledgeToAll calls tell with the coordinator, who has a No itself, and with each node that
// leads a participant.
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
