package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/go-sql-driver/mysql"
)

// ordinary has the results of ordinary clients.
type ordinary struct {
	Done   map[string]int64   `json:"done"`   // by action
	P50    map[string]float64 `json:"p50_ms"` // the same
	P99    map[string]float64 `json:"p99_ms"`
	Max    map[string]float64 `json:"max_ms"`
	Again  int64              `json:"lost_to_others"` // retried tries
	Failed int64              `json:"failed"`
	Cut    int64              `json:"connections_lost"`
	Said   []string           `json:"said,omitempty"` // the first errors

	mu    sync.Mutex
	added int64 // to the rows, by commits that were answered
	maybe int64 // by unacknowledged ones
	times map[string]*hdr.Histogram
}

// What ordinary clients do.
var ordinaryKinds = []string{"read", "update", "transaction"}

// ordinaryPatience bounds a statement; outputMax bounds the kept text of errors.
const (
	ordinaryPatience = time.Minute
	outputMax        = 10
)

// ordinarily lets ordinary clients work until ctx ends.
func (b *bench) ordinarily(ctx context.Context) *ordinary {
	o := &ordinary{Done: map[string]int64{}, P50: map[string]float64{}, P99: map[string]float64{}, Max: map[string]float64{}, times: map[string]*hdr.Histogram{}}
	for _, k := range ordinaryKinds {
		o.times[k] = hdr.New(1, 600_000_000, 3)
	}
	var wg sync.WaitGroup
	for i := range b.ordinary {
		wg.Go(func() {
			pool := b.open(i%b.nodes, ordinaryUser, password)
			defer pool.Close()
			o.client(ctx, pool, rand.New(rand.NewPCG(b.seed, uint64(i))))
		})
	}
	wg.Wait()
	ms := func(micros int64) float64 { return float64(micros) / 1000 }
	for k, h := range o.times {
		o.Done[k], o.P50[k], o.P99[k], o.Max[k] = h.TotalCount(), ms(h.ValueAtQuantile(50)), ms(h.ValueAtQuantile(99)), ms(h.Max())
	}
	return o
}

// client works on one connection, and on another when that is lost.
func (o *ordinary) client(ctx context.Context, pool *sql.DB, rng *rand.Rand) {
	var conn *sql.Conn
	for ctx.Err() == nil {
		if conn == nil {
			login, cancel := context.WithTimeout(context.WithoutCancel(ctx), ordinaryPatience)
			c, err := pool.Conn(login)
			cancel()
			if err != nil {
				o.fail("login", err, true)
				time.Sleep(100 * time.Millisecond)
				continue
			}
			conn = c
		}
		if !o.one(ctx, conn, rng) {
			discard(conn)
			conn = nil
		}
	}
	if conn != nil {
		_ = conn.Close()
	}
}

// one does one thing, again while it loses to others; false: the connection is lost.
func (o *ordinary) one(ctx context.Context, conn *sql.Conn, rng *rand.Rand) bool {
	kind := ordinaryKinds[rng.IntN(len(ordinaryKinds))]
	a, b := rng.IntN(plainRows/2), plainRows/2+rng.IntN(plainRows/2)
	stmts, adds := []string{fmt.Sprintf("SELECT v FROM plain.t WHERE id = %d", a)}, int64(0)
	switch kind {
	case "update":
		stmts, adds = []string{fmt.Sprintf("UPDATE plain.t SET v = v + 1 WHERE id = %d", a)}, 1
	case "transaction":
		stmts, adds = []string{"BEGIN", fmt.Sprintf("SELECT v FROM plain.t WHERE id = %d FOR UPDATE", a), fmt.Sprintf("UPDATE plain.t SET v = v + 1 WHERE id = %d", a),
			fmt.Sprintf("UPDATE plain.t SET v = v + 1 WHERE id = %d", b), "COMMIT"}, 2
	}
	begun := time.Now()
	for {
		err := roundRobin(context.WithoutCancel(ctx), conn, stmts)
		var my *mysql.MySQLError
		lost := errors.As(err, &my) && my.Number == 1213
		switch {
		case err == nil:
			o.done(kind, time.Since(begun), adds)
			return true
		case !lost:
			o.fail(kind, err, my == nil)
			o.mu.Lock()
			o.maybe += adds
			o.mu.Unlock()
			return false
		}
		o.mu.Lock()
		o.Again++
		o.mu.Unlock()
	}
}

// roundRobin runs statements, and rolls back if one fails.
func roundRobin(ctx context.Context, conn *sql.Conn, stmts []string) error {
	ctx, cancel := context.WithTimeout(ctx, ordinaryPatience)
	defer cancel()
	for _, s := range stmts {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK") // the first error is the one to report
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

func (o *ordinary) done(kind string, took time.Duration, adds int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = o.times[kind].RecordValue(min(took.Microseconds(), 600_000_000))
	o.added += adds
}

func (o *ordinary) fail(kind string, err error, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Failed++
	if cut {
		o.Cut++
	}
	if len(o.Said) < outputMax {
		o.Said = append(o.Said, fmt.Sprintf("%s: %.200s", kind, err))
	}
}
