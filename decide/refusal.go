package decide

import (
	"slices"

	"isochron/rulebook"
	"isochron/txn"
)

// doom aborts an attempt that has read what was undone.
func (a *Attempt) doom() {
	a.decider.Params.Rules.Bite(rulebook.DoomedYes)
	why := txn.Errorf(txn.KindAborted, "a transaction whose write it had read was aborted").Because(txn.CauseCascade)
	if a.beside {
		why = txn.Errorf(txn.KindAborted, "a transaction that should have made way for it has committed; try again").Because(txn.CauseConflict)
	}
	a.refused(why)
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

func (a *Attempt) refused(why *txn.Error) {
	if a.why == nil {
		a.why = why
	}
}

// MayPass reports whether an attempt that aborts might have committed as it is, a little later:
// every No that was heard gave way to another, and none was for what is committed.
func (a *Attempt) MayPass() bool { return a.gaveWay && !a.outdated }

// Why says why it aborts.
func (a *Attempt) Why() *txn.Error {
	if a.why == nil {
		return txn.Errorf(txn.KindAborted, "a shard changed its leader before it had voted; the transaction was ended").Because(txn.CauseLeader)
	}
	return a.why
}

// gaveWay reports whether a leader's No was for what is undecided.
func gaveWay(why txn.Cause) bool { return why == txn.CauseConflict || why == txn.CauseWound }

// noted notes what a No was for: what is undecided, or what is committed.
func (a *Attempt) noted(gaveWay bool) {
	a.gaveWay, a.outdated = a.gaveWay || gaveWay, a.outdated || !gaveWay
}
