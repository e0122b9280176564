package source

import (
	"time"

	"isochron/participant"
	"isochron/txn"
)

// replySender is how an agent speaks to those who have asked.
type replySender struct {
	env  participant.Env
	id   txn.ShardID
	term uint64

	counts tally
}

func (v *replySender) now() time.Duration { return v.env.Now().Mono }

func (v *replySender) trace(format string, args ...any) { v.env.Trace(format, args...) }

// send sends to a gateway, or to the coordinator of whichever node has asked.
func (v *replySender) send(n txn.NodeID, m txn.Message) { v.env.Send(txn.Coordinator(n), m) }

// vote says Yes. awaits: the decision is to follow.
func (v *replySender) vote(to txn.NodeID, a txn.Attempt, awaits bool) {
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Yes: true, AwaitsDecision: awaits}})
}

// voteYes says Yes for a branch that is prepared: an open one, if what it has read is to be looked
// at again when all of the transaction is prepared.
func (v *replySender) voteYes(to txn.NodeID, b *branch) {
	open := b.reads != nil && !b.checked && b.reads.unchecked()
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: b.name.Attempt, Yes: true, AwaitsDecision: true, Open: open}})
}

func (v *replySender) voteNo(to txn.NodeID, a txn.Attempt, reason string, f *txn.Fault, cause txn.Cause) {
	v.counts.refused(cause)
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Refused: txn.KindAborted, Reason: reason, Fault: f, Cause: cause}})
}

// brokeInCommit is what is said of a commit in one phase of which nobody knows.
const brokeInCommit = "the connection to the source broke in the commit: it may or may not have happened"

// inCommit says how a commit in one phase failed of which nobody knows.
func inCommit(err *Error) string {
	if err.Code == txn.FaultNotReached {
		return err.Text + ", and the commit may or may not have happened"
	}
	return brokeInCommit
}

// voteUnknown answers who has asked for a commit in one phase of which nobody knows.
func (v *replySender) voteUnknown(to txn.NodeID, a txn.Attempt, reason string, f *txn.Fault) {
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Refused: txn.KindUnknown, Fault: f,
		Reason: reason}})
}

// found answers who inquires. What ended without anybody knowing how is answered as forgotten.
func (v *replySender) found(to txn.NodeID, a txn.Attempt, how txn.Outcome) {
	f := &txn.InquireReply{Shard: v.id, Attempt: a, Result: how}
	switch how {
	case txn.OutcomeNone:
		f.Result, f.Forgot = txn.OutcomeNo, true
	case txn.OutcomeYes:
		f.Participants = []txn.ShardID{v.id}
	}
	v.send(to, txn.Message{InquireReply: f})
}

func (v *replySender) refuse(to txn.NodeID, request uint64, kind txn.Kind, reason string, f *txn.Fault, cause txn.Cause) {
	v.counts.refused(cause)
	r := &txn.AccessReply{Shard: v.id, Request: request, Term: v.term, Refused: kind, Reason: reason, Cause: cause}
	if f != nil {
		r.Batch = &txn.BatchResult{Fault: f}
	}
	v.send(to, txn.Message{AccessReply: r})
}
