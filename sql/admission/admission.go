package admission

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// The bounds of statements at work. A statement that works wants a CPU; many
// more of them than there are CPUs only wait inside instead of outside, with
// memory and locks in their hands. Far fewer would cost: the node's loop takes its
// requests in batches, and who queues is woken once more.
const (
	runningPerCore = 64
	runningMin     = 128
	// queueMax statements wait to begin, and at most queueWait.
	queueMax  = 8192
	queueWait = 10 * time.Second
	// pauseLong is how long a statement may wait for its reads, its locks or its
	// commit before it gives its place to another; only asked while others queue.
	pauseLong = 5 * time.Millisecond
	// placeLong is the same for a statement of which it is not known that it waits.
	placeLong = time.Second
	// admissionTick is how often that is looked at while others queue.
	admissionTick = 2 * time.Millisecond
)

// The numbers of what a client is answered that was not let in.
const (
	codeBusy   = 1205
	codeClosed = 1053
)

func runningDefault() int { return max(runningMin, runningPerCore*runtime.GOMAXPROCS(0)) }

// Control bounds the statements that work at a time. Statements of transactions
// that are open never wait here: others may wait for their locks. Neither does
// one that goes on after a wait inside.
type Control struct {
	limit  atomic.Int64
	wait   time.Duration
	places func(func(*Place)) // all there are, for the tick
	start  time.Time
	inside atomic.Int64 // places that are held
	queued atomic.Int64 // length of queue
	closed chan struct{}
	once   sync.Once
	turns  turns

	mu      sync.Mutex
	queue   []*Place // in the order of their coming
	ticking bool
}

// Place is a session's place at the admission. The session has one statement at a time.
type Place struct {
	admission *Control
	held      atomic.Bool
	entered   atomic.Int64 // when, in ns of the admission; 0: no statement is inside
	paused    atomic.Int64 // since when it waits inside; 0: it does not
	admitted  chan struct{}
	turn      turn
}

func New(limit int, places func(func(*Place))) *Control {
	if limit <= 0 {
		limit = runningDefault()
	}
	g := &Control{wait: queueWait, places: places, start: time.Now(), closed: make(chan struct{})}
	g.limit.Store(int64(limit))
	return g
}

func (g *Control) now() int64 { return int64(time.Since(g.start)) + 1 }

// Enter lets a statement begin; open: its transaction has begun; light: it waits for a row
// and the disk and never for a CPU, and needs no place unless others queue. The error is
// the client's, and nothing was done.
func (g *Control) Enter(ctx context.Context, p *Place, open, light bool) error {
	p.turn.inside = true
	switch {
	case light && g.queued.Load() == 0:
		return nil
	case open:
		g.inside.Add(1)
	case g.queued.Load() == 0 && g.take():
	default:
		if err := g.enqueue(ctx, p); err != nil {
			return err
		}
	}
	p.entered.Store(g.now())
	p.held.Store(true)
	return nil
}

