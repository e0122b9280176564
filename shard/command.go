package shard

import (
	"isochron/txn"
)

// An entry of the log is a list of commands, carried out one after the other; the
// one that opens a term has none. Logs of format 1 have one command for an entry.

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

// bytes is about how long a command is in the log.
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

// command is one thing that the log says: one field is set.
type command struct {
	Vote    *voteCmd    `cbor:"1,keyasint,omitempty"`
	Decide  *decideCmd  `cbor:"2,keyasint,omitempty"`
	Fence   *fenceCmd   `cbor:"3,keyasint,omitempty"`
	Collect *collectCmd `cbor:"4,keyasint,omitempty"`
	// Barrier changes nothing: that it is applied proves that its proposer led.
	Barrier uint64 `cbor:"5,keyasint,omitempty"`
	// ReadTSBound says that nothing will be proposed at or below a moment any more.
	ReadTSBound *readTSCmd `cbor:"6,keyasint,omitempty"`
	// Switch says how transactions commit from here on.
	Switch *protocolCmd `cbor:"23,keyasint,omitempty"`
	// Verify has replicas hold their state, to be compared.
	Verify *verifyCmd `cbor:"43,keyasint,omitempty"`
}

// voteCmd is a logged Yes. OnePhase: it is the commit as well.
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
	// Deps are attempts, undecided here at the vote, whose writes this one has
	// read: the Yes means "if all of them commit". Those that have committed since
	// are taken out; Doomed says that one has aborted.
	Deps   []txn.Attempt `cbor:"11,keyasint,omitempty"`
	Doomed bool          `cbor:"12,keyasint,omitempty"`
	// Voters and Outgoing are the members when the leader proposed the entry.
	// A later change of members waits until this entry is committed, or takes
	// effect beside their majorities: so an entry that these have is committed.
	Voters   []txn.NodeID `cbor:"13,keyasint,omitempty"`
	Outgoing []txn.NodeID `cbor:"14,keyasint,omitempty"`
	// AssumesAborted are attempts, undecided here at the vote, on whose abort it rests: the Yes means "if all
	// of them abort". Those that have since are taken out; Doomed says that one has committed. PriorityAborted
	// are attempts without a vote here that have aborted for its sake: this entry is their fence.
	AssumesAborted  []txn.Attempt `cbor:"41,keyasint,omitempty"`
	PriorityAborted []txn.Attempt `cbor:"42,keyasint,omitempty"`
	// RecordShard as in the Prepare.
	RecordShard txn.ShardID `cbor:"15,keyasint,omitempty"`
	// FixedSet, if set, is what a declared transaction reads here. Its Writes have keys alone:
	// the values come with the decision.
	FixedSet *txn.FixedSet `cbor:"40,keyasint,omitempty"`
}

// with is the vote with what its transaction has come to write here, if it was declared.
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
	// Writes, of a commit, are those of a declared transaction.
	Writes []txn.Write `cbor:"40,keyasint,omitempty"`
}

// fenceCmd says No for ever, unless the log has said Yes before.
type fenceCmd struct {
	Attempt txn.Attempt `cbor:"1,keyasint,omitempty"`
}

// collectCmd lets replicas forget versions that nobody can need. Holds that end
// before Now end; the others keep what they hold.
type collectCmd struct {
	Keep txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Now  txn.Timestamp `cbor:"2,keyasint,omitempty"`
}

// readTSCmd makes a moment one that can be read at: whoever proposes after it in
// the log proposes above it. Hold, if set, keeps the versions of a moment. Ceiling
// binds later leaders only.
type readTSCmd struct {
	At        txn.Timestamp `cbor:"1,keyasint,omitempty"`
	Hold      *protectedTS  `cbor:"2,keyasint,omitempty"`
	MaxReadTS txn.Timestamp `cbor:"3,keyasint,omitempty"`
}

// outcome is how an attempt ended at this shard.
type outcome struct {
	Result txn.Outcome   `cbor:"1,keyasint,omitempty"` // No, Committed or Aborted
	At     txn.Timestamp `cbor:"2,keyasint,omitempty"`
}
