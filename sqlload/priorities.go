package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Priorities are batch jobs everywhere that count up a few hot rows, two in each transaction, so
// that the rows are never free, and one client that pays, which counts up one of the same rows. Its
// transactions have by turns low priority, as those of the jobs, and high: by Isochron's hint,
// which is a comment for other servers. Each Run creates its table again.
type Priorities struct {
	Pools []*sql.DB     // of each place with jobs; payments are made at the first
	Jobs  int           // at each place
	Turn  time.Duration // how long one lasts
	Turns int           // half of them of each priority; an even number

	high            atomic.Bool // whether payments are of high priority now
	batches         [priorities]atomic.Int64
	paid            [priorities]*hdr.Histogram // latencies in us, of the one client that pays
	counted         atomic.Int64               // rows counted up by acknowledged transactions
	unknownOutcomes atomic.Int64               // by transactions with an unknown outcome
	strange         atomic.Pointer[error]      // the first unexpected error
}

const (
	low, high  = 0, 1
	priorities = 2
)

var priorityNames = [priorities]string{"low", "high"}

// PriorityRows is the number of hot rows; PriorityAim is the target for the 95th percentile of
// payments of high priority, relative to low.
const (
	PriorityRows = 4
	PriorityAim  = 0.2
)

// PriorityFigures are those of payments of one priority, and of the jobs beside them.
type PriorityFigures struct {
	Priority string  `json:"priority"`
	Payments int64   `json:"payments"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	Batches  float64 `json:"batches_per_s"`
}

// PriorityReport is the result of a run.
type PriorityReport struct {
	Figures [priorities]PriorityFigures `json:"priorities"` // of low, of high
	Ratio   float64                     `json:"p95_high_over_low"`
	Aim     float64                     `json:"aim"`
	Counted int64                       `json:"rows_counted_up"`
	Balance bool                        `json:"books_balance"`
	least   int64
	most    int64
	strange error
}

// Run lets all clients work until the turns are over, or ctx is; each ends after its transaction.
// The error is of an unreachable server; books that do not balance are in the report.
func (p *Priorities) Run(ctx context.Context) (*PriorityReport, error) {
	for i := range p.paid {
		p.paid[i] = hdr.New(1, time.Hour.Microseconds(), 3)
	}
	texts := []string{"DROP TABLE IF EXISTS hot", "CREATE TABLE hot (id INT PRIMARY KEY, counted BIGINT NOT NULL)"}
	for row := range PriorityRows {
		texts = append(texts, fmt.Sprintf("INSERT INTO hot VALUES (%d, 0)", row))
	}
	for _, text := range texts {
		if _, err := p.Pools[0].ExecContext(ctx, text); err != nil {
			return nil, err
		}
	}
	p.work(ctx)
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var sum int64
	if err := p.Pools[0].QueryRowContext(asking, "SELECT SUM(counted) FROM hot").Scan(&sum); err != nil {
		return nil, err
	}
	return p.report(sum), nil
}

func (p *Priorities) work(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	for i, db := range p.Pools {
		for c := range p.Jobs {
			all.Go(func() { p.batch(ctx, db, rand.New(rand.NewPCG(uint64(i), uint64(c)))) })
		}
	}
	all.Go(func() { p.pay(ctx, p.Pools[0]) })
	for turn := range p.Turns {
		p.high.Store(turn%2 == 1)
		select {
		case <-time.After(p.Turn):
		case <-ctx.Done():
		}
	}
	stop()
	all.Wait()
}

// now is the priority of payments that begin now.
func (p *Priorities) now() int {
	if p.high.Load() {
		return high
	}
	return low
}

func (p *Priorities) batch(ctx context.Context, db *sql.DB, r *rand.Rand) {
	for ctx.Err() == nil {
		if p.insist(ctx, db, "START TRANSACTION", r.Perm(PriorityRows)[:2]) {
			p.batches[p.now()].Add(1)
		}
	}
}

// pay makes one payment after the other, and measures each with all of its tries.
func (p *Priorities) pay(ctx context.Context, db *sql.DB) {
	for n := 0; ctx.Err() == nil; n++ {
		priority, begun := p.now(), time.Now()
		if p.insist(ctx, db, fmt.Sprintf("START TRANSACTION /*+ priority(%s) */", priorityNames[priority]), []int{n % PriorityRows}) {
			_ = p.paid[priority].RecordValue(time.Since(begun).Microseconds()) // an hour is never over
		}
	}
}

// insist retries a transaction, on one connection so that it keeps its age, until it is committed
// or ctx ends. An unknown outcome is counted, and not retried.
func (p *Priorities) insist(ctx context.Context, db *sql.DB, begin string, rows []int) bool {
	whole := context.WithoutCancel(ctx)
	conn, err := db.Conn(whole)
	if err != nil {
		p.strange.CompareAndSwap(nil, &err)
		time.Sleep(beforeAgain)
		return false
	}
	defer conn.Close()
	for {
		v, err := countUp(whole, conn, begin, rows)
		switch {
		case v == committed:
			p.counted.Add(int64(len(rows)))
			return true
		case v == unknown:
			p.unknownOutcomes.Add(int64(len(rows)))
			return false
		case v == broken:
			p.strange.CompareAndSwap(nil, &err)
		}
		time.Sleep(beforeAgain) // a pause after any failure
		if v == cut || ctx.Err() != nil {
			return false
		}
	}
}

// beforeAgain is the pause between two tries.
const beforeAgain = time.Millisecond

// countUp is one try. A transaction that has ended need not be rolled back, and may be.
func countUp(ctx context.Context, conn *sql.Conn, begin string, rows []int) (verdict, error) {
	texts := []string{begin}
	for _, row := range rows {
		texts = append(texts, fmt.Sprintf("UPDATE hot SET counted = counted + 1 WHERE id = %d", row))
	}
	for i, text := range append(texts, "COMMIT") {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			v := judge(err, i == len(texts))
			if v != unknown && v != cut {
				_, _ = conn.ExecContext(ctx, "ROLLBACK")
			}
			return v, err
		}
	}
	return committed, nil
}

// report sums up a run after which the rows hold a sum.
func (p *Priorities) report(sum int64) *PriorityReport {
	r := &PriorityReport{Aim: PriorityAim, Counted: sum, least: p.counted.Load()}
	r.most = r.least + p.unknownOutcomes.Load()
	r.Balance = r.least <= sum && sum <= r.most
	if err := p.strange.Load(); err != nil {
		r.strange = *err
	}
	for i, h := range p.paid {
		r.Figures[i] = PriorityFigures{priorityNames[i], h.TotalCount(), float64(h.ValueAtQuantile(50)) / 1000, float64(h.ValueAtQuantile(95)) / 1000,
			float64(p.batches[i].Load()) / (float64(p.Turns/2) * p.Turn.Seconds())}
	}
	if r.Figures[low].P95 > 0 {
		r.Ratio = r.Figures[high].P95 / r.Figures[low].P95
	}
	return r
}

// Err returns the fault: the balance, if counts differ from the commits, or an unexpected error of
// the server.
func (r *PriorityReport) Err() error {
	if !r.Balance {
		return errors.Join(r.strange, fmt.Errorf("the rows were incremented %d times, and the clients counted %d to %d", r.Counted, r.least, r.most))
	}
	if r.strange != nil {
		return fmt.Errorf("the figures are invalid, because clients received an unexpected error: %w", r.strange)
	}
	return nil
}

// Print writes the figures as a table, and their conclusions.
func (r *PriorityReport) Print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "priority of payments\tnumber\tp50 ms\tp95 ms\tconcurrent batches, 1/s\t\n")
	for _, f := range r.Figures {
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.1f\t\n", f.Priority, f.Payments, f.P50, f.P95, f.Batches)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "\nThe p95 of payments of high priority is %.2f times that of low; the aim is %.2f.\n", r.Ratio, r.Aim)
	if err == nil && r.Balance {
		_, err = fmt.Fprintf(to, "The rows were incremented %d times, as the clients counted.\n", r.Counted)
	}
	return err
}
