package decide

import "isochron/txn"

// record is an attempt's entry in a log of decisions, written before any participant is notified
// (LoggedDecision). The votes force a proposal; the first writer decides: the attempt's own
// coordinator, which alone may write a commit, or a recovering node, which writes an abort. The
// coordinator's own abort need not be written, since it never writes a commit afterwards.
//
// Invariant: once a commit was proposed to the log only the log ends the attempt.
type record struct {
	at        txn.ShardID
	writing   bool // the proposal is on its way into the log
	isCurrent bool // an entry that this coordinator wrote is there, or may be

	holdsData bool              // it is for the writes, and not for the decision: see data.go
	data      []txn.ShardWrites // nil: not known yet
	logged    bool              // the log has them
}

// LogAnswer is the reply of a log of decisions.
type LogAnswer struct {
	Known    bool // the outcome is logged: Commit, and At
	Commit   bool
	At       txn.Timestamp
	Data     []txn.ShardWrites // of a commit, if writes are logged there
	Finished bool              // the attempt ended long ago, and every participant knows how
}

// decidedAt sets the shard in which the attempt's decision, or its writes, are logged; 0: none.
func (a *Attempt) decidedAt(s txn.ShardID, data bool) {
	switch {
	case s == 0:
	case data:
		a.record = &record{at: s, holdsData: true}
		a.tally.AwaitsData()
	default:
		a.record = &record{at: s}
		a.tally.LogsDecision()
	}
}

// propose sends the log the outcome that the votes force.
func (a *Attempt) propose() {
	r := a.record
	if r == nil || r.writing || r.holdsData {
		return
	}
	verdict, _ := a.tally.Verdict()
	switch v, at := a.tally.Proposal(); {
	case verdict != Open || v == Open:
	case v == Abort && !a.adopted():
		a.tally.Ruled(false, 0)
	case a.decider.Params.InjectedBugs.SendBeforeLogged && !a.adopted():
		a.tally.Ruled(true, at)
		a.decider.Env.LogDecision(a.ID, r.at, true, at)
	default:
		r.writing = true
		a.write()
	}
}

// write sends the proposal, repeatedly if the log has not answered.
func (a *Attempt) write() {
	a.wakeAt = a.decider.Env.Now().Mono + 2*a.decider.Params.CommitWait // an answer arrives before
	v, at := a.tally.Proposal()
	a.decider.Env.LogDecision(a.ID, a.record.at, v == Commit, at)
}

// Rule handles the reply of the log of decisions.
func (a *Attempt) Rule(reply LogAnswer) {
	r := a.record
	switch {
	case r == nil || !r.writing:
	case r.holdsData:
		r.ruleData(a, reply)
	case reply.Known:
		r.writing, r.isCurrent = false, reply.Commit && !a.adopted()
		a.tally.Ruled(reply.Commit, reply.At)
	case reply.Finished && a.Leftover:
		r.writing = false
		a.tally.Ruled(false, 0)
	case reply.Finished:
		r.writing, a.done = false, true
	default:
		a.resend()
	}
}

// Recorded is the shard with an entry that this coordinator has written, if there is one: it can be
// removed when all participants know the decision.
func (a *Attempt) Recorded() (s txn.ShardID, ok bool) {
	if a.record == nil || !a.record.isCurrent {
		return 0, false
	}
	return a.record.at, true
}
