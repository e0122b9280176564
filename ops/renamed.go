package ops

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Renamed is a metric that is exported under its old name too, for one release.
type Renamed struct {
	Old, New string
	labels   []string
}

// RenamedMetrics lists the metrics with two names. The help of the old one is "deprecated, use NEW".
var RenamedMetrics = []Renamed{
	{"isochron_sql_strangers", "isochron_sql_unauthenticated_connections", nil},
	{"isochron_sql_strangers_dropped_total", "isochron_sql_unauthenticated_connections_evicted_total", nil},
	{"isochron_sql_retries_inside_total", "isochron_sql_auto_retries_total", nil},
	{"isochron_sql_declared_total", "isochron_sql_fixed_set_transactions_total", nil},
	{"isochron_sql_statement_wide_rounds", "isochron_sql_statement_cross_region_rounds", nil},
	{"isochron_timer_looks_total", "isochron_timer_polls_total", nil},
	{"isochron_timer_overdue_total", "isochron_timer_missed_total", nil},
	{"isochron_admission_inside", "isochron_admission_running", nil},
	{"isochron_shard_late_total", "isochron_shard_late_arrivals_total", []string{"shard"}},
	{"isochron_shard_wide_deadlocks_total", "isochron_shard_distributed_deadlocks_total", []string{"shard"}},
	{"isochron_shard_refusals_total", "isochron_shard_no_votes_total", []string{"shard"}},
	{"isochron_recoveries_total", "isochron_commit_recoveries_total", nil},
	{"isochron_unfinished_commits", "isochron_unacknowledged_commits", nil},
	{"isochron_commit_over_bound_ratio", "isochron_commit_network_bound_ratio", nil},
	{"isochron_disk_sync_answers", "isochron_disk_sync_batch_size", nil},
	{"isochron_warm_records", "isochron_temperature_records", nil},
	{"isochron_warm_threshold_updates", "isochron_temperature_threshold_updates", nil},
	{"isochron_source_held_seconds", "isochron_source_lock_hold_seconds", []string{"source"}},
	{"isochron_source_fenced", "isochron_source_recovering_branches", []string{"source"}},
	{"isochron_source_fence_waits_total", "isochron_source_recovery_waits_total", []string{"source"}},
	{"isochron_memory_setting_bytes", "isochron_memory_limit_bytes", nil},
	{"isochron_memory_held_bytes", "isochron_memory_used_bytes", []string{"part"}},
	{"isochron_memory_share_bytes", "isochron_memory_quota_bytes", []string{"part"}},
}

// withOldNames is a collector that exports each renamed metric of another one twice. old has the
// description of the old name, by that of the new one; it is only read after newWithOldNames.
type withOldNames struct {
	prometheus.Collector
	old map[*prometheus.Desc]*prometheus.Desc
}

// newWithOldNames returns c with the old names, or c itself if it has no renamed metric.
func newWithOldNames(c prometheus.Collector) prometheus.Collector {
	old := map[*prometheus.Desc]*prometheus.Desc{}
	for _, d := range described(c) {
		for _, r := range RenamedMetrics {
			if strings.Contains(d.String(), fmt.Sprintf("fqName: %q,", r.New)) {
				old[d] = prometheus.NewDesc(r.Old, "deprecated, use "+r.New, r.labels, nil)
			}
		}
	}
	if len(old) == 0 {
		return c
	}
	return withOldNames{c, old}
}

// described returns what a collector describes.
func described(c prometheus.Collector) (all []*prometheus.Desc) {
	descs := make(chan *prometheus.Desc)
	go func() { defer close(descs); c.Describe(descs) }()
	for d := range descs {
		all = append(all, d)
	}
	return all
}

// Describe implements prometheus.Collector.
func (w withOldNames) Describe(out chan<- *prometheus.Desc) {
	for _, d := range described(w.Collector) {
		out <- d
		if old := w.old[d]; old != nil {
			out <- old
		}
	}
}

// Collect implements prometheus.Collector.
func (w withOldNames) Collect(out chan<- prometheus.Metric) {
	metrics := make(chan prometheus.Metric)
	go func() { defer close(metrics); w.Collector.Collect(metrics) }()
	for m := range metrics {
		out <- m
		if old := w.old[m.Desc()]; old != nil {
			out <- renamedMetric{m, old}
		}
	}
}

// renamedMetric is a metric under another name.
type renamedMetric struct {
	prometheus.Metric
	desc *prometheus.Desc
}

// Desc implements prometheus.Metric.
func (r renamedMetric) Desc() *prometheus.Desc { return r.desc }
