package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// doom aborts an attempt that has read writes which were aborted.
func (a *Attempt) doom() {
	a.decider.Params.Rules.Hit(coverage.DoomedYes)
	reason := txn.Errorf(txn.KindAborted, "a transaction whose write it had read was aborted").Because(txn.CauseCascade)
	if a.assumed {
		reason = txn.Errorf(txn.KindAborted, "a transaction whose abort its conditional prepare assumed has committed; retry the transaction").Because(txn.CauseConflict)
	}
	a.refused(reason)
	a.tally.No()
}

// votedNo records a leader's No.
func votedNo(a *Attempt, s txn.ShardID) {
	if !slices.Contains(a.noes, s) {
		a.noes = append(a.noes, s)
	}
	endRefused(a)
}

// endRefused aborts an attempt with a No: immediately, or when the others have voted too
// (txn.Params.AbortsLikeCommits).
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

// MayPass reports whether an aborting attempt might commit unchanged a little later: every No
// received was for a conflict with an undecided transaction.
func (a *Attempt) MayPass() bool { return a.gaveWay && !a.outdated }

// Reason is why it aborts.
func (a *Attempt) Reason() *txn.Error {
	if a.reason == nil {
		return txn.Errorf(txn.KindAborted, "a shard changed its leader before it had voted; the transaction was ended").Because(txn.CauseLeader)
	}
	return a.reason
}

// gaveWay reports whether a leader's No was for a conflict with an undecided transaction.
func gaveWay(reason txn.Cause) bool { return reason == txn.CauseConflict || reason == txn.CauseWound }

// noted records whether a No was for an undecided or a committed transaction.
func (a *Attempt) noted(gaveWay bool) {
	a.gaveWay, a.outdated = a.gaveWay || gaveWay, a.outdated || !gaveWay
}