// take takes a place if one is free.
func (g *Control) take() bool {
	for {
		n := g.inside.Load()
		if n >= g.limit.Load() {
			return false
		}
		if g.inside.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Leave ends a statement; more than once does no harm.
func (g *Control) Leave(p *Place) {
	p.entered.Store(0)
	g.endTurns(p)
	g.give(p)
}

// give frees a place, if it is held.
func (g *Control) give(p *Place) {
	if p.held.CompareAndSwap(true, false) {
		g.inside.Add(-1)
		if g.queued.Load() > 0 {
			g.mu.Lock()
			g.admit()
			g.mu.Unlock()
		}
	}
}

// admit lets in as many as there are places for. The caller holds mu.
func (g *Control) admit() {
	for len(g.queue) > 0 && g.take() {
		p := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		g.queued.Add(-1)
		p.admitted <- struct{}{}
	}
}

// enqueue waits for a place.
func (g *Control) enqueue(ctx context.Context, p *Place) error {
	g.mu.Lock()
	if len(g.queue) >= queueMax {
		g.mu.Unlock()
		return g.busy()
	}
	if p.admitted == nil {
		p.admitted = make(chan struct{}, 1)
	}
	g.queue = append(g.queue, p)
	g.queued.Add(1)
	g.admit()
	if !g.ticking && len(g.queue) > 0 {
		g.ticking = true
		go g.tick()
	}
	g.mu.Unlock()
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	err := error(nil)
	select {
	case <-p.admitted:
		return nil
	case <-timer.C:
		err = g.busy()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-g.closed:
		err = sqlerror.NewSQLErrorf(codeClosed, "08S01", "Server shutdown in progress")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queue, p); i >= 0 {
		g.queue = slices.Delete(g.queue, i, i+1)
		g.queued.Add(-1)
		return err
	}
	<-p.admitted // it was let in at the same moment
	return nil
}

// busy is an error that drivers and frameworks take for passing: they keep the
// connection, and may do the transaction again.
func (g *Control) busy() error {
	return sqlerror.NewSQLErrorf(codeBusy, "HY000", "Lock wait timeout exceeded; try restarting transaction (the node is busy: %d statements work and %d wait to begin; nothing was done)", g.inside.Load(), g.queued.Load())
}

// tick takes the places of statements that wait inside, while others queue.
func (g *Control) tick() {
	ticker := time.NewTicker(admissionTick)
	defer ticker.Stop()
	for {
		<-ticker.C
		g.mu.Lock()
		if len(g.queue) == 0 {
			g.ticking = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		now := g.now()
		g.places(func(p *Place) {
			entered, paused := p.entered.Load(), p.paused.Load()
			if paused != 0 && now-paused > int64(pauseLong) || entered != 0 && now-entered > int64(placeLong) {
				g.give(p)
			}
		})
	}
}

// Working are the statements that work, queued those that wait to begin.
func (g *Control) Working() (working, queued int64) { return g.inside.Load(), g.queued.Load() }

// Bound has so many statements work at a time from now on, and returns how many it were.
func (g *Control) Bound(limit int64) (before int64) {
	before = g.limit.Swap(limit)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.admit()
	return before
}

// Occupy has all places be taken and one more statement queue, until free is called once: so tests
// see what waits then.
func (g *Control) Occupy() (free func()) {
	n := g.limit.Load()
	g.inside.Add(n)
	g.queued.Add(1)
	return func() {
		g.inside.Add(-n)
		g.queued.Add(-1)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.admit()
	}
}

// Done is closed when no further statement is admitted.
func (g *Control) Done() <-chan struct{} { return g.closed }

// Close releases the statements in the queue.
func (g *Control) Close() { g.once.Do(func() { close(g.closed) }) }

// Join has a place be one at an admission. It is called before any statement.
func (p *Place) Join(g *Control) { p.admission = g }

// Yield gives the place to another: the statement waits for a row and the disk, never for a CPU.
func (p *Place) Yield() { p.admission.give(p) }

// Pause says that the statement waits for something else than a CPU.
func (p *Place) Pause() {
	if p.entered.Load() != 0 {
		p.paused.Store(p.admission.now())
	}
	if p.turn.heavy.Load() {
		p.admission.turns.leave(p, p.admission.now())
	}
}

// Resume ends a pause. A statement that has given up its place takes it again without waiting:
// others may wait for what it has locked.
func (p *Place) Resume() {
	p.paused.Store(0)
	if p.entered.Load() != 0 && p.held.CompareAndSwap(false, true) {
		p.admission.inside.Add(1)
	}
}

// Backoff waits before the next try of what has failed; false if it was cut short, or
// the client or the server wants no more of it.
func (p *Place) Backoff(ctx context.Context, wait time.Duration) bool {
	p.Pause()
	defer p.Resume()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-p.admission.closed:
	}
	return false
}
