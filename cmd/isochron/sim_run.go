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

// experiment is one run of the laboratory as it was asked for.
type experiment struct {
	spec lab.Experiment
	json bool
	only []string // flags that only an experiment heeds
}

// addFixedSet adds the flags of declared transactions and their priorities.
func addFixedSet(f *pflag.FlagSet, s *lab.Experiment) {
	f.StringVar(&s.Holders, "holders", s.Holders, "the regions that hold what is led from each, in place of the nearest, such as va,wa/wa,pr/pr,va")
	f.Float64Var(&s.High, "high", s.High, "part of the transactions that have high priority; results tell of these apart")
	f.StringVar(&s.HighClass, "high-class", s.HighClass, "a class of the workload's transactions of which all have high priority, such as send-payment")
	f.BoolVar(&s.FixedSet, "declares", s.FixedSet, "have transactions declared whole, of workloads that can")
}

// addSources adds the flags of databases that are not ours.
func addSources(f *pflag.FlagSet, s *lab.Experiment) {
	f.StringVar(&s.Sources, "sources", s.Sources, "databases that are not ours, a letter for each region: m (MySQL), p (PostgreSQL) or - (none), such as mmmm; the workload's rows are in them")
	f.Float64Var(&s.Distributed, "distributed", s.Distributed, "part of the transactions over --sources that are at --spread sources (2), and not at one")
	f.StringVar((*string)(&s.Central), "central", string(workload.CentralAny), "where transactions over --sources at one of them are: any (each as often), first, near (in the client's region), or in-use (a statement on a row in use, as GeoTP's public client)")
	f.BoolVar(&s.StartTrips, "start-trips", s.StartTrips, "XA START is a round trip by itself to one MySQL after another, before the first statement there")
	f.BoolVar(&s.EndTrips, "end-trips", s.EndTrips, "so is XA END, before the prepare, where the gateway asks one source after another (ssp)")
	f.IntVar(&s.Rounds, "rounds", s.Rounds, "packets in which a transaction over --sources sends its statements; 0: one")
	f.DurationVar(&s.SourceWork, "source-work", s.SourceWork, "time of a statement in a source; 0: 50us")
	f.DurationVar(&s.SourceSync, "source-sync", s.SourceSync, "time in which a source makes a prepare or a commit durable; 0: 1ms")
	f.DurationVar(&s.AgentRTT, "agent-rtt", s.AgentRTT, "round trip between a source and its agent; 0: 200us")
	f.Float64Var(&s.Forecast.Scale, "forecast-scale", s.Forecast.Scale, "what forecasts of hot records are scaled by; 0: 0.25")
	f.BoolVar(&s.Forecast.Alone, "forecast-alone", s.Forecast.Alone, "late scheduling holds back transactions at one source too")
}

// addNetwork adds how delays vary, what is lost, and how wrong clocks are.
func addNetwork(f *pflag.FlagSet, s *lab.Experiment) {
	f.Float64Var(&s.Jitter, "jitter", s.Jitter, "Pareto jitter: a delay's deviation over its mean")
	f.BoolVar(&s.Netem, "jitter-netem", s.Netem, "--jitter is what Linux's netem calls Pareto, which it cuts at four deviations")
	f.Float64Var(&s.Loss, "loss", s.Loss, "part of the messages that is lost, such as 0.001")
	f.BoolVar(&s.TCP, "tcp", s.TCP, "--loss is of segments between regions, which are sent again as TCP does: messages are late, and not lost")
	f.DurationVar(&s.Skew, "skew", s.Skew, "wall clocks are wrong by at most this")
}

