package coordinator

import (
	"time"

	"isochron/coverage"
	"isochron/estimate"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// Which records are read at their leaders because they are updated often, where the protocol reads
// by temperature (Bonspiel section 3.2). A node counts the updates that its own replicas apply. For
// other shards, replies contain the temperatures of their records: the paper's data centres gossip,
// but only a reader of a record needs its temperature.

// temperatures are a gateway's record temperatures, and the threshold from which records are read
// at their leaders. Protocols that do not use them keep none.
type temperatures struct {
	cfg     *Config
	env     temperatureEnv
	leaders *leaders

	known     *estimate.Temperatures // nil: the protocol reads otherwise
	threshold *estimate.Threshold
}

// temperatureEnv is the part of the node that temperatures uses.
type temperatureEnv interface {
	Now() txn.Now
	Directory() *routing.Directory
	Nearest(s txn.ShardID) txn.NodeID
	Wide(n txn.NodeID) bool
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
	Trace(format string, args ...any)
	Tracing() bool
}

// follow starts or drops the counts, as the protocol requires.
func (ts *temperatures) follow() {
	switch wanted := ts.cfg.Spec.Reads.ByTemperature(); {
	case !wanted:
		ts.known, ts.threshold = nil, nil
	case ts.known == nil:
		p := ts.cfg.Params.Warmth
		ts.known = estimate.NewTemperatures(estimate.TemperatureConfig{RecordsMax: p.Records, HalfLife: p.HalfLife})
		ts.threshold = estimate.NewThreshold(estimate.ThresholdConfig{
			First: estimate.Updates(p.Threshold), AbortPercent: p.AbortPercent, Every: p.Every, TriesLeast: p.Tries, Fixed: p.Fixed})
	}
}

// Applied counts rows that a replica of this node has just made visible.
func (c *Coordinator) Applied(writes []txn.Write) {
	ts := c.temperatures
	if ts.known == nil {
		return
	}
	now := c.env.Now().Mono
	for _, w := range writes {
		ts.known.Updated(w.Key, now)
	}
}

// Warm returns the temperatures of its rows that a reply of this node contains.
func (c *Coordinator) Warm(m *txn.Access) (out []txn.WarmKey) {
	ts := c.temperatures
	if ts.known == nil {
		return nil
	}
	now := c.env.Now().Mono
	notify := func(k txn.Key, is estimate.Temperature) bool {
		if is > 0 {
			out = append(out, txn.WarmKey{Key: k, MilliUpdates: uint64(is)})
		}
		return len(out) < txn.WarmMax
	}
	for _, k := range m.Keys {
		if !notify(k, ts.known.Of(k, now)) {
			return out
		}
	}
	for _, s := range m.Scans {
		if ts.known.In(s.Span, now, notify); len(out) >= txn.WarmMax {
			break
		}
	}
	return out
}

// asks reports whether replies of a shard should contain temperatures: no replica of it is here.
func (ts *temperatures) asks(s txn.ShardID) bool {
	if ts.known == nil {
		return false
	}
	shard, ok := ts.env.Directory().Shard(uint64(s))
	return ok && !shard.Holds(uint32(ts.cfg.Self))
}

// observe records the temperatures in a reply.
func (ts *temperatures) observe(m *txn.AccessReply) {
	if ts.known == nil {
		return
	}
	now := ts.env.Now().Mono
	for _, w := range m.Warm[:min(len(m.Warm), txn.WarmMax)] {
		ts.known.Observe(w.Key, estimate.Temperature(min(w.MilliUpdates, 1<<40)), now)
	}
}

// warm reports whether a record is to be read at its leader.
func (ts *temperatures) warm(t *transaction, s txn.ShardID, k txn.Key) bool {
	trip, choice := ts.choice(t, s)
	return !choice || ts.tooWarm(s, ts.known.Of(k, ts.env.Now().Mono), trip)
}

// warmRange reports whether a range is: if one of its records is.
func (ts *temperatures) warmRange(t *transaction, s txn.ShardID, span txn.Span) (warm bool) {
	trip, choice := ts.choice(t, s)
	if !choice {
		return true
	}
	ts.known.In(span, ts.env.Now().Mono, func(_ txn.Key, is estimate.Temperature) bool {
		warm = ts.tooWarm(s, is, trip)
		return !warm
	})
	return warm
}

// choice is the round trip to a shard's leader; false if a near read saves nothing: the leader is
// in this region, or no farther than the nearest replica.
func (ts *temperatures) choice(t *transaction, s txn.ShardID) (trip time.Duration, ok bool) {
	leader := ts.leaders.likely(s)
	if leader == 0 || !ts.env.Wide(leader) {
		return 0, false
	}
	t.far = true
	near, known := ts.env.RoundTrip(ts.env.Nearest(s))
	trip, ok = ts.env.RoundTrip(leader)
	return trip, ok && known && near < trip
}

func (ts *temperatures) tooWarm(s txn.ShardID, is estimate.Temperature, trip time.Duration) bool {
	expected := is.Expected(trip)
	if expected < ts.threshold.At() {
		return false
	}
	ts.cfg.Params.Rules.Hit(coverage.WarmAtLeader)
	if ts.env.Tracing() {
		ts.env.Trace("reads at the leader of shard %d what is updated %d times in a million round trips there; the threshold is %d", s, expected, ts.threshold.At())
	}
	return true
}

// left records how a try ended that read records led elsewhere: the paper's multi-region
// transactions. Repeated calls are harmless.
func (ts *temperatures) left(t *transaction, err *txn.Error) {
	if ts.known == nil || !t.far {
		return
	}
	t.far = false
	lost := err != nil && lostOr(err, t.admission.missed) == yield.Lost
	if err != nil && !lost {
		return
	}
	if ts.threshold.Ended(ts.env.Now().Mono, lost) && ts.env.Tracing() {
		ts.env.Trace("of 100 tries with reads elsewhere %d were lost; the threshold of leader reads is %d now", ts.threshold.AbortPercent(), ts.threshold.At())
	}
}

// Temperatures is the number of records with a temperature, and the threshold in millionths of an
// update expected in a round trip; 0 where the protocol does not use them.
func (c *Coordinator) Temperatures() (records int, threshold int64) {
	if c.temperatures.known == nil {
		return 0, 0
	}
	return c.temperatures.known.Len(), int64(c.temperatures.threshold.At())
}

// Hottest are the gateway's hottest records, up to a number; none where the protocol does not use
// temperatures.
func (c *Coordinator) Hottest(most int, wanted func(txn.Key) bool) []estimate.RecordTemperature {
	if c.temperatures.known == nil {
		return nil
	}
	return c.temperatures.known.Hottest(c.env.Now().Mono, most, wanted)
}
