package txn

import "fmt"

// Refusal is the reason for which a participant refuses a read or votes No. The client's
// Kind, the Cause counted in metrics and the error text are derived from it.
type Refusal struct {
	Reason         AbortReason
	ConflictingTxn ID      // the transaction it conflicts with, for reasons whose text names one
	OverwrittenBy  Version // the version that replaced a row it had read or would write, if known
}

// AbortReason is the event that made a participant refuse a transaction.
type AbortReason uint8

// The reasons.
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
	reasonCount // the number of reasons
)

// refusals maps each reason to its kind, cause and text. The cause is CauseOther where the kind suffices.
var refusals = [reasonCount]struct {
	kind  Kind
	cause Cause
	text  string // %v is ConflictingTxn
}{
	ReasonWounded:              {KindAborted, CauseWound, "wounded by an older transaction, or aborted with one whose value it had read"},
	ReasonLocksLost:            {KindAborted, CauseWound, "locks lost to an older transaction, or with the leader that granted them"},
	ReasonDeadlock:             {KindAborted, CauseWound, "deadlock with transaction %v"},
	ReasonDistributedDeadlock:  {KindAborted, CauseWound, "deadlock over several shards"},
	ReasonChainDeadlock:        {KindAborted, CauseWound, "deadlock through the commit order of a hot row"},
	ReasonLockConflict:         {KindAborted, CauseConflict, "lock conflict with transaction %v"},
	ReasonReserved:             {KindAborted, CauseConflict, "reservation conflict with multi-region transaction %v"},
	ReasonBatchConflict:        {KindAborted, CauseConflict, "conflict with an older transaction of the same prepare batch"},
	ReasonRowChanged:           {KindAborted, CauseValidation, "read validation failed: a row was modified after the transaction read it"},
	ReasonRangeChanged:         {KindAborted, CauseValidation, "read validation failed: a range was modified after the transaction read it"},
	ReasonUndecidedConflict:    {KindAborted, CauseConflict, "conflict with an undecided transaction"},
	ReasonTimestampTooLate:     {KindAborted, CauseConflict, "timestamp too low: a conflicting transaction has a later one"},
	ReasonConflict:             {KindAborted, CauseConflict, "conflict with another transaction"},
	ReasonWriteConflict:        {KindAborted, CauseWrite, "write conflict: a row was modified after the transaction's read timestamp"},
	ReasonSchemaChanged:        {KindStale, CauseOther, "a table's definition has changed"},
	ReasonReadTSTooOld:         {KindTooOld, CauseOther, "read timestamp too old: its versions may have been garbage-collected; use a later timestamp"},
	ReasonTooManySnapshotReads: {KindUnavailable, CauseOther, "too many snapshot reads are queued at the shard; retry later"},
	ReasonReadTSAhead:          {KindInvalidRequest, CauseOther, "read timestamp is hours ahead of the clock of the shard's leader"},
	ReasonReadTSNotClosed:      {KindUnavailable, CauseOther, "read timestamp not closed in time: an earlier commit is undecided, or too many snapshot reads are protected; nothing was executed"},
	ReasonNoSnapshotReads:      {KindInvalidRequest, CauseOther, "snapshot reads are not supported by protocols in which every replica validates or rows have leases"},
	ReasonNoWait:               {KindNoWait, CauseOther, "NOWAIT: the row is locked by another transaction"},
	ReasonLockTimeout:          {KindLockTimeout, CauseOther, "lock wait timeout: the lock is held by transaction %v"},
	ReasonReadTimeout:          {KindLockTimeout, CauseOther, "lock wait timeout: the writer of a row that was read remained undecided"},
	ReasonVoteTimeout:          {KindAborted, CauseLockTimeout, "prepare timeout: the writers of rows that were read remained undecided"},
	ReasonPrepareTimeout:       {KindAborted, CauseLockTimeout, "prepare timeout: locks were not granted in time or were lost"},
	ReasonChainTimeout:         {KindAborted, CauseLockTimeout, "prepare timeout: earlier transactions of a hot row did not commit in time"},
	ReasonWriterTimeout:        {KindAborted, CauseLockTimeout, "prepare timeout: a conflicting writer remained undecided"},
	ReasonChainAborted:         {KindAborted, CauseCascade, "cascading abort: a transaction whose value it had read aborted"},
	ReasonDependencyAborted:    {KindAborted, CauseCascade, "cascading abort: a writer that it depends on aborted"},
	ReasonEndedByOthers:        {KindAborted, CauseLeader, "the attempt was aborted by recovery"},
	ReasonAlreadyRefused:       {KindAborted, CauseLeader, "the attempt was refused earlier"},
	ReasonLogFull:              {KindAborted, CauseUnavailable, "the shard's log accepts no proposals now"},
	ReasonProtocolSwitched:     {KindAborted, CauseProtocol, "the cluster has switched its commit protocol since the transaction began"},
	ReasonLateArrival:          {KindAborted, CauseConflict, "received after its arrival time, behind conflicting transactions"},
	ReasonPriorityAbort:        {KindAborted, CauseConflict, "priority abort: preempted by high-priority transaction %v"},
	ReasonLeaseConflict:        {KindAborted, CauseConflict, "timestamp too low for the leases of the rows it writes, or for a table's definition"},
}

// Refusal returns the refusal for w that names no other transaction.
func (w AbortReason) Refusal() Refusal { return Refusal{Reason: w} }

// Refused reports whether r refuses.
func (r Refusal) Refused() bool { return r.Reason != NotRefused }

// Kind returns the class of error that the client gets.
func (r Refusal) Kind() Kind { return refusals[r.Reason].kind }

// Cause returns the label under which metrics count r; CauseOther if the kind suffices.
func (r Refusal) Cause() Cause { return refusals[r.Reason].cause }

// String returns the error text.
func (r Refusal) String() string {
	text := refusals[r.Reason].text
	if r.Reason.named() {
		return fmt.Sprintf(text, r.ConflictingTxn)
	}
	return text + r.OverwrittenBy.changed()
}

// changed returns the words that name the commit that replaced a row, "" if it is unknown: a
// deleted row has no version.
func (a Attempt) changed() string {
	if a.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (commit %v of node %d)", a, a.Node)
}

// Changed returns the error of a transaction that reads a row again and finds another version.
func Changed(now Version) *Error {
	return Errorf(KindAborted, "read validation failed: a row was modified after the transaction read it%s", now.changed()).Because(CauseValidation)
}

func (w AbortReason) named() bool {
	return w == ReasonDeadlock || w == ReasonLockConflict || w == ReasonReserved || w == ReasonPriorityAbort || w == ReasonLockTimeout
}

// Err returns the error that a client gets for w.
func (w AbortReason) Err() *Error {
	r := w.Refusal()
	return Errorf(r.Kind(), "%s", r).Because(r.Cause())
}
