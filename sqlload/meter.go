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
}

// Figures are what was counted of one kind of transaction, or of all.
type Figures struct {
	Commits    int64   `json:"commits"`
	Rollbacks  int64   `json:"rollbacks"`   // by the client's own wish
	Aborts     int64   `json:"aborts"`      // tries lost to others, each tried again
	Disconnect int64   `json:"disconnects"` // tries that lost their connection before COMMIT
	Unknown    int64   `json:"unknown"`     // commits whose outcome was not told
	GaveUp     int64   `json:"gave_up"`     // transactions that lost too often
	Throughput float64 `json:"throughput"`  // commits a second
	LatencyMS  Latency `json:"latency_ms"`  // of commits, from the first try on
}

// Report is what a run came to.
type Report struct {
	Workload   string             `json:"workload"`
	Clients    int                `json:"clients"`
	Seconds    float64            `json:"seconds"`
	Total      Figures            `json:"total"`
	ByType     map[string]Figures `json:"by_type"`
	Violations []string           `json:"violations"`
}

// tally is what is counted of one kind.
type tally struct {
	figures Figures
	times   *hdr.Histogram
}

// The histogram reaches from a microsecond to ten minutes with three digits.
func newTally() *tally { return &tally{times: hdr.New(1, 600_000_000, 3)} }

func (t *tally) in(seconds float64) Figures {
	f := t.figures
	ms := func(micros int64) float64 { return float64(micros) / 1000 }
	f.LatencyMS = Latency{ms(t.times.ValueAtQuantile(50)), ms(t.times.ValueAtQuantile(95)), ms(t.times.ValueAtQuantile(99)), ms(t.times.Max())}
	if seconds > 0 {
		f.Throughput = float64(f.Commits) / seconds
	}
	return f
}

// meter counts; all clients share it.
type meter struct {
	mu    sync.Mutex
	total *tally
	kinds map[string]*tally
}

func newMeter() *meter { return &meter{total: newTally(), kinds: map[string]*tally{}} }

// count adds to the figures of a kind and of all. took is of commits only.
func (m *meter) count(kind string, took time.Duration, field func(*Figures) *int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kinds[kind] == nil {
		m.kinds[kind] = newTally()
	}
	for _, t := range []*tally{m.total, m.kinds[kind]} {
		*field(&t.figures)++
		if took > 0 {
			// Longer than ten minutes cannot be: patience and tries bound it; the largest value stands for it.
			_ = t.times.RecordValue(min(took.Microseconds(), 600_000_000))
		}
	}
}

func (m *meter) report(elapsed time.Duration) *Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := elapsed.Seconds()
	r := &Report{Seconds: s, Total: m.total.in(s), ByType: map[string]Figures{}, Violations: []string{}}
	for kind, t := range m.kinds {
		r.ByType[kind] = t.in(s)
	}
	return r
}

// Print writes the report as a table.
func (r *Report) Print(w io.Writer) {
	const line = "%-16s %10s %10s %9s %9s %8s %8s | %9s %9s %9s %9s\n"
	fmt.Fprintf(w, line, "", "commits", "per s", "aborts", "by wish", "unknown", "cut", "p50 ms", "p95", "p99", "max")
	row := func(name string, f Figures) {
		fmt.Fprintf(w, line, name, fmt.Sprint(f.Commits), fmt.Sprintf("%.1f", f.Throughput), fmt.Sprint(f.Aborts),
			fmt.Sprint(f.Rollbacks), fmt.Sprint(f.Unknown), fmt.Sprint(f.Disconnect), ms(f.LatencyMS.P50), ms(f.LatencyMS.P95), ms(f.LatencyMS.P99), ms(f.LatencyMS.Max))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.ByType)) {
		row(kind, r.ByType[kind])
	}
	row("all", r.Total)
}

func ms(v float64) string { return fmt.Sprintf("%.2f", v) }
