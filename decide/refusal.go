package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// doom aborts an attempt that has read what was undone.
func (a *Attempt) doom() {
	a.decider.Params.Rules.Hit(coverage.DoomedYes)
	reason := txn.Errorf(txn.KindAborted, "a transaction whose write it had read was aborted").Because(txn.CauseCascade)
	if a.assumed {
		reason = txn.Errorf(txn.KindAborted, "a transaction that should have made way for it has committed; try again").Because(txn.CauseConflict)
	}
	a.refused(reason)
	a.tally.No()
}

// votedNo takes in that a participant's leader has voted No.
func votedNo(a *Attempt, s txn.ShardID) {
	if !slices.Contains(a.noes, s) {
		a.noes = append(a.noes, s)
	}
	endRefused(a)
}

// endRefused aborts an attempt that a leader has voted No on: at once, or when the others have voted
// too (txn.Params.AbortsLikeCommits).
func endRefused(a *Attempt) {
	if len(a.noes) > 0 && (!a.decider.Params.AbortsLikeCommits || len(a.tally.Missing()) <= len(a.noes)) {
		a.tally.No()
	}
}

func (a *Attempt) refused(reason *txn.Error) {
	if a.reason == nil {
		a.reason = reason
	}
}

// MayPass reports whether an attempt that aborts might have committed as it is, a little later:
// every No that was heard gave way to another, and none was for what is committed.
func (a *Attempt) MayPass() bool { return a.gaveWay && !a.outdated }

// Reason says why it aborts.
func (a *Attempt) Reason() *txn.Error {
	if a.reason == nil {
		return txn.Errorf(txn.KindAborted, "a shard changed its leader before it had voted; the transaction was ended").Because(txn.CauseLeader)
	}
	return a.reason
}

// gaveWay reports whether a leader's No was for what is undecided.
func gaveWay(reason txn.Cause) bool { return reason == txn.CauseConflict || reason == txn.CauseWound }

// noted notes what a No was for: what is undecided, or what is committed.
func (a *Attempt) noted(gaveWay bool) {
	a.gaveWay, a.outdated = a.gaveWay || gaveWay, a.outdated || !gaveWay
}
