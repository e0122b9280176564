package coordinator

import (
	"isochron/coverage"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Where a protocol distinguishes single-region and multi-region transactions, the class is
// determined while they run (Bonspiel section 2): by the regions of the leaders that they touch. A
// multi-region transaction never becomes single-region again, and its next try is multi-region from
// the start, so its first reads are reserved.

// classes determines the classes of a gateway's transactions.
type classes struct {
	cfg     *Config
	leaders *leaders
	env     classEnv
}

// classEnv is the part of the node that classes uses.
type classEnv interface {
	Directory() *routing.Directory
}

// matter reports whether the protocol distinguishes classes.
func (c *classes) matter() bool { return c.cfg.Spec.Yield.Reserves != yield.ReservesNothing }

// firstRank is the rank of a new try: multi-region if the one before it was.
func (c *classes) firstRank(of txn.Age, try int) txn.RegionPriority {
	if !c.matter() || !of.Region.MultiRegion() {
		return 0
	}
	return txn.RankOf(try)
}

// touch records that a transaction touches a shard. It reports whether that made it multi-region.
func (c *classes) touch(t *transaction, s txn.ShardID) (became bool) {
	dir := c.env.Directory()
	region := dir.RegionOf(uint32(c.leaders.likely(s)))
	switch {
	case region == "" || t.age.Region.MultiRegion():
	case t.region == "":
		t.region, t.away = region, region != dir.RegionOf(uint32(c.cfg.Self))
	case t.region != region:
		t.age.Region = txn.RankOf(t.try)
		return true
	}
	return false
}

// begins records where a transaction without any access begins, before it is known whether it
// locks: at the shard of this key.
func (c *classes) begins(t *transaction, k txn.Key) {
	if !c.matter() || t.region != "" {
		return
	}
	if s, ok := c.env.Directory().ShardOf(string(k)); ok {
		c.touch(t, txn.ShardID(s))
	}
}

// touchAll records what a round of reads touches. A transaction that becomes multi-region reserves
// the rows that it has read before.
func (c *classes) touchAll(t *transaction, parts []*shardRequest) {
	became := false
	for _, p := range parts {
		became = c.touch(t, p.access.Shard) || became
	}
	if became {
		c.reserveEarlier(t)
	}
}

// prepares gives the Prepares the class of the transaction, which may change with its writes. Then
// it is too late to reserve anything.
func (c *classes) prepares(t *transaction, ps []*txn.Prepare) {
	for _, p := range ps {
		c.touch(t, p.Shard)
	}
	for _, p := range ps {
		p.Age = t.age
	}
}

// mark requests reservations for a part's reads, if needed: at leaders, and not for locked rows,
// snapshot reads, or reads without a vote.
func (c *classes) mark(p *shardRequest) {
	t, a := p.r.t, p.access
	a.Reserves = t.age.Region.MultiRegion() && a.Lock == txn.LockNone && a.AsOf == 0 && a.Batch == nil &&
		!a.Nearest && !a.WantReadTS && !a.OnlyRead && t.level == txn.Serializable
	if a.Reserves {
		t.touches(a.Shard).reserved = true
	}
}

// reserveEarlier reserves what a transaction has read so far. It took its locks as a single-region
// transaction, because of which an older one of these does not abort: by the reservation the leader
// learns its new rank.
func (c *classes) reserveEarlier(t *transaction) {
	at := map[txn.ShardID]*txn.Reserve{}
	of := func(k txn.Key) *txn.Reserve {
		id, ok := c.env.Directory().ShardOf(string(k))
		s := txn.ShardID(id)
		if !ok || t.touch(s) == nil {
			return nil
		}
		if at[s] == nil {
			at[s] = &txn.Reserve{Shard: s, Txn: t.id, Age: t.age}
		}
		return at[s]
	}
	for _, r := range t.seen.rising() {
		if !r.spanned {
			if m := of(r.row.Key); m != nil {
				m.Keys = append(m.Keys, r.row.Key)
			}
		}
	}
	for _, s := range t.spans {
		if m := of(s.Span.Start); m != nil {
			m.Spans = append(m.Spans, s.Span)
		}
	}
	for _, s := range sortedShards(at) {
		c.cfg.Params.Rules.Hit(coverage.ReservesLate)
		t.touch(s).reserved = true
		c.leaders.send(s, txn.Message{Reserve: at[s]})
	}
}
