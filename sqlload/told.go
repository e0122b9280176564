package sqlload

import (
	"sync"

	"isochron/history"
)

// answered is what clients were told of changes that the database counts as well.
type answered struct {
	mu     sync.Mutex
	before int64 // the database had counted when the run began
	// What was acknowledged since, and what a client was not told of.
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

// since is what the database has counted since, and whether that can be.
func (t *answered) since(now int64) (by int64, right bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by = now - t.before
	return by, t.acknowledged <= by && by <= t.acknowledged+t.unknown
}
