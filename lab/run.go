package lab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"isochron/geo"
	"isochron/history"
	"isochron/routing"
	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

// run is one experiment in progress.
type run struct {
	ctx  context.Context
	spec resolved
	mix  workload.Mix
	dir  *routing.Directory
	w    *sim.Cluster

	measuring bool
	window    window // of the measured time, once it has begun
	failed    error  // the error of an operator's command
	stopped   bool   // no transaction begins any more
	workers   int    // of an open loop, so far
	busy      int    // transactions that have begun and not ended
	all       tally
	steady    steadiness
	longest   longest
	classes   map[string]*tally
	spans     *spans
	machine   machine
	writers   writerList
	sequencer *sequencer
	series    *series
	underWay  map[*ongoing]bool

	leaderBit map[uint64]uint64 // of a shard: the bit of the region it is led from
	history   history.History
	open      map[*tracked]bool
	recorded  int
	lastWrite int64
	// All writes up to recordedTo are recorded; beyond, the lateWrites are.
	recordedTo int64
	lateWrites map[int64]bool
	deleted    map[string]bool // rows excluded from the check
}

// Run runs one experiment. progress, which may be nil, is called repeatedly with the virtual time
// of the load that has passed. The error is a SpecError, ctx's error, or the error of a cluster
// that does not start.
func Run(ctx context.Context, spec Experiment, progress func(done, total time.Duration)) (Result, error) {
	began := time.Now()
	s, err := spec.resolve()
	if err != nil {
		return Result{}, err
	}
	r := &run{
		ctx: ctx, spec: s, mix: s.mix, dir: s.directory(), classes: map[string]*tally{}, spans: newSpans(),
		leaderBit: map[uint64]uint64{}, open: map[*tracked]bool{}, underWay: map[*ongoing]bool{}, lateWrites: map[int64]bool{}, deleted: map[string]bool{},
	}
	_, r.writers.each = s.managed()
	r.sequencer = newSequencer(s.Sequence)
	for _, shard := range r.dir.Shards {
		r.leaderBit[shard.ID] = 1 << (r.nodeIn(geo.Region(shard.Leader)) - 1)
	}
	if r.w, err = s.world(r.dir, r.sawSpan); err != nil {
		return Result{}, err
	}
	defer r.w.Close()
	if err := r.bringUp(); err != nil {
		return Result{}, err
	}
	if err := r.load(); err != nil {
		return Result{}, err
	}
	counts, err := r.work(progress)
	if err = cmp.Or(err, r.failed, r.knowsHighClass()); err != nil {
		return Result{}, err
	}
	broken, err := r.conditions()
	if err != nil {
		return Result{}, err
	}
	out := r.result(counts)
	out.Rules = ruleHits(s.rules)
	if len(broken) > 0 {
		out.Check.Serializable = false
		out.Check.Anomalies = append(out.Check.Anomalies, broken...)
	}
	out.WallS = rounded(time.Since(began).Seconds(), 3)
	return out, nil
}

// slicesOfRun is the number of slices of the load after which ctx and progress are checked.
const slicesOfRun = 200

// work lets the clients work, first unmeasured, and injects the faults.
func (r *run) work(progress func(done, total time.Duration)) (sim.Counts, error) {
	var trouble *sim.Trouble
	if r.spec.faults != (sim.Faults{}) {
		trouble = r.w.NewTrouble(r.spec.faults, r.spec.params().ElectionTimeout/faultsAnElection)
		trouble.Start()
	}
	if r.spec.Rate > 0 {
		r.startArrivals()
	} else {
		r.startClients()
	}
	r.startSpikes()
	r.startSwitch()
	r.startChanges()
	r.startSkews()
	r.series = r.newSeries()
	phases, total, done := r.spec.phases(), time.Duration(0), time.Duration(0)
	for _, phase := range phases {
		total += phase
	}
	for at, phase := range phases {
		for i := range slicesOfRun {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
			part := phase*time.Duration(i+1)/slicesOfRun - phase*time.Duration(i)/slicesOfRun
			r.w.Run(part)
			if r.w.Pending() > r.spec.pendingMax() {
				return nil, r.overloaded(done)
			}
			if done += part; progress != nil {
				progress(done, total)
			}
		}
		if at < 2 {
			r.turn()
		}
	}
	r.stopped = true
	if trouble == nil {
		return nil, r.drain()
	}
	trouble.Heal()
	return trouble.Counts(), r.drain()
}

// pendingMax returns the bound of queued messages and timers.
func (s Experiment) pendingMax() int { return cmp.Or(s.PendingMax, PendingMax) }

// overloaded is the error of an experiment whose clients request more than its nodes can do.
func (r *run) overloaded(after time.Duration) error {
	return fmt.Errorf("%s cannot bear this load: after %v of virtual time %d messages and timers wait, of %d tries of %d transactions; "+
		"reduce the load, enable admission, or raise --pending-max (%d), which takes some KB of memory for each",
		r.spec.Protocol, after.Round(time.Millisecond), r.w.Pending(), len(r.open), len(r.underWay), r.spec.pendingMax())
}

// turn begins the measured time, or ends it.
func (r *run) turn() {
	r.measuring = !r.measuring
	r.window.passes(r.w.Elapsed(), r.measuring)
	r.steady.begin(r.w.Elapsed(), r.spec.Duration)
	r.machine.mark(r)
	if r.measuring {
		return
	}
	if !r.spec.CountBegun { // else their end is awaited
		r.countUnderWay()
	}
	r.series.stop()
}

// faultsAnElection is the number of fault units in an election time-out: about as in a
// fault-injection run.
const faultsAnElection = 6

