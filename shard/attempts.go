package shard

import (
	"isochron/reveal"
	"isochron/txn"
	"isochron/yield"
)

// attempts is what the leader of a term knows of attempts before its log does, or beside it.
// It answers questions; what follows from the answers is its leader's to do.
//
// Invariant: whatever is in refused is never voted Yes in this term.
type attempts struct {
	state *state // what the log says
	early *reveal.Early
	bugs  *txn.InjectedBugs

	arrivals *yield.ArrivalQueue         // not asked for yet, or wait there
	voting   map[txn.Attempt]*votingVote // proposed, not applied
	waiting  map[txn.Attempt]*yield.Waiter
	deciding map[txn.Attempt]*decidingVote
	fencing  map[txn.Attempt][]txn.NodeID // who waits for a fence
	refused  *txn.ByAttempt[struct{}]     // No, in this term
	retired  map[txn.Incarnation]uint64   // seen in messages; prunes refused
}

type votingVote struct {
	to        []txn.NodeID // who hears the vote
	inquirers []txn.NodeID
	id        txn.ID
	cmd       *voteCmd
	record    bool // it writes one, which nobody reads before the log has it

	waitedNanos int64 // for locks
	waitedFor   txn.ID
}

type decidingVote struct {
	commit bool
	at     txn.Timestamp // of a commit
	to     []txn.NodeID
}

func newAttempts(s *state, early *reveal.Early, bugs *txn.InjectedBugs) attempts {
	return attempts{
		state: s, early: early, bugs: bugs,
		voting: map[txn.Attempt]*votingVote{}, waiting: map[txn.Attempt]*yield.Waiter{},
		deciding: map[txn.Attempt]*decidingVote{}, fencing: map[txn.Attempt][]txn.NodeID{},
		refused: txn.NewByAttempt[struct{}](), retired: map[txn.Incarnation]uint64{},
	}
}

// sawRetired prunes what no attempt can need any more.
func (k *attempts) sawRetired(a txn.Attempt, below uint64) {
	inc := a.Incarnation()
	if below <= k.retired[inc] {
		return
	}
	k.retired[inc] = below
	k.refused.DropBelow(txn.Attempt{Node: inc.Node, Epoch: inc.Epoch}, txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: below})
}

// refuse has an attempt never be voted Yes in this term, and isRefused reports whether one is.
func (k *attempts) refuse(a txn.Attempt) { k.refused.Set(a, struct{}{}) }

func (k *attempts) isRefused(a txn.Attempt) bool {
	_, is := k.refused.Get(a)
	return is
}

// isRetired reports whether the attempt is finished everywhere.
func (k *attempts) isRetired(a txn.Attempt) bool {
	return k.state.isRetired(a) || a.Seq < k.retired[a.Incarnation()]
}

// over reports whether an attempt has ended while its Prepare was in a batch, so
// that it must not be voted on: it may be forgotten everywhere by now.
func (k *attempts) over(a txn.Attempt) bool { return k.isRefused(a) || k.isRetired(a) }

// undecided is an attempt's Yes, logged or on its way into the log.
func (k *attempts) undecided(a txn.Attempt) *voteCmd {
	if v := k.voting[a]; v != nil {
		return v.cmd
	}
	if p := k.state.prepared[a]; p != nil {
		return &p.voteCmd
	}
	return nil
}

// left is what is left of an attempt here when its end is known.
type left uint8

const (
	leftNothing left = iota // the log has its end
	leftToLog               // its end is on its way into the log
	leftUnvoted             // there is no vote of it
	leftOpen                // its vote is undecided
)

// left tells what is left of an attempt. A node that tells of its end hears of it when its
// log has that end, if it is on its way there.
func (k *attempts) left(from txn.NodeID, a txn.Attempt) (*voteCmd, left) {
	if d := k.deciding[a]; d != nil {
		d.to = addNode(d.to, from)
		return nil, leftToLog
	}
	v := k.undecided(a)
	_, ended := k.state.outcomes.Get(a)
	switch {
	case ended || v == nil && k.isRetired(a):
		return nil, leftNothing
	case v == nil:
		return nil, leftUnvoted
	}
	return v, leftOpen
}

// voted takes in that the log has a vote, or had its end before; v is nil if that is an
// earlier leader's. The answer is for those who wait for it.
func (k *attempts) voted(e effect) (v *votingVote, answer txn.Vote) {
	if v = k.voting[e.attempt]; v == nil {
		return nil, answer
	}
	delete(k.voting, e.attempt)
	answer = txn.Vote{Attempt: e.attempt, Yes: !e.void, WaitedNanos: v.waitedNanos, WaitedFor: v.waitedFor}
	if e.void {
		refused(&answer, txn.ReasonEndedByOthers.Refusal())
		return v, answer
	}
	answer.Proposed, answer.AwaitsDecision = e.voted.Proposed, !e.voted.OnePhase
	answer.Open, answer.Doomed = k.conditional(e.attempt)
	return v, answer
}

