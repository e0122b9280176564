package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"isochron/history"
)

// Plan specifies a run of a workload.
type Plan struct {
	Name     string
	Clients  int
	For      time.Duration // 0: until ctx ends
	Warmup   time.Duration // goes before For, and is no part of the figures
	Progress io.Writer     // a line a second, a table every ten
	Begun    func()        // may be nil; called when the clients are about to work
}

// runTriesMax bounds the tries of one transaction: then the client gives it up, counts it, and
// continues with another.
const runTriesMax = 100

// Run lets clients work until the time is over or ctx ends. It returns early with the first
// unexpected error, and the report so far.
func Run(ctx context.Context, e *Env, w Workload, p Plan) (*Report, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if s, ok := w.(Starter); ok {
		if err := s.Start(ctx, e); err != nil {
			return nil, fmt.Errorf("%s cannot be started: %w", p.Name, err)
		}
	}
	e.Begun = time.Now()
	if p.Begun != nil {
		p.Begun()
	}
	timed := ctx
	if p.For > 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithTimeout(ctx, p.Warmup+p.For)
		defer cancel()
	}
	m := newMeter()
	clients, err := employ(e, w, m, p.Clients)
	if err != nil {
		return nil, err
	}
	defer m.watchTime(timed, e.Begun, p.Warmup)()
	var wg sync.WaitGroup
	var first error
	var once sync.Once
	for i, c := range clients {
		wg.Go(func() {
			if err := c.work(timed); err != nil {
				once.Do(func() { first = fmt.Errorf("client %d: %w", i, err) })
				stop(err)
			}
		})
	}
	watched := make(chan struct{})
	go func() { defer close(watched); watch(timed, m, e.Begun, p.Progress) }()
	wg.Wait()
	elapsed := e.since()
	stop(nil)
	<-watched
	r := m.report(elapsed) // of the time until it was over, however long the last took
	r.Workload, r.Clients = p.Name, p.Clients
	if f, ok := w.(Finisher); ok && first == nil {
		first = f.Finish(context.WithoutCancel(ctx), e)
	}
	return r, first
}

// employ makes the clients.
func employ(e *Env, w Workload, m *meter, n int) (clients []*worker, err error) {
	for i := range n {
		c, err := w.Client(e, i, rand.New(rand.NewPCG(e.Seed, uint64(i))))
		if err != nil {
			return nil, err
		}
		clients = append(clients, &worker{env: e, client: c, meter: m, at: i % len(e.DBs)})
	}
	return clients, nil
}

// watchTime ends the warm-up and the measured time of the meter, until done is called.
func (m *meter) watchTime(timed context.Context, begun time.Time, warmup time.Duration) (done func()) {
	unwatch := context.AfterFunc(timed, func() { m.over(time.Since(begun)) })
	if warmup <= 0 {
		return func() { unwatch() }
	}
	timer := time.AfterFunc(warmup, func() { m.warm(time.Since(begun)) })
	return func() { unwatch(); timer.Stop() }
}

// worker is one active client.
type worker struct {
	env    *Env
	client Client
	meter  *meter
	at     int // the address it works at
	// conn is the client's own connection: a server may let an aborted transaction keep its age
	// when it is retried on the same one.
	conn *sql.Conn
}

// try runs a body once, on the client's connection; ran is false if there was no connection.
func (w *worker) try(ctx context.Context, t Txn) (v verdict, o history.Outcome, ran bool, err error) {
	if w.conn == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		conn, err := w.env.DBs[w.at].Conn(ctx)
		if err != nil {
			v = judge(err, false)
			return v, v.outcome(false), false, err
		}
		w.conn = conn
	}
	if t.Own != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err := t.Own(ctx, w.conn)
		v = judge(err, false)
		return v, v.outcome(false), true, err
	}
	v, o, err = try(ctx, w.conn, func(ctx context.Context, tx *sql.Tx) error {
		ran = true
		return t.Body(ctx, tx)
	})
	return v, o, ran, err
}

func (w *worker) work(ctx context.Context) error {
	defer w.leave()
	for ctx.Err() == nil {
		if err := w.one(ctx, w.client.Next()); err != nil {
			return err
		}
	}
	return nil
}

// one runs one transaction, again in a new one each time it is not done.
func (w *worker) one(ctx context.Context, t Txn) error {
	begun := time.Now()
	end := func(tries int, field func(*Figures) *int64) {
		w.meter.end(t.Kind, time.Since(begun), tries, field)
	}
	for n := 1; n <= runTriesMax; n++ {
		tried := w.env.since()
		v, outcome, ran, err := w.try(ctx, t)
		if t.After != nil && ran {
			t.After(Try{outcome, tried, w.env.since(), err})
		}
		switch v {
		case committed:
			end(n, func(f *Figures) *int64 { return &f.Commits })
			return nil
		case rolledBack:
			end(n, func(f *Figures) *int64 { return &f.Rollbacks })
			return nil
		case unknown:
			end(n, func(f *Figures) *int64 { return &f.Unknown })
			w.move()
			return nil
		case lost:
			w.meter.lose(t.Kind, func(f *Figures) *int64 { return &f.Aborts })
		case cut:
			w.meter.lose(t.Kind, func(f *Figures) *int64 { return &f.Disconnect })
			w.move()
		default:
			return fmt.Errorf("%s: %w", t.Kind, err)
		}
		// The first retry is immediate: the winner has ended by then.
		if n > 2 && pause(ctx, n-2) != nil || ctx.Err() != nil {
			end(n, func(f *Figures) *int64 { return &f.Unfinished })
			return nil // the run is over
		}
	}
	end(runTriesMax, func(f *Figures) *int64 { return &f.GaveUp })
	return nil
}

// move switches to the next address.
func (w *worker) move() {
	w.leave()
	w.at = (w.at + 1) % len(w.env.DBs)
}

// leave returns the connection; the pool drops it if it is broken, and the error of a broken one is
// no news.
func (w *worker) leave() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// watch prints the progress, until ctx ends.
func watch(ctx context.Context, m *meter, begun time.Time, out io.Writer) {
	if out == nil {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var before Figures
	for second := 1; ; second++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r := m.report(time.Since(begun))
		now := r.Total
		if now.Commits < before.Commits {
			before = Figures{} // the warm-up is over
		}
		fmt.Fprintf(out, "%4d s  %6d commits/s  %5d aborts/s  %d unknown  %d cut  p50 %.2f ms  p99 %.2f ms\n", second,
			now.Commits-before.Commits, now.Aborts-before.Aborts, now.Unknown, now.Disconnect, now.LatencyMS.P50, now.LatencyMS.P99)
		before = now
		if second%10 == 0 {
			r.Print(out)
		}
	}
}

// Judge checks the database after a run, or by itself with run nil.
func Judge(ctx context.Context, e *Env, w Workload, run *Report) ([]string, error) {
	err := catchUp(ctx, e.DB())
	var found []string
	if err == nil {
		found, err = w.Check(ctx, e, run)
	}
	if err != nil {
		return nil, fmt.Errorf("the check could not be made: %w", err)
	}
	if run != nil {
		run.Violations = append(run.Violations, found...)
	}
	return found, nil
}

// ErrViolations is a database that violated its guarantees.
var ErrViolations = errors.New("the check found violations")
