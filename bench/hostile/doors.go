package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// doorsReport is the memory left behind by connections without a login, in megabytes.
type doorsReport struct {
	Connects       int     `json:"connects"`
	WarmUp         int     `json:"warm_up"`
	HeapBefore     float64 `json:"heap_before_mb"` // what lives, after a collection
	HeapAfter      float64 `json:"heap_after_mb"`
	ResidentBefore float64 `json:"resident_before_mb"`
	ResidentAfter  float64 `json:"resident_after_mb"`
	Seconds        float64 `json:"seconds"`
}

// crowdReport is the time of logins beside idle connections that never log in.
type crowdReport struct {
	Sockets int     `json:"sockets"`
	Logins  int     `json:"logins"`
	Median  float64 `json:"median_ms"`
	Worst   float64 `json:"worst_ms"`
}

// Bounds of what connections may leave behind, and how they are made.
const (
	grownMaxMB = 5
	warmUp     = 5000
	knockers   = 3
	crowdTries = 20 // of each user
)

// knock connects without a login, again and again.
func (b *bench) knock(ctx context.Context) error {
	d := &doorsReport{Connects: b.connects, WarmUp: warmUp}
	b.report.Doors = d
	b.log("%d connections without a login to warm up", warmUp)
	if err := b.knocks(ctx, warmUp); err != nil {
		return err
	}
	var err error
	if d.HeapBefore, d.ResidentBefore, err = b.settled(ctx); err != nil {
		return err
	}
	begun := time.Now()
	if err := b.knocks(ctx, b.connects); err != nil {
		return err
	}
	d.Seconds = time.Since(begun).Seconds()
	if d.HeapAfter, d.ResidentAfter, err = b.settled(ctx); err != nil {
		return err
	}
	if d.HeapAfter-d.HeapBefore > grownMaxMB {
		b.report.broken("%d connections without a login left %.1f MB on the heap", d.Connects, d.HeapAfter-d.HeapBefore)
	}
	if d.ResidentAfter-d.ResidentBefore > grownMaxMB {
		b.report.broken("%d connections without a login left %.1f MB in memory", d.Connects, d.ResidentAfter-d.ResidentBefore)
	}
	return b.lives()
}

func (b *bench) lives() error {
	err := b.cluster.Nodes[0].Strayed()
	b.report.Alive = err == nil
	_, peak := resident(b.cluster.Nodes[0].PID())
	b.report.PeakMB = max(b.report.PeakMB, float64(peak)/(1<<20))
	return err
}

// knocks connects and disconnects n times, some in parallel.
func (b *bench) knocks(ctx context.Context, n int) error {
	var next, failed atomic.Int64
	var first atomic.Pointer[error]
	var wg sync.WaitGroup
	for range knockers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n) && ctx.Err() == nil; i = next.Add(1) {
				if err := knock(b.cluster.Nodes[0].SQL, int(i)); err != nil {
					failed.Add(1)
					first.CompareAndSwap(nil, &err)
				}
				if i%20_000 == 0 {
					now, _ := resident(b.cluster.Nodes[0].PID())
					b.log("  %d connections, %d MB resident", i, now>>20)
				}
			}
		})
	}
	wg.Wait()
	if err := first.Load(); err != nil && failed.Load() > int64(n)/100 {
		return fmt.Errorf("%d of %d connections could not be made: %w", failed.Load(), n, *err)
	}
	return ctx.Err()
}

// collections are requested before the memory is read: a page is returned to the system some time
// after its content is freed.
const (
	collections = 5
	settleWait  = 3 * time.Second
)

// settled returns the memory of the attacked node after its garbage is collected, in megabytes.
func (b *bench) settled(ctx context.Context) (heap, now float64, err error) {
	for range collections {
		select {
		case <-time.After(settleWait):
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
		if _, err := b.get(ctx, "/debug/pprof/heap?gc=1"); err != nil {
			return 0, 0, err
		}
	}
	metrics, err := b.get(ctx, "/metrics")
	if err != nil {
		return 0, 0, err
	}
	found := false
	for line := range strings.Lines(metrics) {
		if n, _ := fmt.Sscanf(line, "go_memstats_heap_alloc_bytes %g", &heap); n == 1 {
			found = true
		}
	}
	if !found {
		return 0, 0, errors.New("the metrics do not say what lives on the heap")
	}
	bytes, _ := resident(b.cluster.Nodes[0].PID())
	return heap / (1 << 20), float64(bytes) / (1 << 20), nil
}

// get asks the attacked node's HTTP port.
func (b *bench) get(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.cluster.Nodes[0].HTTP+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return string(body), err
}

// crowd opens idle connections that never log in, and opens them again when the node
// closes them, while users log in.
func (b *bench) crowd(ctx context.Context) error {
	c := &crowdReport{Sockets: b.sockets}
	b.report.Crowd = c
	b.log("%d idle connections", b.sockets)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	var open atomic.Int64
	for range b.sockets {
		wg.Go(func() { idle(ctx, b.cluster.Nodes[0].SQL, &open) })
	}
	for open.Load() < int64(b.sockets)/10 && ctx.Err() == nil { // most are disconnected immediately
		time.Sleep(50 * time.Millisecond)
	}
	var times []time.Duration
	for range crowdTries {
		for user, password := range map[string]string{"root": b.cluster.Password, ordinaryUser: password} {
			took, err := b.login(ctx, user, password)
			if err != nil {
				b.report.broken("beside %d idle connections %s cannot log in: %v", open.Load(), user, err)
			}
			times = append(times, took)
		}
		time.Sleep(100 * time.Millisecond)
	}
	slices.Sort(times)
	worst := times[len(times)-1]
	c.Logins, c.Median, c.Worst = len(times), times[len(times)/2].Seconds()*1000, worst.Seconds()*1000
	if worst > loginMax {
		b.report.broken("beside %d idle connections a login takes %v", b.sockets, worst)
	}
	return b.lives()
}

// idle holds a connection without a word, another when it is closed.
func idle(ctx context.Context, address string, open *atomic.Int64) {
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			open.Add(1)
			done := context.AfterFunc(ctx, func() { _ = conn.Close() })
			_, _ = io.Copy(io.Discard, conn)
			done()
			_ = conn.Close()
			open.Add(-1)
		}
		select {
		case <-time.After(time.Second): // a crowd, not a storm
		case <-ctx.Done():
		}
	}
}

func (d *doorsReport) print(out io.Writer) {
	if d != nil {
		fmt.Fprintf(out, "%d connections without a login in %.0f s, after %d to warm up: what lives on the heap %.1f MB before, %.1f MB after; resident %.1f MB before, %.1f MB after\n",
			d.Connects, d.Seconds, d.WarmUp, d.HeapBefore, d.HeapAfter, d.ResidentBefore, d.ResidentAfter)
	}
}

func (c *crowdReport) print(out io.Writer) {
	if c != nil {
		fmt.Fprintf(out, "beside %d idle connections that never log in: %d logins of root and a user, median %.1f ms, worst %.1f ms\n", c.Sockets, c.Logins, c.Median, c.Worst)
	}
}
