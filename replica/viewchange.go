package replica

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// A change of views. A node asks for an attempt that has no decision and no accepted
// vote here: its coordinator or the leader may be lost.
// Then all replicas leave their view and send their records to the leader of the
// next one. A replica that has sent its record takes part in nothing until a view begins, so
// no earlier proposal can succeed unnoticed.

// changesApart is the least time between two changes that one replica starts, in multiples of
// Params.ResendAfter: requests received meanwhile are settled by the next.
const changesApart = 2

// maxRetries bounds the retries of one change; then the next view is tried, with another leader.
const maxRetries = 2

// viewChange is a replica's progress from its view to the next.
type viewChange struct {
	*member
	slow    *slowPath     // of the view being left
	fence   []txn.Inquire // requests to settle, unanswered
	records map[txn.NodeID]*txn.ViewRecord
	retryAt time.Duration
	retries int
	begun   uint64 // changes, since the replica was opened
}

func (c *viewChange) addFence(asked ...txn.Inquire) {
	for _, q := range asked {
		same := func(have txn.Inquire) bool { return have.Attempt == q.Attempt }
		if len(c.fence) < maxFence && !slices.ContainsFunc(c.fence, same) {
			c.fence = append(c.fence, q)
		}
	}
}

// tick starts a requested change, and retries one that makes no progress.
func (c *viewChange) tick(now time.Duration) {
	if now < c.retryAt {
		return
	}
	switch {
	case c.takesPart() && len(c.fence) > 0:
		c.begun++
		c.call(c.view() + 1)
	case c.takesPart():
	case c.retries >= maxRetries:
		c.call(c.view() + 1)
	default:
		c.retries++
		c.retryAt = now + c.cfg.Params.ResendAfter
		c.toAll(txn.Message{ChangeView: &txn.ChangeView{Shard: c.cfg.ID, View: c.view(), Fence: c.fence}})
		c.sendRecord()
	}
}

// call asks all replicas to enter a view.
func (c *viewChange) call(view uint64) {
	c.env.Trace("shard %d: calls for view %d, with %d attempts to settle", c.cfg.ID, view, len(c.fence))
	c.toAll(txn.Message{ChangeView: &txn.ChangeView{Shard: c.cfg.ID, View: view, Fence: slices.Clone(c.fence)}})
	c.leave(view)
}

func (c *viewChange) onChangeView(from txn.NodeID, m *txn.ChangeView) {
	switch {
	case m.View > c.view():
		c.addFence(m.Fence...)
		c.leave(m.View)
	case c.takesPart() && from != c.cfg.Self:
		c.sendView(from)
	}
}

// leave leaves the present view; the replica takes part in nothing until the new one begins.
func (c *viewChange) leave(view uint64) {
	c.rec.meta.View = view
	var b store.Batch
	c.rec.putMeta(&b)
	c.cfg.Engine.Apply(&b)
	c.forget()
	c.retries, c.retryAt = 0, c.env.Now().Mono+c.cfg.Params.ResendAfter
	c.sendRecord()
}

func (c *viewChange) sendRecord() {
	m := &txn.ViewRecord{Shard: c.cfg.ID, View: c.view(), Replica: c.cfg.Self, Normal: c.rec.meta.Normal,
		Entries: c.rec.undecided(false), Decided: c.rec.decided(), Fence: slices.Clone(c.fence)}
	c.afterSync(func() {
		if m.View == c.view() && !c.takesPart() {
			c.env.Send(txn.Participant(c.leaderOf(m.View), c.cfg.ID), txn.Message{ViewRecord: m})
		}
	})
}

// forget drops the state that counts within one view only.
func (c *viewChange) forget() {
	clear(c.records)
	c.slow.forget()
}

// collect adds a record, and returns all records, in the order of members, once
// a majority has sent them to this replica as the leader of the next view.
func (c *viewChange) collect(from txn.NodeID, m *txn.ViewRecord) []*txn.ViewRecord {
	switch {
	case m.View > c.view():
		c.addFence(m.Fence...)
		c.leave(m.View)
	case c.takesPart():
		c.sendView(from)
		return nil
	}
	if m.View != c.view() || c.leaderOf(m.View) != c.cfg.Self {
		return nil
	}
	c.records[m.Replica] = m
	if len(c.records) < c.majority() {
		c.cfg.Params.Rules.Hit(coverage.MajorityBegins)
		return nil
	}
	var all []*txn.ViewRecord
	for _, id := range c.cfg.Members {
		if rec := c.records[id]; rec != nil {
			all = append(all, rec)
		}
	}
	return all
}

// done ends the change: a view has begun.
func (c *viewChange) done() {
	c.fence = nil
	c.forget()
	c.retries, c.retryAt = 0, c.env.Now().Mono+changesApart*c.cfg.Params.ResendAfter
}

// nextWake returns the time at which tick has work.
func (c *viewChange) nextWake() time.Duration {
	if c.takesPart() && len(c.fence) == 0 {
		return txn.Never
	}
	return c.retryAt
}
