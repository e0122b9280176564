package node

import (
	"errors"
	"slices"
	"time"

	"isochron/group"
	"isochron/participant"
	"isochron/txn"
)

// hosts are the participants at a node.
//
// Invariant: order has the shards of replicas, rising; whatever goes over all of them goes
// in this order.
type hosts struct {
	opener   opener
	places   *places
	story    *story
	replicas map[txn.ShardID]*hosted
	order    []txn.ShardID
	draining bool
	stamps   bool // the row in force has some of them do things at instants
}

// open opens those that the directory places here, and tells all of
// them what it wants. A replica that is here still and is placed elsewhere is
// opened too: the others may need its vote until the change of members is made.
func (h *hosts) open() error {
	for _, s := range h.places.dir.Shards {
		id := txn.ShardID(s.ID)
		if r := h.replicas[id]; r != nil {
			r.want(h.places.desired(s))
			continue
		}
		if !s.Holds(uint32(h.places.self)) && !group.Kept(h.opener.cfg.Engine, id) {
			continue
		}
		p, err := h.opener.open(s)
		if errors.Is(err, errNoOpener) {
			h.story.trace("takes no part in shard %d, of kind %s: %v", id, s.Kind, err)
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
func (h *hosts) add(id txn.ShardID, p participant.Participant) {
	r := host(p)
	if h.draining {
		r.setDraining(true)
	}
	h.replicas[id] = r
	h.order = append(h.order, id)
	slices.Sort(h.order)
}

// retire ends those that the directory places elsewhere, once they are
// members no more. A node that was removed from the cluster keeps what it has.
func (h *hosts) retire() {
	for _, id := range slices.Clone(h.order) {
		r := h.replicas[id]
		if h.places.holds(id) || !r.out() {
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

// sharePools divides what replicas keep in memory among those that there are.
func (h *hosts) sharePools() {
	h.opener.cfg.Rows.Among(len(h.order))
	h.opener.cfg.Logs.Among(len(h.order))
}

// Draining reports whether the node leads nothing by intention.
func (h *hosts) Draining() bool { return h.draining }

// drain has all hand over what they lead and lead nothing more, or ends that.
func (h *hosts) drain(on bool) {
	h.draining = on
	for _, id := range h.order {
		h.replicas[id].setDraining(on)
	}
}

// metaLeader is who leads the meta shard, 0 if unknown, and whether that is this node.
func (h *hosts) metaLeader() (leader txn.NodeID, leads bool) {
	r := h.replicas[txn.MetaShard]
	if r == nil {
		return 0, false
	}
	leader, _ = r.Leader()
	return leader, leader == h.places.self && r.Serving()
}

// work has those do what they have put off that do so.
func (h *hosts) work() {
	for _, id := range h.order {
		if w := h.replicas[id].work; w != nil {
			w.Process()
		}
	}
}

func (h *hosts) tick() {
	for _, id := range h.order {
		h.replicas[id].Tick()
	}
}

// nextInstant is the earliest at which one of them has something to do whatever the ticks are.
func (h *hosts) nextInstant() time.Duration {
	at := txn.Never
	if !h.stamps {
		return at
	}
	for _, id := range h.order {
		if r := h.replicas[id]; r.exact != nil {
			at = min(at, r.exact.NextInstant())
		}
	}
	return at
}

// atInstant has them do that.
func (h *hosts) atInstant() {
	for _, id := range h.order {
		if r := h.replicas[id]; r.exact != nil {
			r.exact.AtInstant()
		}
	}
}

// nextWake is the earliest instant at which one of them has something to do.
func (h *hosts) nextWake() time.Duration {
	at := txn.Never
	for _, id := range h.order {
		at = min(at, h.replicas[id].NextWake())
	}
	return at
}
