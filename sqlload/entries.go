package sqlload

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"isochron/history"
)

// entries are the rows of a ledger, and the outcome of each that clients received.
type entries struct {
	what     string // is entered
	lock     *sync.Mutex
	next     int64                     // the id of the next
	outcomes map[int64]history.Outcome // by id
}

func newEntries(what string) entries {
	return entries{what: what, lock: &sync.Mutex{}, outcomes: map[int64]history.Outcome{}}
}

// begin makes the ids of this run differ from those of earlier runs: they begin with the time of
// day.
func (l *entries) begin(e *Env) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.next == 0 {
		l.next = e.Begun.UnixMilli() << 20
	}
}

func (l *entries) newID() int64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.next++
	return l.next
}

func (l *entries) receive(id int64, o history.Outcome) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.outcomes[id] = o
}

// checkOutcomes compares the ids in the ledger with the outcomes that clients received.
func (l *entries) checkOutcomes(seen map[int64]bool) []string {
	l.lock.Lock()
	defer l.lock.Unlock()
	var found []string
	for _, id := range slices.Sorted(maps.Keys(l.outcomes)) {
		switch o := l.outcomes[id]; {
		case len(found) == bankWrongMax:
			return found
		case o == history.OK && !seen[id]:
			found = append(found, fmt.Sprintf("%s %d was acknowledged and is not in the ledger", l.what, id))
		case o == history.Fail && seen[id]:
			found = append(found, fmt.Sprintf("%s %d was rolled back and is in the ledger", l.what, id))
		}
	}
	return found
}
