package shard

import (
	"time"

	"isochron/raftgroup"
	"isochron/txn"
)

// raftHandle is a replica's in its group: what others may ask of it that is not about transactions.
type raftHandle struct{ group *raftgroup.Group[command] }

// acceptsProposals reports whether the log takes another command now.
func (s raftHandle) acceptsProposals() bool { return s.group.AcceptsProposals() }

// propose has a command appended to the log; false if the log takes no more now.
func (s raftHandle) propose(c command) bool { return s.group.Propose(c) }

// members are those whose majorities commit what is proposed now.
func (s raftHandle) members() (voters, outgoing []txn.NodeID) {
	voters, outgoing, _ = s.group.Members()
	return voters, outgoing
}

// proposer is the log as a leader's parts see it.
type proposer interface {
	propose(command) bool
	acceptsProposals() bool
	members() (voters, outgoing []txn.NodeID)
}

var _ proposer = raftHandle{}

// Process carries out what the group wants done, until it wants nothing more.
func (s raftHandle) Process() { s.group.Process() }

// Leader is who leads, 0 if unknown, and in which term.
func (s raftHandle) Leader() (txn.NodeID, uint64) { return s.group.Leader() }

// LeaseUntil is the instant of this node's clock up to which this replica may answer
// reads without asking the others; 0: it may not.
func (s raftHandle) LeaseUntil() time.Duration { return s.group.LeaseUntil() }

// Converged reports whether this replica knows that it has the members that the
// directory wants.
func (s raftHandle) Converged() bool { return s.group.Converged() }

// SetDraining has the replica lead no more, or lead again if it is wanted to.
func (s raftHandle) SetDraining(on bool) { s.group.SetDraining(on) }

// CanHandOver reports whether this replica leads and somebody could lead instead.
func (s raftHandle) CanHandOver() bool { return s.group.CanHandOver() }

// Removed reports whether this replica is a member no more, and has heard nothing
// for so long that nobody can be about to take it back.
func (s raftHandle) Removed() bool { return s.group.Removed() }

// Retire forgets all of a replica that is out and not wanted, so that it is blank if
// it ever comes back. It is not used again.
func (s raftHandle) Retire() { s.group.Retire() }
