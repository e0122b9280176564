package sim

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/node"
	"isochron/protocol"
	"isochron/workload"
)

// HuntConfig says what to hunt. Zero fields get defaults.
type HuntConfig struct {
	Seed   uint64   // the first
	Seeds  int      // how many
	Rows   []string // none: DefaultRows
	Faults Faults
	Bugs   node.Bugs
	// Planted names the bug in Bugs, for whoever is to see it again.
	Planted string
	// Regions of the cluster, the first of the map; 0 lets the seed choose three or, rarely, five.
	Regions int
	// WAN is the map, as geo.Parse reads it, scaled so that its widest round trip is what
	// the nodes' time-outs are made for; empty: azure5, or with more than five regions an
	// even one.
	WAN string
	// Load is the virtual time for which clients run; 2.5 s.
	Load time.Duration
	// Switch names protocols: the cluster goes from one of them to another while
	// clients work. None: it keeps the row that it began with.
	Switch []string
	// StopAfter ends the hunt at so many seeds with a violation; 0 is all seeds.
	StopAfter int
	// Stop is asked before each run; true ends the hunt with what it has. nil: never.
	Stop func() bool
	// Trace takes the story of each run, line by line.
	Trace func(line string)
	// Histories takes what the clients of each run saw, before it is judged.
	Histories func(seed uint64, row string, bank, lists *history.History)
}

// DefaultRows are what is hunted if nobody says.
var DefaultRows = []string{"2pc+2pl", "2pc+2pl-home", "2pc+2pl-group", "2pc+occ", "d2pc+2pl", "d2pc+2pl-group", "d2pc+occ"}

// Result is one seed on one row.
type Result struct {
	Seed       uint64
	Row        string
	Violations []history.Violation
	Counts     Counts // of faults, of messages, of outcomes
	Hash       uint64
	Virtual    time.Duration
}

// Serializable reports whether no worse than real-time order was broken.
func (r *Result) Serializable() bool {
	report := history.Report{Violations: r.Violations}
	return report.Serializable()
}

// Summary is a whole hunt.
type Summary struct {
	Runs   int
	Idle   int      // runs in which nothing was committed: they show nothing
	Failed []Result // runs with a violation
	Counts Counts
	ByRow  []RowCounts
}

// RowCounts are the counts of the runs of one row.
type RowCounts struct {
	Row    string
	Counts Counts
}

// RunHunt runs every seed on every row and tells progress as it goes. The error
// says that something was violated; the Summary says what, and how to see it again.
func RunHunt(cfg HuntConfig, progress io.Writer) (Summary, error) {
	if len(cfg.Rows) == 0 {
		cfg.Rows = DefaultRows
	}
	sum := Summary{Counts: Counts{}}
	for _, name := range cfg.Rows {
		sum.ByRow = append(sum.ByRow, RowCounts{name, Counts{}})
	}
	for i := range max(cfg.Seeds, 1) {
		for j, name := range cfg.Rows {
			if cfg.Stop != nil && cfg.Stop() {
				return sum, errStopped(sum)
			}
			row, err := protocol.ByName(name)
			if err != nil {
				return sum, err
			}
			r := Hunt(cfg.Seed+uint64(i), row, cfg)
			sum.Runs++
			if r.Counts["ok"] == 0 {
				sum.Idle++
			}
			sum.Counts.add(r.Counts)
			sum.ByRow[j].Counts.add(r.Counts)
			if len(r.Violations) > 0 {
				sum.Failed = append(sum.Failed, r)
				report(progress, r, row, cfg, len(sum.Failed) <= storiesMax)
			}
			if cfg.StopAfter > 0 && len(sum.Failed) >= cfg.StopAfter {
				return sum, fmt.Errorf("%d of %d runs broke a promise", len(sum.Failed), sum.Runs)
			}
		}
		if (i+1)%50 == 0 {
			fmt.Fprintf(progress, "%d seeds: %d runs, %d with violations, %d commits\n", i+1, sum.Runs, len(sum.Failed), sum.Counts["ok"])
		}
	}
	if len(sum.Failed) > 0 {
		return sum, fmt.Errorf("%d of %d runs broke a promise", len(sum.Failed), sum.Runs)
	}
	return sum, nil
}

// errStopped says how far a hunt has come that somebody stopped.
func errStopped(sum Summary) error {
	return fmt.Errorf("stopped after %d runs, of which %d broke a promise", sum.Runs, len(sum.Failed))
}

