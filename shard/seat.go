package shard

import (
	"time"

	"isochron/group"
	"isochron/txn"
)

// seat is a replica's in its group: what others may ask of it that is not about transactions.
type seat struct{ group *group.Group[command] }

// takes reports whether the log takes another command now.
func (s seat) takes() bool { return s.group.Takes() }

// propose has a command appended to the log; false if the log takes no more now.
func (s seat) propose(c command) bool { return s.group.Propose(c) }

// members are those whose majorities commit what is proposed now.
func (s seat) members() (voters, outgoing []txn.NodeID) {
	voters, outgoing, _ = s.group.Members()
	return voters, outgoing
}

// journal is the log as a leader's parts see it.
type journal interface {
	propose(command) bool
	takes() bool
	members() (voters, outgoing []txn.NodeID)
}

var _ journal = seat{}

// Process carries out what the group wants done, until it wants nothing more.
func (s seat) Process() { s.group.Process() }

// Leader is who leads, 0 if unknown, and in which term.
func (s seat) Leader() (txn.NodeID, uint64) { return s.group.Leader() }

// LeaseUntil is the instant of this node's clock up to which this replica may answer
// reads without asking the others; 0: it may not.
func (s seat) LeaseUntil() time.Duration { return s.group.LeaseUntil() }

// Converged reports whether this replica knows that it has the members that the
// directory wants.
func (s seat) Converged() bool { return s.group.Converged() }

// SetDraining has the replica lead no more, or lead again if it is wanted to.
func (s seat) SetDraining(on bool) { s.group.SetDraining(on) }

// CanHandOver reports whether this replica leads and somebody could lead instead.
func (s seat) CanHandOver() bool { return s.group.CanHandOver() }

// Out reports whether this replica is a member no more, and has heard nothing
// for so long that nobody can be about to take it back.
func (s seat) Out() bool { return s.group.Out() }

// Retire forgets all of a replica that is out and not wanted, so that it is blank if
// it ever comes back. It is not used again.
func (s seat) Retire() { s.group.Retire() }
