package lab

import (
	"context"
	"sync"
	"time"
)

// RunAll runs experiments in parallel, at most atOnce at a time, and returns their results in the
// order of specs. The first error ends all of them. progress, which may be nil, receives the
// virtual time of all loads together.
func RunAll(ctx context.Context, specs []Experiment, atOnce int, progress func(done, total time.Duration)) ([]Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([]Result, len(specs))
	p := newShared(specs, progress)
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(atOnce, 1))
	for i, spec := range specs {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			r, err := Run(ctx, spec, p.of(i))
			if err != nil {
				stop(err)
			}
			results[i] = r
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return results, nil
}

// shared adds up the progress of several runs.
type shared struct {
	mu       sync.Mutex
	progress func(done, total time.Duration)
	done     []time.Duration
	total    time.Duration
}

func newShared(specs []Experiment, report func(done, total time.Duration)) *shared {
	p := &shared{progress: report, done: make([]time.Duration, len(specs))}
	for _, s := range specs {
		p.total += s.Warmup + s.Duration
	}
	return p
}

func (p *shared) of(i int) func(done, total time.Duration) {
	if p.progress == nil {
		return nil
	}
	return func(done, _ time.Duration) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done[i] = done
		sum := time.Duration(0)
		for _, d := range p.done {
			sum += d
		}
		p.progress(sum, p.total)
	}
}
