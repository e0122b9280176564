package decide

import "isochron/txn"

// record is the decision of an attempt that is logged in a shard before anybody is told
// (LoggedDecision). What the votes force is a proposal. The first to write has decided:
// the attempt's own coordinator, who alone may write a commit, or whoever finishes its
// work, who writes an abort. That its coordinator aborts need not be written, for then it
// never writes a commit.
//
// Invariant: once a commit was proposed to the log nothing but the log ends the attempt.
type record struct {
	at        txn.ShardID
	writing   bool // the proposal is on its way into the log
	isCurrent bool // what this coordinator has written stands there, or may

	holdsData bool              // it is for what is written, and not for the decision: see data.go
	data      []txn.ShardWrites // nil: not known yet
	logged    bool              // the log has it
}

// LogAnswer is what a log of decisions has answered.
type LogAnswer struct {
	Known    bool // it says how the attempt ended: Commit, and At
	Commit   bool
	At       txn.Timestamp
	Data     []txn.ShardWrites // of a commit, if writes are logged there
	Finished bool              // it says that the attempt ended long ago, and everybody knows how
}

// decidedAt has the attempt's decision logged in a shard, or what it writes; 0: nowhere.
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

// propose gives the log what the votes have come to force.
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

// write has the proposal written, again too if the log has not answered.
func (a *Attempt) write() {
	a.wakeAt = a.decider.Env.Now().Mono + 2*a.decider.Params.CommitWait // an answer comes before
	v, at := a.tally.Proposal()
	a.decider.Env.LogDecision(a.ID, a.record.at, v == Commit, at)
}

// Rule takes in what the log of decisions has answered.
func (a *Attempt) Rule(says LogAnswer) {
	r := a.record
	switch {
	case r == nil || !r.writing:
	case r.holdsData:
		r.ruleData(a, says)
	case says.Known:
		r.writing, r.isCurrent = false, says.Commit && !a.adopted()
		a.tally.Ruled(says.Commit, says.At)
	case says.Finished && a.Leftover:
		r.writing = false
		a.tally.Ruled(false, 0)
	case says.Finished:
		r.writing, a.done = false, true
	default:
		a.resend()
	}
}

// Recorded is the shard in whose log something stands that this coordinator has written, if
// anything does: when everybody knows how the attempt ended nobody needs it there any more.
func (a *Attempt) Recorded() (s txn.ShardID, ok bool) {
	if a.record == nil || !a.record.isCurrent {
		return 0, false
	}
	return a.record.at, true
}
