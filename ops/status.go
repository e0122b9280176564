package ops

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"isochron/server"
	"isochron/server/memory"
	"isochron/txn"
)

// statusCollector queries the node's status at each scrape.
type statusCollector struct{ m *Metrics }

// figure is a metric that is read and not counted.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func total(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// shardFigures are the metrics of one replica.
var shardFigures = []struct {
	figure
	of func(s server.ShardReport) float64
}{
	{gauge("isochron_shard_leads", "1 if this node leads the shard and serves.", "shard"), func(s server.ShardReport) float64 { return truth(s.Serving) }},
	{gauge("isochron_shard_leader_node", "The shard's leader as known to this node; 0: none.", "shard"), func(s server.ShardReport) float64 { return float64(s.Leader) }},
	{gauge("isochron_shard_term", "The term of the replica.", "shard"), func(s server.ShardReport) float64 { return float64(s.Term) }},
	{gauge("isochron_shard_applied_index", "The newest log entry in the state; the lag of a replica is the difference to the largest of all nodes.", "shard"), func(s server.ShardReport) float64 { return float64(s.Applied) }},
	{gauge("isochron_shard_last_index", "The newest entry in the log.", "shard"), func(s server.ShardReport) float64 { return float64(s.Last) }},
	{gauge("isochron_shard_undecided", "Votes in the log without a decision.", "shard"), func(s server.ShardReport) float64 { return float64(s.Undecided) }},
	{gauge("isochron_shard_lock_holders", "Transactions that hold locks; at the leader.", "shard"), func(s server.ShardReport) float64 { return float64(s.Holders) }},
	{gauge("isochron_shard_lock_waiters", "Requests that wait for locks; at the leader.", "shard"), func(s server.ShardReport) float64 { return float64(s.Waiters) }},
	{total("isochron_shard_lock_waits_total", "Lock waits begun.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.LockWaits) }},
	{total("isochron_shard_wounds_total", "Transactions that lost their locks to an older one.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Wounds) }},
	{total("isochron_shard_deadlocks_total", "Requests aborted because they would have closed a cycle of waits at this shard.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Deadlocks) }},
	{total("isochron_shard_distributed_deadlocks_total", "Deadlocks over several shards that this shard resolved by an abort.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.WideDeadlocks) }},
	{total("isochron_shard_late_arrivals_total", "2FI transactions received after their arrival time, counted at the leader.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Late) }},
	{total("isochron_shard_no_votes_total", "Votes of No on a prepare.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Refusals) }},
	{total("isochron_shard_proposals_total", "Commands proposed to the log; several may share an entry.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Proposals) }},
	{total("isochron_shard_elections_total", "Elections that this replica began.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.Campaigns) }},
	{total("isochron_shard_snapshots_sent_total", "Snapshots offered to replicas that lag.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.SnapshotsSent) }},
	{total("isochron_shard_snapshots_installed_total", "Snapshots that became the state.", "shard"), func(s server.ShardReport) float64 { return float64(s.Counts.SnapshotsInstalled) }},
}

// linkFigures are the metrics of the connection to one peer.
var linkFigures = []struct {
	figure
	of func(l server.LinkReport) float64
}{
	{gauge("isochron_peer_up", "1 if there is a connection to the peer.", "peer"), func(l server.LinkReport) float64 { return truth(l.Up) }},
	{gauge("isochron_peer_round_trip_seconds", "The latest measured round trip, with the added delay; 0: none yet.", "peer"), func(l server.LinkReport) float64 { return l.RTTMS / 1000 }},
	{gauge("isochron_peer_round_trip_average_seconds", "Moving average of the round trips, each new one weighted by a fifth; 0: none yet.", "peer"), func(l server.LinkReport) float64 { return l.AverageMS / 1000 }},
	{gauge("isochron_peer_round_trip_p95_seconds", "The 95th percentile of the round trips of the last minute, or second under protocols with arrival times; 0: none yet.", "peer"), func(l server.LinkReport) float64 { return l.P95MS / 1000 }},
	{gauge("isochron_peer_one_way_p95_seconds", "The 95th percentile of the one-way delays to the peer in the last minute, or second under protocols with arrival times, plus the clocks' difference; 0: none yet.", "peer"), func(l server.LinkReport) float64 { return l.OneWayP95MS / 1000 }},
	{gauge("isochron_peer_added_delay_seconds", "Delay added to messages to the peer, one way.", "peer"), func(l server.LinkReport) float64 { return l.AddedMS / 1000 }},
	{total("isochron_peer_sent_bytes_total", "Bytes written to the peer.", "peer"), func(l server.LinkReport) float64 { return float64(l.Bytes) }},
	{total("isochron_peer_sent_frames_total", "Frames for the peer.", "peer"), func(l server.LinkReport) float64 { return float64(l.Sent) }},
	{total("isochron_peer_dropped_frames_total", "Frames for the peer lost without a connection or at a full queue.", "peer"), func(l server.LinkReport) float64 { return float64(l.Dropped) }},
}

// nodeFigures are the metrics of the node.
var nodeFigures = []struct {
	figure
	of func(a about) float64
}{
	{gauge("isochron_ready", "1 if the node knows a leader of every shard.", "protocol", "region"), nil},
	{gauge("isochron_open_transactions", "Transactions of this gateway that have not ended."), func(a about) float64 { return float64(a.r.Transactions) }},
	{gauge("isochron_admission_window", "Transaction tries that admission control lets run in parallel at this gateway, in classes with many conflicts; 0: no bound."), func(a about) float64 { return float64(a.r.Admission.Window) }},
	{gauge("isochron_admission_running", "Transaction tries that run under admission control: those of tables with recent conflicts."), func(a about) float64 { return float64(a.r.Admission.Running) }},
	{gauge("isochron_admission_queue", "Transaction tries that wait for admission."), func(a about) float64 { return float64(a.r.Admission.Queue) }},
	{gauge("isochron_temperature_records", "Records whose update rate this gateway keeps, under a protocol that chooses where to read by it."), func(a about) float64 { return float64(a.r.WarmRecords) }},
	{gauge("isochron_temperature_threshold_updates", "Updates expected in one round trip to the leader from which on a record is read at its leader; 0: the protocol has no threshold."), func(a about) float64 { return a.r.WarmThreshold }},
	{gauge("isochron_unacknowledged_commits", "Commits of this gateway that some participant has not acknowledged."), func(a about) float64 { return float64(a.r.Commitments) }},
	{gauge("isochron_oldest_undecided_age_seconds", "Age of the oldest vote without a decision; 0: there is none."), func(a about) float64 { return oldest(a.r) }},
	{total("isochron_verify_comparisons_total", "Comparisons of a shard's replicas that this node has started by itself."), func(a about) float64 { return float64(a.r.Verify.Comparisons) }},
	{total("isochron_verify_failed_total", "Comparisons in which not all replicas could be compared."), func(a about) float64 { return float64(a.r.Verify.Failed) }},
	{gauge("isochron_verify_different_shards", "Shards whose replicas differed in this node's newest comparison; not 0: a replica is damaged."), func(a about) float64 { return float64(len(a.r.Verify.Different)) }},
	{total("isochron_timer_polls_total", "Polls of the timer queue: about 10 a second when idle, one per tick (10 ms) under load."), func(a about) float64 { return float64(a.r.TimerStats.Looked) }},
	{total("isochron_timer_missed_total", "Timers still due after a poll; not 0 is a defect that costs CPU time only."), func(a about) float64 { return float64(a.r.TimerStats.Overdue) }},
	{gauge("isochron_mailbox_depth", "Inputs queued for the node's loop."), func(a about) float64 { return float64(a.q.Mailbox) }},
	{total("isochron_mailbox_dropped_messages_total", "Messages of peers lost at a full mailbox."), func(a about) float64 { return float64(a.q.DroppedMessages) }},
	{total("isochron_mailbox_refused_requests_total", "Requests of clients refused at a full mailbox."), func(a about) float64 { return float64(a.q.RefusedRequests) }},
	{total("isochron_delay_line_dropped_messages_total", "Messages lost in a full delay line."), func(a about) float64 { return float64(a.q.LinesDropped) }},
	{gauge("isochron_storage_usage_bytes", "Space used by the engine's files."), func(a about) float64 { return float64(a.d.UsageBytes) }},
	{gauge("isochron_storage_compaction_debt_bytes", "Bytes still to be compacted."), func(a about) float64 { return float64(a.d.CompactionDebtBytes) }},
	{gauge("isochron_storage_compactions_running", "Compactions under way."), func(a about) float64 { return float64(a.d.CompactionsRunning) }},
	{total("isochron_storage_compactions_total", "Compactions done."), func(a about) float64 { return float64(a.d.Compactions) }},
	{total("isochron_storage_flushes_total", "Memory tables flushed."), func(a about) float64 { return float64(a.d.Flushes) }},
	{gauge("isochron_storage_level0_files", "Files of level 0; many of them slow writes down."), func(a about) float64 { return float64(a.d.L0Files) }},
	{gauge("isochron_storage_memtable_bytes", "Size of the memory tables."), func(a about) float64 { return float64(a.d.MemTableBytes) }},
	{gauge("isochron_storage_wal_bytes", "Size of the engine's own log."), func(a about) float64 { return float64(a.d.WALBytes) }},
	{gauge("isochron_storage_cache_bytes", "Size of the block cache."), func(a about) float64 { return float64(a.d.CacheBytes) }},
	{gauge("isochron_memory_limit_bytes", "Memory limit of the node."), func(a about) float64 { return float64(a.r.Memory.Setting) }},
	{gauge("isochron_memory_resident_bytes", "Resident memory of the node."), func(a about) float64 { return float64(a.r.Memory.Resident) }},
	{total("isochron_storage_cache_hits_total", "Blocks found in the cache."), func(a about) float64 { return float64(a.d.CacheHits) }},
	{total("isochron_storage_cache_misses_total", "Blocks read from the disk."), func(a about) float64 { return float64(a.d.CacheMisses) }},
}

// memoryFigures are the metrics of one part of the node's memory.
var memoryFigures = []struct {
	figure
	of func(u memory.PartUse) float64
}{
	{gauge("isochron_memory_used_bytes", "Memory used by a part of the node, as the part accounts for it.", "part"), func(u memory.PartUse) float64 { return float64(u.Holds) }},
	{gauge("isochron_memory_quota_bytes", "Memory quota of a part of the node.", "part"), func(u memory.PartUse) float64 { return float64(u.Share) }},
}

var (
	scrapeOK        = gauge("isochron_scrape_success", "1 if the node's loop answered this scrape in time.")
	connections     = gauge("isochron_sql_connections", "Connected SQL clients.")
	unauthenticated = gauge("isochron_sql_unauthenticated_connections", "Connections to the MySQL port that have not authenticated yet.")
	evicted         = total("isochron_sql_unauthenticated_connections_evicted_total", "Unauthenticated connections closed to make room for new ones.")
)

// about is a node's status in one scrape.
type about struct {
	r server.Report
	q server.Queues
	d server.Disk
}

func oldest(r server.Report) float64 {
	var ms float64
	for _, d := range r.InDoubt {
		ms = max(ms, d.AgeMS)
	}
	return ms / 1000
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Describe implements prometheus.Collector.
func (statusCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range shardFigures {
		out <- f.desc
	}
	for _, f := range linkFigures {
		out <- f.desc
	}
	for _, f := range nodeFigures {
		out <- f.desc
	}
	for _, f := range memoryFigures {
		out <- f.desc
	}
	describeSources(out)
	out <- scrapeOK.desc
	out <- connections.desc
	out <- unauthenticated.desc
	out <- evicted.desc
}

// Collect implements prometheus.Collector.
func (s statusCollector) Collect(out chan<- prometheus.Metric) {
	put := func(f figure, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...)
	}
	clients, waiting, gone := 0, 0, int64(0)
	if srv := s.m.sql.Load(); srv != nil {
		clients = srv.Connections()
		waiting, gone = srv.Unauthenticated()
	}
	put(connections, float64(clients))
	put(unauthenticated, float64(waiting))
	put(evicted, float64(gone))
	p := s.m.process.Load()
	if p == nil {
		put(scrapeOK, 0)
		return
	}
	r, ok := p.Report()
	put(scrapeOK, truth(ok))
	if !ok {
		return
	}
	a := about{r, p.Queues(), p.Disk()}
	for _, f := range nodeFigures {
		if f.of == nil {
			put(f.figure, truth(r.Ready), r.Protocol, r.Region)
			continue
		}
		put(f.figure, f.of(a))
	}
	for _, sh := range r.Shards {
		for _, f := range shardFigures {
			put(f.figure, f.of(sh), number(sh.Shard))
		}
	}
	collectSources(r, put, out)
	for _, u := range r.Memory.Parts {
		for _, f := range memoryFigures {
			put(f.figure, f.of(u), u.Part)
		}
	}
	for _, l := range r.Links {
		for _, f := range linkFigures {
			put(f.figure, f.of(l), strconv.FormatUint(uint64(l.Peer), 10))
		}
	}
}

func number(s txn.ShardID) string { return strconv.FormatUint(uint64(s), 10) }