// Delays and bounds of a hunt: azure5 at a tenth, and every timeout to match,
// so that seconds hold what minutes would.
const (
	huntUnit      = 12 * time.Millisecond // about a round trip
	huntLoad      = 2500 * time.Millisecond
	huntQuietWait = 20 * time.Second
	huntReadWait  = 20 * time.Second
)

// huntMap is the map of a hunt over so many regions.
func huntMap(spec string, regions int) (geo.WAN, error) {
	usual, err := geo.Parse("azure5")
	if err != nil {
		return usual, err
	}
	usual = usual.Scale(0.1)
	if spec == "" {
		if regions <= len(usual.Regions) {
			return usual, nil
		}
		spec = fmt.Sprintf("uniform:100ms:%d", regions)
	}
	wan, err := geo.Parse(spec)
	if err != nil {
		return wan, err
	}
	if len(wan.Regions) < regions {
		return wan, fmt.Errorf("the map %s has %d regions, and the hunt is to be over %d", spec, len(wan.Regions), regions)
	}
	return wan.Scale(float64(usual.Widest()) / float64(wan.Widest())), nil
}

// Check refuses what no hunt can be run with.
func (c *HuntConfig) Check() error {
	if c.Regions != 0 && c.Regions < 3 {
		return fmt.Errorf("%d regions: a hunt takes three or more, for of fewer the loss of one is that of a majority", c.Regions)
	}
	_, err := huntMap(c.WAN, max(c.Regions, 3))
	if err == nil && c.Regions == 0 && c.WAN != "" {
		_, err = huntMap(c.WAN, 5) // the seed chooses
	}
	return err
}

// HuntParams are the bounds of nodes in a hunt.
func HuntParams(bugs node.Bugs) node.Params {
	return node.Params{
		TickInterval:      4 * time.Millisecond,
		HeartbeatInterval: 16 * time.Millisecond,
		ElectionTimeout:   80 * time.Millisecond,
		LockWait:          200 * time.Millisecond,
		DetectAfter:       20 * time.Millisecond,
		CommitWait:        1200 * time.Millisecond,
		ResendAfter:       60 * time.Millisecond,
		RecoverAfter:      120 * time.Millisecond,
		ProbeAfter:        150 * time.Millisecond,
		KeepVersions:      400 * time.Millisecond,
		LogEntries:        10,
		HotWaiters:        -1, // whoever waits makes a row hot
		GroupSize:         3,
		Bugs:              bugs,
	}
}

// hunt is one run.
type hunt struct {
	w       *World
	n       *nemesis
	cfg     HuntConfig
	result  Result
	bank    workload.Bank
	lists   workload.ListAppend
	banking history.History
	listing history.History
	counts  Counts
	timers  *timers // nil: every node is as patient as it should be
	changes *switches
	hot     bool // a row under which it may come to be treats hot rows in a way of its own
	never   bool // or never locks
}

// Hunt runs one seed on one row.
func Hunt(seed uint64, row protocol.Row, cfg HuntConfig) (result Result) {
	h := &hunt{cfg: cfg, result: Result{Seed: seed, Row: row.Name}}
	defer func() {
		if r := recover(); r != nil {
			h.violation("panic", "at %s ms: %v%s", stamp(h.w.Elapsed()), r, ownFrames(string(debug.Stack())))
			result = h.result
		}
	}()
	h.open(seed, row)
	defer h.w.Close()
	h.run()
	h.finish()
	return h.result
}

// ownFrames are the places in our own code that a stack names.
func ownFrames(stack string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(stack, "\n") {
		if strings.HasPrefix(line, "isochron/") && !strings.HasPrefix(line, "isochron/sim.") {
			out.WriteString("\n    " + line[:strings.LastIndexByte(line, '(')])
		}
	}
	return out.String()
}

func (h *hunt) violation(name, format string, args ...any) {
	h.result.Violations = append(h.result.Violations, history.Violation{Name: name, Detail: fmt.Sprintf(format, args...)})
}

