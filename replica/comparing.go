package replica

import (
	"time"

	"isochron/txn"
)

// comparing is how a replica hears of ends that it has missed.
type comparing struct {
	*member
	next time.Duration // when it compares with another
	with int           // the place of whom it has asked last
}

// tick asks another now and then.
func (c *comparing) tick(now time.Duration) {
	if now >= c.next {
		c.next = now + c.cfg.Params.RecoverAfter
		c.another()
	}
}

// another asks one of the others, in turn, for what this replica has missed.
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
