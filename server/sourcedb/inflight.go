package sourcedb

import (
	"context"
	"sync"

	"isochron/source"
)

// inflight has the branches this driver is preparing. Finishing one of them waits for its prepare, since otherwise
// it might not be found and then appear.
type inflight struct {
	mu   sync.Mutex
	done map[source.Name]chan struct{}
}

// begin marks a branch as being prepared until end is called.
func (f *inflight) begin(n source.Name) (end func()) {
	ch := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done == nil {
		f.done = map[source.Name]chan struct{}{}
	}
	f.done[n] = ch
	return func() {
		f.mu.Lock()
		if f.done[n] == ch {
			delete(f.done, n)
		}
		f.mu.Unlock()
		close(ch)
	}
}

// wait waits until the branch is not being prepared, or ctx ends.
func (f *inflight) wait(ctx context.Context, n source.Name) error {
	f.mu.Lock()
	ch := f.done[n]
	f.mu.Unlock()
	if ch == nil {
		return nil
	}
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return interrupted(ctx)
	}
}
