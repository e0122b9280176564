package console

import (
	"encoding/json"
	"io"
	"time"

	"isochron/geo"
)

// Report is the figures of a whole run for machines.
type Report struct {
	WAN          string                      `json:"wan"`
	WANScale     float64                     `json:"wan_scale"`
	Protocol     string                      `json:"protocol"`
	Seconds      float64                     `json:"seconds"`
	BooksBalance *bool                       `json:"books_balance,omitempty"` // absent if there was no load
	Regions      map[geo.Region]RegionReport `json:"regions"`
}

// RegionReport is one region of a Report. LatencyMS is of home commits.
type RegionReport struct {
	Port             int       `json:"port"`
	Commits          int64     `json:"commits"`
	Aborts           int64     `json:"aborts"`
	Unknown          int64     `json:"unknown"`
	LatencyMS        LatencyMS `json:"latency_ms"`
	ContentionSpanMS float64   `json:"contention_span_ms"`
	BoundMS          float64   `json:"bound_ms"`
	HomeCommits      int64     `json:"home_commits"`
	WideCommits      int64     `json:"wide_commits"`
	WideLatencyMS    LatencyMS `json:"wide_latency_ms"`
}

// LatencyMS is two quantiles in milliseconds.
type LatencyMS struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// AddRows fills the regions of the report.
func (r *Report) AddRows(rows []Row) {
	r.Regions = map[geo.Region]RegionReport{}
	for _, row := range rows {
		f := row.Figures
		r.Seconds = f.Over.Seconds()
		r.Regions[row.Region] = RegionReport{
			Port:    row.Port,
			Commits: f.HomeCommits + f.WideCommits, Aborts: f.Aborts, Unknown: f.Unknown,
			LatencyMS:        latency(f.Home),
			ContentionSpanMS: ms(f.Span.P50),
			BoundMS:          ms(row.Bound),
			HomeCommits:      f.HomeCommits, WideCommits: f.WideCommits,
			WideLatencyMS: latency(f.Wide),
		}
	}
}

// Write prints the report as one JSON object.
func (r *Report) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func latency(q Quantiles) LatencyMS { return LatencyMS{ms(q.P50), ms(q.P99)} }
func ms(d time.Duration) float64    { return float64(d.Microseconds()) / 1000 }
