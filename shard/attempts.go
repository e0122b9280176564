package shard

import (
	"isochron/reveal"
	"isochron/txn"
	"isochron/yield"
)

// attempts is the knowledge of a term's leader about attempts beyond its log. It answers queries;
// its leader acts on the answers.
//
// Invariant: an attempt in refused is never voted Yes in this term.
type attempts struct {
	state *state // the state of the log
	early *reveal.Early
	bugs  *txn.InjectedBugs

	arrivals *yield.ArrivalQueue         // prepares queued until their arrival times, or waiting there
	voting   map[txn.Attempt]*votingVote // proposed, not applied
	waiting  map[txn.Attempt]*yield.Waiter
	deciding map[txn.Attempt]*decidingVote
	fencing  map[txn.Attempt][]txn.NodeID // requesters to answer when the fence is logged
	refused  *txn.ByAttempt[struct{}]     // attempts voted No in this term
	retired  map[txn.Incarnation]uint64   // from messages; prunes refused
}

type votingVote struct {
	to        []txn.NodeID // receivers of the vote
	inquirers []txn.NodeID
	id        txn.ID
	cmd       *voteCmd
	record    bool // the vote writes a record, which no reader sees before it is logged

	waitedNanos int64 // time waited for locks
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

// sawRetired drops entries of attempts below a retired mark.
func (k *attempts) sawRetired(a txn.Attempt, below uint64) {
	inc := a.Incarnation()
	if below <= k.retired[inc] {
		return
	}
	k.retired[inc] = below
	k.refused.DropBelow(txn.Attempt{Node: inc.Node, Epoch: inc.Epoch}, txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: below})
}

// refuse ensures that an attempt is never voted Yes in this term; isRefused reports whether it was called.
func (k *attempts) refuse(a txn.Attempt) { k.refused.Set(a, struct{}{}) }

func (k *attempts) isRefused(a txn.Attempt) bool {
	_, is := k.refused.Get(a)
	return is
}

// isRetired reports whether the attempt has ended at every participant.
func (k *attempts) isRetired(a txn.Attempt) bool {
	return k.state.isRetired(a) || a.Seq < k.retired[a.Incarnation()]
}

// over reports whether an attempt ended while its Prepare was in a batch, so that it must
// not be voted on: its state may have been dropped everywhere.
func (k *attempts) over(a txn.Attempt) bool { return k.isRefused(a) || k.isRetired(a) }

// undecided returns an attempt's undecided Yes, logged or being logged; nil if there is none.
func (k *attempts) undecided(a txn.Attempt) *voteCmd {
	if v := k.voting[a]; v != nil {
		return v.cmd
	}
	if p := k.state.prepared[a]; p != nil {
		return &p.voteCmd
	}
	return nil
}

// left is the state of an attempt at the leader when its decision arrives.
type left uint8

const (
	leftNothing left = iota // the log has its decision
	leftToLog               // its decision is being logged
	leftUnvoted             // it has no vote
	leftOpen                // its vote is undecided
)

// left returns the state of an attempt. If its decision is being logged, from is added to the nodes that
// get an acknowledgement when the log has it.
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

// voted handles an applied vote; v is nil if an earlier leader proposed it. answer is the Vote
// to send to the nodes in v.to.
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

// decided handles an applied decision and returns the nodes to acknowledge it to.
func (k *attempts) decided(a txn.Attempt) (to []txn.NodeID) {
	if d := k.deciding[a]; d != nil {
		to = d.to
		delete(k.deciding, a)
	}
	return to
}

// isOnePhase reports whether an attempt's vote is being logged as its commit.
func (k *attempts) isOnePhase(a txn.Attempt) bool {
	v := k.voting[a]
	return v != nil && v.cmd.OnePhase
}

// isRecord reports whether an attempt's vote is being logged as a record.
func (k *attempts) isRecord(a txn.Attempt) bool {
	v := k.voting[a]
	return v != nil && v.record
}

// conditional returns the state of a vote's dependencies: open if some are undecided, doomed if
// one has failed.
func (k *attempts) conditional(a txn.Attempt) (open, doomed bool) {
	if d := k.deciding[a]; d != nil { // decided, though not logged yet
		return false, !d.commit
	}
	open, doomed = k.early.Conditional(a)
	return open, doomed && !k.bugs.DropDependency
}

// stopWaiting cancels the wait of an attempt's prepare, if it waits.
func (k *attempts) stopWaiting(locks *yield.Table, a txn.Attempt) {
	if k.arrivals.Cancel(a) {
		k.arrivals.Freed()
	}
	if w := k.waiting[a]; w != nil {
		locks.Cancel(w)
		delete(k.waiting, a)
	}
}

// asked handles a request for an attempt's vote. known: the attempt is known here already. answered: v is
// the answer, to be sent immediately.
func (k *attempts) asked(from txn.NodeID, a txn.Attempt) (v txn.Vote, answered, known bool) {
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
		refused(&v, txn.ReasonEndedByOthers.Refusal()) // used only if it is not a Yes
		return v, true, true
	}
	if k.isRefused(a) || k.fencing[a] != nil {
		refused(&v, txn.ReasonAlreadyRefused.Refusal())
		return v, true, true
	}
	return v, false, false
}

// finding returns the state of an attempt in the log; false if the log has none.
func (k *attempts) finding(a txn.Attempt) (f txn.InquireReply, ok bool) {
	f.Attempt = a
	if p := k.state.prepared[a]; p != nil {
		f.Result, f.Proposed, f.Participants = txn.OutcomeYes, p.Proposed, p.Participants
		f.Open, f.Doomed = k.conditional(a)
		f.AssumesAborted, f.PriorityAborted = p.AssumesAborted, p.PriorityAborted
	} else if o, ok := k.state.outcomes.Get(a); ok {
		f.Result, f.At = o.Result, o.At
	} else if k.isRetired(a) {
		f.Result = txn.OutcomeNo // ended everywhere: no node acts on this any more
	} else {
		return f, false
	}
	return f, true
}

// writingSince reports whether a vote whose writes are not in the engine yet touches the rows read,
// unless it is known to precede the read timestamp. Holders of locks are waited for elsewhere: these
// are votes revealed early, and commits that are being logged.
func (k *attempts) writingSince(since txn.Timestamp, read asked) bool {
	after := func(v *voteCmd) bool {
		d := k.deciding[v.Attempt]
		before := d != nil && (!d.commit || d.at <= since) || v.OnePhase && v.Proposed <= since
		revealed := d != nil || k.early.Revealed(v.Attempt)
		return revealed && !before && read.touches(v.Writes)
	}
	for _, v := range k.voting { // order: none, any match will do
		if after(v.cmd) {
			return true
		}
	}
	for _, p := range k.state.prepared { // order: none, any match will do
		if after(&p.voteCmd) {
			return true
		}
	}
	return false
}
