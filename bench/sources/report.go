package main

import (
	"fmt"
	"slices"
	"strings"

	"isochron/sqlload"
)

// cell is one measurement: a line of JSON.
type cell struct {
	System      string          `json:"system"`
	Deployment  string          `json:"deployment"`
	Load        string          `json:"load"`
	Skew        float64         `json:"skew"`
	Clients     int             `json:"clients"`
	Distributed int             `json:"distributed_percent"`
	Seconds     int             `json:"seconds"`
	Total       sqlload.Figures `json:"total"`
	Local       sqlload.Figures `json:"local"`
	Far         sqlload.Figures `json:"distributed"`
	Memory      memory          `json:"memory"`
	Agents      memory          `json:"agents"`        // the memory of all that stand beside databases
	Left        int             `json:"left_prepared"` // branches, when its clients had ended
	Violations  []string        `json:"violations"`
	Error       string          `json:"error,omitempty"`
}

func (c *cell) take(r *sqlload.Report) {
	c.Total, c.Local, c.Far = r.Total, r.ByType["local"], r.ByType["distributed"]
}

// lost is tries lost for each commit.
func lost(f sqlload.Figures) float64 { return float64(f.Aborts) / float64(max(1, f.Commits)) }

// String is the line that is said when a cell is done.
func (c cell) String() string {
	at := fmt.Sprintf("%s over %s, %s at %v, %d of a hundred distributed, %d clients", c.System, c.Deployment, c.Load, c.Skew, c.Distributed, c.Clients)
	text := fmt.Sprintf("%s: %.1f a second, mean %.1f ms, p50 %.1f ms, p99 %.1f ms (local %.1f and %.1f, distributed %.1f and %.1f), %.2f tries lost per commit, %.0f MB",
		at, c.Total.Throughput, c.Total.LatencyMS.Mean, c.Total.LatencyMS.P50, c.Total.LatencyMS.P99, c.Local.LatencyMS.P50, c.Local.LatencyMS.P99,
		c.Far.LatencyMS.P50, c.Far.LatencyMS.P99, lost(c.Total), c.Memory.Resident)
	if notes := c.notes(); notes != "" {
		text += "; " + notes
	}
	return text
}

// noteMax bounds an error in a table; the lines of JSON have all of it.
const noteMax = 200

// notes returns what the figures do not show.
func (c cell) notes() string {
	var all []string
	if c.Error != "" {
		all = append(all, "FAILED: "+strings.NewReplacer("|", "/", "\n", " ").Replace(c.Error[:min(len(c.Error), noteMax)]))
	}
	if c.Left > 0 {
		all = append(all, fmt.Sprintf("%d left prepared", c.Left))
	}
	if c.Total.Unknown > 0 {
		all = append(all, fmt.Sprintf("%d unknown", c.Total.Unknown))
	}
	if c.Total.GaveUp > 0 {
		all = append(all, fmt.Sprintf("%d given up", c.Total.GaveUp))
	}
	return strings.Join(append(all, c.Violations...), "; ")
}

// report is a table for each load and share of distributed transactions, one of ratios, and one of
// memory.
func (b *bench) report() string {
	var w strings.Builder
	for _, load := range b.Loads {
		for _, share := range b.Distributed {
			mine := slices.DeleteFunc(slices.Clone(b.cells), func(c cell) bool { return c.Load != load || c.Distributed != share })
			if len(mine) == 0 {
				continue
			}
			fmt.Fprintf(&w, "### %s, %d of a hundred distributed\n\n", load, share)
			writeCells(&w, mine)
		}
	}
	w.WriteString(ratios(b.cells))
	w.WriteString("| system, databases | most resident, MB | agents, all together |\n|---|---:|---:|\n")
	var seen []string
	for _, c := range b.cells {
		name := c.System + ", " + c.Deployment
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		peak, agents := 0.0, 0.0
		for _, o := range b.cells {
			if o.System == c.System && o.Deployment == c.Deployment {
				peak, agents = max(peak, o.Memory.Peak), max(agents, o.Agents.Peak)
			}
		}
		fmt.Fprintf(&w, "| %s | %.0f | %.0f |\n", name, peak, agents)
	}
	return w.String()
}

// writeCells is the table of some cells.
func writeCells(w *strings.Builder, cells []cell) {
	w.WriteString("| system, databases | skew | clients | a second | mean ms | p50 ms | p99 ms | local p50 / p99 | distributed p50 / p99 | tries lost per commit | MB resident | |\n")
	w.WriteString("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, c := range cells {
		fmt.Fprintf(w, "| %s, %s | %v | %d | %s | %s | %s | %s | %s / %s | %s / %s | %.2f | %.0f | %s |\n", c.System, c.Deployment, c.Skew, c.Clients,
			digits(c.Total.Throughput), digits(c.Total.LatencyMS.Mean), digits(c.Total.LatencyMS.P50), digits(c.Total.LatencyMS.P99),
			digits(c.Local.LatencyMS.P50), digits(c.Local.LatencyMS.P99), digits(c.Far.LatencyMS.P50), digits(c.Far.LatencyMS.P99), lost(c.Total), c.Memory.Resident, c.notes())
	}
	w.WriteString("\n")
}

// digits is a number with three of them.
func digits(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
