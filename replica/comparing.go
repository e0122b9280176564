package replica

import (
	"time"

	"isochron/txn"
)

// comparing fetches decisions that a replica has missed.
type comparing struct {
	*member
	next time.Duration // time of the next comparison
	with int           // index of the member asked last
}

// tick compares with another replica at intervals.
func (c *comparing) tick(now time.Duration) {
	if now >= c.next {
		c.next = now + c.cfg.Params.RecoverAfter
		c.another()
	}
}

// another asks the next of the other replicas for missed decisions.
func (c *comparing) another() {
	if c.n() == 1 {
		return
	}
	for {
		c.with = (c.with + 1) % c.n()
		if to := c.cfg.Members[c.with]; to != c.cfg.Self {
			c.ask(to)
			return
		}
	}
}

func (c *comparing) ask(of txn.NodeID) {
	if of != c.cfg.Self {
		c.env.Send(txn.Participant(of, c.cfg.ID), txn.Message{AntiEntropyRequest: &txn.AntiEntropyRequest{Shard: c.cfg.ID, View: c.rec.meta.Normal, Count: c.rec.decidedEntries.Len(), Sum: c.rec.sum}})
	}
}

func (c *comparing) onCompare(from txn.NodeID, m *txn.AntiEntropyRequest) {
	switch {
	case m.View < c.view() && c.takesPart():
		c.sendView(from)
	case m.Count != c.rec.decidedEntries.Len() || m.Sum != c.rec.sum:
		out := &txn.AntiEntropyReply{Shard: c.cfg.ID, Entries: c.rec.decided()}
		c.afterSync(func() { c.env.Send(txn.Participant(from, c.cfg.ID), txn.Message{AntiEntropyReply: out}) })
	}
}
