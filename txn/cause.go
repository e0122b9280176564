package txn

// Cause is the reason of a rollback as metrics count it. Clients decide by the Kind alone.
type Cause uint8

// The causes. New ones go last: nodes send them to each other.
const (
	CauseOther       Cause = iota
	CauseWound             // an older transaction took its locks
	CauseConflict          // lock conflict at the commit
	CauseValidation        // a row or range it had read was modified
	CauseWrite             // a row it would write or lock was written after its read timestamp
	CauseLockTimeout       // a lock was not granted in time; its statement alone, unless at the commit
	CauseCascade           // a transaction whose write it had read aborted
	CauseLeader            // a shard changed its leader, or recovery aborted a silent transaction
	CauseStale             // the schema changed
	CauseUnavailable       // a shard did not answer in time, or too many requests were pending
	CauseTooOld            // versions of its read timestamp were no longer kept
	CauseTooLarge          // it exceeded a bound
	CauseClient            // ROLLBACK
	CauseConnection        // its client disconnected
	CauseProtocol          // the cluster changed its protocol
	Causes                 // the number of causes
)

var causeNames = [Causes]string{
	"other", "deadlock (wound)", "conflict at commit", "validation", "written since snapshot", "lock wait timeout", "cascade",
	"leader change", "stale schema", "unavailable", "snapshot too old", "too large", "client rollback", "connection lost",
	"protocol change",
}

func (c Cause) String() string {
	if c < Causes {
		return causeNames[c]
	}
	return causeNames[CauseOther]
}

// causeOfKind returns the cause of an error that has none of its own.
func causeOfKind(k Kind) Cause {
	switch k {
	case KindLockTimeout:
		return CauseLockTimeout
	case KindStale:
		return CauseStale
	case KindUnavailable:
		return CauseUnavailable
	case KindTooOld:
		return CauseTooOld
	case KindTooLarge:
		return CauseTooLarge
	}
	return CauseOther
}

// Because sets the cause and returns e.
func (e *Error) Because(c Cause) *Error {
	e.Cause = c
	return e
}

// AbortCause returns the cause of e, derived from its Kind if e has none or one that this version does not know.
func (e *Error) AbortCause() Cause {
	if e.Cause == CauseOther || e.Cause >= Causes {
		return causeOfKind(e.Kind)
	}
	return e.Cause
}
