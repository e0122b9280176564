package node

import (
	"fmt"
	"time"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Reports of the hosted participants.

// Leaderless lists the shards of this node's replicas that have no known serving
// leader; ShardsReady means that there are none.
func (h *hostedParticipants) Leaderless() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range h.order {
		r := h.replicas[id]
		if s, ok := h.directory.dir.Shard(uint64(id)); ok && !s.Kind.Native() {
			continue
		}
		if leader, _ := r.Leader(); leader == 0 || leader == h.directory.self && !r.Serving() {
			out = append(out, id)
		}
	}
	return out
}

// InDoubt lists votes without a decision, the oldest of each shard, at most max of each.
func (h *hostedParticipants) InDoubt(max int) []participant.InDoubt {
	var out []participant.InDoubt
	for _, id := range h.order {
		out = append(out, h.replicas[id].InDoubt(max)...)
	}
	return out
}

// Leads lists the shards this node leads now.
func (h *hostedParticipants) Leads() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range h.order {
		if h.replicas[id].Serving() {
			out = append(out, id)
		}
	}
	return out
}

// Summary returns one line for each replica.
func (h *hostedParticipants) Summary() []string {
	var out []string
	for _, id := range h.order {
		out = append(out, h.replicas[id].Summary())
	}
	return out
}

// LeaseUntil is the time of this node's clock until which its replica of a shard
// may answer reads without asking the others; 0: it may not, or there is none.
func (h *hostedParticipants) LeaseUntil(id txn.ShardID) time.Duration {
	r := h.replicas[id]
	if r == nil {
		return 0
	}
	if l, leases := r.Participant.(participant.Leased); leases {
		return l.LeaseUntil()
	}
	return 0
}

// Statuses returns the state of every replica of this node.
func (h *hostedParticipants) Statuses() []participant.Status {
	var out []participant.Status
	for _, id := range h.order {
		out = append(out, h.replicas[id].Status())
	}
	return out
}

// Verify has the replicas of a shard keep their states for comparison; false if this node does not
// lead it, or it has no log.
func (h *hostedParticipants) Verify(id txn.ShardID, check uint64) bool {
	r := h.replicas[id]
	return r != nil && r.logged != nil && r.logged.Verify(check)
}

// Ready reports whether every participant of the directory has a leader that this
// node knows.
func (h *hostedParticipants) Ready() bool { return h.led(func(routing.Kind) bool { return true }) }

// ShardsReady is Ready except for participants that are not native: an external database
// may be down for any time.
func (h *hostedParticipants) ShardsReady() bool { return h.led(routing.Kind.Native) }

func (h *hostedParticipants) led(matters func(routing.Kind) bool) bool {
	if h.directory.dir.Epoch == 0 {
		return false // it has received no directory yet
	}
	for _, s := range h.directory.dir.Shards {
		r := h.replicas[txn.ShardID(s.ID)]
		if r == nil || !matters(s.Kind) || !s.Holds(uint32(h.directory.self)) {
			continue
		}
		leader, _ := r.Leader()
		if leader == 0 || leader == h.directory.self && !r.Serving() {
			return false
		}
	}
	return true
}

// ReadLocal reads the applied state of a local replica, outside any transaction.
func (h *hostedParticipants) ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool) {
	s, ok := h.directory.dir.ShardOf(string(key))
	r := h.replicas[txn.ShardID(s)]
	if !ok || r == nil {
		return nil, txn.Version{}, false
	}
	row := r.ReadLocal(key)
	return row.Value, row.Version, true
}

// Holds returns the memory of the replicas for rows and log entries, in bytes.
func (h *hostedParticipants) Holds() (rows, logs int64) {
	for _, id := range h.order {
		if h := h.replicas[id].holding; h != nil {
			r, l := h.Holds()
			rows, logs = rows+r, logs+l
		}
	}
	return rows, logs
}

// CanHandOver lists the shards that this node leads and another node could lead.
func (h *hostedParticipants) CanHandOver() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range h.order {
		if m := h.replicas[id].member; m != nil && m.CanHandOver() {
			out = append(out, id)
		}
	}
	return out
}

// Converged reports whether every replica here has the desired members, and every shard
// placed here is here.
func (h *hostedParticipants) Converged() bool {
	for _, s := range h.directory.dir.Shards {
		r := h.replicas[txn.ShardID(s.ID)]
		if held := s.Holds(uint32(h.directory.self)); held != (r != nil) || held && !r.converged() {
			return false
		}
	}
	return h.directory.dir.Epoch > 0
}

// LockWork returns the sum of the lock tables' statistics. A replica that becomes leader again starts from
// zero.
func (h *hostedParticipants) LockWork() (sum yield.LockStats) {
	for _, id := range h.order {
		if l := h.replicas[id].locks; l != nil {
			sum = sum.Plus(l.LockWork())
		}
	}
	return sum
}

// pending counts undecided votes and lock holders.
func (h *hostedParticipants) pending() (undecided, holders int) {
	for _, id := range h.order {
		undecided += h.replicas[id].Undecided()
		holders += h.replicas[id].Holders()
	}
	return undecided, holders
}

// seen returns the newest timestamp that a participant knows.
func (h *hostedParticipants) seen() (at txn.Timestamp) {
	for _, id := range h.order {
		if c := h.replicas[id].clock; c != nil {
			at = max(at, c.MaxTimestamp())
		}
	}
	return at
}

// leader returns the leader of a shard hosted here and its term, if known.
func (h *hostedParticipants) leader(s txn.ShardID) (leader txn.NodeID, term uint64, ok bool) {
	r := h.replicas[s]
	if r == nil {
		return 0, 0, false
	}
	leader, term = r.Leader()
	return leader, term, leader != 0
}

// contention adds the participants' contention data.
func (h *hostedParticipants) contention(out *txn.ContentionReply) {
	for _, id := range h.order {
		if s := h.replicas[id].contention; s != nil {
			s.Contention(out)
		}
	}
}

// left describes the work that is not drained yet.
func (h *hostedParticipants) left() (out []string) {
	for _, id := range h.order {
		if r := h.replicas[id]; !r.drained() {
			out = append(out, fmt.Sprintf("at shard %d undecided votes: %d, lock holders: %d", id, r.Undecided(), r.Holders()))
		}
	}
	return out
}
