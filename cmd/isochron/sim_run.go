package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/geo"
	"isochron/lab"
	"isochron/server/memory"
	"isochron/workload"
)

// experiment is one experiment as the flags describe it.
type experiment struct {
	spec lab.Experiment
	json bool
	only []string // flags of experiments
}

// addFixedSet adds the flags of 2FI transactions and their priorities.
func addFixedSet(f *pflag.FlagSet, s *lab.Experiment) {
	f.StringVar(&s.Holders, "replica-regions", s.Holders, "regions of the replicas of the shard led from each region, instead of the nearest, such as va,wa/wa,pr/pr,va")
	f.Float64Var(&s.High, "high-priority-ratio", s.High, "part of the transactions with high priority, 0 to 1; results show these separately")
	f.StringVar(&s.HighClass, "high-class", s.HighClass, "a class of transactions of the workload that all have high priority, such as send-payment")
	f.BoolVar(&s.FixedSet, "fixed-set", s.FixedSet, "send transactions as 2FI: all keys are known at the start, of workloads that support it")
}

// addSources adds the flags of external databases.
func addSources(f *pflag.FlagSet, s *lab.Experiment) {
	f.StringVar(&s.Sources, "sources", s.Sources, "external databases, a letter per region: m (MySQL), p (PostgreSQL) or - (none), such as mmmm; they hold the workload's rows")
	f.Float64Var(&s.Distributed, "distributed", s.Distributed, "part of the transactions over --sources that use --spread sources (2) and not one")
	f.StringVar((*string)(&s.Central), "central", string(workload.CentralAny), "the source of transactions that use one of --sources: any (evenly), first, near (the client's region), or in-use (a statement on a row in use, as GeoTP's public client)")
	f.BoolVar(&s.StartTrips, "xa-start-rtt", s.StartTrips, "XA START takes a round trip of its own, to one MySQL after another, before the first statement there")
	f.BoolVar(&s.EndTrips, "xa-end-rtt", s.EndTrips, "XA END takes a round trip of its own before the prepare, where the gateway prepares one source after another (ssp)")
	f.IntVar(&s.Rounds, "rounds", s.Rounds, "packets in which a transaction over --sources sends its statements; 0: one")
	f.DurationVar(&s.SourceWork, "source-work", s.SourceWork, "time of a statement in a source; 0: 50us")
	f.DurationVar(&s.SourceSync, "source-sync", s.SourceSync, "time a source takes to make a prepare or a commit durable; 0: 1ms")
	f.DurationVar(&s.AgentRTT, "agent-rtt", s.AgentRTT, "round trip between a source and its agent; 0: 200us")
	f.Float64Var(&s.Forecast.Scale, "forecast-scale", s.Forecast.Scale, "factor of the forecasts of hot records; 0: 0.25")
	f.BoolVar(&s.Forecast.Alone, "forecast-alone", s.Forecast.Alone, "late scheduling delays transactions at one source too")
}

// addNetwork adds the flags of jitter, loss and clock skew.
func addNetwork(f *pflag.FlagSet, s *lab.Experiment) {
	f.Float64Var(&s.Jitter, "jitter", s.Jitter, "Pareto jitter: standard deviation of a delay divided by its mean")
	f.BoolVar(&s.Netem, "jitter-netem", s.Netem, "--jitter has the Pareto distribution of Linux's netem, cut at four deviations")
	f.Float64Var(&s.Loss, "loss", s.Loss, "part of the messages lost, such as 0.001")
	f.BoolVar(&s.TCP, "tcp", s.TCP, "--loss applies to TCP segments between regions, which are retransmitted: messages are late, not lost")
	f.DurationVar(&s.Skew, "skew", s.Skew, "maximum error of wall clocks")
}

