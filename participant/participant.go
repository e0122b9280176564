package participant

import (
	"context"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Participant is a state machine that votes on transactions.
type Participant interface {
	// Deliver processes a message. m is valid until Deliver returns,
	// and the values its fields point to are never changed.
	Deliver(from txn.NodeID, m *txn.Message)
	// Tick runs the work that is due.
	Tick()
	// NextWake is the earliest time of this node's clock at which Tick has work in the
	// present state; txn.Never if it waits only for others. Before it Tick changes
	// nothing.
	NextWake() time.Duration
	// ReadLocal returns a row of the local state, outside any transaction.
	ReadLocal(k txn.Key) txn.Row
	// Leader returns the node that answers for it, 0 if unknown, and the term or view.
	Leader() (txn.NodeID, uint64)
	// Serving reports whether this node answers for it.
	Serving() bool
	// Undecided counts its votes without a decision, Holders the transactions that hold locks.
	Undecided() int
	Holders() int
	// InDoubt lists the oldest votes without a decision, at most max of them.
	InDoubt(max int) []InDoubt
	Status() Status
	// Summary is one line for diagnosis.
	Summary() string
}

// Processor is a participant with work to do after a batch of messages was
// delivered.
type Processor interface {
	// Process runs until no work is left.
	Process()
}

// Scheduled is a participant with work at exact times, independent of the node's ticks.
type Scheduled interface {
	// NextArrivalTime is the next such time, by this node's clock; txn.Never if there is none.
	NextArrivalTime() time.Duration
	// AtArrivalTime runs the work that is due.
	AtArrivalTime()
}

// Member is a participant whose members can change while it runs.
type Member interface {
	// SetDesired sets the state desired by the directory.
	SetDesired(d Desired)
	// Converged reports whether it has the desired members.
	Converged() bool
	// SetDraining makes it transfer its leadership and lead no longer, or ends that.
	SetDraining(on bool)
	// CanHandOver reports whether it leads and another node could lead.
	CanHandOver() bool
	// Removed reports whether it is no longer a member; Retire then deletes its data.
	Removed() bool
	Retire()
	// Drained reports whether nothing of an older protocol remains here.
	Drained() bool
}

// TimestampTracker is a participant that knows closed timestamps.
type TimestampTracker interface {
	// MaxTimestamp is the highest timestamp it knows.
	MaxTimestamp() txn.Timestamp
}

// ContentionReporter is a participant that reports contention.
type ContentionReporter interface {
	Contention(out *txn.ContentionReply)
}

// LockReporter is a participant with a lock table.
type LockReporter interface {
	LockWork() yield.LockStats
}

// MemoryReporter is a participant that keeps rows and log entries in memory.
type MemoryReporter interface {
	Holds() (rows, logs int64) // bytes
}

// Leased is a participant that may answer without asking others for some time.
type Leased interface {
	// LeaseUntil is the time of this node's clock until which it may; 0: it may not.
	LeaseUntil() time.Duration
}

// Env is the environment of a participant.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// RunAsync runs work outside the loop, where it may block, and calls done with its
	// result in a later iteration of the loop, once. work must use nothing that the loop uses,
	// and must end when its context does. It returns false if too much is running: then nothing
	// is run.
	RunAsync(work func(context.Context) any, done func(any)) bool
	// Orphan reports that an attempt is undecided for too long: a node must find its outcome
	// or settle it.
	Orphan(o txn.Orphan)
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	// NodeEvent receives events for the operator's log.
	NodeEvent(n txn.NodeEvent)
	// Trace receives one line of the trace, if tracing is on.
	Trace(format string, args ...any)
}

// OpenOptions are the arguments of a Factory.
type OpenOptions struct {
	Shard  routing.Shard // its entry in the directory
	Self   txn.NodeID
	Epoch  uint32 // of this incarnation of the node: higher than any before, and durable after a sync
	Engine store.Engine
	Spec   protocol.Spec
	Params txn.Params
	Seed   uint64
	Env    Env
}

// Factory opens the participants of one kind.
type Factory func(OpenOptions) (Participant, error)
