package sql

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"
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

func runningDefault() int { return max(runningMin, runningPerCore*runtime.GOMAXPROCS(0)) }

// admission bounds the statements that work at a time. Statements of transactions
// that are open never wait here: others may wait for their locks. Neither does
// one that goes on after a wait inside.
type admission struct {
	limit  int64
	wait   time.Duration
	places func(func(*place)) // all there are, for the tick
	start  time.Time
	inside atomic.Int64 // places that are held
	queued atomic.Int64 // length of queue
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	queue   []*place // in the order of their coming
	ticking bool
}

// place is a session's place at the admission. The session has one statement at a time.
type place struct {
	admission *admission
	held      atomic.Bool
	entered   atomic.Int64 // when, in ns of the admission; 0: no statement is inside
	paused    atomic.Int64 // since when it waits inside; 0: it does not
	turn      chan struct{}
}

func newAdmission(limit int, places func(func(*place))) *admission {
	if limit <= 0 {
		limit = runningDefault()
	}
	return &admission{limit: int64(limit), wait: queueWait, places: places, start: time.Now(), closed: make(chan struct{})}
}

func (g *admission) now() int64 { return int64(time.Since(g.start)) + 1 }

// enter lets a statement begin; open: its transaction has begun; light: it waits for a row
// and the disk and never for a CPU, and needs no place unless others queue. The error is
// the client's, and nothing was done.
func (g *admission) enter(ctx context.Context, p *place, open, light bool) error {
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
func (g *admission) take() bool {
	for {
		n := g.inside.Load()
		if n >= g.limit {
			return false
		}
		if g.inside.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave ends a statement; more than once does no harm.
func (g *admission) leave(p *place) {
	p.entered.Store(0)
	g.give(p)
}

// give frees a place, if it is held.
func (g *admission) give(p *place) {
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
func (g *admission) admit() {
	for len(g.queue) > 0 && g.take() {
		p := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		g.queued.Add(-1)
		p.turn <- struct{}{}
	}
}

// enqueue waits for a place.
func (g *admission) enqueue(ctx context.Context, p *place) error {
	g.mu.Lock()
	if len(g.queue) >= queueMax {
		g.mu.Unlock()
		return g.busy()
	}
	if p.turn == nil {
		p.turn = make(chan struct{}, 1)
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
	case <-p.turn:
		return nil
	case <-timer.C:
		err = g.busy()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-g.closed:
		err = mysql.NewSQLError(codeShutdown, "08S01", "Server shutdown in progress")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.queue, p); i >= 0 {
		g.queue = slices.Delete(g.queue, i, i+1)
		g.queued.Add(-1)
		return err
	}
	<-p.turn // it was let in at the same moment
	return nil
}

// busy is an error that drivers and frameworks take for passing: they keep the
// connection, and may do the transaction again.
func (g *admission) busy() error {
	return mysql.NewSQLError(codeLockTimeout, "HY000", "Lock wait timeout exceeded; try restarting transaction (the node is busy: %d statements work and %d wait to begin; nothing was done)", g.inside.Load(), g.queued.Load())
}

// tick takes the places of statements that wait inside, while others queue.
func (g *admission) tick() {
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
		g.places(func(p *place) {
			entered, paused := p.entered.Load(), p.paused.Load()
			if paused != 0 && now-paused > int64(pauseLong) || entered != 0 && now-entered > int64(placeLong) {
				g.give(p)
			}
		})
	}
}

// close lets go whoever queues.
func (g *admission) close() { g.once.Do(func() { close(g.closed) }) }

// pause says that the statement waits for something else than a CPU.
func (p *place) pause() {
	if p.entered.Load() != 0 {
		p.paused.Store(p.admission.now())
	}
}

// resume ends a pause. Who has given its place takes it again without waiting:
// others may wait for what it has locked.
func (p *place) resume() {
	p.paused.Store(0)
	if p.entered.Load() != 0 && p.held.CompareAndSwap(false, true) {
		p.admission.inside.Add(1)
	}
}

// places calls f with the place of every session.
func (g *gateway) places(f func(*place)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions { // order: each by itself
		f(&s.place)
	}
}