// decided takes in that the log has the end of an attempt, and lists who is to hear of it.
func (k *attempts) decided(a txn.Attempt) (to []txn.NodeID) {
	if d := k.deciding[a]; d != nil {
		to = d.to
		delete(k.deciding, a)
	}
	return to
}

// isOnePhase reports whether an attempt's vote is on its way into the log as its commit.
func (k *attempts) isOnePhase(a txn.Attempt) bool {
	v := k.voting[a]
	return v != nil && v.cmd.OnePhase
}

// isRecord reports whether an attempt's vote is on its way into the log as a record.
func (k *attempts) isRecord(a txn.Attempt) bool {
	v := k.voting[a]
	return v != nil && v.record
}

// conditional tells how a vote stands: whether what it depends on is open, and
// whether some of it is lost.
func (k *attempts) conditional(a txn.Attempt) (open, doomed bool) {
	if d := k.deciding[a]; d != nil { // decided, though the log has not got it yet
		return false, !d.commit
	}
	open, doomed = k.early.Conditional(a)
	return open, doomed && !k.bugs.DropDependency
}

// stopWaiting cancels the wait of an attempt's vote, if it waits.
func (k *attempts) stopWaiting(locks *yield.Table, a txn.Attempt) {
	if k.arrivals.Cancel(a) {
		k.arrivals.Freed()
	}
	if w := k.waiting[a]; w != nil {
		locks.Cancel(w)
		delete(k.waiting, a)
	}
}

// asked takes in that a node asks for an attempt's vote: known, if anything is known of the
// attempt already; says, if that is to be answered at once, and v is the answer.
func (k *attempts) asked(from txn.NodeID, a txn.Attempt) (v txn.Vote, says, known bool) {
	if v := k.voting[a]; v != nil {
		v.to = addNode(v.to, from)
		return txn.Vote{}, false, true
	}
	if k.waiting[a] != nil || k.arrivals.Has(a) || k.isRetired(a) {
		return txn.Vote{}, false, true
	}
	v = txn.Vote{Attempt: a}
	if p := k.state.prepared[a]; p != nil {
		v.Yes, v.Proposed, v.AwaitsDecision = true, p.Proposed, true
		v.Open, v.Doomed = k.conditional(a)
		return v, true, true
	}
	if o, ok := k.state.outcomes.Get(a); ok {
		v.Yes, v.Proposed = o.Result == txn.OutcomeCommitted, o.At
		refused(&v, txn.ReasonEndedByOthers.Refusal()) // it counts if it is no Yes
		return v, true, true
	}
	if k.isRefused(a) || k.fencing[a] != nil {
		refused(&v, txn.ReasonAlreadyRefused.Refusal())
		return v, true, true
	}
	return v, false, false
}

// finding is what the log says of an attempt; false if it says nothing.
func (k *attempts) finding(a txn.Attempt) (f txn.InquireReply, ok bool) {
	f.Attempt = a
	if p := k.state.prepared[a]; p != nil {
		f.Result, f.Proposed, f.Participants = txn.OutcomeYes, p.Proposed, p.Participants
		f.Open, f.Doomed = k.conditional(a)
		f.AssumesAborted, f.PriorityAborted = p.AssumesAborted, p.PriorityAborted
	} else if o, ok := k.state.outcomes.Get(a); ok {
		f.Result, f.At = o.Result, o.At
	} else if k.isRetired(a) {
		f.Result = txn.OutcomeNo // finished everywhere: nobody can act on this any more
	} else {
		return f, false
	}
	return f, true
}

// writingSince reports whether a vote whose writes are not in the engine yet touches
// what is asked for, unless it is known to be from before the moment. Whoever holds
// locks is waited for as always: these are votes that were revealed early, or those
// of a commit that is on its way into the log.
func (k *attempts) writingSince(since txn.Timestamp, read asked) bool {
	after := func(v *voteCmd) bool {
		d := k.deciding[v.Attempt]
		before := d != nil && (!d.commit || d.at <= since) || v.OnePhase && v.Proposed <= since
		revealed := d != nil || k.early.Revealed(v.Attempt)
		return revealed && !before && read.touches(v.Writes)
	}
	for _, v := range k.voting { // order: none, any will do
		if after(v.cmd) {
			return true
		}
	}
	for _, p := range k.state.prepared { // order: none, any will do
		if after(&p.voteCmd) {
			return true
		}
	}
	return false
}
