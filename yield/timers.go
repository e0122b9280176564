package yield

import (
	"time"

	"isochron/txn"
)

// NextWake is the earliest instant at which the table has something to do by time alone:
// a wait may end (Expire). While nobody waits there is none; when somebody can go on it is 0.
func (t *Table) NextWake() time.Duration {
	switch {
	case len(t.ready)+len(t.opened) > 0:
		return 0
	case t.count == 0:
		return txn.Never
	}
	return t.earliest
}
