package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// parting divides a round among the shards that hold what it asks for. Where records are read
// by their temperature a shard may be asked twice: its leader for what is warm, and a replica
// that is near for the rest. A round that one leader may answer for good is not divided so:
// what is warm takes the rest along.
//
// Invariant: parts rise by shard, what is cold before what is warm.
type parting struct {
	rs    *reads
	r     *round
	parts []*part
}

// of is the part of a record.
func (d *parting) of(s txn.ShardID, k txn.Key) *part {
	return d.at(s, d.choosing() && d.rs.temperatures.warm(d.r.t, s, k))
}

// ofRange is the part of a range.
func (d *parting) ofRange(s txn.ShardID, span txn.Span) *part {
	return d.at(s, d.choosing() && d.rs.temperatures.warmRange(d.r.t, s, span))
}

// choosing reports whether the round's reads are plain ones, which may go near.
func (d *parting) choosing() bool {
	read := &d.r.req.Read
	return d.rs.temperatures.known != nil && d.r.lock == txn.LockNone && d.r.asOf == 0 && !read.Present && d.r.t.level == txn.Serializable
}

func (d *parting) at(s txn.ShardID, warm bool) *part {
	whole := d.r.req.Read.Final
	i, ok := slices.BinarySearchFunc(d.parts, warm && !whole, func(p *part, warm bool) int {
		if c := cmp.Compare(p.access.Shard, s); c != 0 || p.warm == warm || whole {
			return c
		} else if warm {
			return -1
		}
		return 1
	})
	if !ok {
		d.parts = slices.Insert(d.parts, i, d.rs.partAt(d.r, s))
	}
	p := d.parts[i]
	p.warm = p.warm || warm
	return p
}

// partAt is a part that asks a shard for nothing so far.
func (rs *reads) partAt(r *round, s txn.ShardID) *part {
	t, read := r.t, &r.req.Read
	p := newPart(r, txn.Access{
		Shard: s, Txn: t.id, Age: t.age, Lock: rs.policy.lockOf(t, *read, s), Wait: read.Wait, WaitMillis: t.lockWait,
		AsOf: r.asOf, HoldMillis: t.hold, Present: read.Present, ProtocolSeq: rs.turn.seq})
	rs.moments.weaken(t, r.req, p.access)
	return p
}
