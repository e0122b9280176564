package lab

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"isochron/reveal"
	"isochron/workload"
)

// Result is the result of an experiment. Times are milliseconds of virtual time, unless their names
// have another unit.
type Result struct {
	Protocol  string  `json:"protocol"`
	Workload  string  `json:"workload"`
	Seed      uint64  `json:"seed"`
	DurationS float64 `json:"duration_s"`
	WallS     float64 `json:"wall_s"` // real time of the run: the only field that differs between equal runs
	Events    uint64  `json:"events"`
	Figures
	CommittedByThird [3]int64         `json:"committed_by_third"` // of the measured time; see Unsteady
	ContentionSpanMS SpanMS           `json:"contention_span_ms"`
	ByClass          map[string]Class `json:"by_class"`
	Machine          Machine          `json:"machine"`
	Longest          Longest          `json:"longest"`
	Series           []Piece          `json:"series,omitempty"`
	Check            Check            `json:"check"`
	TraceHash        string           `json:"trace_hash"`
	Messages         int              `json:"messages"`
	Costs            Costs            `json:"costs"`
	Experiment       ExperimentReport `json:"spec"`
	Faults           map[string]int   `json:"faults,omitempty"` // that were injected, by kind

	// Rules are the hits of the rules of the core, warm-up included, if they were counted.
	Rules map[string]uint64 `json:"rules,omitempty"`
}

// Figures are the figures of every class of transactions.
type Figures struct {
	Committed     int64 `json:"committed"`
	Aborted       int64 `json:"aborted"`       // tries that were
	Indeterminate int64 `json:"indeterminate"` // the client did not receive the outcome
	// AbortedBy are the aborted tries by their causes, as txn.Cause names them.
	AbortedBy map[string]int64 `json:"aborted_by,omitempty"`

	GaveUp        int64     `json:"gave_up"` // the tries were used up, or the client cancelled
	ThroughputTPS float64   `json:"throughput_tps"`
	AbortRate     float64   `json:"abort_rate"` // aborted tries over all tries with an outcome
	LatencyMS     LatencyMS `json:"latency_ms"` // from the begin of the first try to the commit's answer
	// EveryMS is of all transactions except the ones cancelled by their clients: also transactions
	// given up after the last try, with the time they took, and open ones at the end, with their
	// age, which is a lower bound. It shows starvation.
	EveryMS       LatencyMS `json:"every_ms"`
	UnderWay      int64     `json:"under_way"` // at the end of the measured time
	Slowest       Slowest   `json:"slowest"`
	CommitMS      LatencyMS `json:"commit_ms"` // from the commit's request to its answer
	BreakdownMS   Breakdown `json:"breakdown_ms"`
	LockWaitMS    LockWait  `json:"lock_wait_ms"` // of the latency, at shards for locks, in all tries
	TriesS        Tries     `json:"tries_s"`
	WANHopsCommit float64   `json:"wan_hops_commit"` // one-way, on the commit's critical path, on average
	HopsKnown     int64     `json:"wan_hops_known"`  // commits with a known path
}

// Class is one class of transactions: SR and MR (the leaders it touched are in one region, or in
// several), and the workload's own.
type Class struct{ Figures }

