package txn

import (
	"fmt"
	"math"
	"time"
)

// NodeID identifies a process (or, in one process with several regions, one of its
// nodes). 0 is no node.
type NodeID uint32

// ShardID identifies a shard, that is, one Raft group. 0 is no shard; MetaShard holds
// the catalogue and the directory.
type ShardID uint64

// MetaShard is the shard that exists from the first start of a cluster.
const MetaShard ShardID = 1

// Key is an encoded, order-preserving key; keys compare as bytes.
type Key string

// Timestamp orders versions: nanoseconds of a hybrid logical clock. It follows
// the wall clock when it can and never runs backwards at one node; safety
// never depends on its closeness to real time.
type Timestamp uint64

// ID identifies a transaction from BEGIN to its end: the node of its coordinator,
// that node's incarnation, and a sequence number of that incarnation.
type ID struct {
	Node  NodeID `cbor:"1,keyasint,omitempty"`
	Epoch uint32 `cbor:"2,keyasint,omitempty"`
	Seq   uint64 `cbor:"3,keyasint,omitempty"`
}

// IsZero reports whether the id is unset.
func (id ID) IsZero() bool { return id == ID{} }

func (id ID) String() string { return fmt.Sprintf("t%d.%d.%d", id.Node, id.Epoch, id.Seq) }

// Less orders ids totally; it breaks ties between transactions of equal age.
func (id ID) Less(o ID) bool {
	if id.Node != o.Node {
		return id.Node < o.Node
	}
	if id.Epoch != o.Epoch {
		return id.Epoch < o.Epoch
	}
	return id.Seq < o.Seq
}

// Attempt identifies one run of the commit protocol for a transaction. Votes and decisions
// belong to an attempt. Seq rises with each attempt of a coordinator incarnation, so
// "all attempts below s have ended" is one number.
type Attempt struct {
	Node  NodeID `cbor:"1,keyasint,omitempty"`
	Epoch uint32 `cbor:"2,keyasint,omitempty"`
	Seq   uint64 `cbor:"3,keyasint,omitempty"`
}

// IsZero reports whether the attempt is unset.
func (a Attempt) IsZero() bool { return a == Attempt{} }

func (a Attempt) String() string { return fmt.Sprintf("a%d.%d.%d", a.Node, a.Epoch, a.Seq) }

// Less orders attempts totally.
func (a Attempt) Less(o Attempt) bool { return ID(a).Less(ID(o)) }

// Version identifies a version of a row: the attempt that wrote it.
// The zero Version is "no such row", whether deleted or never written.
type Version = Attempt

// Age is a transaction's position in the order of wound-wait: older is smaller.
// A retry inherits the age of its first try, so that it eventually wins. A higher priority
// counts as older than any lower one, so every rule that compares ages respects priority,
// and the order is constant while a try runs.
type Age struct {
	Start    Timestamp `cbor:"1,keyasint,omitempty"`
	ID       ID        `cbor:"2,keyasint,omitempty"`
	Priority Priority  `cbor:"3,keyasint,omitempty"`
	// Region precedes all of these. In protocols that distinguish region classes it rises while a
	// transaction runs and invalidates earlier copies of its age; elsewhere it is 0.
	Region RegionPriority `cbor:"4,keyasint,omitempty"`
	// Preempts: high priority that is not part of the order (yield.PriorityPreemptsWaiting).
	Preempts bool `cbor:"5,keyasint,omitempty"`
}

// Older reports whether a precedes b.
func (a Age) Older(b Age) bool {
	if a.Region != b.Region {
		return a.Region > b.Region
	}
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	if a.Start != b.Start {
		return a.Start < b.Start
	}
	return a.ID.Less(b.ID)
}

// Now is the time that a driver passes to the core. Mono never jumps: every
// timer, timeout and lease uses it. WallNanos may jump: it is used only for
// timestamps.
type Now struct {
	Mono      time.Duration
	WallNanos int64
}

// Never is after every value of Now.Mono: a timer that is not set.
const Never = time.Duration(math.MaxInt64)

// Clock is a hybrid logical clock.
type Clock struct{ last Timestamp }

// Next returns a timestamp above all it returned or observed before.
func (c *Clock) Next(now Now) Timestamp {
	c.last = max(c.last+1, Timestamp(max(now.WallNanos, 0)))
	return c.last
}

// Behind reports whether the next timestamp may lie at or below ts.
func (c *Clock) Behind(now Now, ts Timestamp) bool {
	return max(c.last+1, Timestamp(max(now.WallNanos, 0))) <= ts
}

// Observe makes later timestamps larger than ts.
func (c *Clock) Observe(ts Timestamp) { c.last = max(c.last, ts) }
