package txn

import "fmt"

// Refusal is why a participant gives no rows, or votes No. What clients conclude from
// it, what is counted, and the text for people are made from it.
type Refusal struct {
	Reason         AbortReason
	ConflictingTxn ID      // whom it met, where that is one
	OverwrittenBy  Version // that has changed what it had read, where that is known
}

// AbortReason says what happened to a transaction that is refused.
type AbortReason uint8

// What can happen.
const (
	NotRefused AbortReason = iota
	ReasonWounded
	ReasonLocksLost
	ReasonDeadlock
	ReasonDistributedDeadlock
	ReasonChainDeadlock
	ReasonLockConflict
	ReasonReserved
	ReasonBatchConflict
	ReasonRowChanged
	ReasonRangeChanged
	ReasonUndecidedConflict
	ReasonTimestampTooLate
	ReasonConflict
	ReasonWriteConflict
	ReasonSchemaChanged
	ReasonReadTSTooOld
	ReasonTooManySnapshotReads
	ReasonReadTSAhead
	ReasonReadTSNotClosed
	ReasonNoSnapshotReads
	ReasonNoWait
	ReasonLockTimeout
	ReasonReadTimeout
	ReasonVoteTimeout
	ReasonPrepareTimeout
	ReasonChainTimeout
	ReasonWriterTimeout
	ReasonChainAborted
	ReasonDependencyAborted
	ReasonEndedByOthers
	ReasonAlreadyRefused
	ReasonLogFull
	ReasonProtocolSwitched
	ReasonLateArrival
	ReasonPriorityAbort
	ReasonLeaseConflict
	whys // how many there are
)

// refusals are what each means. Where the kind says enough, no cause is told.
var refusals = [whys]struct {
	kind  Kind
	cause Cause
	text  string // %v is whom it met
}{
	ReasonWounded:              {KindAborted, CauseWound, "an older transaction, or one whose value it had read, ended it"},
	ReasonLocksLost:            {KindAborted, CauseWound, "its locks were lost to an older transaction or with the leader that granted them"},
	ReasonDeadlock:             {KindAborted, CauseWound, "it and %v wait for each other: a deadlock"},
	ReasonDistributedDeadlock:  {KindAborted, CauseWound, "it and others wait for each other at several shards: a deadlock"},
	ReasonChainDeadlock:        {KindAborted, CauseWound, "it and others waited for each other"},
	ReasonLockConflict:         {KindAborted, CauseConflict, "gives way to %v, which holds what it needs"},
	ReasonReserved:             {KindAborted, CauseConflict, "gives way to %v, which touches several regions and has reserved what it writes"},
	ReasonBatchConflict:        {KindAborted, CauseConflict, "gives way to an older transaction of its batch"},
	ReasonRowChanged:           {KindAborted, CauseValidation, "a row it read has changed since"},
	ReasonRangeChanged:         {KindAborted, CauseValidation, "a range it read has changed since"},
	ReasonUndecidedConflict:    {KindAborted, CauseConflict, "another transaction is undecided on a row that it needs"},
	ReasonTimestampTooLate:     {KindAborted, CauseConflict, "its timestamp came too late"},
	ReasonConflict:             {KindAborted, CauseConflict, "it met another transaction"},
	ReasonWriteConflict:        {KindAborted, CauseWrite, "a row it locks or writes was written since the moment at which it reads"},
	ReasonSchemaChanged:        {KindStale, CauseOther, "the definition of a table has changed"},
	ReasonReadTSTooOld:         {KindTooOld, CauseOther, "versions of the moment asked for may have been collected already; read at a later one"},
	ReasonTooManySnapshotReads: {KindUnavailable, CauseOther, "too many reads at a moment wait at the shard; try again"},
	ReasonReadTSAhead:          {KindInvalidRequest, CauseOther, "the moment to read at lies hours ahead of the clock of the shard's leader"},
	ReasonReadTSNotClosed:      {KindUnavailable, CauseOther, "the moment to read at was not complete in time: a commit from before it is undecided, or too many moments are held; nothing was done"},
	ReasonNoSnapshotReads:      {KindInvalidRequest, CauseOther, "reads at a moment are not offered where every replica validates for itself, nor where rows have leases"},
	ReasonNoWait:               {KindNoWait, CauseOther, "the row is locked by another transaction and NOWAIT was asked for"},
	ReasonLockTimeout:          {KindLockTimeout, CauseOther, "the lock was not granted in time; it is held by %v"},
	ReasonReadTimeout:          {KindLockTimeout, CauseOther, "what it read was not decided in time"},
	ReasonVoteTimeout:          {KindAborted, CauseLockTimeout, "the writers of what it read were not decided in time"},
	ReasonPrepareTimeout:       {KindAborted, CauseLockTimeout, "waited too long at its prepare, or lost its locks there"},
	ReasonChainTimeout:         {KindAborted, CauseLockTimeout, "waited too long for those before it to commit"},
	ReasonWriterTimeout:        {KindAborted, CauseLockTimeout, "waited too long for an undecided writer"},
	ReasonChainAborted:         {KindAborted, CauseCascade, "one whose value it had read was undone"},
	ReasonDependencyAborted:    {KindAborted, CauseCascade, "a transaction whose write it had read was aborted"},
	ReasonEndedByOthers:        {KindAborted, CauseLeader, "the attempt was ended by others"},
	ReasonAlreadyRefused:       {KindAborted, CauseLeader, "refused before"},
	ReasonLogFull:              {KindAborted, CauseUnavailable, "the shard's log takes no more now"},
	ReasonProtocolSwitched:     {KindAborted, CauseProtocol, "the cluster has changed its protocol since the transaction began; do it again"},
	ReasonLateArrival:          {KindAborted, CauseConflict, "came after the moment for which it was stamped, behind others that it needs rows of"},
	ReasonPriorityAbort:        {KindAborted, CauseConflict, "makes way for %v, which has high priority"},
	ReasonLeaseConflict:        {KindAborted, CauseConflict, "its timestamp came too late for the leases of what it writes, or too early for the definition of a table"},
}

// Refusal is one in which nobody is named.
func (w AbortReason) Refusal() Refusal { return Refusal{Reason: w} }

// Refused reports whether it is one.
func (r Refusal) Refused() bool { return r.Reason != NotRefused }

// Kind is what a client may conclude.
func (r Refusal) Kind() Kind { return refusals[r.Reason].kind }

// Cause is for who counts; CauseOther if the kind says enough.
func (r Refusal) Cause() Cause { return refusals[r.Reason].cause }

// String is for people.
func (r Refusal) String() string {
	text := refusals[r.Reason].text
	if r.Reason.named() {
		return fmt.Sprintf(text, r.ConflictingTxn)
	}
	return text + r.OverwrittenBy.changed()
}

// changed says who has changed a row, if that is known: a deletion does not tell.
func (a Attempt) changed() string {
	if a.IsZero() {
		return ""
	}
	return fmt.Sprintf(" by commit %v of node %d", a, a.Node)
}

// Changed is why a transaction is over that reads a row anew and finds another version.
func Changed(now Version) *Error {
	return Errorf(KindAborted, "a row it had read has changed since%s", now.changed()).Because(CauseValidation)
}

func (w AbortReason) named() bool {
	return w == ReasonDeadlock || w == ReasonLockConflict || w == ReasonReserved || w == ReasonPriorityAbort || w == ReasonLockTimeout
}

// Err is such a refusal as a client hears of it.
func (w AbortReason) Err() *Error {
	r := w.Refusal()
	return Errorf(r.Kind(), "%s", r).Because(r.Cause())
}
