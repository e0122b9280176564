package node

import (
	"errors"
	"slices"
	"time"

	"isochron/participant"
	"isochron/raftgroup"
	"isochron/txn"
)

// hostedParticipants are the participants at a node.
//
// Invariant: order has the keys of replicas, rising; every iteration over all of them uses
// this order.
type hostedParticipants struct {
	opener    opener
	directory *directoryView
	tracer    *tracer
	replicas  map[txn.ShardID]*hosted
	order     []txn.ShardID
	draining  bool
	arrivals  bool // the protocol in force has work at arrival times
}

// open opens the participants that the directory places here, and passes the desired state to
// all. A replica that is still here and is placed elsewhere is
// opened too: the others may need its vote until the change of members is made.
func (h *hostedParticipants) open() error {
	for _, s := range h.directory.dir.Shards {
		id := txn.ShardID(s.ID)
		if r := h.replicas[id]; r != nil {
			r.want(h.directory.desired(s))
			continue
		}
		if !s.Holds(uint32(h.directory.self)) && !raftgroup.Kept(h.opener.cfg.Engine, id) {
			continue
		}
		p, err := h.opener.open(s)
		if errors.Is(err, errNoOpener) {
			h.tracer.trace("takes no part in shard %d, of kind %s: %v", id, s.Kind, err)
			continue
		}
		if err != nil {
			return err
		}
		h.add(id, p)
	}
	h.sharePools()
	return nil
}

// add hosts a participant.
func (h *hostedParticipants) add(id txn.ShardID, p participant.Participant) {
	r := host(p)
	if h.draining {
		r.setDraining(true)
	}
	h.replicas[id] = r
	h.order = append(h.order, id)
	slices.Sort(h.order)
}

// retire ends participants that the directory places elsewhere, once they are
// no longer members. A node removed from the cluster keeps its data.
func (h *hostedParticipants) retire() {
	for _, id := range slices.Clone(h.order) {
		r := h.replicas[id]
		if h.directory.holds(id) || !r.out() {
			continue
		}
		if r.member != nil {
			r.member.Retire()
		}
		delete(h.replicas, id)
		h.order = slices.DeleteFunc(h.order, func(o txn.ShardID) bool { return o == id })
	}
	h.sharePools()
}

// sharePools divides the memory for replicas among the present ones.
func (h *hostedParticipants) sharePools() {
	h.opener.cfg.Specs.Among(len(h.order))
	h.opener.cfg.Logs.Among(len(h.order))
}

// Draining reports whether the node has been ordered to lead nothing.
func (h *hostedParticipants) Draining() bool { return h.draining }

// drain has all participants transfer their leadership and lead nothing more, or ends that.
func (h *hostedParticipants) drain(on bool) {
	h.draining = on
	for _, id := range h.order {
		h.replicas[id].setDraining(on)
	}
}

// metaLeader returns the leader of the meta shard, 0 if unknown, and whether it is this node.
func (h *hostedParticipants) metaLeader() (leader txn.NodeID, leads bool) {
	r := h.replicas[txn.MetaShard]
	if r == nil {
		return 0, false
	}
	leader, _ = r.Leader()
	return leader, leader == h.directory.self && r.Serving()
}

// work runs the deferred work of participants that have such work.
func (h *hostedParticipants) work() {
	for _, id := range h.order {
		if w := h.replicas[id].work; w != nil {
			w.Process()
		}
	}
}

func (h *hostedParticipants) tick() {
	for _, id := range h.order {
		h.replicas[id].Tick()
	}
}

// nextArrivalTime returns the earliest time at which a participant has work independent of ticks.
func (h *hostedParticipants) nextArrivalTime() time.Duration {
	at := txn.Never
	if !h.arrivals {
		return at
	}
	for _, id := range h.order {
		if r := h.replicas[id]; r.exact != nil {
			at = min(at, r.exact.NextArrivalTime())
		}
	}
	return at
}

// atArrivalTime runs that work.
func (h *hostedParticipants) atArrivalTime() {
	for _, id := range h.order {
		if r := h.replicas[id]; r.exact != nil {
			r.exact.AtArrivalTime()
		}
	}
}

// nextWake returns the earliest time at which a participant has work.
func (h *hostedParticipants) nextWake() time.Duration {
	at := txn.Never
	for _, id := range h.order {
		at = min(at, h.replicas[id].NextWake())
	}
	return at
}
