package shard

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// prepareBatcher has the Prepares of a leader judged in batches, where its protocol wants that:
// the rule stands in yield/batch.go. What it was given to do with a Prepare it does when
// the batch is whole.
type prepareBatcher struct {
	*yield.Batches
	cfg  *Config
	over func(txn.Attempt) bool // reports whether an attempt must not be voted on any more
}

// reads notes who has read here and will ask for a vote.
func (g *prepareBatcher) reads(m *txn.Access) {
	if g.cfg.Spec.Yield.Batches && !m.OnlyRead {
		g.Reads(g.cfg.Env.Now().Mono, m.Txn)
	}
}

// leaves notes who asks for its vote, or ends without one.
func (g *prepareBatcher) leaves(id txn.ID) {
	if g.Leaves(id) {
		g.close()
	}
}

// gather takes a Prepare in that is not there yet.
func (g *prepareBatcher) gather(p yield.BatchedPrepare) {
	if g.Gather(p) {
		g.close()
	}
}

// close judges what was gathered. One that votes may end another that would vote after it.
func (g *prepareBatcher) close() {
	lost, stay := g.Judge(g.over)
	for _, p := range lost {
		g.cfg.Params.Rules.Hit(coverage.BatchGivesWay)
		p.Refuse(txn.ReasonBatchConflict.Refusal())
	}
	for _, p := range stay {
		if !g.over(p.Attempt) {
			p.Retry()
		}
	}
}

// tick judges a batch whose time is over.
func (g *prepareBatcher) tick(now time.Duration) {
	g.close()
	g.Forget(now)
}
