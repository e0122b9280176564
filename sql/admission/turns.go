package admission

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Statements that compute for long take turns at the CPUs, so that a point read does not queue behind all of them: the Go
// scheduler has no priorities, and looks for packets late while all CPUs are busy.
const (
	// sliceLong is how long a statement computes before it takes turns, and how long a turn is if others wait for one.
	sliceLong = 5 * time.Millisecond
	// lightLong is how long after the end of a statement that took no turn others are expected, and keep half of the CPUs.
	lightLong = 200 * time.Millisecond
	// turnLost is when a turn is another's of which nothing was heard: its statement sorts, or waits for its client.
	turnLost = 50 * time.Millisecond
	// turnTick is how often who waits looks whether turns have become free, and turnWait bounds its wait: it may hold what
	// the one at work needs. One that has not begun waits for up to beginWait.
	turnTick  = 10 * time.Millisecond
	turnWait  = time.Second
	beginWait = 10 * time.Second
)

// turns divides the CPUs among statements that compute for long.
type turns struct {
	heavy atomic.Int64 // statements that take turns
	light atomic.Int64 // when one that takes none last ended, in ns of the admission; kept while some take turns

	mu    sync.Mutex
	taken []*Place // those whose turn it is
	queue []*Place // in the order of their coming
}

// turn is what a place has to do with turns.
type turn struct {
	inside bool          // a statement has begun
	slice  int64         // since when its statement computes, in ns of the admission; 0: not known
	heavy  atomic.Bool   // its statement takes turns
	worked int64         // when it last was at work; under turns.mu
	come   chan struct{} // its turn has come
}

// Work is called by a statement that computes, once a batch of rows and in its session's goroutine. It may wait for the
// statement's turn.
func (p *Place) Work(ctx context.Context) {
	now := p.admission.now()
	switch {
	case p.turn.slice == 0:
		p.turn.slice = now
	case now-p.turn.slice >= int64(sliceLong):
		p.admission.nextTurn(ctx, p, now, turnWait)
		p.turn.slice = p.admission.now()
	}
}

// WorkFor is called by a statement before it computes about so long without looking up. It may wait for the statement's turn.
func (p *Place) WorkFor(ctx context.Context, long time.Duration) {
	g := p.admission
	g.nextTurn(ctx, p, g.now(), beginWait)
	g.turns.mu.Lock()
	p.turn.worked = g.now() + int64(long)
	g.turns.mu.Unlock()
	p.turn.slice = g.now() + int64(long)
}

// endTurns gives up the statement's turn for good, or notes that one has ended which took none.
func (g *Control) endTurns(p *Place) {
	if !p.turn.inside {
		return // it has ended before
	}
	p.turn.inside, p.turn.slice = false, 0
	switch {
	case p.turn.heavy.CompareAndSwap(true, false):
		g.turns.heavy.Add(-1)
		g.turns.leave(p, g.now())
	case g.turns.heavy.Load() > 0:
		g.turns.light.Store(g.now())
	}
}

// leave gives up the turn of a statement that may come again.
func (t *turns) leave(p *Place, now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.taken, p); i >= 0 {
		t.taken = slices.Delete(t.taken, i, i+1)
		t.admit(now)
	}
}

// most is how many may compute at a time.
func (t *turns) most(now int64) int {
	cpus := runtime.GOMAXPROCS(0)
	if now-t.light.Load() < int64(lightLong) {
		return max(1, cpus/2)
	}
	return cpus
}

// admit lets those in whose turn it is. The caller holds mu.
func (t *turns) admit(now int64) {
	t.taken = slices.DeleteFunc(t.taken, func(p *Place) bool { return now-p.turn.worked > int64(turnLost) })
	for len(t.queue) > 0 && len(t.taken) < t.most(now) {
		p := t.queue[0]
		t.queue = slices.Delete(t.queue, 0, 1)
		t.take(p, now)
		p.turn.come <- struct{}{}
	}
}

func (t *turns) take(p *Place, now int64) {
	p.turn.worked = now
	t.taken = append(t.taken, p)
}

// nextTurn ends the statement's slice and waits for its next, at most so long.
func (g *Control) nextTurn(ctx context.Context, p *Place, now int64, most time.Duration) {
	t := &g.turns
	if p.turn.heavy.CompareAndSwap(false, true) {
		t.heavy.Add(1)
	}
	p.Pause() // its turn ends
	defer p.Resume()
	if !t.queued(p, now) {
		runtime.Gosched()
		return
	}
	timer := time.NewTimer(turnTick)
	defer timer.Stop()
	for waited := time.Duration(0); waited < most; waited += turnTick {
		select {
		case <-p.turn.come:
			return
		case <-timer.C:
			timer.Reset(turnTick)
			t.mu.Lock()
			t.admit(g.now())
			t.mu.Unlock()
			continue
		case <-ctx.Done():
		case <-g.closed:
		}
		break
	}
	t.withdraw(p)
}

// queued gives the statement its next turn, or has it queue; true: it is to wait.
func (t *turns) queued(p *Place, now int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.turn.come == nil {
		p.turn.come = make(chan struct{}, 1)
	}
	t.queue = append(t.queue, p)
	t.admit(now)
	select {
	case <-p.turn.come:
		return false
	default:
		return true
	}
}

// withdraw ends a wait whose turn has not come.
func (t *turns) withdraw(p *Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.queue, p); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		return
	}
	<-p.turn.come // it came meanwhile
}