// open builds the cluster.
func (h *hunt) open(seed uint64, row protocol.Row) {
	regions := h.cfg.Regions
	if regions == 0 {
		regions = 3
		// Five replicas can lose a vote that two of them have; three cannot.
		if seed%5 == 0 || row.Reveal.PreCommits() && seed%2 == 0 {
			regions = 5
		}
	}
	wan, err := huntMap(h.cfg.WAN, regions)
	if err != nil {
		panic(err) // RunHunt has looked
	}
	dir := workload.Cluster(wan.Regions[:regions])
	workload.Spread(dir, 1)
	h.bank = workload.Bank{Parts: regions, Accounts: 2 * regions, BranchMax: 4, Each: 100}
	h.lists = workload.ListAppend{Parts: regions, Lists: 4}
	h.counts = Counts{}
	if h.cfg.Faults.Forced && seed%2 == 0 {
		h.timers = newTimers(seed, h.counts)
	}
	h.w, err = New(Config{
		Seed: seed, WAN: wan, Row: row, Directory: dir, Codec: true,
		Params:   HuntParams(h.cfg.Bugs),
		Hardware: Hardware{MessageCPU: 10 * time.Microsecond, Fsync: 300 * time.Microsecond, FsyncJitter: time.Millisecond, DriftPPM: 5000},
		Links:    Links{JitterPPM: 100_000, MinDelay: 50 * time.Microsecond},
		Trace:    h.cfg.Trace, Notes: h.cfg.Trace != nil, boot: h.boot,
	})
	if err != nil {
		panic(err) // an empty engine must start
	}
	h.n = newNemesis(h.w, h.cfg.Faults, seed, huntUnit)
	h.n.counts, h.n.timers = h.counts, h.timers
	if h.changes = newSwitches(h.n, seed, h.cfg, row); h.changes != nil {
		h.w.held = switchHeld
	}
	rows := h.cfg.rowsOf(row)
	h.hot, h.never = anyHot(rows), anyNeverLocks(rows)
}

// run brings the cluster up, loads it, breaks it and heals it.
func (h *hunt) run() {
	if !h.w.RunUntil(huntQuietWait, h.w.Ready) {
		h.violation("never-ready", "the cluster has no leaders after %v without a fault", huntQuietWait)
		return
	}
	if !h.setup() {
		return
	}
	load := h.cfg.Load
	if load == 0 {
		load = huntLoad
	}
	clients := h.startClients(h.w.Elapsed() + load + 100*time.Millisecond)
	h.n.start()
	h.changes.start()
	h.w.Run(load)
	h.n.heal()
	if !h.w.RunUntil(huntQuietWait, func() bool { return allDone(clients) }) {
		h.violation("stuck", "a client waits for an answer %v after everything was repaired", huntQuietWait)
	}
	h.settle()
}

// setup opens the accounts before there is any trouble.
func (h *hunt) setup() bool {
	var failed error
	c := h.w.Go(1, func(c *Client) { failed = h.bank.Setup(context.Background(), c.DB()) })
	if !h.w.RunUntil(huntReadWait, c.Done) || failed != nil {
		h.violation("no-setup", "the accounts cannot be opened without a fault: %v", failed)
		return false
	}
	return true
}

// startClients starts two of the bank and two of the lists at every node.
func (h *hunt) startClients(until time.Duration) []*Client {
	var all []*Client
	for _, host := range h.w.hosts {
		all = append(all, h.w.Go(host.id, func(c *Client) { h.lookBack(c, until) }))
		for range 2 {
			all = append(all,
				h.w.Go(host.id, func(c *Client) { h.work(c, until, &h.banking, h.bank.Step) }),
				h.w.Go(host.id, func(c *Client) { h.work(c, until, &h.listing, h.lists.Step) }))
		}
		if h.hot {
			all = append(all, h.w.Go(host.id, func(c *Client) { h.work(c, until, &h.listing, h.lists.Rush) }),
				h.w.Go(host.id, func(c *Client) { h.work(c, until, &h.listing, h.lists.Rush) }))
		}
	}
	return all
}

func (h *hunt) work(c *Client, until time.Duration, record *history.History, step func(context.Context, *workload.Client)) {
	wc := c.workload(record)
	for c.Elapsed() < until {
		step(context.Background(), wc)
		c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * huntUnit))))
	}
}

// lookedBack names the kinds of reader in the counts.
var lookedBack = map[bool]string{false: "reads at a moment: ", true: "repeatable reads: "}

// lookBack reads the bank or the lists as of moments, by turns.
func (h *hunt) lookBack(c *Client, until time.Duration) {
	for turn := 0; c.Elapsed() < until; turn++ {
		record, read := &h.banking, h.bank.ReadAsOf
		if c.Rand().IntN(3) == 0 {
			record, read = &h.listing, h.lists.ReadAsOf
		}
		wc := c.workload(record)
		wc.Ahead, wc.Repeatable = h.n.forced.looksAhead(), turn%2 == 1 && !h.never
		wc.Record = func(r *history.Record) {
			h.n.counts[lookedBack[wc.Repeatable]+string(r.Outcome)]++
			if strings.Contains(r.Reason, "collected already") {
				h.n.counts["reads at a moment that came too late"]++
			}
			record.Add(r)
		}
		read(context.Background(), wc)
		c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * huntUnit))))
	}
}

