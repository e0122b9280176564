package shard

import (
	"isochron/txn"
)

// A log entry is a list of commands, applied in order; the entry that opens a term has none. Logs of
// format 1 have one command an entry.

func encodeEntry(commands []command) []byte { return txn.Encode(commands) }

func decodeEntry(b []byte) ([]command, error) {
	const mapType = 5
	if len(b) > 0 && b[0]>>5 == mapType {
		c := make([]command, 1)
		return c, txn.Decode(b, &c[0])
	}
	var out []command
	return out, txn.Decode(b, &out)
}

// bytes estimates the size of a command in the log.
func (c *command) bytes() uint64 {
	const itself, eachWrite = 96, 12
	n := itself
	written := func(list []txn.Write) {
		for _, w := range list {
			n += len(w.Key) + len(w.Value) + eachWrite
		}
	}
	if c.Decide != nil {
		written(c.Decide.Writes)
	}
	if c.Vote != nil {
		written(c.Vote.Writes)
		for _, k := range c.Vote.Reads {
			n += len(k)
		}
	}
	return uint64(n)
}

// command is a union: exactly one field is set.
type command struct {
	Vote    *voteCmd    `cbor:"1,keyasint,omitempty"`
	Decide  *decideCmd  `cbor:"2,keyasint,omitempty"`
	Fence   *fenceCmd   `cbor:"3,keyasint,omitempty"`
	Collect *collectCmd `cbor:"4,keyasint,omitempty"`
	// Barrier changes no state: its application proves that its proposer was leader.
	Barrier uint64 `cbor:"5,keyasint,omitempty"`
	// ReadTSBound excludes later proposals at or below a read timestamp.
	ReadTSBound *readTSCmd `cbor:"6,keyasint,omitempty"`
	// Switch sets the protocol of the commands after it.
	Switch *protocolCmd `cbor:"23,keyasint,omitempty"`
	// Verify has replicas keep their state at this entry for comparison.
	Verify *verifyCmd `cbor:"43,keyasint,omitempty"`
}

// voteCmd is a logged Yes. OnePhase: it is also the commit.
type voteCmd struct {
	Attempt      txn.Attempt   `cbor:"1,keyasint,omitempty"`
	Txn          txn.ID        `cbor:"2,keyasint,omitempty"`
	Age          txn.Age       `cbor:"3,keyasint,omitempty"`
	Participants []txn.ShardID `cbor:"4,keyasint,omitempty"`
	Reads        []txn.Key     `cbor:"5,keyasint,omitempty"`
	Spans        []txn.Span    `cbor:"6,keyasint,omitempty"`
	Writes       []txn.Write   `cbor:"7,keyasint,omitempty"`
	Proposed     txn.Timestamp `cbor:"8,keyasint,omitempty"`
	OnePhase     bool          `cbor:"9,keyasint,omitempty"`
	Retired      uint64        `cbor:"10,keyasint,omitempty"`
	// Deps are attempts, undecided here at the vote, whose writes this one has read: the Yes is
	// valid only if all of them commit. Committed ones are removed; Doomed: one has aborted.
	Deps   []txn.Attempt `cbor:"11,keyasint,omitempty"`
	Doomed bool          `cbor:"12,keyasint,omitempty"`
	// Voters and Outgoing are the members when the leader proposed the entry.
	// A later change of members waits until this entry is committed, or takes
	// effect together with their majorities: an entry on majorities of these is committed.
	Voters   []txn.NodeID `cbor:"13,keyasint,omitempty"`
	Outgoing []txn.NodeID `cbor:"14,keyasint,omitempty"`
	// AssumesAborted are attempts, undecided here at the vote, whose abort it assumes: the Yes is
	// valid only if all of them abort. Aborted ones are removed; Doomed: one has committed.
	// PriorityAborted are attempts without a vote here that were aborted in favour of this one:
	// this entry is their fence.
	AssumesAborted  []txn.Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []txn.Attempt `cbor:"42,keyasint,omitempty"`
	// RecordShard is as in the Prepare.
	RecordShard txn.ShardID `cbor:"15,keyasint,omitempty"`
	// FixedSet, if set, has the keys that a 2FI transaction reads here. Its Writes have keys only:
	// the values are in the decision.
	FixedSet *txn.FixedSet `cbor:"40,keyasint,omitempty"`
}

// with returns the vote with the values that a 2FI transaction writes here; other votes unchanged.
func (v *voteCmd) with(writes []txn.Write) *voteCmd {
	if v.FixedSet == nil {
		return v
	}
	whole := *v
	whole.Writes = writes
	return &whole
}

// decideCmd is a logged decision.
type decideCmd struct {
	Attempt txn.Attempt   `cbor:"1,keyasint,omitempty"`
	Commit  bool          `cbor:"2,keyasint,omitempty"`
	At      txn.Timestamp `cbor:"3,keyasint,omitempty"`
	// Writes, of a commit, are the writes of a 2FI transaction.
	Writes []txn.Write `cbor:"40,keyasint,omitempty"`
}

// fenceCmd is a permanent No, unless a Yes precedes it in the log.
type fenceCmd struct {
	Attempt txn.Attempt `cbor:"1,keyasint,omitempty"`
}

// collectCmd allows replicas to drop versions that no read can need. Protections that end
// before Now end; the others keep their versions.
type collectCmd struct {
	Keep txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Now  txn.Timestamp `cbor:"2,keyasint,omitempty"`
}

// readTSCmd closes a read timestamp: every proposal after it in the log is above it. Hold, if
// set, protects the versions of a timestamp from collection. MaxReadTS binds later leaders
// only.
type readTSCmd struct {
	At        txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Hold      *protectedTS  `cbor:"2,keyasint,omitempty"`
	MaxReadTS txn.Timestamp `cbor:"3,keyasint,omitempty"`
}

// outcome is the end of an attempt at this shard.
type outcome struct {
	Result txn.Outcome   `cbor:"1,keyasint,omitempty"` // No, Committed or Aborted
	At     txn.Timestamp `cbor:"2,keyasint,omitempty"`
}