func (e *experiment) add(cmd *cobra.Command) {
	s, f := &e.spec, pflag.NewFlagSet("experiment", pflag.ContinueOnError)
	addFixedSet(f, s)
	addNetwork(f, s)
	f.StringVar(&s.Workload, "workload", s.Workload, "one of "+strings.Join(workload.MixNames(), ", "))
	f.StringVar(&s.ReadOnly, "read-only", s.ReadOnly, "commit of transactions without writes: lease (validated by leaders under their leases) or logged (as others, as in papers); empty: as the protocol does")
	f.StringVar(&s.WAN, "wan", s.WAN, strings.Join(geo.Names(), ", ")+", uniform:100ms, uniform:100ms:3, star:10ms:50ms, or a YAML file")
	f.IntVar(&s.Shards, "shards", s.Shards, "shards, led from the regions in turn")
	f.IntVar(&s.Replicas, "replicas", s.Replicas, "regions with a replica of a shard: its leader's and the nearest ones; 0: all")
	f.IntVar(&s.Clients, "clients", s.Clients, "closed loop: number of clients, spread evenly over the regions")
	f.Float64Var(&s.Rate, "rate", s.Rate, "open loop: transactions per second, with random arrivals; 0: closed loop")
	f.IntVar(&s.Keys, "keys", s.Keys, "rows of the workload, or customers; 0: its default")
	f.Float64Var(&s.Zipf, "zipf", s.Zipf, "Zipf coefficient of the choice of rows; 0: uniform")
	f.IntVar(&s.Length, "length", s.Length, "operations per transaction of micro, statements of sysbench, hotspot and hotspot-scan; 0: the workload's default")
	f.IntVar(&s.Spread, "spread", s.Spread, "shards per transaction of micro; 0: all")
	f.IntVar(&s.Warehouses, "warehouses", s.Warehouses, "warehouses of tpcc on each shard; 0: its default")
	f.StringVar((*string)(&s.Homes), "homes", string(workload.HomesPinned), "home warehouse of transactions of tpcc: pinned (the client's own) or uniform (any)")
	f.StringVar((*string)(&s.Draw), "zipf-draw", string(workload.DrawExact), "draw of rows with --zipf: exact, or last-probe (a search that ends one step early, as in D2PC's prototype)")
	f.BoolVar(&s.OneByOne, "sequential-reads", s.OneByOne, "a transaction reads its rows one after the other instead of in one round")
	f.BoolVar(&s.AbortsLikeCommits, "symmetric-aborts", s.AbortsLikeCommits, "an abort costs as much as a commit, as in Natto's prototype: the coordinator receives all votes first, replicas agree on a No, and locks are held as long")
	f.BoolVar(&s.CountBegun, "measure-started", s.CountBegun, "measure the transactions that start in the measured time instead of the ones that end in it, as in Natto's prototype")
	f.BoolVar(&s.FreshAge, "new-age-per-retry", s.FreshAge, "each try has its own age instead of the first try's, as in Natto's prototype for 2PL")
	f.BoolVar(&s.ReadsUnwaited, "nonblocking-reads", s.ReadsUnwaited, "where every replica validates, a read does not wait for a prepared write, as in TAPIR's paper")
	f.BoolVar(&s.EndsNotedFirst, "finalize-majority", s.EndsNotedFirst, "where every replica validates, a majority records a decision before any replica applies it, as in TAPIR's paper")
	f.BoolVar(&s.NearAsIs, "near-reads-unchecked", s.NearAsIs, "near reads ignore undecided writes; by default such a read goes to the leader")
	f.Float64Var(&s.ReadShare, "read-share", s.ReadShare, "part of the statements of sysbench and hotspot that are reads")
	f.Float64Var(&s.Rollback, "rollback", s.Rollback, "part of the transactions of sysbench, hotspot and fit that the client rolls back at the end")
	f.IntVar(&s.Hot, "hot", s.Hot, "hot accounts of fit, hot rows of hotspot-scan, hot customers of smallbank; 0: the workload's default")
	f.BoolVar(&s.AdmissionOff, "admission-off", s.AdmissionOff, "disable admission control at gateways, as in all papers' prototypes")
	f.BoolVar(&s.NeverSure, "no-lock-fallback", s.NeverSure, "a transaction that was aborted several times reads as in its first try and does not take locks under a validating protocol, as in the papers")
	f.BoolVar(&s.HotOff, "hot-off", s.HotOff, "disable hot-row detection and grouping")
	f.IntVar(&s.HotWaiters, "hot-waiters", s.HotWaiters, "number of waiters above which a row is hot; 0: the default of a node")
	f.IntVar(&s.GroupSize, "group-size", s.GroupSize, "transactions of a hot row group that read uncommitted data of each other; 0: the default of a node")
	f.DurationVar(&s.HotFrom, "hot-rows-start-at", s.HotFrom, "measured time at which hot-row detection starts; 0: from the start")
	f.DurationVar(&s.GrowFrom, "group-size-change-at", s.GrowFrom, "measured time at which the group size becomes --group-size-after; 0: never")
	f.IntVar(&s.GrowTo, "group-size-after", s.GrowTo, "group size from --group-size-change-at on; 0: the default of a node")
	f.IntVar(&s.Sequence, "sequence", s.Sequence, "batch size of a sequencer before the database, each transaction sent as a whole (Aria); 0: no sequencer")
	f.StringVar(&s.Spikes, "spikes", s.Spikes, "open loop: load spikes in addition to the rate, such as 3s+2s:500 (500 per second more for two seconds from second 3 on), separated by commas")
	f.DurationVar(&s.Series, "sample-interval", s.Series, "report results per interval of this length too (--json)")
	f.IntVar(&s.ClientRegions, "client-regions", s.ClientRegions, "number of regions with clients, from the first of the map on; 0: all")
	f.StringVar(&s.ClientsAt, "clients-at", s.ClientsAt, "regions with clients, such as bj,ldn; empty: see --client-regions")
	addSources(f, s)
	f.DurationVar(&s.ClientRTT, "client-rtt", s.ClientRTT, "round trip between a client and its gateway, for each statement")
	f.DurationVar(&s.LockWait, "lock-wait", s.LockWait, "lock wait timeout; 0: the default of a node")
	f.DurationVar(&s.ProbeEvery, "probe-every", s.ProbeEvery, "interval at which nodes measure the delays between them; 0: the default of a node (1 s)")
	f.DurationVar(&s.ElectionTimeout, "election-timeout", s.ElectionTimeout, "time without a message of its leader after which a replica starts an election; heartbeats keep their interval; 0: the default of a node (1.5 s or five round trips)")
	f.DurationVar(&s.ResendAfter, "resend-after", s.ResendAfter, "time after which a request without a reply is retransmitted; the log is queried after four times that; 0: the default of a node (0.7 s or three round trips)")
	f.IntVar(&s.Coordinators, "coordinators", s.Coordinators, "coordinator nodes per region besides the node with the shards: clients connect to them, and they co-coordinate; 0: the node with the shards does all")
	f.DurationVar(&s.CoordinatorCPU, "coordinator-cpu", s.CoordinatorCPU, "CPU time of a message at a node of --coordinators")
	f.IntVar(&s.CoordinatorCores, "coordinator-cores", s.CoordinatorCores, "cores of a node of --coordinators")
	f.IntVar(&s.DeadCoCoordinators, "dead-co-coordinators", s.DeadCoCoordinators, "number of regions without a co-coordinator, from the last of the map on (D2PC)")
	f.StringVar(&s.Skews, "skews", s.Skews, "other Zipf coefficients from given times of the measured time on, such as 20s=0.9, separated by commas; for workloads whose rows are not loaded")
	f.StringVar(&s.Delays, "delays", s.Delays, "other delays from given times of the measured time on, such as 40s=star:50ms:90ms, separated by commas; nodes measure them")
	f.DurationVar(&s.CPU, "cpu", s.CPU, "CPU time of a message at its receiver")
	f.IntVar(&s.Cores, "cores", s.Cores, "cores of a node")
	f.DurationVar(&s.RequestCPU, "request-cpu", s.RequestCPU, "CPU time of a client's request at its gateway; 0: as for a message")
	f.DurationVar(&s.StatementCPU, "statement-cpu", s.StatementCPU, "CPU time of a statement in addition to its request")
	f.DurationVar(&s.CommitCPU, "commit-cpu", s.CommitCPU, "CPU time of a request that commits writes; 0: as for any request")
	f.DurationVar(&s.StoreCPU, "store-cpu", s.StoreCPU, "CPU time of a commit with writes in addition to its request, spent during the commit")
	f.BoolVar(&s.Loop, "loop", s.Loop, "a node processes messages and requests one at a time; its other cores run the statements")
	f.DurationVar(&s.LockCPU, "lock-cpu", s.LockCPU, "with --loop: CPU time of a lock granted or released")
	f.DurationVar(&s.StepCPU, "step-cpu", s.StepCPU, "with --loop: CPU time of a step of deadlock detection through the wait edges")
	f.DurationVar(&s.PageCPU, "page-cpu", s.PageCPU, "with --loop: CPU time of a lock granted or released, per waiter of its row; for engines with an object per lock")
	f.DurationVar(&s.ListCPU, "list-cpu", s.ListCPU, "CPU time of a read-only statement, per transaction that has written; for the same engines")
	f.DurationVar(&s.Fsync, "fsync", s.Fsync, "time of one sync of the disk")
	f.BoolVar(&s.SyncEach, "sync-each", s.SyncEach, "one sync per commit: no group commit")
	f.StringVar((*string)(&s.Client), "client", string(lab.Forever), "retry policy of a client whose transaction is aborted: drop (draw another), hold5 (prepare the same reads five times more, then draw another), forever (up to --tries) or by-region (as forever; the pauses of single-region transactions grow)")
	f.IntVar(&s.Tries, "tries", s.Tries, "maximum tries of a transaction, with --client forever and by-region")
	f.DurationVar(&s.Backoff, "backoff", s.Backoff, "mean pause before the second try; it doubles up to five times")
	f.DurationVar(&s.Warmup, "warmup", s.Warmup, "virtual time before the measured time")
	f.DurationVar(&s.Duration, "duration", s.Duration, "measured virtual time")
	f.BoolVar(&s.CountRules, "count-coverage", s.CountRules, "count the hits of each coverage mark of the core, warm-up included (--json)")
	f.IntVar(&s.Check, "check", s.Check, "number of tries, from the first on, whose reads and writes are checked for serializability")
	f.IntVar(&s.PendingMax, "pending-max", s.PendingMax, fmt.Sprintf("maximum pending messages and timers; 0: %d. An experiment with more is overloaded and ends with an error", lab.PendingMax))
	f.VisitAll(func(flag *pflag.Flag) { e.only = append(e.only, flag.Name) })
	cmd.Flags().AddFlagSet(f)
}

