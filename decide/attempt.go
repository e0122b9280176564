package decide

import (
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// phase is the phase of an attempt.
type phase uint8

const (
	asking      phase = iota // votes are awaited
	terminating              // votes did not arrive in time: the logs are asked
	deciding                 // decided; participants are notified until all have acknowledged
)

// Attempt is one run of the commit protocol up to its decision and the acknowledgements.
//
// Its caller passes it the messages of nodes (Receive), wakes it when it is due (Wake), and after
// each of these takes the verdict, if there is one (Take). Then the caller answers its client and
// sends the decision (Announce), until all know it (Done).
//
// Invariant: once a Prepare was sent only the tally ends the attempt: a timer never does.
type Attempt struct {
	AttemptInit
	decider     *Decider
	votePath    votePath
	tally       Tally
	record      *record // nil: neither decision nor writes are logged
	phase       phase
	onePhase    bool          // its only participant's Yes is the commit
	reason      *txn.Error    // of the first No
	noes        []txn.ShardID // leaders that have voted No
	gaveWay     bool          // a No was for a conflict with an undecided transaction
	outdated    bool          // a No was for a conflict with a committed one
	assumed     bool          // a Yes assumes the abort of others
	wakeAt      time.Duration
	terminateAt time.Duration
	tries       int
	retransmits retransmits
	asksAgain   bool // all have prepared, and open Yes votes are validated (PrepareThenValidate)
	asksLogs    bool // votes did not arrive in time, here or at another coordinator
	done        bool
}

// votePath is the way in which one attempt's votes are gathered and its decision is sent: which
// nodes are asked, which messages count, and which nodes must know. Open chooses the
// implementation.
type votePath interface {
	// ask requests the missing votes, repeatedly too.
	ask()
	// receive handles the messages that only this vote path has.
	receive(from txn.NodeID, m *txn.Message)
	// queryDecision asks nodes other than participants that may know the decision.
	queryDecision()
	// inquire asks the participants whose logs have not answered.
	inquire()
	// share sends the decision to nodes that may be asked for it later.
	share()
	// send sends the decision to the nodes that must know it and have not acknowledged it.
	send()
	// ended: a participant's log has the decision, or the participant holds nothing and never will.
	ended(s txn.ShardID)
	// acknowledged: a node has a participant's decision durably.
	acknowledged(s txn.ShardID, by txn.NodeID)
}

// Ask requests the missing votes.
func (a *Attempt) Ask() { a.votePath.ask() }

// Receive handles a node's message about the attempt.
func (a *Attempt) Receive(from txn.NodeID, m *txn.Message) {
	switch {
	case m.NotLeader != nil:
		a.notLed(m.NotLeader)
	case m.DecideAck != nil && a.phase == deciding && !m.DecideAck.Tentative:
		a.votePath.acknowledged(m.DecideAck.Shard, from)
	case m.Vote != nil && a.phase != deciding:
		a.onVote(m.Vote)
	case m.InquireReply != nil && a.phase != deciding:
		a.onInquireReply(m.InquireReply)
	case m.DependencyDecided != nil && a.phase != deciding:
		a.onDependencyDecided(m.DependencyDecided)
	default:
		a.votePath.receive(from, m)
	}
}

// HeldBack declares, before Ask, that the leaders will vote later by this time: until then they are
// not silent.
func HeldBack(a *Attempt, by time.Duration) { a.terminateAt += by }

func (a *Attempt) onVote(v *txn.Vote) {
	switch {
	case !slices.Contains(a.Participants, v.Shard):
	case v.Yes:
		news := slices.Contains(a.tally.Missing(), v.Shard)
		assumes(a, v.Shard, v.AssumesAborted, v.PriorityAborted)
		a.voted(v.Shard, v.Proposed, v.Open, v.Doomed)
		endRefused(a)
		a.decider.Params.Rules.HitIf(a.onePhase && v.AwaitsDecision, coverage.SoleYesDecided)
		a.onePhase = a.onePhase && !v.AwaitsDecision
		if a.decider.Prepares == Sequential && a.phase == asking && news {
			a.tries = 0 // the next participant in turn was not asked before
			a.votePath.ask()
		}
		if validates(a) && a.phase == asking && news && a.tally.Unanimous() && len(a.tally.Missing()) > 0 && !a.asksAgain {
			a.decider.Params.Rules.Hit(coverage.ConfirmedAfterPrepare)
			a.asksAgain, a.tries = true, 0
			a.votePath.ask()
		}
	default:
		a.decider.Params.Rules.HitIf(a.tally.anyYes(), coverage.NoAfterYes)
		a.refused(txn.Errorf(v.Refused, "%s", v.Reason).Because(v.Cause).Of(v.Fault))
		a.noted(gaveWay(v.Cause))
		a.votePath.ended(v.Shard) // its leader will never vote otherwise, and holds nothing
		votedNo(a, v.Shard)
	}
}

func (a *Attempt) onInquireReply(m *txn.InquireReply) {
	switch m.Result {
	case txn.OutcomeYes:
		assumes(a, m.Shard, m.AssumesAborted, m.PriorityAborted)
		a.voted(m.Shard, m.Proposed, m.Open, m.Doomed)
		a.onePhase = false // its decision must be sent
	case txn.OutcomeCommitted:
		if a.decider.Prepares == NoPrepare { // one commit implies nothing about the others
			a.tally.Yes(m.Shard, m.At, false)
			break
		}
		a.tally.Learned(true, m.At)
		a.votePath.ended(m.Shard)
	case txn.OutcomeNo, txn.OutcomeAborted:
		if m.Forgot && a.onePhase {
			a.refused(txn.Errorf(txn.KindUnknown, "the agent of source %d was lost during the commit; the outcome is unknown", m.Shard))
		}
		a.tally.No()
		a.decider.Params.Rules.Hit(coverage.LogWithoutVote)
		a.votePath.ended(m.Shard)
	}
}

// onDependencyDecided handles a report that the writers of what an attempt had read at a shard are
// committed, or that one has aborted.
func (a *Attempt) onDependencyDecided(m *txn.DependencyDecided) {
	if m.Doomed {
		a.doom()
	} else {
		a.decider.Params.Rules.HitIf(a.tally.awaits(m.Shard), coverage.OpenYes)
		a.tally.DependencyDecided(m.Shard)
	}
}

// voted counts a Yes that a majority has logged.
func (a *Attempt) voted(s txn.ShardID, proposed txn.Timestamp, open, doomed bool) {
	if doomed {
		a.doom()
		return
	}
	a.tally.Yes(s, proposed, open)
}

// notLed handles a reply that a request about the attempt reached no leader.
func (a *Attempt) notLed(m *txn.NotLeader) {
	switch {
	case a.record.awaited(a):
		return // the log is awaited, and it is another attempt that writes there
	case a.phase != asking:
		a.refusedBy(m)
		return
	}
	switch p := a.prepare(m.Shard); {
	case p == nil:
	case !a.ReadOnly && p.Term != 0 && m.Term > p.Term:
		// The leader that was asked has a successor; it may have logged a vote or not.
		a.Terminate()
	default:
		a.refusedBy(m) // ask another node, or the elected leader that does not serve yet
	}
}

// refusedBy sends to a leaderless participant again well before the usual resend, but not
// immediately: a term begins with a round trip in which no node serves.
func (a *Attempt) refusedBy(m *txn.NotLeader) {
	if !slices.Contains(a.Participants, m.Shard) {
		return
	}
	w := a.decider.Env
	_, term := w.Leader(m.Shard, 0)
	again := a.retransmits.of(m.Shard).refused(w.Now().Mono, 2*a.decider.Params.TickInterval, max(term, m.Term))
	a.wakeAt = min(a.wakeAt, again)
}

// prepare is the Prepare for a participant, nil if another node sent it.
func (a *Attempt) prepare(s txn.ShardID) *txn.Prepare {
	for _, p := range a.Prepares {
		if p.Shard == s {
			return p
		}
	}
	return nil
}

// asked reports that a participant is asked for its vote.
func (a *Attempt) asked(s txn.ShardID, n txn.NodeID) {
	if a.Asked != nil {
		a.Asked.AskedFor(s, n)
	}
}

// resend sets the time of the next resend.
func (a *Attempt) resend() { a.wakeAt = a.decider.Env.Now().Mono + a.decider.Params.ResendAfter }

// Due reports whether Wake has something to do: its time has come, or a leader whose vote is
// missing has a successor, or a leaderless participant has a leader.
func (a *Attempt) Due(now time.Duration) bool {
	return now >= a.wakeAt || a.askedFormer() || a.retransmits.news(a.decider.Env)
}

// NextWake is when it is due if nothing else happens before: 0 if it is due now.
func (a *Attempt) NextWake() time.Duration {
	if a.askedFormer() || a.retransmits.news(a.decider.Env) {
		return 0
	}
	return a.wakeAt
}

// askedFormer reports whether the vote is missing of a leader that has a successor.
func (a *Attempt) askedFormer() bool {
	if a.phase != asking || a.record.awaited(a) {
		return false
	}
	for _, p := range a.Prepares {
		if p.Term == 0 {
			continue
		}
		if n, term := a.decider.Env.Leader(p.Shard, 0); n != 0 && term > p.Term && slices.Contains(a.tally.Missing(), p.Shard) {
			return true
		}
	}
	return false
}

// Wake resends unanswered messages, or asks the logs after too long.
func (a *Attempt) Wake() {
	a.retransmits.receive(a.decider.Env)
	if a.record.awaited(a) {
		a.write()
		return
	}
	a.record.logData(a)
	switch a.phase {
	case asking:
		if a.decider.Env.Now().Mono >= a.terminateAt && !a.ReadOnly {
			a.Terminate()
			return
		}
		a.votePath.ask()
	case terminating:
		a.votePath.inquire()
	case deciding:
		a.votePath.send()
	}
}

// Terminate begins to ask the logs.
func (a *Attempt) Terminate() {
	if a.phase != asking {
		return
	}
	a.decider.Params.Rules.Hit(coverage.SilenceAsksLogs)
	a.phase, a.asksLogs = terminating, true
	a.retransmits = nil
	kind := txn.EventRecoveryStarted
	if a.adopted() {
		kind = txn.EventTakesOver
	}
	a.decider.Env.NodeEvent(a.Note(kind, false))
	a.tries = 0
	if a.record != nil && a.adopted() {
		a.record.ruleFirst(a)
		return
	}
	if a.record != nil && a.record.holdsData && a.record.data == nil {
		Withdraw(a, nil) // nothing is logged yet, and no other node can commit it
		return
	}
	if validates(a) { // likewise: only the coordinator knows what the commit takes
		a.tally.No()
		return
	}
	a.votePath.queryDecision()
	a.votePath.inquire()
}

// validates reports whether sources are asked twice: those with a log of decisions.
func validates(a *Attempt) bool { return a.decider.Prepares.Validates() && a.record != nil }

func (a *Attempt) adopted() bool { return a.Prepares == nil }

// Abandon aborts an attempt of which no participant was asked anything binding: its participants
// are notified until all know it. It is called once, right after Open, in place of Ask.
func Abandon(a *Attempt) {
	a.tally.No()
	a.Take()
	a.Announce()
}

// Take returns the verdict, once, when there is one. It never changes then.
func (a *Attempt) Take() (v Verdict, at txn.Timestamp, ok bool) {
	a.propose()
	v, at = a.tally.Verdict()
	if v == Open || a.phase == deciding {
		return v, at, false
	}
	a.phase, a.retransmits = deciding, nil
	return v, at, true
}

// Announce sends the verdict that was taken to the nodes that must know it.
func (a *Attempt) Announce() {
	a.votePath.share()
	if v, _ := a.tally.Verdict(); a.ReadOnly || a.onePhase && v == Commit {
		a.done = true // the voters hold nothing, or have the decision in their logs
		return
	}
	a.votePath.send()
}

// decision is the decision's message to a participant.
func (a *Attempt) decision(s txn.ShardID) *txn.Decide {
	v, at := a.tally.Verdict()
	d := &txn.Decide{Shard: s, Attempt: a.ID, Txn: a.Txn, Commit: v == Commit, At: at}
	if d.Commit && a.record != nil {
		d.Writes = a.record.writesAt(s)
	}
	return d
}

// Verdict returns the outcome that the votes force so far; at is the commit timestamp.
func (a *Attempt) Verdict() (v Verdict, at txn.Timestamp) { return a.tally.Verdict() }

// Decided reports whether the verdict was taken, AwaitsVotes whether votes are awaited, and Done
// whether all that must know the decision do.
func (a *Attempt) Decided() bool { return a.phase == deciding }

// AwaitsVotes: see Decided.
func (a *Attempt) AwaitsVotes() bool { return a.phase == asking }

// Done: see Decided.
func (a *Attempt) Done() bool { return a.done }

// AskedLogs reports whether votes did not arrive in time, here or at another coordinator.
func (a *Attempt) AskedLogs() bool { return a.asksLogs }

// Missing lists the participants whose Yes does not count yet.
func (a *Attempt) Missing() []txn.ShardID { return a.tally.Missing() }

// Above is a timestamp above which a refused attempt could commit; 0 if it was refused for anything
// else.
func (a *Attempt) Above() txn.Timestamp { return a.tally.Above() }

// Note is an event about the attempt.
func (a *Attempt) Note(kind txn.NodeEventKind, commit bool) txn.NodeEvent {
	return txn.NodeEvent{Kind: kind, Txn: a.Txn, Attempt: a.ID, Participants: a.Participants, Commit: commit}
}
