package coordinator

import (
	"cmp"
	"slices"

	"isochron/txn"
)

// roundSplitter divides a round among the shards. Where records are read by temperature a shard may
// be asked twice: its leader for warm records, and a near replica for the others. A final round
// that one leader can answer is not split: its warm part takes the others along.
//
// Invariant: parts rise by shard, cold before warm.
type roundSplitter struct {
	rs    *reads
	r     *round
	parts []*shardRequest
}

// of is the part of a record.
func (d *roundSplitter) of(s txn.ShardID, k txn.Key) *shardRequest {
	return d.at(s, d.choosing() && d.rs.temperatures.warm(d.r.t, s, k))
}

// ofRange is the part of a range.
func (d *roundSplitter) ofRange(s txn.ShardID, span txn.Span) *shardRequest {
	return d.at(s, d.choosing() && d.rs.temperatures.warmRange(d.r.t, s, span))
}

// choosing reports whether the round's reads are plain ones, which may be near.
func (d *roundSplitter) choosing() bool {
	read := &d.r.req.Read
	return d.rs.temperatures.known != nil && d.r.lock == txn.LockNone && d.r.asOf == 0 && !read.WantReadTS && d.r.t.level == txn.Serializable
}

func (d *roundSplitter) at(s txn.ShardID, warm bool) *shardRequest {
	whole := d.r.req.Read.OnlyRead
	i, ok := slices.BinarySearchFunc(d.parts, warm && !whole, func(p *shardRequest, warm bool) int {
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

// partAt is an empty part for a shard.
func (rs *reads) partAt(r *round, s txn.ShardID) *shardRequest {
	t, read := r.t, &r.req.Read
	p := newPart(r, txn.Access{
		Shard: s, Txn: t.id, Age: t.age, Lock: rs.policy.lockOf(t, *read, s), Wait: read.Wait, WaitMillis: t.lockWait,
		AsOf: r.asOf, ProtectMillis: t.protect, WantReadTS: read.WantReadTS, ProtocolSeq: rs.protocolSwitch.seq})
	rs.snapshotReads.weaken(t, r.req, p.access)
	return p
}
