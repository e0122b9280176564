package yield

import (
	"time"

	"isochron/txn"
)

// NextWake is the earliest instant at which the table has something to do by time alone:
// a wait may end (Expire), or, if chases is set, deadlocks are to be looked for
// (Suspects). While nobody waits there is none; when somebody can go on it is 0.
func (t *Table) NextWake(chases bool) time.Duration {
	switch {
	case len(t.ready)+len(t.opened) > 0:
		return 0
	case t.count == 0:
		return txn.Never
	case chases:
		return min(t.earliest, t.lookAt)
	}
	return t.earliest
}
