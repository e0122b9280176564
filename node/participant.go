package node

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"isochron/participant"
	"isochron/protocol"
	"isochron/replica"
	"isochron/routing"
	"isochron/shard"
	"isochron/txn"
)

var (
	_ participant.Participant = (*shard.Replica)(nil)
	_ participant.Member      = (*shard.Replica)(nil)
	_ participant.Participant = (*replica.Replica)(nil)
)

// hosted is a participant at this node, with what its kind can do beyond voting: nil
// where it cannot.
type hosted struct {
	participant.Participant
	work    participant.Working
	member  participant.Member
	clock   participant.Clocked
	survey  participant.Surveyed
	locks   participant.Locking
	holding participant.Holding
}

func host(p participant.Participant) *hosted {
	h := &hosted{Participant: p}
	h.work, _ = p.(participant.Working)
	h.member, _ = p.(participant.Member)
	h.clock, _ = p.(participant.Clocked)
	h.survey, _ = p.(participant.Surveyed)
	h.locks, _ = p.(participant.Locking)
	h.holding, _ = p.(participant.Holding)
	return h
}

// A participant whose members are fixed has them from the beginning, can neither be
// drained nor go, and keeps nothing of an older protocol.

func (h *hosted) want(d participant.Desired) {
	if h.member != nil {
		h.member.Want(d)
	}
}

func (h *hosted) setDraining(on bool) {
	if h.member != nil {
		h.member.SetDraining(on)
	}
}

func (h *hosted) converged() bool { return h.member == nil || h.member.Converged() }
func (h *hosted) drained() bool   { return h.member == nil || h.member.Drained() }

// errNoOpener: this program cannot host such a participant; others of the cluster may.
var errNoOpener = errors.New("this program has no opener for it")

// kindOf is what votes for a shard: what its entry says, else what the row replicates by.
func (n *Node) kindOf(s routing.Shard) routing.Kind {
	switch {
	case s.Kind != routing.ByProtocol:
		return s.Kind
	case n.cfg.Row.Replicates == protocol.ByLog:
		return routing.Logged
	}
	return routing.Unordered
}

// open opens the participant of a directory entry. Native kinds vote as the cluster's row
// decides: one that replicates in another way than it counts votes would never be heard.
func (n *Node) open(s routing.Shard) (participant.Participant, error) {
	kind := n.kindOf(s)
	if own := n.kindOf(routing.Shard{}); kind.Native() && kind != own {
		return nil, fmt.Errorf("shard %d is %s, and under %s native shards are %s: %w", s.ID, kind, n.cfg.Row.Name, own, errNoOpener)
	}
	switch kind {
	case routing.Logged:
		return shard.Open(n.shardConfig(s))
	case routing.Unordered:
		return replica.Open(n.replicaConfig(s))
	default:
		open := n.cfg.Openers[kind]
		if open == nil {
			return nil, errNoOpener
		}
		return open(participant.Opening{Shard: s, Self: n.cfg.ID, Engine: n.cfg.Engine, Row: n.cfg.Row,
			Params: n.cfg.Params, Seed: n.cfg.Seed, Env: (*shardEnv)(n)})
	}
}

func (n *Node) replicaConfig(s routing.Shard) replica.Config {
	members := nodeIDs(s.FoundedBy())
	slices.SortStableFunc(members, func(a, b txn.NodeID) int { return cmp.Compare(n.away(s, a), n.away(s, b)) })
	return replica.Config{
		ID: txn.ShardID(s.ID), Self: n.cfg.ID, Members: members, Engine: n.cfg.Engine, Row: n.cfg.Row,
		Params: n.cfg.Params, Env: (*shardEnv)(n), Ephemeral: n.cfg.Process != nil, Rows: n.cfg.Rows, Genesis: n.genesis(txn.ShardID(s.ID)),
	}
}

// LockWork is what the lock tables of its replicas have done: locks granted and freed, and
// steps of walks over who waits for whom. A replica that leads anew begins from nothing.
func (n *Node) LockWork() (locks, steps uint64) {
	for _, id := range n.order {
		if l := n.replicas[id].locks; l != nil {
			w := l.LockWork()
			locks, steps = locks+w.Locks, steps+w.Steps
		}
	}
	return locks, steps
}

// away is 0 for a node of the region from which the shard should be led, else 1.
func (n *Node) away(s routing.Shard, id txn.NodeID) int {
	if n.dir.RegionOf(uint32(id)) == s.Leader {
		return 0
	}
	return 1
}