// workload is the client as the workloads know it.
func (c *Client) workload(record *history.History) *workload.Client {
	return &workload.Client{
		Process: c.id, DB: c.DB(), Env: c, Rand: c.rand, Record: record.Add, Pause: huntUnit / 4, Tries: 6,
	}
}

func allDone(clients []*Client) bool {
	for _, c := range clients {
		if !c.Done() {
			return false
		}
	}
	return true
}

// settle waits until nothing is left undecided, and reads everything.
func (h *hunt) settle() {
	quiet := func() bool {
		return h.w.Ready() && h.n.settled() && len(h.w.Residue()) == 0 && len(h.changes.unsettled()) == 0
	}
	if !h.w.RunUntil(huntQuietWait, quiet) {
		h.violation("not-quiet", "%v after everything was repaired, ready is %v and there is still: %v\n%s",
			huntQuietWait, h.w.Ready(), slices.Concat(h.w.Residue(), h.n.unsettled(), h.changes.unsettled()), strings.Join(h.w.Status(), "\n"))
	}
	for _, read := range []func(*Client) bool{
		func(c *Client) bool { return h.bank.ReadAll(context.Background(), c.finalReader(&h.banking), true) },
		func(c *Client) bool { return h.lists.ReadAll(context.Background(), c.finalReader(&h.listing), true) },
	} {
		could := false
		c := h.w.Go(h.w.live()[0].id, func(c *Client) { could = read(c) })
		if !h.w.RunUntil(huntReadWait, c.Done) || !could {
			h.violation("no-final-read", "a quiet cluster does not let everything be read")
		}
	}
}

func (c *Client) finalReader(record *history.History) *workload.Client {
	wc := c.workload(record)
	wc.Tries = 50
	return wc
}

// finish judges the run.
func (h *hunt) finish() {
	if h.cfg.Histories != nil {
		h.cfg.Histories(h.result.Seed, h.result.Row, &h.banking, &h.listing)
	}
	if len(h.n.volatile) > 0 {
		h.violation("not-durable", "%d times, first: %s", len(h.n.volatile), h.n.volatile[0])
	}
	if len(h.n.leases) > 0 {
		h.violation("two-leases", "%d times, first: %s", len(h.n.leases), h.n.leases[0])
	}
	if late := h.w.unanswered(); len(late) > 0 {
		h.violation("unanswered", "%d times, first: %s", len(late), late[0])
	}
	if len(h.n.broken) > 0 {
		h.violation("name-reused", "%d times, first: %s", len(h.n.broken), h.n.broken[0])
	}
	bank := history.CheckBank(&h.banking, h.bank.Rules())
	lists := history.CheckLists(&h.listing)
	h.judge(bank.Violations)
	h.judge(lists.Violations)
	if h.w.Ready() {
		h.checkReplicas()
	}
	h.changes.count()
	counts := h.n.counts
	for _, one := range []*history.History{&h.banking, &h.listing} {
		for _, r := range one.Records {
			counts[string(r.Outcome)]++
		}
	}
	counts["lost messages"], counts["contention spans"] = h.w.net.lost, h.w.spans
	h.result.Counts, h.result.Hash, h.result.Virtual = counts, h.w.Hash(), h.w.Elapsed()
}

// judge takes in what a checker found, but for what the row does not promise.
func (h *hunt) judge(found []history.Violation) {
	for _, v := range found {
		if v.StrictOnly && h.w.cfg.Row.Gives != protocol.StrictSerializability {
			h.n.counts["orders that real time contradicts"]++
			continue
		}
		h.result.Violations = append(h.result.Violations, v)
	}
}

// checkReplicas: in a quiet cluster every replica comes to have the same rows.
func (h *hunt) checkReplicas() {
	difference := ""
	agree := func() bool {
		difference = h.difference()
		return difference == ""
	}
	if !h.w.RunUntil(huntQuietWait, agree) {
		h.violation("replicas-differ", "%v after everything else was quiet: %s\n%s", huntQuietWait, difference, strings.Join(h.w.Status(), "\n"))
	}
}

// difference tells of one row that two replicas have differently. That each
// node has the replicas that it should was seen before: see settled.
func (h *hunt) difference() string {
	live := h.w.live()
	first := live[0]
	for _, key := range append(h.bank.Keys(), h.lists.Keys()...) {
		value, version, _ := first.node.Peek(key)
		for _, o := range live[1:] {
			if v, ver, has := o.node.Peek(key); has && (string(v) != string(value) || ver != version) {
				return fmt.Sprintf("n%d has %q by %v, n%d has %q by %v for %q", first.id, value, version, o.id, v, ver, string(key))
			}
		}
	}
	return ""
}
