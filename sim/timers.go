package sim

import (
	"math/rand/v2"
	"time"

	"isochron/node"
	"isochron/txn"
)

// timers gives some lives of some nodes shorter time-outs: such a node sends again, recovers and
// queries holders of locks long before it needs to, or keeps almost none of a log. It may lose time
// by it and nothing else. What nodes must agree on, the election time-out, stays unchanged.
type timers struct {
	rand      *rand.Rand
	counts    Counts
	odds      int // once in this many boots
	impatient map[txn.NodeID]bool
	over      bool
}

func newTimers(seed uint64, counts Counts) *timers {
	r := stream(seed, streamTimers)
	return &timers{rand: r, counts: counts, odds: 1 + r.IntN(8), impatient: map[txn.NodeID]bool{}}
}

// boot draws the time-outs of a node for a boot.
func (t *timers) boot(c *node.Config) {
	delete(t.impatient, txn.NodeID(c.ID))
	if t.over || t.rand.IntN(t.odds) > 0 {
		return
	}
	t.impatient[txn.NodeID(c.ID)] = true
	p := &c.Params
	for _, one := range []struct {
		what  string
		timer *time.Duration
	}{{"sends again", &p.ResendAfter}, {"recovers", &p.RecoverAfter}, {"probes", &p.StatusQueryAfter}, {"gives up locks", &p.LockWait}, {"ends gateways", &p.GatewayLease}} {
		if t.rand.IntN(3) == 0 {
			t.counts["forced: a node "+one.what+" early"]++
			*one.timer = max(p.TickInterval, *one.timer/time.Duration(2+t.rand.IntN(30)))
		}
	}
	if t.rand.IntN(3) == 0 {
		t.counts["forced: a node keeps a short log"]++
		p.LogEntries = 2
	}
	if t.rand.IntN(2) == 0 {
		t.counts["forced: a leader sends entries one by one"]++
		p.AppendBytes = 1
	}
}

// end restores the regular time-outs of every node: an impatient one may never finish anything.
func (t *timers) end(hosts []*host) {
	t.over = true
	for _, h := range hosts {
		if t.impatient[h.id] {
			h.crash(strictly) // a restart reads its timers again
		}
	}
}
