package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	classHead = "%-18s %9s %8s %9s %7s | %8s %8s %8s %8s | %8s %8s | %8s %8s | %5s\n"
	classLine = "%-18s %9d %8d %9.1f %6.1f%% | %8.1f %8.1f %8.1f %8.1f | %8.1f %8.1f | %8.1f %8.1f | %5.2f\n"
)

// Table returns the result as readable text.
func (r Result) Table() string {
	var b strings.Builder
	s := r.Experiment
	load := fmt.Sprintf("%d clients", s.Clients)
	if s.Rate > 0 {
		load = fmt.Sprintf("%v transactions a second", s.Rate)
	}
	fmt.Fprintf(&b, "%s, %s over %s: %s, %d shards on %d replicas, zipf %v, %v s measured after %v s, seed %d\n",
		r.Protocol, r.Workload, s.WAN, load, s.Shards, s.Replicas, s.Zipf, r.DurationS, s.WarmupS, r.Seed)
	fmt.Fprintf(&b, "costs: %v us CPU a message on %d cores, %v us a sync (%s)\n", r.Costs.CPUMicros, r.Costs.Cores, r.Costs.FsyncMicros, r.Costs.Source)
	if s.Coordinators > 0 {
		fmt.Fprintf(&b, "clients are at %d coordinators a region: %v us CPU a message on %d cores\n", s.Coordinators, s.CoordinatorCPUMicros, s.CoordinatorCores)
	}
	if s.DeadCoCoordinators > 0 {
		fmt.Fprintf(&b, "the co-coordinators of the last %d regions are dead\n", s.DeadCoCoordinators)
	}
	b.WriteString("\n")

	fmt.Fprintf(&b, classHead, "", "", "", "", "", "latency", "", "", "", "commit", "", "execute", "lost", "WAN")
	fmt.Fprintf(&b, classHead, "transactions", "committed", "aborted", "per s", "aborts", "avg ms", "p50", "p95", "p99", "avg ms", "p99", "avg ms", "avg ms", "hops")
	r.Figures.line(&b, "all")
	for _, name := range slices.Sorted(maps.Keys(r.ByClass)) {
		r.ByClass[name].line(&b, "  "+name)
	}
	b.WriteString("\n")
	r.ContentionSpanMS.table(&b)
	r.TriesS.line(&b)
	r.rest(&b)
	return b.String()
}

func (f Figures) line(b *strings.Builder, name string) {
	fmt.Fprintf(b, classLine, name, f.Committed, f.Aborted, f.ThroughputTPS, 100*f.AbortRate,
		f.LatencyMS.Avg, f.LatencyMS.P50, f.LatencyMS.P95, f.LatencyMS.P99, f.CommitMS.Avg, f.CommitMS.P99,
		f.BreakdownMS.Execute, f.BreakdownMS.Abort, f.WANHopsCommit)
}

// table writes the spans: a line for each client's region, a column for each leader's.
func (s SpanMS) table(b *strings.Builder) {
	leaders := slices.Sorted(maps.Keys(s.ByRegion))
	fmt.Fprintf(b, "contention span, avg ms: %.1f (p99 %.1f)\n%-18s", s.Avg, s.P99, "client in, led from")
	for _, l := range leaders {
		fmt.Fprintf(b, " %8s", l)
	}
	for _, client := range slices.Sorted(maps.Keys(s.ByPair)) {
		fmt.Fprintf(b, "\n  %-17s", client)
		for _, l := range leaders {
			fmt.Fprintf(b, " %8.1f", s.ByPair[client][l].Avg)
		}
	}
	fmt.Fprintf(b, "\n  %-17s", "all")
	for _, l := range leaders {
		fmt.Fprintf(b, " %8.1f", s.ByRegion[l].Avg)
	}
	b.WriteString("\n\n")
}

// line splits the clients' time, in parts of the time of their tries.
func (t Tries) line(b *strings.Builder) {
	if all := t.sum(); all > 0 {
		fmt.Fprintf(b, "clients' time in tries: that committed %.0f%% before the commit and %.0f%% in it, that were aborted %.0f%% and %.0f%%\n\n",
			100*t.Execute/all, 100*t.Commit/all, 100*t.LostExecute/all, 100*t.LostCommit/all)
	}
}

func (r Result) rest(b *strings.Builder) {
	if r.Indeterminate+r.GaveUp > 0 {
		fmt.Fprintf(b, "%d transactions with an unknown outcome, %d given up.\n", r.Indeterminate, r.GaveUp)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Faults)) {
		fmt.Fprintf(b, "  %s: %d\n", name, r.Faults[name])
	}
	verdict := "serializable"
	if !r.Check.Serializable {
		verdict = "NOT SERIALIZABLE"
	}
	fmt.Fprintf(b, "%d tries checked: %s, %d anomalies.\n", r.Check.Checked, verdict, len(r.Check.Anomalies))
	for _, a := range r.Check.Anomalies {
		fmt.Fprintf(b, "  %s\n", a)
	}
	fmt.Fprintf(b, "%d events and %d messages in %.1f s; trace %s\n", r.Events, r.Messages, r.WallS, r.TraceHash)
}
