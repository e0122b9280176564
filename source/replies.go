package source

import (
	"time"

	"isochron/participant"
	"isochron/txn"
)

// replySender sends an agent's replies.
type replySender struct {
	env  participant.Env
	id   txn.ShardID
	term uint64

	counts tally
}

func (v *replySender) now() time.Duration { return v.env.Now().Mono }

func (v *replySender) trace(format string, args ...any) { v.env.Trace(format, args...) }

// send sends to a node's coordinator: the gateway, or another node that inquires.
func (v *replySender) send(n txn.NodeID, m txn.Message) { v.env.Send(txn.Coordinator(n), m) }

// vote sends a Yes. awaits: a decision follows.
func (v *replySender) vote(to txn.NodeID, a txn.Attempt, awaits bool) {
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Yes: true, AwaitsDecision: awaits}})
}

// voteYes sends a prepared branch's Yes: an open one, if its reads must be validated once all of the
// transaction is prepared.
func (v *replySender) voteYes(to txn.NodeID, b *branch) {
	open := b.reads != nil && !b.checked && b.reads.unchecked()
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: b.name.Attempt, Yes: true, AwaitsDecision: true, Open: open}})
}

func (v *replySender) voteNo(to txn.NodeID, a txn.Attempt, reason string, f *txn.Fault, cause txn.Cause) {
	v.counts.refused(cause)
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Refused: txn.KindAborted, Reason: reason, Fault: f, Cause: cause}})
}

// brokeInCommit is the reason sent when the outcome of a one-phase commit is unknown.
const brokeInCommit = "the connection to the source broke in the commit: it may or may not have happened"

// inCommit returns the reason for an unknown outcome of a one-phase commit.
func inCommit(err *Error) string {
	if err.Code == txn.FaultNotReached {
		return err.Text + ", and the commit may or may not have happened"
	}
	return brokeInCommit
}

// voteUnknown replies that the outcome of a one-phase commit is unknown.
func (v *replySender) voteUnknown(to txn.NodeID, a txn.Attempt, reason string, f *txn.Fault) {
	v.send(to, txn.Message{Vote: &txn.Vote{Shard: v.id, Attempt: a, Refused: txn.KindUnknown, Fault: f,
		Reason: reason}})
}

// found replies to an Inquire. An unknown outcome is reported as such.
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
