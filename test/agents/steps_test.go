package agents

import (
	"context"
	"fmt"
	"os"
	"sync"

	"isochron/source"
)

// The steps at which an agent stops, in the order of a commit.
const (
	executed      = "executed"       // its statements are, and no process knows
	beforePrepare = "before-prepare" // it was asked to prepare
	prepared      = "prepared"       // the branch is, and no process knows
	beforeFinish  = "before-finish"  // the decision is known to it
	finished      = "finished"       // the branch has ended, and no process knows
)

var steps = []string{executed, beforePrepare, prepared, beforeFinish, finished}

// stops is the next step at which an agent stops.
type stops struct {
	mu      sync.Mutex
	armed   string
	proceed chan struct{}
}

// arm makes the agent stop at a step, once.
func (s *stops) arm(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed, s.proceed = step, make(chan struct{})
}

// release lets it go on, and stop nowhere.
func (s *stops) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed = ""; s.proceed != nil {
		close(s.proceed)
		s.proceed = nil
	}
}

// at stops if it is to.
func (s *stops) at(step string) {
	s.mu.Lock()
	wait := s.proceed
	if s.armed != step {
		wait = nil
	} else {
		s.armed = ""
	}
	s.mu.Unlock()
	if wait != nil {
		fmt.Fprintln(os.Stdout, "at", step)
		<-wait
	}
}

// stopping is a driver that stops at steps.
type stopping struct {
	source.Driver
	stops *stops
}

func (d stopping) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	b, err := d.Driver.Begin(ctx, n, o)
	if err != nil {
		return nil, err
	}
	return stoppingBranch{b, d.stops}, nil
}

func (d stopping) Finish(ctx context.Context, n source.Name, commit bool) (bool, error) {
	d.stops.at(beforeFinish)
	found, err := d.Driver.Finish(ctx, n, commit)
	d.stops.at(finished)
	return found, err
}

type stoppingBranch struct {
	source.Branch
	stops *stops
}

func (b stoppingBranch) Execute(ctx context.Context, s source.Statement) (source.Result, error) {
	r, err := b.Branch.Execute(ctx, s)
	if s.MaxRows == lastOfAMove {
		b.stops.at(executed)
	}
	return r, err
}

func (b stoppingBranch) Prepare(ctx context.Context) error {
	b.stops.at(beforePrepare)
	err := b.Branch.Prepare(ctx)
	b.stops.at(prepared)
	return err
}

// Waits implements source.Waiting.
func (d stopping) Waits(ctx context.Context, of []source.Name) ([]source.Wait, bool, error) {
	return d.Driver.(source.Waiting).Waits(ctx, of)
}
