package coordinator

import (
	"isochron/coverage"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Where a row tells transactions of a single region from those of several, that is found out while
// they run (Bonspiel section 2): by the regions of the leaders that they touch. One of several
// never becomes one of a single region again, and its next try is of several from its beginning: so
// what it reads first is reserved then.

// classes finds out the classes of the transactions of a gateway.
type classes struct {
	cfg     *Config
	leaders *leaders
	env     classEnv
}

// classEnv is what classes need of the node.
type classEnv interface {
	Directory() *routing.Directory
}

// matter reports whether the row tells classes apart.
func (c *classes) matter() bool { return c.cfg.Spec.Yield.Reserves != yield.ReservesNothing }

// firstRank is that of a try: of several regions if the one before it was.
func (c *classes) firstRank(of txn.Age, try int) txn.RegionPriority {
	if !c.matter() || !of.Region.MultiRegion() {
		return 0
	}
	return txn.RankOf(try)
}

// touch takes in that a transaction touches a shard. It reports whether it has become one of
// several regions with that.
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

// begins takes in where a transaction begins that has touched nothing, before it is known whether it
// locks what it asks for: at the shard of this key.
func (c *classes) begins(t *transaction, k txn.Key) {
	if !c.matter() || t.region != "" {
		return
	}
	if s, ok := c.env.Directory().ShardOf(string(k)); ok {
		c.touch(t, txn.ShardID(s))
	}
}

// touchAll takes in what a round of reads touches. Whoever becomes one of several regions with it
// reserves what it has read before.
func (c *classes) touchAll(t *transaction, parts []*shardRequest) {
	became := false
	for _, p := range parts {
		became = c.touch(t, p.access.Shard) || became
	}
	if became {
		c.reserveEarlier(t)
	}
}

// prepares has what is asked of participants be of the class of the transaction, which may have
// changed with what it writes. Then it is too late to reserve anything.
func (c *classes) prepares(t *transaction, ps []*txn.Prepare) {
	for _, p := range ps {
		c.touch(t, p.Shard)
	}
	for _, p := range ps {
		p.Age = t.age
	}
}

// mark has what a part is about to read be reserved, if it is to be: at leaders, and not what is
// locked, is of a moment or needs no vote.
func (c *classes) mark(p *shardRequest) {
	t, a := p.r.t, p.access
	a.Reserves = t.age.Region.MultiRegion() && a.Lock == txn.LockNone && a.AsOf == 0 && a.Batch == nil &&
		!a.Nearest && !a.WantReadTS && !a.OnlyRead && t.level == txn.Serializable
	if a.Reserves {
		t.touches(a.Shard).reserved = true
	}
}

// reserveEarlier reserves what a transaction has read so far. What it has locked it had locked as
// one of a single region, to which another of these does not give way that is older: by the
// reservation the leader hears of its new place.
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
