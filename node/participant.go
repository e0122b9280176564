package node

import (
	"isochron/participant"
	"isochron/replica"
	"isochron/shard"
)

var (
	_ participant.Participant = (*shard.Replica)(nil)
	_ participant.Member      = (*shard.Replica)(nil)
	_ participant.Participant = (*replica.Replica)(nil)
)

// hosted is a participant at this node, with the optional interfaces of its kind; nil
// where it has none.
type hosted struct {
	participant.Participant
	work       participant.Processor
	exact      participant.Scheduled
	member     participant.Member
	clock      participant.TimestampTracker
	contention participant.ContentionReporter
	locks      participant.LockReporter
	holding    participant.MemoryReporter
	logged     *shard.Replica // a participant with a log, whose replicas can be compared
}

func host(p participant.Participant) *hosted {
	h := &hosted{Participant: p}
	h.work, _ = p.(participant.Processor)
	h.exact, _ = p.(participant.Scheduled)
	h.member, _ = p.(participant.Member)
	h.clock, _ = p.(participant.TimestampTracker)
	h.contention, _ = p.(participant.ContentionReporter)
	h.locks, _ = p.(participant.LockReporter)
	h.holding, _ = p.(participant.MemoryReporter)
	h.logged, _ = p.(*shard.Replica)
	return h
}

// A participant whose members are fixed has them from the start, can neither be
// drained nor removed, and keeps nothing of an older protocol.

func (h *hosted) want(d participant.Desired) {
	if h.member != nil {
		h.member.SetDesired(d)
	}
}

func (h *hosted) setDraining(on bool) {
	if h.member != nil {
		h.member.SetDraining(on)
	}
}

// out reports whether it is no longer a member. An agent whose source is no longer in the directory is
// not a member.
func (h *hosted) out() bool {
	if h.member != nil {
		return h.member.Removed()
	}
	return !h.Status().Kind.Native()
}

func (h *hosted) converged() bool { return h.member == nil || h.member.Converged() }
func (h *hosted) drained() bool   { return h.member == nil || h.member.Drained() }
