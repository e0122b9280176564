package sqlload

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is a distribution in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
	// Mean is of all; after them, because scripts read the others in their order.
	Mean float64 `json:"mean"`
	// P999 is the slowest one in a thousand; it needs some thousands of commits.
	P999 float64 `json:"p999"`
}

// Figures are the counts of one kind of transaction, or of all, since the end of the warm-up.
type Figures struct {
	Commits    int64   `json:"commits"`
	Rollbacks  int64   `json:"rollbacks"`   // by the client itself
	Aborts     int64   `json:"aborts"`      // tries aborted for others, each retried
	Disconnect int64   `json:"disconnects"` // tries that lost their connection before COMMIT
	Unknown    int64   `json:"unknown"`     // commits with an unknown outcome
	GaveUp     int64   `json:"gave_up"`     // transactions that were aborted too often
	Unfinished int64   `json:"unfinished"`  // aborted transactions still to be retried at the end
	Throughput float64 `json:"throughput"`  // commits a second, of those before the time was over
	LatencyMS  Latency `json:"latency_ms"`  // of commits, from the first try on
	// LongestMS is the longest time of any transaction, from the first try on, with any outcome:
	// also given up or unfinished.
	LongestMS float64 `json:"longest_ms"`
	TriesMax  int64   `json:"tries_max"` // of any transaction
}

// Report is the result of a run.
type Report struct {
	Workload   string             `json:"workload"`
	Clients    int                `json:"clients"`
	Seconds    float64            `json:"seconds"` // without the warm-up
	Total      Figures            `json:"total"`
	ByType     map[string]Figures `json:"by_type"`
	Violations []string           `json:"violations"`
}

// tally counts one kind.
type tally struct {
	figures Figures
	late    int64 // commits after the time was over
	times   *hdr.Histogram
}

// The histogram reaches from a microsecond to ten minutes with three digits.
func newTally() *tally { return &tally{times: hdr.New(1, 600_000_000, 3)} }

func (t *tally) in(seconds float64) Figures {
	f := t.figures
	ms := func(micros int64) float64 { return float64(micros) / 1000 }
	f.LatencyMS = Latency{ms(t.times.ValueAtQuantile(50)), ms(t.times.ValueAtQuantile(95)), ms(t.times.ValueAtQuantile(99)), ms(t.times.Max()), t.times.Mean() / 1000, ms(t.times.ValueAtQuantile(99.9))}
	if seconds > 0 {
		f.Throughput = float64(f.Commits-t.late) / seconds
	}
	return f
}

// meter counts; all clients share it. Its figures are those since the warm-up; a transaction that
// began in the measured time and ended later has a latency, and is no part of the throughput: then
// there are fewer and fewer clients.
type meter struct {
	mu    sync.Mutex
	total *tally
	kinds map[string]*tally
	from  time.Duration // when the warm-up was over
	until time.Duration // when the time was over; 0: it is not
}

func newMeter() *meter { return &meter{total: newTally(), kinds: map[string]*tally{}} }

// warm ends the warm-up: earlier counts are dropped. at is since the run began.
func (m *meter) warm(at time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total, m.kinds, m.from = newTally(), map[string]*tally{}, at
}

// over ends the time.
func (m *meter) over(at time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = at
}

// of returns the figures of a kind of transaction; m.mu is held.
func (m *meter) of(kind string) []*tally {
	if m.kinds[kind] == nil {
		m.kinds[kind] = newTally()
	}
	return []*tally{m.total, m.kinds[kind]}
}

// lose counts a try that will be retried.
func (m *meter) lose(kind string, field func(*Figures) *int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.of(kind) {
		*field(&t.figures)++
	}
}

// end counts a transaction that has ended, after all its tries.
func (m *meter) end(kind string, took time.Duration, tries int, field func(*Figures) *int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.of(kind) {
		before := t.figures.Commits
		*field(&t.figures)++
		t.figures.LongestMS = max(t.figures.LongestMS, float64(took.Microseconds())/1000)
		t.figures.TriesMax = max(t.figures.TriesMax, int64(tries))
		if t.figures.Commits == before {
			continue
		}
		if m.until > 0 {
			t.late++
		}
		// Longer than ten minutes is rare: patience bounds each try; the largest value is recorded
		// for it.
		_ = t.times.RecordValue(min(took.Microseconds(), 600_000_000))
	}
}

// report returns the counts until now, or until the end of the measured time.
func (m *meter) report(now time.Duration) *Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until > 0 {
		now = m.until
	}
	s := max(0, now-m.from).Seconds()
	r := &Report{Seconds: s, Total: m.total.in(s), ByType: map[string]Figures{}, Violations: []string{}}
	for kind, t := range m.kinds {
		r.ByType[kind] = t.in(s)
	}
	return r
}

// Print writes the report as a table.
func (r *Report) Print(w io.Writer) {
	const line = "%-16s %10s %10s %9s %9s %8s %8s | %9s %9s %9s %9s %6s\n"
	fmt.Fprintf(w, line, "", "commits", "per s", "aborts", "rollbacks", "unknown", "cut", "p50 ms", "p95", "p99", "longest", "tries")
	row := func(name string, f Figures) {
		fmt.Fprintf(w, line, name, fmt.Sprint(f.Commits), fmt.Sprintf("%.1f", f.Throughput), fmt.Sprint(f.Aborts),
			fmt.Sprint(f.Rollbacks), fmt.Sprint(f.Unknown), fmt.Sprint(f.Disconnect), ms(f.LatencyMS.P50), ms(f.LatencyMS.P95), ms(f.LatencyMS.P99), ms(f.LongestMS), fmt.Sprint(f.TriesMax))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.ByType)) {
		row(kind, r.ByType[kind])
	}
	row("all", r.Total)
}

func ms(v float64) string { return fmt.Sprintf("%.2f", v) }
