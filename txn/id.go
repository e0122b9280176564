package txn

import (
	"fmt"
	"math"
	"time"
)

// NodeID names a process (or, in one process with several regions, one of its
// nodes). 0 is nobody.
type NodeID uint32

// ShardID names a shard, that is, one Raft group. 0 is none; MetaShard holds
// the catalogue and the directory.
type ShardID uint64

// MetaShard is the shard that exists from the first start of a cluster.
const MetaShard ShardID = 1

// Key is an encoded, order-preserving key; keys compare as bytes.
type Key string

// Timestamp orders versions: nanoseconds of a hybrid logical clock. It follows
// the wall clock when it can and never runs backwards at one node; safety
// never rests on its closeness to real time.
type Timestamp uint64

// ID names a transaction from BEGIN to its end: the node of its coordinator,
// that node's incarnation, and a sequence number of that incarnation.
type ID struct {
	Node  NodeID `cbor:"1,keyasint,omitempty"`
	Epoch uint32 `cbor:"2,keyasint,omitempty"`
	Seq   uint64 `cbor:"3,keyasint,omitempty"`
}

// IsZero reports whether the id names nothing.
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

// Attempt names one try to commit a transaction. Votes and decisions are per
// attempt. Seq rises with each attempt of one coordinator incarnation, so a
// coordinator can say "all attempts below s are finished" in one number.
type Attempt struct {
	Node  NodeID `cbor:"1,keyasint,omitempty"`
	Epoch uint32 `cbor:"2,keyasint,omitempty"`
	Seq   uint64 `cbor:"3,keyasint,omitempty"`
}

// IsZero reports whether the attempt names nothing.
func (a Attempt) IsZero() bool { return a == Attempt{} }

func (a Attempt) String() string { return fmt.Sprintf("a%d.%d.%d", a.Node, a.Epoch, a.Seq) }

// Less orders attempts totally.
func (a Attempt) Less(o Attempt) bool { return ID(a).Less(ID(o)) }

// Version is the identity of a version of a row: the attempt that wrote it.
// The zero Version is "no such row", whether it was deleted or never written.
type Version = Attempt

// Age is a transaction's place in the order of wound-wait: older is smaller.
// A retry inherits the age of its first try, so that it wins in the end. Who is of
// higher priority counts as older than all of lower: whatever goes by age heeds it,
// and the order stays one that does not change while a try lasts.
type Age struct {
	Start    Timestamp `cbor:"1,keyasint,omitempty"`
	ID       ID        `cbor:"2,keyasint,omitempty"`
	Priority Priority  `cbor:"3,keyasint,omitempty"`
	// Region goes before all of these. Where a row tells classes apart it rises while a transaction
	// runs, and what was told of its age before holds no more; elsewhere all have 0.
	Region RegionPriority `cbor:"4,keyasint,omitempty"`
	// Preempts: of high priority, where that is no part of its place (yield.PriorityPreemptsWaiting).
	Preempts bool `cbor:"5,keyasint,omitempty"`
}

// Older reports whether a goes before b.
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

// Now is what a driver tells the core of the time. Mono never jumps: every
// timer, timeout and lease runs on it. WallNanos may jump: it only feeds
// timestamps.
type Now struct {
	Mono      time.Duration
	WallNanos int64
}

// Never is after every instant of Now.Mono: of a timer that is not set.
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
