package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"isochron/coverage"
	"isochron/history"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/workload"
)

// faultRun is one fault-injection run.
type faultRun struct {
	w       *Cluster
	n       *nemesis
	cfg     FaultRunConfig
	result  Result
	bank    workload.Bank
	lists   workload.ListAppend
	blind   workload.Registers // none: in this run no write overwrites without a read
	banking history.History
	listing history.History // of lists, and of registers
	counts  Counts
	room    int64   // bytes that each node has for its logs; 0: unlimited
	timers  *timers // nil: every node has the regular time-outs
	// priorities returns the priority of the next transaction of a client; nil: all are low.
	priorities func() txn.Priority
	changes    *switches
	ends       time.Duration   // clients begin nothing after it
	writes     int             // transactions with writes that the clients have committed
	hot        bool            // a protocol of this run treats hot rows specially
	never      bool            // or never locks
	fixedSet   bool            // or votes on 2FI transactions as it reads
	sources    *sourceFaultRun // nil: the protocol is for shards alone

	unvalidated *unvalidated // nil: no protocol of the run reveals on votes
}

// RunSeed runs one seed under one protocol.
func RunSeed(seed uint64, spec protocol.Spec, cfg FaultRunConfig) (result Result) {
	h := &faultRun{cfg: cfg, result: Result{Seed: seed, Protocol: spec.Name}}
	defer func() {
		if r := recover(); r != nil {
			h.violation("panic", "at %s ms: %v%s", stamp(h.w.Elapsed()), r, ownFrames(string(debug.Stack())))
			result = h.result
		}
	}()
	h.open(seed, spec)
	defer h.w.Close()
	h.run()
	h.finish()
	return h.result
}

// ownFrames returns the frames of a stack in this repository.
func ownFrames(stack string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(stack, "\n") {
		if strings.HasPrefix(line, "isochron/") && !strings.HasPrefix(line, "isochron/sim.") {
			out.WriteString("\n    " + line[:strings.LastIndexByte(line, '(')])
		}
	}
	return out.String()
}

func (h *faultRun) violation(name, format string, args ...any) {
	h.result.Violations = append(h.result.Violations, history.Violation{Name: name, Detail: fmt.Sprintf(format, args...)})
}

// open builds the cluster.
func (h *faultRun) open(seed uint64, spec protocol.Spec) {
	if runsFixedSets(spec) && seed%3 == 0 && len(h.cfg.Switch) == 0 {
		spec.ReadOnly = protocol.AsOthers // 2FI transactions without writes are voted on, too
	}
	regions := h.cfg.Regions
	if regions == 0 {
		regions = 3
		// Five replicas can lose a vote that two of them have; three cannot.
		if seed%5 == 0 || spec.Reveal.PreCommits() && seed%2 == 0 {
			regions = 5
		}
	}
	wan, err := faultRunMap(h.cfg.WAN, regions)
	if err != nil {
		panic(err) // RunSeeds has checked it
	}
	dir := workload.Cluster(wan.Regions[:regions])
	shards := cmp.Or(h.cfg.Shards, regions)
	if h.cfg.Shards == 0 && reserves(spec) {
		shards *= 2 // so that transactions of one region also have several shards
	}
	h.populate(dir, shards)
	if h.sources = h.sourcesOf(dir, spec); h.sources != nil {
		h.blind.Count = 0 // they have their own load
	}
	h.counts = Counts{}
	h.room = littleRoom(seed, h.cfg.Faults)
	params := FaultRunParams(h.cfg.InjectedBugs)
	specs := h.cfg.rowsOf(spec)
	if slices.ContainsFunc(specs, preparesSequentially) { // sequential votes take long, and no attempt should be taken over before they can have arrived
		params.RecoverAfter *= 5
	}
	if assumesAborts(spec) { // conditional votes need time between a receipt and its arrival time
		params.ArrivalMargin = faultRunUnit
	}
	params.SourceWaits = waitsLookedFor(seed)
	if h.cfg.Rules {
		params.Rules = new(coverage.Counts)
		h.result.Rules = params.Rules
	}
	if h.cfg.Faults.Forced && seed%2 == 0 {
		h.timers = newTimers(seed, h.counts)
	}
	h.unvalidated = newUnvalidated(spec, len(h.cfg.Switch))
	h.w, err = New(Config{
		Fit:  h.unvalidated.observe,
		Seed: seed, WAN: wan, Spec: spec, Directory: dir, Codec: true, Databases: h.sources.databases(),
		Params:   params,
		Hardware: Hardware{MessageCPU: 10 * time.Microsecond, Fsync: 300 * time.Microsecond, FsyncJitter: time.Millisecond, DriftPPM: 5000},
		Links:    Links{JitterPPM: 100_000, MinDelay: 50 * time.Microsecond},
		Trace:    h.cfg.Trace, CountEvents: h.cfg.Trace != nil, boot: h.boot,
	})
	if err != nil {
		panic(err) // an empty engine must start
	}
	h.n = newNemesis(h.w, h.cfg.Faults, seed, faultRunUnit)
	h.n.counts, h.n.timers = h.counts, h.timers
	h.n.lossPPM = millionths(h.cfg.Loss)
	h.n.pareto, _ = NewPareto(millionths(h.cfg.Jitter)) // Check has checked it
	if h.changes = newSwitches(h.n, seed, h.cfg, spec); h.changes != nil {
		h.w.held = switchHeld
	}
	h.hot, h.never = anyHot(specs), anyWithoutSnapshotReads(specs)
	h.fixedSet, h.lists.Duels = slices.ContainsFunc(specs, runsFixedSets), slices.ContainsFunc(specs, assumesAborts)
}

