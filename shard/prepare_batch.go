package shard

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// prepareBatcher gathers the Prepares of a leader and validates them in batches, in protocols that do so:
// yield/batch.go has the rule. The callback of a Prepare runs when its batch is complete.
type prepareBatcher struct {
	*yield.Batches
	cfg  *Config
	over func(txn.Attempt) bool // reports whether an attempt must not be voted on
}

// reads records a transaction that has read here and will send a Prepare.
func (g *prepareBatcher) reads(m *txn.Access) {
	if g.cfg.Spec.Yield.Batches && !m.OnlyRead {
		g.Reads(g.cfg.Env.Now().Mono, m.Txn)
	}
}

// leaves records that a transaction has sent its Prepare, or has ended without one.
func (g *prepareBatcher) leaves(id txn.ID) {
	if g.Leaves(id) {
		g.close()
	}
}

// gather adds a Prepare to the batch.
func (g *prepareBatcher) gather(p yield.BatchedPrepare) {
	if g.Gather(p) {
		g.close()
	}
}

// close validates the batch. A vote may end another Prepare of the batch.
func (g *prepareBatcher) close() {
	lost, stay := g.Judge(g.over)
	for _, p := range lost {
		g.cfg.Params.Rules.Hit(coverage.UnorderableInBatch)
		p.Refuse(txn.ReasonBatchConflict.Refusal())
	}
	for _, p := range stay {
		if !g.over(p.Attempt) {
			p.Retry()
		}
	}
}

// tick validates a batch whose time is over.
func (g *prepareBatcher) tick(now time.Duration) {
	g.close()
	g.Forget(now)
}
