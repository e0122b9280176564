package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/go-sql-driver/mysql"

	"isochron/txn"
)

// The demo of priorities: batch jobs in all regions count up a few hot rows, two in each
// transaction, and one client pays, which counts up one of the same rows. Turn by turn its
// transactions are of low priority, as those of the jobs, and of high.
const (
	hotRows       = 4
	priorityJobs  = 16 // in each region: enough that the rows are never free
	priorityTurns = 6
	turnDefault   = 5 * time.Second
	errUnknownEnd = 1180 // the commit may or may not have happened
)

// priorityDemo is what the clients have seen.
type priorityDemo struct {
	*demo
	turn    time.Duration
	high    atomic.Bool // whether payments are of high priority now
	batches [2]atomic.Int64
	mu      sync.Mutex
	paid    [2]*hdrhistogram.Histogram // latencies in us, by priority
	counted atomic.Int64               // rows counted up by what was acknowledged
	unsure  atomic.Int64               // by what nobody knows of
}

// priorityFigures are those of payments of one priority, and of the jobs beside them.
type priorityFigures struct {
	Priority string  `json:"priority"`
	Payments int64   `json:"payments"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	Batches  float64 `json:"batches_per_s"`
}

// livePriorities is the demo with its cluster up.
func (d *demo) livePriorities(ctx context.Context) error {
	p := &priorityDemo{demo: d, turn: turnDefault}
	if d.plan.duration > 0 {
		p.turn = d.plan.duration / priorityTurns
	}
	for i := range p.paid {
		p.paid[i] = hdrhistogram.New(1, time.Hour.Microseconds(), 3)
	}
	db := d.ports.pools(d.plan.clients)[d.plan.wan.Regions[0]]
	for _, text := range []string{"DROP TABLE IF EXISTS hot", "CREATE TABLE hot (id INT PRIMARY KEY, counted BIGINT NOT NULL)", "INSERT INTO hot VALUES (0, 0), (1, 0), (2, 0), (3, 0)"} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	d.say.done()
	if !d.plan.json {
		fmt.Fprintf(d.out, "%d regions, delays of %s x %g, protocol %s. %d batch jobs in each region count up %d hot rows; a client in %s counts up one of them, in turns of %v of low and of high priority.\n\n",
			len(d.plan.wan.Regions), d.plan.wanSpec, d.plan.wanScale, d.plan.row.Name, d.plan.clients, hotRows, d.plan.wan.Regions[0], p.turn)
	}
	p.work(ctx)
	return p.tell(context.WithoutCancel(ctx), db)
}

// work has all clients work until the turns are over, or ctx is; each ends after its transaction.
func (p *priorityDemo) work(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for i, r := range p.plan.wan.Regions {
		db := p.ports.pools(p.plan.clients)[r]
		for c := range p.plan.clients {
			all.Go(func() { p.batch(ctx, db, rand.New(rand.NewPCG(uint64(i), uint64(c)))) })
		}
		if i == 0 {
			all.Go(func() { p.pay(ctx, db) })
		}
	}
	for turn := range priorityTurns {
		p.high.Store(turn%2 == 1)
		select {
		case <-time.After(p.turn):
		case <-ctx.Done():
		}
	}
	stop()
	all.Wait()
}

// now is the priority of payments that begin now.
func (p *priorityDemo) now() txn.Priority {
	if p.high.Load() {
		return txn.PriorityHigh
	}
	return txn.PriorityLow
}

func (p *priorityDemo) batch(ctx context.Context, db *sql.DB, r *rand.Rand) {
	for ctx.Err() == nil {
		at := r.Perm(hotRows)[:2]
		if p.insist(ctx, db, "START TRANSACTION", at) {
			p.batches[p.now()].Add(1)
		}
	}
}

// pay makes one payment after the other, and measures each with all of its tries.
func (p *priorityDemo) pay(ctx context.Context, db *sql.DB) {
	for n := 0; ctx.Err() == nil; n++ {
		priority, begun := p.now(), time.Now()
		if p.insist(ctx, db, fmt.Sprintf("START TRANSACTION /*+ priority(%v) */", priority), []int{n % hotRows}) {
			p.mu.Lock()
			_ = p.paid[priority].RecordValue(time.Since(begun).Microseconds()) // an hour is never over
			p.mu.Unlock()
		}
	}
}

// insist does a transaction, on one connection so that it keeps its age, until it is committed or
// ctx ends. What nobody knows of is counted, and not tried again.
func (p *priorityDemo) insist(ctx context.Context, db *sql.DB, begin string, rows []int) bool {
	whole := context.WithoutCancel(ctx)
	conn, err := db.Conn(whole)
	if err != nil {
		return false
	}
	defer conn.Close()
	for {
		switch err := count(whole, conn, begin, rows); {
		case err == nil:
			p.counted.Add(int64(len(rows)))
			return true
		case isUnsure(err):
			p.unsure.Add(int64(len(rows)))
			return false
		case ctx.Err() != nil:
			return false
		}
		time.Sleep(time.Millisecond) // whatever fails, it is not asked for without a pause
	}
}

// count is one try.
func count(ctx context.Context, conn *sql.Conn, begin string, rows []int) error {
	texts := []string{begin}
	for _, row := range rows {
		texts = append(texts, fmt.Sprintf("UPDATE hot SET counted = counted + 1 WHERE id = %d", row))
	}
	for _, text := range append(texts, "COMMIT") {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			if !isUnsure(err) {
				_, _ = conn.ExecContext(ctx, "ROLLBACK") // it may be over already
			}
			return err
		}
	}
	return nil
}

func isUnsure(err error) bool {
	var my *mysql.MySQLError
	return !errors.As(err, &my) || my.Number == errUnknownEnd
}

func (p *priorityDemo) figures() (out []priorityFigures) {
	for _, priority := range []txn.Priority{txn.PriorityLow, txn.PriorityHigh} {
		h := p.paid[priority]
		out = append(out, priorityFigures{priority.String(), h.TotalCount(), float64(h.ValueAtQuantile(50)) / 1000, float64(h.ValueAtQuantile(95)) / 1000,
			float64(p.batches[priority].Load()) / (priorityTurns / 2 * p.turn.Seconds())})
	}
	return out
}

// tell sums up the run, and fails if a count was lost or made of nothing.
func (p *priorityDemo) tell(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var sum int64
	if err := db.QueryRowContext(ctx, "SELECT SUM(counted) FROM hot").Scan(&sum); err != nil {
		return err
	}
	figures, least, most := p.figures(), p.counted.Load(), p.counted.Load()+p.unsure.Load()
	balance := least <= sum && sum <= most
	ratio := 0.0
	if figures[0].P95 > 0 {
		ratio = figures[1].P95 / figures[0].P95
	}
	var err error
	if p.plan.json {
		err = json.NewEncoder(p.out).Encode(map[string]any{"wan": p.plan.wanSpec, "wan_scale": p.plan.wanScale, "protocol": p.plan.row.Name,
			"priorities": figures, "p95_high_over_low": ratio, "books_balance": balance})
	} else {
		_, err = fmt.Fprintf(p.out, "%s\nThe p95 of payments of high priority is %.2f times that of low. The rows were counted up %d times, nothing lost and nothing made of nothing.\n",
			prioritiesTable(figures), ratio, sum)
	}
	if err == nil && !balance {
		err = fmt.Errorf("the rows were counted up %d times, and clients know of %d to %d", sum, least, most)
	}
	return err
}

func prioritiesTable(figures []priorityFigures) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "payments of priority\tnumber\tp50 ms\tp95 ms\tbatches beside them, 1/s\t\n")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.1f\t\n", f.Priority, f.Payments, f.P50, f.P95, f.Batches)
	}
	_ = w.Flush() // into memory
	return b.String()
}
