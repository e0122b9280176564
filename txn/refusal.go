package txn

import "fmt"

// Refusal is why a participant gives no rows, or votes No. What clients conclude from
// it, what is counted, and the text for people are made from it.
type Refusal struct {
	Why Why
	Who ID      // whom it met, where that is one
	By  Version // that has changed what it had read, where that is known
}

// Why says what happened to a transaction that is refused.
type Why uint8

// What can happen.
const (
	NotRefused Why = iota
	WhyWounded
	WhyLocksLost
	WhyDeadlock
	WhyWideDeadlock
	WhyChainDeadlock
	WhyGivesWay
	WhyReserved
	WhyLostInBatch
	WhyRowChanged
	WhyRangeChanged
	WhyUndecidedMet
	WhyStampTooLate
	WhyOtherMet
	WhyWrittenSince
	WhySchemaChanged
	WhyMomentTooOld
	WhyMomentsFull
	WhyMomentAhead
	WhyMomentNotComplete
	WhyNoMoments
	WhyLockedNoWait
	WhyLockNotGranted
	WhyNotDecidedInTime
	WhyUndecidedAtVote
	WhyWaitedAtPrepare
	WhyWaitedInChain
	WhyWaitedForWriter
	WhyChainUndone
	WhyDependencyAborted
	WhyEndedByOthers
	WhyRefusedBefore
	WhyLogFull
	WhyOtherProtocol
	WhyLate
	WhyPriority
	WhyLeaseBehind
	whys // how many there are
)

// refusals are what each means. Where the kind says enough, no cause is told.
var refusals = [whys]struct {
	kind  Kind
	cause Cause
	text  string // %v is whom it met
}{
	WhyWounded:           {KindAborted, CauseWound, "an older transaction, or one whose value it had read, ended it"},
	WhyLocksLost:         {KindAborted, CauseWound, "its locks were lost to an older transaction or with the leader that granted them"},
	WhyDeadlock:          {KindAborted, CauseWound, "it and %v wait for each other: a deadlock"},
	WhyWideDeadlock:      {KindAborted, CauseWound, "it and others wait for each other at several shards: a deadlock"},
	WhyChainDeadlock:     {KindAborted, CauseWound, "it and others waited for each other"},
	WhyGivesWay:          {KindAborted, CauseConflict, "gives way to %v, which holds what it needs"},
	WhyReserved:          {KindAborted, CauseConflict, "gives way to %v, which touches several regions and has reserved what it writes"},
	WhyLostInBatch:       {KindAborted, CauseConflict, "gives way to an older transaction of its batch"},
	WhyRowChanged:        {KindAborted, CauseValidation, "a row it read has changed since"},
	WhyRangeChanged:      {KindAborted, CauseValidation, "a range it read has changed since"},
	WhyUndecidedMet:      {KindAborted, CauseConflict, "another transaction is undecided on a row that it needs"},
	WhyStampTooLate:      {KindAborted, CauseConflict, "its timestamp came too late"},
	WhyOtherMet:          {KindAborted, CauseConflict, "it met another transaction"},
	WhyWrittenSince:      {KindAborted, CauseWrite, "a row it locks or writes was written since the moment at which it reads"},
	WhySchemaChanged:     {KindStale, CauseOther, "the definition of a table has changed"},
	WhyMomentTooOld:      {KindTooOld, CauseOther, "versions of the moment asked for may have been collected already; read at a later one"},
	WhyMomentsFull:       {KindUnavailable, CauseOther, "too many reads at a moment wait at the shard; try again"},
	WhyMomentAhead:       {KindMisuse, CauseOther, "the moment to read at lies hours ahead of the clock of the shard's leader"},
	WhyMomentNotComplete: {KindUnavailable, CauseOther, "the moment to read at was not complete in time: a commit from before it is undecided, or too many moments are held; nothing was done"},
	WhyNoMoments:         {KindMisuse, CauseOther, "reads at a moment are not offered where every replica validates for itself, nor where rows have leases"},
	WhyLockedNoWait:      {KindNoWait, CauseOther, "the row is locked by another transaction and NOWAIT was asked for"},
	WhyLockNotGranted:    {KindLockTimeout, CauseOther, "the lock was not granted in time; it is held by %v"},
	WhyNotDecidedInTime:  {KindLockTimeout, CauseOther, "what it read was not decided in time"},
	WhyUndecidedAtVote:   {KindAborted, CauseLockTimeout, "the writers of what it read were not decided in time"},
	WhyWaitedAtPrepare:   {KindAborted, CauseLockTimeout, "waited too long at its prepare, or lost its locks there"},
	WhyWaitedInChain:     {KindAborted, CauseLockTimeout, "waited too long for those before it to commit"},
	WhyWaitedForWriter:   {KindAborted, CauseLockTimeout, "waited too long for an undecided writer"},
	WhyChainUndone:       {KindAborted, CauseCascade, "one whose value it had read was undone"},
	WhyDependencyAborted: {KindAborted, CauseCascade, "a transaction whose write it had read was aborted"},
	WhyEndedByOthers:     {KindAborted, CauseLeader, "the attempt was ended by others"},
	WhyRefusedBefore:     {KindAborted, CauseLeader, "refused before"},
	WhyLogFull:           {KindAborted, CauseUnavailable, "the shard's log takes no more now"},
	WhyOtherProtocol:     {KindAborted, CauseProtocol, "the cluster has changed its protocol since the transaction began; do it again"},
	WhyLate:              {KindAborted, CauseConflict, "came after the moment for which it was stamped, behind others that it needs rows of"},
	WhyPriority:          {KindAborted, CauseConflict, "makes way for %v, which has high priority"},
	WhyLeaseBehind:       {KindAborted, CauseConflict, "its timestamp came too late for the leases of what it writes, or too early for the definition of a table"},
}

// Refusal is one in which nobody is named.
func (w Why) Refusal() Refusal { return Refusal{Why: w} }

// Refused reports whether it is one.
func (r Refusal) Refused() bool { return r.Why != NotRefused }

// Kind is what a client may conclude.
func (r Refusal) Kind() Kind { return refusals[r.Why].kind }

// Cause is for who counts; CauseOther if the kind says enough.
func (r Refusal) Cause() Cause { return refusals[r.Why].cause }

// String is for people.
func (r Refusal) String() string {
	text := refusals[r.Why].text
	if r.Why.named() {
		return fmt.Sprintf(text, r.Who)
	}
	return text + r.By.changed()
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

func (w Why) named() bool {
	return w == WhyDeadlock || w == WhyGivesWay || w == WhyReserved || w == WhyPriority || w == WhyLockNotGranted
}

// Err is such a refusal as a client hears of it.
func (w Why) Err() *Error {
	r := w.Refusal()
	return Errorf(r.Kind(), "%s", r).Because(r.Cause())
}
