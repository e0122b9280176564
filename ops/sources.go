package ops

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"isochron/participant"
	"isochron/server"
	"isochron/txn"
)

// sourceFigures are the metrics of one source, at its agent's node.
var sourceFigures = []struct {
	figure
	of func(s server.SourceReport) float64
}{
	{gauge("isochron_source_serving", "1 if the database answers its agent and has the expected identity.", "source"), func(s server.SourceReport) float64 { return truth(s.Serving) }},
	{gauge("isochron_source_branches", "Transactions at the source that have not ended.", "source"), func(s server.SourceReport) float64 { return float64(s.Branches) }},
	{gauge("isochron_source_in_doubt", "Transactions at the source that are prepared, or may be.", "source"), func(s server.SourceReport) float64 { return float64(s.InDoubt) }},
	{gauge("isochron_source_recovering_branches", "Branches prepared before the source restarted and not ended yet; new branches wait for them.", "source"), func(s server.SourceReport) float64 { return float64(s.Counts.Fenced) }},
	{total("isochron_source_deadlocks_total", "Deadlocks over several databases and shards that were ended by aborting a transaction at the source.", "source"), func(s server.SourceReport) float64 { return float64(s.Counts.Deadlocks) }},
	{total("isochron_source_recovery_waits_total", "Transactions that waited for branches prepared before a restart of the source.", "source"), func(s server.SourceReport) float64 { return float64(s.Counts.FenceWaits) }},
	{total("isochron_source_rounds_total", "Rounds of statements that gateways have sent to the source.", "source"), func(s server.SourceReport) float64 { return float64(s.Counts.Works) }},
	{total("isochron_source_statements_total", "Statements in them.", "source"), func(s server.SourceReport) float64 { return float64(s.Counts.Statements) }},
}

var (
	sourceEnded   = total("isochron_source_ended_total", "Transactions that ended at the source; unknown: the connection broke during the commit.", "source", "outcome")
	sourceRefused = total("isochron_source_refusals_total", "Refused statements and votes of No at the source.", "source", "cause")
	sourceHeld    = prometheus.NewDesc("isochron_source_lock_hold_seconds", "Time a transaction held locks at the source, from its first statement there to its end.", []string{"source"}, nil)
	hotRecords    = gauge("isochron_hot_records", "Records with statistics at this gateway, if its protocol uses them.")
	hotBytes      = gauge("isochron_hot_records_bytes", "Memory of the statistics of hot records.")
)

// causeLabel returns a cause's label.
var causeLabel = strings.NewReplacer(" ", "_", "(", "", ")", "")

func describeSources(out chan<- *prometheus.Desc) {
	for _, f := range sourceFigures {
		out <- f.desc
	}
	for _, f := range []figure{sourceEnded, sourceRefused, hotRecords, hotBytes} {
		out <- f.desc
	}
	out <- sourceHeld
}

// collectSources collects a node's sources; put is as in Collect.
func collectSources(r server.Report, put func(figure, float64, ...string), out chan<- prometheus.Metric) {
	put(hotRecords, float64(r.HotRecords))
	put(hotBytes, float64(r.HotRecordsBytes))
	for _, s := range r.Sources {
		for _, f := range sourceFigures {
			put(f.figure, f.of(s), s.Name)
		}
		put(sourceEnded, float64(s.Counts.Committed), s.Name, "committed")
		put(sourceEnded, float64(s.Counts.Aborted), s.Name, "aborted")
		put(sourceEnded, float64(s.Counts.Unknown), s.Name, "unknown")
		for c := range txn.Causes {
			put(sourceRefused, float64(s.Counts.Refused[c]), s.Name, causeLabel.Replace(c.String()))
		}
		count, buckets := held(s.Counts)
		out <- prometheus.MustNewConstHistogram(sourceHeld, count, float64(s.Counts.HeldNanos)/1e9, buckets, s.Name)
	}
}

// held returns the counts up to each bound, in seconds.
func held(c participant.SourceCounts) (count uint64, buckets map[float64]uint64) {
	buckets = map[float64]uint64{}
	for i, n := range c.Held {
		if count += n; i < len(c.Held)-1 {
			buckets[float64(uint64(1)<<i)/1000] = count
		}
	}
	return count, buckets
}
