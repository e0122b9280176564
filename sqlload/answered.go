package sqlload

import (
	"sync"

	"isochron/history"
)

// answered has the outcomes of changes that the database counts as well, as clients received them.
type answered struct {
	mu     sync.Mutex
	before int64 // the database had counted when the run began
	// Changes acknowledged since, and those with an unknown outcome.
	acknowledged, unknown int64
}

func (t *answered) receive(o history.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch o {
	case history.OK:
		t.acknowledged++
	case history.Unknown:
		t.unknown++
	}
}

// since returns the database's count since the start, and whether it is possible.
func (t *answered) since(now int64) (by int64, right bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by = now - t.before
	return by, t.acknowledged <= by && by <= t.acknowledged+t.unknown
}
