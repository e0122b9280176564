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

// Participant is one that votes.
type Participant interface {
	// Deliver hands over a message that is for it. m itself is good until Deliver returns,
	// and what its fields point at is never changed.
	Deliver(from txn.NodeID, m *txn.Message)
	// Tick lets it do what is due by time alone.
	Tick()
	// NextWake is the earliest instant of this node's clock at which Tick has something to
	// do, as things are now; txn.Never if it waits for others alone. Before it Tick changes
	// nothing.
	NextWake() time.Duration
	// ReadLocal is a row as it stands here, outside any transaction.
	ReadLocal(k txn.Key) txn.Row
	// Leader is who answers for it, 0 if that is not known, and the term or view.
	Leader() (txn.NodeID, uint64)
	// Serving reports whether it is this node that answers for it.
	Serving() bool
	// Undecided counts its votes without a decision, Holders the transactions that hold locks.
	Undecided() int
	Holders() int
	// InDoubt lists the oldest votes without a decision, at most max of them.
	InDoubt(max int) []InDoubt
	Status() Status
	// Summary is a line about it for who looks for a fault.
	Summary() string
}

// Processor is a participant that carries on with what it has begun when all that came in
// together has been delivered.
type Processor interface {
	// Process goes on until there is nothing more to do now.
	Process()
}

// Scheduled is a participant that has something to do at instants, whatever the node's ticks.
type Scheduled interface {
	// NextArrivalTime is the next of them, by this node's clock; txn.Never if there is none.
	NextArrivalTime() time.Duration
	// AtArrivalTime does what is due.
	AtArrivalTime()
}

// Member is a participant whose members can change while it works.
type Member interface {
	// SetDesired tells it of what the directory wants from now on.
	SetDesired(d Desired)
	// Converged reports whether it has the members that the directory wants.
	Converged() bool
	// SetDraining has it hand over and lead no more, or ends that.
	SetDraining(on bool)
	// CanHandOver reports whether it leads and another could.
	CanHandOver() bool
	// Removed reports whether it is a member no more; Retire then ends it for good.
	Removed() bool
	Retire()
	// Drained reports whether nothing of an older protocol is left here.
	Drained() bool
}

// TimestampTracker is a participant that knows of moments that are complete.
type TimestampTracker interface {
	// MaxTimestamp is the highest timestamp of which it knows.
	MaxTimestamp() txn.Timestamp
}

// ContentionReporter is a participant that tells of contention.
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
	// LeaseUntil is the instant of this node's clock until which it may; 0: it may not.
	LeaseUntil() time.Duration
}

// Env is the world as a participant sees it.
type Env interface {
	Now() txn.Now
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// RunAsync runs work outside the loop, where it may block, and calls done with its
	// result in a later turn of the loop, once. work must use nothing that the loop uses,
	// and end when its context does. It is false if too much is under way: then nothing
	// is run.
	RunAsync(work func(context.Context) any, done func(any)) bool
	// Orphan says that an attempt is undecided for too long: somebody must find out how
	// it ended, or end it.
	Orphan(o txn.Orphan)
	// Held reports a contention span that ended.
	Held(s txn.ShardID, id txn.ID, sinceNanos int64)
	// NodeEvent takes what an operator logs.
	NodeEvent(n txn.NodeEvent)
	// Trace takes one line of the story, if anybody listens.
	Trace(format string, args ...any)
}

// OpenOptions is what a participant is opened with.
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