func (r *run) sawSpan(s sim.Span) {
	r.sequencer.revealed()
	if r.measuring && !r.logs(s.Shard) {
		r.spans.add(string(s.Client), string(s.Leader), s.Held)
	}
}

func (r *run) class(name string) *tally {
	if r.classes[name] == nil {
		r.classes[name] = &tally{}
	}
	return r.classes[name]
}

func (r *run) result(counts sim.Counts) Result {
	s := r.spec
	out := Result{
		Protocol: s.Protocol, Workload: s.Workload, Seed: s.Seed, DurationS: s.Duration.Seconds(),
		Events: r.w.Events(), Messages: r.w.Messages(),
		Figures: r.all.figures(s.Duration), CommittedByThird: r.steady.thirds, ContentionSpanMS: r.spans.report(), ByClass: map[string]Class{},
		Machine: r.machine.report(r), Longest: r.longest.report(), Series: r.series.report(), Check: r.check(), TraceHash: fmt.Sprintf("%016x", r.w.Hash()), Costs: s.costs(), Experiment: s.report(), Faults: counts,
	}
	// order: from map to map.
	for name, t := range r.classes {
		out.ByClass[name] = Class{t.figures(s.Duration)}
	}
	return out
}

// The classes that every workload has: by the regions of the leaders that a transaction touched.
const (
	classSR = "SR"
	classMR = "MR"
)

func classOf(leaders uint64) string {
	if leaders&(leaders-1) == 0 {
		return classSR
	}
	return classMR
}

// transact runs one transaction to its end, try after try. since is its arrival.
func (r *run) transact(c *sim.Client, wc *workload.Client, since time.Duration) {
	r.busy++
	defer func() { r.busy-- }()
	job := r.mix.Next(wc)
	var o outcome
	way := r.begins(since, job.Class)
	opt := txn.Options{ReadOnly: job.ReadOnly}
	priority := r.priority(c, &opt, job.Class)
	r.arrives(c)
	for try := 1; ; try++ {
		began := c.Elapsed()
		k := r.track(c, wc.DB.Begin(opt), wc.Process, wc.DB.Region())
		err := k.body(r.ctx, job)
		asked := c.Elapsed()
		switch {
		case k.fixedSet: // it has ended
		case err == nil:
			err = k.commit(r.ctx)
		default:
			k.rollback(err)
		}
		k.ended(err)
		r.sequencer.leave(c, err == nil && k.wrote, r.again(since, try, err))
		way.leaders |= k.leaders
		o.tries = try
		o.lockWait += k.waitedForLocks()
		kind := txn.KindOf(err)
		if err == nil {
			o.committed, o.execute, o.commit = true, asked-began, c.Elapsed()-asked
			o.hops, o.hopsKnown = c.Hops()
			o.hopsKnown = o.hopsKnown && o.commit > 0
			break
		}
		if kind == txn.KindUnknown {
			o.unknown = true
			break
		}
		if wished(kind) {
			o.byWish = true
			break
		}
		r.aborted(err, asked-began, c.Elapsed()-asked, classOf(way.leaders), job.Class)
		if !r.again(since, try, err) {
			break
		}
		r.longest.see(try+1, c.Elapsed()-since)
		if !r.spec.FreshAge {
			opt.RetryOf = k.Txn
		}
		r.pause(c, try, kind, classOf(way.leaders))
	}
	r.departs(c)
	delete(r.underWay, way)
	o.latency = c.Elapsed() - since
	r.longest.see(1, o.latency)
	if job.Ended != nil {
		job.Ended(o.reported())
	}
	if r.counts(since) {
		r.all.add(o)
		r.class(classOf(way.leaders)).add(o)
		r.class(job.Class).add(o)
		if r.spec.prioritized() {
			r.class(priority).add(o)
		}
		r.steady.add(r.readTS(since, c.Elapsed()), o)
	}
	if r.measuring {
		r.series.add(c.Elapsed(), o)
	}
}

// wished reports whether a try ended because its client cancelled it, or had nothing to do.
func wished(kind txn.Kind) bool {
	return kind == 0 || kind == txn.KindInvalidRequest || kind == txn.KindTooLarge
}

// again reports whether a transaction is retried after a try that ended like this.
func (r *run) again(since time.Duration, try int, err error) bool {
	kind := txn.KindOf(err)
	return err != nil && kind != txn.KindUnknown && !wished(kind) && try < r.spec.Tries && r.triesOn(since)
}

// aborted counts an aborted try when it ends: some transactions that are aborted repeatedly do not
// end in the measured time. execute and commit are its two parts.
func (r *run) aborted(err error, execute, commit time.Duration, classes ...string) {
	if !r.measuring {
		return
	}
	cause := causeOf(err)
	r.all.lose(cause, execute, commit)
	r.series.lose(r.w.Elapsed())
	for _, name := range classes {
		r.class(name).lose(cause, execute, commit)
	}
}

// After backoffDoublings the pause between two tries does not grow any more; if a node is
// unreachable it is at least unavailablePause.
const (
	backoffDoublings = 5
	unavailablePause = 5 * time.Millisecond
)

func (r *run) pause(c *sim.Client, try int, kind txn.Kind, class string) {
	d := r.spec.Backoff << min(try-1, backoffDoublings)
	if r.spec.Client == ByRegion && class == classMR {
		d = r.spec.Backoff
	}
	if kind != txn.KindAborted {
		d = max(d, unavailablePause)
	}
	switch {
	case d <= 0:
	case r.spec.Client == ByRegion:
		c.Sleep(time.Duration(c.Rand().Int64N(int64(2 * d))))
	default:
		c.Sleep(d/2 + time.Duration(c.Rand().Int64N(int64(d))))
	}
}