// In one seed of blindEvery there are clients that overwrite this many registers without reading
// them.
const (
	blindEvery           = 3
	registersInFaultRuns = 4
)

// populate places the rows on that many shards.
func (h *faultRun) populate(dir *routing.Directory, shards int) {
	workload.SpreadOver(dir, shards)
	const accountsLeast, room = 6, 2
	accounts, skew := max(2*shards, accountsLeast), int(math.Round(h.cfg.Zipf*1000))
	h.bank = workload.Bank{Parts: shards, Accounts: accounts, BranchMax: (accounts+shards-1)/shards + room, Each: 100, ZipfMilli: skew}
	h.lists = workload.ListAppend{Parts: shards, Lists: max(4, h.cfg.Shards), ZipfMilli: skew}
	h.blind.Parts = shards
	if h.result.Seed%blindEvery == 1 {
		h.blind.Count = registersInFaultRuns
	}
}

// millionths converts a fraction to parts per million.
func millionths(part float64) int64 { return int64(math.Round(part * 1e6)) }

// run starts the cluster, loads it, breaks it and heals it.
func (h *faultRun) run() {
	if !h.w.RunUntil(quietWait, h.w.Ready) {
		h.violation("never-ready", "the cluster has no leaders after %v without a fault", quietWait)
		return
	}
	if !h.setup() || !h.sources.setup() {
		return
	}
	load := h.cfg.Load
	if load == 0 {
		load = faultRunLoad
	}
	clients := h.startClients(h.w.Elapsed() + load + 100*time.Millisecond)
	h.n.start()
	clients = append(clients, h.sources.start()...)
	h.changes.start()
	h.w.Run(load / 2)
	h.restIfIdle()
	h.w.Run(load - load/2)
	h.n.heal()
	if !h.w.RunUntil(quietWait, func() bool { return allDone(clients) }) {
		h.violation("stuck", "a client waits for an answer %v after everything was repaired", quietWait)
	}
	h.settle()
}

// restIfIdle suspends the faults while no transaction has committed, within a bound: faults test
// nothing if there is nothing to lose.
func (h *faultRun) restIfIdle() {
	if h.writes > 0 {
		return
	}
	began := h.w.Elapsed()
	h.ends += restTime
	h.n.rest()
	h.w.RunUntil(restTime, func() bool { return h.writes >= restWork })
	h.n.resume()
	h.ends -= began + restTime - h.w.Elapsed()
}

// mayProceed reports whether a client begins another transaction: until its time is up, and within
// a bound beyond it as long as no transaction has committed.
func (h *faultRun) mayProceed(c *Client) bool {
	return c.Elapsed() < h.ends || h.writes == 0 && c.Elapsed() < h.ends+restTime
}

// settle waits until nothing is undecided, and reads everything.
func (h *faultRun) settle() {
	quiet := func() bool {
		return h.w.Ready() && h.n.settled() && len(h.w.Residue()) == 0 && len(h.changes.unsettled()) == 0 && len(h.sources.unsettled()) == 0
	}
	if !h.w.RunUntil(quietWait, quiet) {
		h.violation("not-quiet", "%v after everything was repaired, ready is %v and there is still: %v\n%s",
			quietWait, h.w.Ready(), slices.Concat(h.w.Residue(), h.n.unsettled(), h.changes.unsettled(), h.sources.unsettled()), strings.Join(h.w.Summary(), "\n"))
	}
	for _, read := range append([]func(*Client) bool{
		func(c *Client) bool { return h.bank.ReadAll(context.Background(), c.finalReader(&h.banking), true) },
		func(c *Client) bool { return h.lists.ReadAll(context.Background(), c.finalReader(&h.listing), true) },
		func(c *Client) bool {
			return h.blind.Count == 0 || h.blind.ReadAll(context.Background(), c.finalReader(&h.listing), true)
		},
	}, h.sources.reads()...) {
		could := false
		c := h.w.Go(h.w.live()[0].id, func(c *Client) { could = read(c) })
		if !h.w.RunUntil(readWait, c.Done) || !could {
			h.violation("no-final-read", "a quiet cluster does not let everything be read")
		}
	}
}

func (c *Client) finalReader(record *history.History) *workload.Client {
	wc := c.workload(record)
	wc.Tries = 50
	return wc
}