func (e *experiment) run(ctx context.Context, out, errs io.Writer) error {
	collectLate()
	bar := newMeter(errs, e.spec.Protocol, e.json || !isTerminal(errs)) // an experiment is short
	r, err := lab.Run(ctx, e.spec, bar.progress())
	bar.clear()
	if wrong := (lab.SpecError{}); errors.As(err, &wrong) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if e.json {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		_, err = io.WriteString(out, r.Table())
	}
	if err == nil && !r.Check.Serializable {
		err = fmt.Errorf("the history is not serializable: %s", r.Check.Anomalies[0])
	}
	return err
}

// gcPercent lets the heap of an experiment grow to five times the live data. An experiment uses
// little memory, and fewer collections save a quarter of its time.
const gcPercent = 400

// collectLate delays garbage collection up to half of the machine's memory. GOMEMLIMIT in the
// environment has precedence.
func collectLate() {
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory.Machine() / 2)
	}
}

// meter shows the virtual time passed: as a bar on a terminal, and as a line per tenth in a file or a
// pipe.
type meter struct {
	w     io.Writer
	what  string
	lines bool // w is no terminal
	shown int  // percent; a change redraws the bar
	drawn bool
}

// newMeter returns a meter with a title; nil if quiet.
func newMeter(w io.Writer, what string, quiet bool) *meter {
	if quiet {
		return nil
	}
	return &meter{w: w, what: what, lines: !isTerminal(w)}
}

// progress returns the function that updates the meter; nil for a nil meter.
func (m *meter) progress() func(done, total time.Duration) {
	if m == nil {
		return nil
	}
	return m.show
}

const meterWidth = 40

func (m *meter) show(done, total time.Duration) {
	percent := int(100 * done / max(total, 1))
	switch {
	case m.lines && percent/10 > m.shown/10:
		fmt.Fprintf(m.w, "isochron: %s: %3d%%, %v of %v of virtual time\n", m.what, percent, done.Round(time.Second), total)
	case !m.lines && (!m.drawn || percent != m.shown):
		full := meterWidth * percent / 100
		fmt.Fprintf(m.w, "\r\x1b[K[%s%s] %3d%%  %v of %v", strings.Repeat("=", full), strings.Repeat(" ", meterWidth-full),
			percent, done.Round(time.Second), total)
		m.drawn = true
	}
	m.shown = percent
}

// clear removes the bar.
func (m *meter) clear() {
	if m != nil && m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