// LatencyMS is a distribution.
type LatencyMS struct {
	Avg  float64 `json:"avg"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	// P9999 needs more than ten thousand transactions.
	P9999 float64 `json:"p9999"`
}

// LockWait is a distribution of waits; of most transactions it is 0.
type LockWait struct {
	Avg float64 `json:"avg"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Slowest splits the time of the slowest thousandth of the commits: of one at least, and of at most
// 500.
type Slowest struct {
	Breakdown
	Tries   float64 `json:"tries"`
	Commits int     `json:"commits"` // number of these
}

// Machine has the work of the first region's node in the measured time; the work of locks is
// divided by the committed transactions.
type Machine struct {
	CPUPercent float64 `json:"cpu_percent"`             // of all its cores
	Locks      float64 `json:"locks_per_commit"`        // granted and released
	Steps      float64 `json:"lock_steps_per_commit"`   // of walks over the wait graph
	Waits      float64 `json:"lock_waits_per_commit"`   // for locks, begun
	RowWaiters float64 `json:"locks_beside_per_commit"` // waiters of the rows of locks, at each granted or released
}

// Piece is one piece of the measured time.
type Piece struct {
	UntilS        float64 `json:"until_s"` // since the start of the measured time
	ThroughputTPS float64 `json:"throughput_tps"`
	FailedTPS     float64 `json:"failed_tps"` // ended without a commit
	P95MS         float64 `json:"p95_ms"`
	CPUPercent    float64 `json:"cpu_percent"`
	AbortRate     float64 `json:"abort_rate,omitempty"` // of tries
	// Threshold is, at its end, the number of updates of a row in a thousand round trips to its
	// leader from which the observed gateway reads it there; 0 where that does not adapt.
	Threshold float64 `json:"threshold,omitempty"`
}

// Longest is the largest of any transaction of the run, warm-up included, and transactions that
// never ended: starvation does not show among commits.
type Longest struct {
	Tries     int     `json:"tries"`      // begun for one transaction
	LatencyMS float64 `json:"latency_ms"` // since its first try began
}

// Breakdown splits the average latency: the last try up to its commit, its commit, and all tries
// before it with the pauses between them.
type Breakdown struct {
	Execute float64 `json:"execute"`
	Commit  float64 `json:"commit"`
	Abort   float64 `json:"abort"`
}

// Tries splits the time of all clients together, in seconds: in tries that ended in the measured
// time, including those of transactions that did not end then. Pauses between tries are not
// included.
type Tries struct {
	Execute     float64 `json:"execute"` // of tries that committed, up to the commit
	Commit      float64 `json:"commit"`
	LostExecute float64 `json:"lost_execute"` // of tries that were aborted
	LostCommit  float64 `json:"lost_commit"`  // from the commit's request to the abort
}

func (t Tries) sum() float64 { return t.Execute + t.Commit + t.LostExecute + t.LostCommit }

// SpanMS is the contention span: from the first time at which a transaction could make another wait
// or abort at a shard, to the last.
type SpanMS struct {
	Avg      float64                        `json:"avg"`
	P99      float64                        `json:"p99"`
	Count    int64                          `json:"count"`
	ByRegion map[string]SpanPart            `json:"by_region"` // of the shard's leader
	ByPair   map[string]map[string]SpanPart `json:"by_pair"`   // the client's region, the leader's
}

// SpanPart is the spans of one region, or of one pair.
type SpanPart struct {
	Avg   float64 `json:"avg"`
	P99   float64 `json:"p99"`
	Count int64   `json:"count"`
}

// Check is the verdict on the recorded history.
type Check struct {
	Checked      int      `json:"checked"` // tries
	Serializable bool     `json:"serializable"`
	Anomalies    []string `json:"anomalies"` // the first of them, described
}

// Costs are the costs of the machines.
type Costs struct {
	CPUMicros   float64 `json:"cpu_us"`   // of one message
	FsyncMicros float64 `json:"fsync_us"` // of one sync
	Cores       int     `json:"cores"`
	SyncEach    bool    `json:"sync_each,omitempty"` // no group commit
	// Of one request, of one that commits writes; in addition of a statement and of a commit with
	// writes; of a lock, and of a step of the wait graph. 0: no cost of its own.
	RequestMicros   float64 `json:"request_us,omitempty"`
	CommitMicros    float64 `json:"commit_us,omitempty"`
	StatementMicros float64 `json:"statement_us,omitempty"`
	StoreMicros     float64 `json:"store_us,omitempty"`
	LockMicros      float64 `json:"lock_us,omitempty"`
	StepMicros      float64 `json:"lock_step_us,omitempty"`
	PageMicros      float64 `json:"lock_page_us,omitempty"` // of a protocol that has it: of a lock, for each waiter
	ListMicros      float64 `json:"list_us,omitempty"`      // the same: of a read, for each writer
	Loop            bool    `json:"loop,omitempty"`         // a node does one thing at a time
	Source          string  `json:"source"`
}

// ExperimentReport is the rest of the experiment, as requested.
type ExperimentReport struct {
	ReadOnly string  `json:"read_only"`
	WAN      string  `json:"wan"`
	Shards   int     `json:"shards"`
	Replicas int     `json:"replicas"`
	Clients  int     `json:"clients,omitempty"`
	Rate     float64 `json:"rate_tps,omitempty"`
	Keys     int     `json:"keys,omitempty"`
	Zipf     float64 `json:"zipf"`
	Length   int     `json:"length,omitempty"`
	Spread   int     `json:"spread,omitempty"`

	Warehouses           int     `json:"warehouses,omitempty"`
	Sources              string  `json:"sources,omitempty"`
	Distributed          float64 `json:"distributed,omitempty"`
	Rounds               int     `json:"rounds,omitempty"`
	StartTrips           bool    `json:"start_trips,omitempty"`
	EndTrips             bool    `json:"end_trips,omitempty"`
	ClientsAt            string  `json:"clients_at,omitempty"`
	SourceWorkMicros     float64 `json:"source_work_us,omitempty"`
	SourceSyncMicros     float64 `json:"source_sync_us,omitempty"`
	AgentRTTMicros       float64 `json:"agent_rtt_us,omitempty"`
	ReadShare            float64 `json:"read_share"`
	Rollback             float64 `json:"rollback,omitempty"`
	Hot                  int     `json:"hot,omitempty"`
	Spikes               string  `json:"spikes,omitempty"`
	Delays               string  `json:"delays,omitempty"`
	Skews                string  `json:"skews,omitempty"`
	HotOff               bool    `json:"hot_off,omitempty"`
	AdmissionOff         bool    `json:"admission_off,omitempty"`
	NeverSure            bool    `json:"never_sure,omitempty"`
	HotFromS             float64 `json:"hot_from_s,omitempty"`
	HotWaiters           int     `json:"hot_waiters,omitempty"`
	GroupSize            int     `json:"group_size,omitempty"`
	GrowFromS            float64 `json:"grow_from_s,omitempty"`
	GrowTo               int     `json:"grow_to,omitempty"`
	Sequence             int     `json:"sequence,omitempty"`
	Reveal               string  `json:"reveal,omitempty"` // other than the protocol's
	ClientRegions        int     `json:"client_regions,omitempty"`
	ClientRTTMS          float64 `json:"client_rtt_ms,omitempty"`
	LockWaitS            float64 `json:"lock_wait_s,omitempty"`
	ProbeEveryMS         float64 `json:"probe_every_ms,omitempty"`
	ResendAfterS         float64 `json:"resend_after_s,omitempty"`
	ElectionTimeoutS     float64 `json:"election_timeout_s,omitempty"`
	Coordinators         int     `json:"coordinators,omitempty"` // in each region, beside the node with the shards
	CoordinatorCPUMicros float64 `json:"coordinator_cpu_us,omitempty"`
	CoordinatorCores     int     `json:"coordinator_cores,omitempty"`
	DeadCoCoordinators   int     `json:"dead_co_coordinators,omitempty"`

	Central workload.Central `json:"central,omitempty"`

	Holders  string  `json:"holders,omitempty"`
	High     float64 `json:"high,omitempty"` // fraction of transactions with high priority
	FixedSet bool    `json:"declares,omitempty"`

	HighClass string `json:"high_class,omitempty"` // the workload's class that has it

	Draw        workload.Draw  `json:"zipf_draw,omitempty"`
	Homes       workload.Homes `json:"homes,omitempty"`
	OneByOne    bool           `json:"one_by_one,omitempty"`
	NearAsIs    bool           `json:"near_as_is,omitempty"`
	LikeCommits bool           `json:"aborts_like_commits,omitempty"`
	CountBegun  bool           `json:"count_begun,omitempty"`
	FreshAge    bool           `json:"fresh_age,omitempty"`
	Unwaited    bool           `json:"reads_unwaited,omitempty"`
	NotedFirst  bool           `json:"ends_noted_first,omitempty"`

	Client Manner `json:"client"`
	Tries  int    `json:"tries"` // bound for one transaction

	Jitter  float64 `json:"jitter"`
	Netem   bool    `json:"jitter_netem,omitempty"`
	Loss    float64 `json:"loss"`
	TCP     bool    `json:"tcp,omitempty"`
	SkewMS  float64 `json:"skew_ms"`
	Faults  string  `json:"faults"`
	WarmupS float64 `json:"warmup_s"`
	BackMS  float64 `json:"backoff_ms"`
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func seconds(d time.Duration) float64 { return rounded(d.Seconds(), 3) }

// rounded rounds a number to some decimals.
func rounded(v float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(v*p) / p
}

func ratio(a, b int64, decimals int) float64 {
	if b == 0 {
		return 0
	}
	return rounded(float64(a)/float64(b), decimals)
}

func (d *dist) latency() LatencyMS {
	return LatencyMS{
		Avg: ms(d.avg()), P50: ms(d.quantile(50)), P90: ms(d.quantile(90)), P95: ms(d.quantile(95)),
		P99: ms(d.quantile(99)), P999: ms(d.quantile(99.9)), P9999: ms(d.quantile(99.99)),
	}
}

func (d *dist) part() SpanPart { return SpanPart{ms(d.avg()), ms(d.quantile(99)), d.n} }

// figures returns the figures of a tally over the measured time.
func (t *tally) figures(over time.Duration) Figures {
	n := max(time.Duration(t.committed), 1)
	return Figures{
		Committed: t.committed, Aborted: t.aborted, Indeterminate: t.unknown, GaveUp: t.gaveUp,
		ThroughputTPS: rounded(float64(t.committed)/over.Seconds(), 2),
		AbortRate:     ratio(t.aborted, t.aborted+t.committed, 4), AbortedBy: t.byCause(),
		LatencyMS: t.latency.latency(), CommitMS: t.commit.latency(),
		EveryMS: t.every.latency(), UnderWay: t.underWay, Slowest: t.slowest.report(t.committed),
		LockWaitMS:    LockWait{ms(t.lockWait.avg()), ms(t.lockWait.quantile(95)), ms(t.lockWait.quantile(99))},
		BreakdownMS:   Breakdown{ms(t.execute / n), ms(t.commits / n), ms(t.aborts / n)},
		TriesS:        Tries{seconds(t.execute), seconds(t.commits), seconds(t.lostExecute), seconds(t.lostCommit)},
		WANHopsCommit: ratio(t.hops, t.hopsKnown, 2), HopsKnown: t.hopsKnown,
	}
}

func (s *spans) report() SpanMS {
	out := SpanMS{Avg: ms(s.all.avg()), P99: ms(s.all.quantile(99)), Count: s.all.n, ByRegion: map[string]SpanPart{}, ByPair: map[string]map[string]SpanPart{}}
	// order: from map to map.
	for region, d := range s.byLeader {
		out.ByRegion[region] = d.part()
	}
	// order: from map to map.
	for client, leaders := range s.byPair {
		out.ByPair[client] = map[string]SpanPart{}
		// order: from map to map.
		for leader, d := range leaders {
			out.ByPair[client][leader] = d.part()
		}
	}
	return out
}

func (s resolved) report() ExperimentReport {
	r := ExperimentReport{
		ReadOnly: s.spec.ReadOnly.String(), WAN: s.WAN, Shards: s.Shards, Replicas: s.Replicas, Clients: s.Clients, Keys: s.Keys, Zipf: s.Zipf, Length: s.Length, Spread: s.Spread,
		Warehouses: s.Warehouses, ReadShare: s.ReadShare, Rollback: s.Rollback, Hot: s.Hot, Spikes: s.Spikes, Delays: s.Delays, Skews: s.Skews,
		HotOff: s.HotOff, AdmissionOff: s.AdmissionOff, NeverSure: s.NeverSure, HotFromS: s.HotFrom.Seconds(), HotWaiters: s.HotWaiters, GroupSize: s.GroupSize, GrowFromS: s.GrowFrom.Seconds(), GrowTo: s.GrowTo, Sequence: s.Sequence,
		ClientRegions: s.ClientRegions, ClientRTTMS: ms(s.ClientRTT), LockWaitS: s.LockWait.Seconds(), ProbeEveryMS: ms(s.ProbeEvery), ResendAfterS: s.ResendAfter.Seconds(), ElectionTimeoutS: s.ElectionTimeout.Seconds(), Coordinators: s.Coordinators, DeadCoCoordinators: s.DeadCoCoordinators,
		Sources: s.Sources, Distributed: s.Distributed, Central: s.Central, Holders: s.Holders, High: s.High, HighClass: s.HighClass, FixedSet: s.FixedSet, Rounds: s.Rounds, StartTrips: s.StartTrips, EndTrips: s.EndTrips, ClientsAt: s.ClientsAt,
		SourceWorkMicros: micros(s.SourceWork), SourceSyncMicros: micros(s.SourceSync), AgentRTTMicros: micros(s.AgentRTT),
		Draw: s.Draw, Homes: s.Homes, OneByOne: s.OneByOne, NearAsIs: s.NearAsIs, LikeCommits: s.AbortsLikeCommits, CountBegun: s.CountBegun, FreshAge: s.FreshAge, Unwaited: s.ReadsUnwaited, NotedFirst: s.EndsNotedFirst, Client: cmp.Or(s.Client, Forever), Tries: s.Tries, Jitter: s.Jitter, Netem: s.Netem, Loss: s.Loss, TCP: s.TCP, SkewMS: ms(s.Skew), Faults: fmt.Sprint(s.faults), WarmupS: s.Warmup.Seconds(), BackMS: ms(s.Backoff),
	}
	if s.Reveal != reveal.Unset {
		r.Reveal = s.Reveal.String()
	}
	if s.Coordinators > 0 {
		r.CoordinatorCPUMicros, r.CoordinatorCores = micros(s.CoordinatorCPU), s.CoordinatorCores
	}
	if s.Rate > 0 {
		r.Clients, r.Rate = 0, s.Rate
	}
	return r
}

func (s resolved) costs() Costs {
	page, list := s.managed()
	return Costs{CPUMicros: micros(s.CPU), FsyncMicros: micros(s.Fsync), Cores: s.Cores, SyncEach: s.SyncEach, Source: s.costSource(),
		RequestMicros: micros(s.RequestCPU), StatementMicros: micros(s.StatementCPU), CommitMicros: micros(s.CommitCPU), StoreMicros: micros(s.StoreCPU), Loop: s.Loop, LockMicros: micros(s.LockCPU), StepMicros: micros(s.StepCPU), PageMicros: micros(page), ListMicros: micros(list)}
}