func (e *experiment) add(cmd *cobra.Command) {
	s, f := &e.spec, pflag.NewFlagSet("experiment", pflag.ContinueOnError)
	addFixedSet(f, s)
	addNetwork(f, s)
	f.StringVar(&s.Workload, "workload", s.Workload, "one of "+strings.Join(workload.MixNames(), ", "))
	f.StringVar(&s.ReadOnly, "read-only", s.ReadOnly, "how transactions end that wrote nothing: lease (checked by leaders under their leases) or logged (as others, as in papers); empty: as the protocol does")
	f.StringVar(&s.WAN, "wan", s.WAN, strings.Join(geo.Names(), ", ")+", uniform:100ms, uniform:100ms:3, star:10ms:50ms, or a YAML file")
	f.IntVar(&s.Shards, "shards", s.Shards, "shards, led from the regions in turn")
	f.IntVar(&s.Replicas, "replicas", s.Replicas, "regions that hold a shard: its leader's and those nearest to it; 0: all")
	f.IntVar(&s.Clients, "clients", s.Clients, "closed loop: clients, spread evenly over the regions")
	f.Float64Var(&s.Rate, "rate", s.Rate, "open loop: transactions that begin in a second, at random; 0: closed loop")
	f.IntVar(&s.Keys, "keys", s.Keys, "rows of the workload, or customers; 0: its default")
	f.Float64Var(&s.Zipf, "zipf", s.Zipf, "how unevenly rows are chosen; 0 is evenly")
	f.IntVar(&s.Length, "length", s.Length, "operations of a transaction of micro, statements of sysbench, hotspot and hotspot-scan; 0: the workload's default")
	f.IntVar(&s.Spread, "spread", s.Spread, "shards that a transaction of micro touches; 0: as many as there are")
	f.IntVar(&s.Warehouses, "warehouses", s.Warehouses, "warehouses of tpcc on each shard; 0: its default")
	f.StringVar((*string)(&s.Homes), "homes", string(workload.HomesPinned), "where transactions of tpcc begin: pinned (in the client's own warehouse) or uniform (in any)")
	f.StringVar((*string)(&s.Draw), "zipf-draw", string(workload.DrawExact), "how rows are drawn by --zipf: exact, or last-probe (a search that ends one step early, as in D2PC's prototype)")
	f.BoolVar(&s.OneByOne, "one-by-one", s.OneByOne, "a transaction reads its rows one after the other, and not in one round")
	f.BoolVar(&s.AbortsLikeCommits, "aborts-like-commits", s.AbortsLikeCommits, "a coordinator hears all before it aborts, replicas have a refusal agreed to, and an abort keeps its keys as long as a commit, as in Natto's prototype")
	f.BoolVar(&s.CountBegun, "count-begun", s.CountBegun, "measure what begins in the measured time, to its end, and not what ends in it: as in Natto's prototype")
	f.BoolVar(&s.FreshAge, "fresh-age", s.FreshAge, "a try is as old as itself, and not as the first: as in Natto's prototype for 2PL")
	f.BoolVar(&s.ReadsUnwaited, "reads-unwaited", s.ReadsUnwaited, "where every replica validates, a read waits for nobody who is about to write, as in TAPIR's paper")
	f.BoolVar(&s.EndsNotedFirst, "ends-noted-first", s.EndsNotedFirst, "where every replica validates, a majority notes how an attempt ended before any acts on it, as in TAPIR's paper")
	f.BoolVar(&s.NearAsIs, "near-as-is", s.NearAsIs, "near reads do not heed undecided writes: otherwise they go to the leader then")
	f.Float64Var(&s.ReadShare, "read-share", s.ReadShare, "part of the statements of sysbench and hotspot that only read")
	f.Float64Var(&s.Rollback, "rollback", s.Rollback, "part of the transactions of sysbench, hotspot and fit that their client rolls back at the end")
	f.IntVar(&s.Hot, "hot", s.Hot, "hot accounts of fit, hot rows of hotspot-scan, hot customers of smallbank; 0: the workload's default")
	f.BoolVar(&s.AdmissionOff, "admission-off", s.AdmissionOff, "gateways do not bound the tries that contend, as no paper's prototype does")
	f.BoolVar(&s.NeverSure, "never-sure", s.NeverSure, "what has lost several tries reads as it did in its first, and does not lock where others only validate: as in the papers")
	f.BoolVar(&s.HotOff, "hot-off", s.HotOff, "hot rows are rows like others")
	f.IntVar(&s.HotWaiters, "hot-waiters", s.HotWaiters, "more waiters than this make a row hot; 0: that of a node")
	f.IntVar(&s.GroupSize, "group-size", s.GroupSize, "transactions on a hot row that go on from each other before the first has committed; 0: that of a node")
	f.DurationVar(&s.HotFrom, "hot-from", s.HotFrom, "when in the measured time hot rows begin to be hot; 0: from the beginning")
	f.DurationVar(&s.GrowFrom, "grow-from", s.GrowFrom, "when in the measured time groups begin to be of --grow-to; 0: never")
	f.IntVar(&s.GrowTo, "grow-to", s.GrowTo, "see --grow-from; 0: that of a node")
	f.IntVar(&s.Sequence, "sequence", s.Sequence, "a sequencer before the database begins so many transactions at a time, each sent as a whole (Aria); 0: none")
	f.StringVar(&s.Spikes, "spikes", s.Spikes, "open loop: crowds beside the rate, such as 3s+2s:500 (500 a second more from the third second on, for two), separated by commas")
	f.DurationVar(&s.Series, "series", s.Series, "tell the measured time in pieces of this length as well (--json)")
	f.IntVar(&s.ClientRegions, "client-regions", s.ClientRegions, "regions, the first of the map, that have clients; 0: all")
	f.StringVar(&s.ClientsAt, "clients-at", s.ClientsAt, "the regions that have clients, such as bj,ldn; empty: see --client-regions")
	addSources(f, s)
	f.DurationVar(&s.ClientRTT, "client-rtt", s.ClientRTT, "round trip between a client and its gateway, for each statement")
	f.DurationVar(&s.LockWait, "lock-wait", s.LockWait, "bound of a wait for a lock; 0: that of a node")
	f.DurationVar(&s.ProbeEvery, "probe-every", s.ProbeEvery, "how often nodes measure the delays between them; 0: that of a node (1 s)")
	f.DurationVar(&s.ElectionTimeout, "election-timeout", s.ElectionTimeout, "a replica that hears nothing of its leader for so long wants to lead; heartbeats are as often as ever; 0: that of a node (1.5 s or five round trips)")
	f.DurationVar(&s.ResendAfter, "resend-after", s.ResendAfter, "what is not answered is sent again after so long, and its log is asked after four times that; 0: that of a node (0.7 s or three round trips)")
	f.IntVar(&s.Coordinators, "coordinators", s.Coordinators, "nodes in each region beside the one that holds the shards: clients are at these, and they co-coordinate; 0: the one does all")
	f.DurationVar(&s.CoordinatorCPU, "coordinator-cpu", s.CoordinatorCPU, "CPU time of one message at one of --coordinators")
	f.IntVar(&s.CoordinatorCores, "coordinator-cores", s.CoordinatorCores, "cores of one of --coordinators")
	f.IntVar(&s.DeadCoCoordinators, "dead-co-coordinators", s.DeadCoCoordinators, "regions, the last of the map, without a co-coordinator (D2PC)")
	f.StringVar(&s.Skews, "skews", s.Skews, "other coefficients of Zipf from moments of the measured time on, such as 20s=0.9, separated by commas; of workloads whose rows are not loaded")
	f.StringVar(&s.Delays, "delays", s.Delays, "other delays from moments of the measured time on, such as 40s=star:50ms:90ms, separated by commas; nodes measure them")
	f.DurationVar(&s.CPU, "cpu", s.CPU, "CPU time of one message at its receiver")
	f.IntVar(&s.Cores, "cores", s.Cores, "cores of a node")
	f.DurationVar(&s.RequestCPU, "request-cpu", s.RequestCPU, "CPU time of a client's request at its gateway; 0: as a message")
	f.DurationVar(&s.StatementCPU, "statement-cpu", s.StatementCPU, "CPU time of a statement beside its request")
	f.DurationVar(&s.CommitCPU, "commit-cpu", s.CommitCPU, "CPU time of a request that commits writes; 0: as any request")
	f.DurationVar(&s.StoreCPU, "store-cpu", s.StoreCPU, "CPU time of a commit that writes beside its request, while it is under way")
	f.BoolVar(&s.Loop, "loop", s.Loop, "a node takes messages and requests one at a time; its other cores have the statements")
	f.DurationVar(&s.LockCPU, "lock-cpu", s.LockCPU, "with --loop: CPU time of a lock granted or freed")
	f.DurationVar(&s.StepCPU, "step-cpu", s.StepCPU, "with --loop: CPU time of a step of a walk over who waits for whom, where deadlocks are detected")
	f.DurationVar(&s.PageCPU, "page-cpu", s.PageCPU, "with --loop: CPU time of a lock granted or freed, for each who waits for its row; of rows with an object for each lock")
	f.DurationVar(&s.ListCPU, "list-cpu", s.ListCPU, "CPU time of a statement that only reads, for each transaction that has written; of the same rows")
	f.DurationVar(&s.Fsync, "fsync", s.Fsync, "time of one sync")
	f.BoolVar(&s.SyncEach, "sync-each", s.SyncEach, "each commit has a sync of its own: no group commit")
	f.StringVar((*string)(&s.Client), "client", string(lab.Forever), "what a client does when its transaction is aborted: drop (draw another), hold5 (prepare the same reads five times more, then draw another), forever (up to --tries) or by-region (the same; only those of one region pause longer and longer)")
	f.IntVar(&s.Tries, "tries", s.Tries, "tries of one transaction, at most, with --client forever and by-region")
	f.DurationVar(&s.Backoff, "backoff", s.Backoff, "pause before the second try, on average; it doubles five times at most")
	f.DurationVar(&s.Warmup, "warmup", s.Warmup, "virtual time that is not measured")
	f.DurationVar(&s.Duration, "duration", s.Duration, "virtual time that is measured")
	f.BoolVar(&s.CountRules, "count-rules", s.CountRules, "count how often each rule of the core bites, warm-up included (--json)")
	f.IntVar(&s.Check, "check", s.Check, "tries whose reads and writes are checked for serializability, from the first on")
	f.IntVar(&s.PendingMax, "pending-max", s.PendingMax, fmt.Sprintf("messages and timers that may wait; 0: %d. An experiment with more, whose nodes cannot follow, is ended", lab.PendingMax))
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

// gcPercent lets the heap of an experiment grow to several times what lives: its
// memory is small, and collecting it less often takes a quarter off its time.
const gcPercent = 400

// collectLate has garbage be collected late, and as before when it comes near half of the machine's
// memory. GOMEMLIMIT in the environment goes before it.
func collectLate() {
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory.Machine() / 2)
	}
}

// meter is a bar that grows with the virtual time that has passed; of what is not redrawn, a file or a
// pipe, it is a line for each tenth.
type meter struct {
	w     io.Writer
	what  string
	lines bool // not redrawn
	shown int  // percent; the bar is drawn anew when it changes
	drawn bool
}

// newMeter is a meter of something; nil if nobody is to see it.
func newMeter(w io.Writer, what string, quiet bool) *meter {
	if quiet {
		return nil
	}
	return &meter{w: w, what: what, lines: !isTerminal(w)}
}

// progress is what tells the meter how far it is, nil of none.
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

// clear takes the bar away.
func (m *meter) clear() {
	if m != nil && m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
