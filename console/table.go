package console

import (
	"fmt"
	"strings"
	"time"

	"isochron/geo"
)

// Row is one region on the screen.
type Row struct {
	Region  geo.Region
	Port    int
	Bound   time.Duration // the round trip from the region to the nearest majority
	Figures Figures
}

// Ratio is the median latency of a home commit over its bound, 0 if there is
// neither.
func (r Row) Ratio() float64 {
	if r.Bound <= 0 || r.Figures.Home.Count == 0 {
		return 0
	}
	return float64(r.Figures.Home.P50) / float64(r.Bound)
}

// legend explains the columns, below every table.
const legend = `home: transactions on rows that are led from the client's region; wide: over several regions.
bound: round trip to the nearest majority of replicas, the least a commit takes; ratio: p50/bound.
span: how long a transaction can make another wait or abort on a row (median).`

const (
	headTop = "%-8s %5s | %8s %8s %8s %8s %6s | %8s %8s | %7s %8s\n"
	line    = "%-8s %5d | %8.1f %8s %8s %8s %6s | %8.1f %8s | %7.1f %8s\n"
)

// Table shows each region in a line: home commits beside their bound, wide
// commits, aborts, contention span.
func Table(rows []Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, headTop, "", "", "home", "p50", "p99", "bound", "", "wide", "p50", "aborts", "span")
	fmt.Fprintf(&b, headTop, "region", "port", "per s", "ms", "ms", "ms", "ratio", "per s", "ms", "per s", "ms")
	for _, r := range rows {
		f := r.Figures
		fmt.Fprintf(&b, line, r.Region, r.Port,
			f.PerSecond(f.HomeCommits), of(f.Home, f.Home.P50), of(f.Home, f.Home.P99), Millis(r.Bound), ratio(r.Ratio()),
			f.PerSecond(f.WideCommits), of(f.Wide, f.Wide.P50),
			f.PerSecond(f.Aborts), of(f.Span, f.Span.P50))
	}
	return b.String()
}

// Legend explains the columns of Table.
func Legend() string { return legend + "\n" }

// Line is a table in one line, for a log.
func Line(rows []Row) string {
	var parts []string
	for _, r := range rows {
		f := r.Figures
		parts = append(parts, fmt.Sprintf("%s %.0f/s p50 %s bound %s (%s)", r.Region,
			f.PerSecond(f.HomeCommits+f.WideCommits), of(f.Home, f.Home.P50), Millis(r.Bound), ratio(r.Ratio())))
	}
	return strings.Join(parts, "; ")
}

// of is a quantile, or a dash if nothing was measured.
func of(q Quantiles, d time.Duration) string {
	if q.Count == 0 {
		return "-"
	}
	return Millis(d)
}

func ratio(r float64) string {
	if r == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r)
}

// Millis is a duration in milliseconds, with one digit after the point.
func Millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }
