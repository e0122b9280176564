package renamed

// Kind is the kind of a public name.
type Kind int

// The kinds.
const (
	Flag      Kind = iota // of a command; the scope is the command without "isochron", such as "lab run"
	Command               // with its parents, such as "lab fsync"
	Target                // of the Makefile
	Procedure             // of the database isochron
	Column                // of a table of the database isochron; the scope is the table
	Metric                // exported over HTTP
)

// String returns the name of the kind in documents.
func (k Kind) String() string {
	return [...]string{"flag", "command", "make target", "procedure", "column", "metric"}[k]
}

// Name is one renamed public name.
type Name struct {
	Kind     Kind
	Scope    string // empty for kinds without one
	Old, New string
}

// Names is the table.
var Names = []Name{
	{Flag, "sim", "hunt", "seeds"},
	{Flag, "sim", "plant", "inject-bug"},
	{Flag, "sim", "switch", "switch-protocols"},
	{Flag, "sim", "rules", "coverage"},
	{Flag, "sim", "never-sure", "no-lock-fallback"},
	{Flag, "sim", "near-as-is", "near-reads-unchecked"},
	{Flag, "sim", "one-by-one", "sequential-reads"},
	{Flag, "sim", "fresh-age", "new-age-per-retry"},
	{Flag, "sim", "reads-unwaited", "nonblocking-reads"},
	{Flag, "sim", "ends-noted-first", "finalize-majority"},
	{Flag, "sim", "aborts-like-commits", "symmetric-aborts"},
	{Flag, "sim", "count-begun", "measure-started"},
	{Flag, "sim", "declares", "fixed-set"},
	{Flag, "sim", "high", "high-priority-ratio"},
	{Flag, "sim", "holders", "replica-regions"},
	{Flag, "sim", "series", "sample-interval"},
	{Flag, "sim", "count-rules", "count-coverage"},
	{Flag, "sim", "start-trips", "xa-start-rtt"},
	{Flag, "sim", "end-trips", "xa-end-rtt"},
	{Flag, "sim", "grow-from", "group-size-change-at"},
	{Flag, "sim", "grow-to", "group-size-after"},
	{Flag, "sim", "hot-from", "hot-rows-start-at"},
	{Flag, "admission", "least", "min-window"},
	{Flag, "admission", "most", "max-window"},
	{Flag, "set-protocol", "with-nodes-down", "allow-unreachable-nodes"},
	{Flag, "links", "heal", "reset"},
	{Command, "", "lab sync", "lab fsync"},
	{Target, "", "hunt", "simtest"},
	{Target, "", "hunt-planted", "simtest-bugs"},
	{Target, "", "hunt-sources", "simtest-sources"},
	{Procedure, "", "adopt", "import_table"},
	{Procedure, "", "adopt_sharded", "import_sharded_table"},
	{Procedure, "", "adopt_everywhere", "import_broadcast_table"},
	{Procedure, "", "forget", "drop_imported_table"},
	{Column, "admission", "inside", "running"},
	{Column, "admission", "waited", "queued_total"},
	{Column, "placement", "spread", "partitioning"},
	{Column, "sources", "remark", "note"},
	{Metric, "", "isochron_sql_strangers", "isochron_sql_unauthenticated_connections"},
	{Metric, "", "isochron_sql_strangers_dropped_total", "isochron_sql_unauthenticated_connections_evicted_total"},
	{Metric, "", "isochron_sql_retries_inside_total", "isochron_sql_auto_retries_total"},
	{Metric, "", "isochron_sql_declared_total", "isochron_sql_fixed_set_transactions_total"},
	{Metric, "", "isochron_sql_statement_wide_rounds", "isochron_sql_statement_cross_region_rounds"},
	{Metric, "", "isochron_timer_looks_total", "isochron_timer_polls_total"},
	{Metric, "", "isochron_timer_overdue_total", "isochron_timer_missed_total"},
	{Metric, "", "isochron_admission_inside", "isochron_admission_running"},
	{Metric, "", "isochron_shard_late_total", "isochron_shard_late_arrivals_total"},
	{Metric, "", "isochron_shard_wide_deadlocks_total", "isochron_shard_distributed_deadlocks_total"},
	{Metric, "", "isochron_shard_refusals_total", "isochron_shard_no_votes_total"},
	{Metric, "", "isochron_recoveries_total", "isochron_commit_recoveries_total"},
	{Metric, "", "isochron_unfinished_commits", "isochron_unacknowledged_commits"},
	{Metric, "", "isochron_commit_over_bound_ratio", "isochron_commit_network_bound_ratio"},
	{Metric, "", "isochron_disk_sync_answers", "isochron_disk_sync_batch_size"},
	{Metric, "", "isochron_warm_records", "isochron_temperature_records"},
	{Metric, "", "isochron_warm_threshold_updates", "isochron_temperature_threshold_updates"},
	{Metric, "", "isochron_source_held_seconds", "isochron_source_lock_hold_seconds"},
	{Metric, "", "isochron_source_fenced", "isochron_source_recovering_branches"},
	{Metric, "", "isochron_source_fence_waits_total", "isochron_source_recovery_waits_total"},
	{Metric, "", "isochron_memory_setting_bytes", "isochron_memory_limit_bytes"},
	{Metric, "", "isochron_memory_held_bytes", "isochron_memory_used_bytes"},
	{Metric, "", "isochron_memory_share_bytes", "isochron_memory_quota_bytes"},
}

// Of returns the new name by the old one, of a kind and a scope.
func Of(k Kind, scope string) map[string]string {
	out := map[string]string{}
	for _, n := range Names {
		if n.Kind == k && n.Scope == scope {
			out[n.Old] = n.New
		}
	}
	return out
}
