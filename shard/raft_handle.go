package shard

import (
	"time"

	"isochron/raftgroup"
	"isochron/txn"
)

// raftHandle is a replica's access to its group, for calls that do not concern transactions.
type raftHandle struct{ group *raftgroup.Group[command] }

// acceptsProposals reports whether the log accepts another command now.
func (s raftHandle) acceptsProposals() bool { return s.group.AcceptsProposals() }

// propose appends a command to the log; false if the log accepts no proposals now.
func (s raftHandle) propose(c command) bool { return s.group.Propose(c) }

// members returns the members whose majorities commit proposals made now.
func (s raftHandle) members() (voters, outgoing []txn.NodeID) {
	voters, outgoing, _ = s.group.Members()
	return voters, outgoing
}

// proposer is the log as seen by a leader's parts.
type proposer interface {
	propose(command) bool
	acceptsProposals() bool
	members() (voters, outgoing []txn.NodeID)
}

var _ proposer = raftHandle{}

// Process runs the group's pending work until none remains.
func (s raftHandle) Process() { s.group.Process() }

// Leader returns the leader, 0 if unknown, and its term.
func (s raftHandle) Leader() (txn.NodeID, uint64) { return s.group.Leader() }

// LeaseUntil returns the time of this node's clock until which this replica may answer
// reads without asking the others; 0: it may not.
func (s raftHandle) LeaseUntil() time.Duration { return s.group.LeaseUntil() }

// Converged reports whether this replica knows that the group has the members desired by the
// directory.
func (s raftHandle) Converged() bool { return s.group.Converged() }

// SetDraining stops or resumes leading: a draining replica does not lead.
func (s raftHandle) SetDraining(on bool) { s.group.SetDraining(on) }

// CanHandOver reports whether this replica leads and another member could lead instead.
func (s raftHandle) CanHandOver() bool { return s.group.CanHandOver() }

// Removed reports whether this replica is no longer a member, and has received nothing
// for so long that no leader can be adding it again.
func (s raftHandle) Removed() bool { return s.group.Removed() }

// Retire deletes all state of a removed replica that is not desired, so that it is uninitialized
// if it returns. The replica is not used afterwards.
func (s raftHandle) Retire() { s.group.Retire() }
