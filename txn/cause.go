package txn

// Cause says why a transaction was rolled back, for whoever counts that: a client
// concludes from the Kind alone.
type Cause uint8

// The causes. New ones come last: nodes tell them to each other.
const (
	CauseOther       Cause = iota
	CauseWound             // an older transaction took its locks
	CauseConflict          // it gave way at its commit to one that holds what it needs
	CauseValidation        // what it had read has changed
	CauseWrite             // a row it would write or lock was written since its moment
	CauseLockTimeout       // a lock was not granted in time; its statement alone, unless at the commit
	CauseCascade           // what it had read was undone
	CauseLeader            // a shard changed its leader, or others ended it for its silence
	CauseStale             // the schema changed
	CauseUnavailable       // a shard did not answer in time, or too much was on its way
	CauseTooOld            // versions of its moment were not kept any more
	CauseTooLarge          // it was beyond a bound
	CauseClient            // ROLLBACK
	CauseConnection        // its client went away
	CauseProtocol          // the cluster changed its protocol
	Causes                 // how many there are
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

// causeOfKind is the cause of an error that names none.
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

// Because says why; it returns e.
func (e *Error) Because(c Cause) *Error {
	e.Cause = c
	return e
}

// AbortCause is the cause, from the Kind if none was told that is known here.
func (e *Error) AbortCause() Cause {
	if e.Cause == CauseOther || e.Cause >= Causes {
		return causeOfKind(e.Kind)
	}
	return e.Cause
}
