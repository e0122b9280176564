package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// wallStart is the wall clock of a correct host at time 0.
const wallStart = 1_700_000_000_000_000_000

// host is a machine: a CPU, a disk, two clocks, and the node that runs on it.
type host struct {
	w      *Cluster
	id     txn.NodeID
	region geo.Region
	rand   *rand.Rand
	engine *store.Mem
	cpu    Hardware // the CPU alone: the rest is the same everywhere
	node   process  // nil while it is down
	lost   bool     // its disk is lost, and it never restarts
	first  *routing.Directory
	boots  uint64 // incremented by every boot: events for an earlier boot are dropped

	booted    time.Duration // mono counts from here
	driftPPM  int64
	wallShift time.Duration   // the sum of the wall clock's jumps
	busyUntil time.Duration   // the process is stalled until then
	cores     []time.Duration // each is busy until then
	worked    time.Duration   // by all cores, since the start of the cluster
	loop      loop
	alarm     alarm
	slowDisk  int // multiplies the duration of a sync; at least 1

	tasks     []*task // run outside its loop
	syncing   bool
	syncAsked []askedSync // not yet covered by a started sync, in order
	calls     []*call
}

// askedSync is a request for a sync and the chain of its cause.
type askedSync struct {
	token uint64
	hops  chain
}

func newHost(w *Cluster, id txn.NodeID, region geo.Region) *host {
	h := &host{w: w, id: id, region: region, rand: stream(w.cfg.Seed, streamHosts+uint64(id)), engine: w.newEngine(), slowDisk: 1, first: w.cfg.Directory, cpu: w.cfg.Hardware}
	if own, ok := w.cfg.Machines[id]; ok {
		h.cpu = own
	}
	h.cores = make([]time.Duration, max(h.cpu.Cores, 1))
	if h.cpu.Loop {
		h.cores = h.cores[:max(len(h.cores)-1, 1)] // one runs the loop
	}
	if d := w.cfg.Hardware.DriftPPM; d > 0 {
		h.driftPPM = h.rand.Int64N(2*d+1) - d
	}
	if d := int64(w.cfg.Hardware.Skew); d > 0 {
		h.wallShift = time.Duration(h.rand.Int64N(2*d+1) - d)
	}
	return h
}

// newEngine returns an empty disk.
func (w *Cluster) newEngine() *store.Mem {
	if w.cfg.NoCrash {
		return store.NewMemForGood()
	}
	return store.NewMem()
}

func (h *host) up() bool { return h.node != nil }

// now returns the readings of the host's clocks.
func (h *host) now() txn.Now {
	since := h.w.now - h.booted
	drift := h.monoAfter(since) - since
	return txn.Now{Mono: since + drift, WallNanos: wallStart + int64(h.w.now+drift+h.wallShift)}
}

// boot starts a node with the contents of the disk.
func (h *host) boot() error {
	h.boots++
	h.booted, h.busyUntil = h.w.now, h.w.now
	clear(h.cores)
	h.syncing, h.syncAsked = false, nil
	cfg := node.Config{
		ID: h.id, Region: h.region, Engine: h.engine, Spec: h.w.cfg.Spec,
		Seed:      h.w.cfg.Seed ^ (streamNodes+uint64(h.id))<<32 ^ h.boots,
		Directory: h.first.Clone(), WAN: h.w.cfg.WAN, Params: h.w.cfg.Params, Observer: observer{h},
		Process: h.w.process,
	}
	h.w.cfg.Databases.fit(&cfg)
	if h.w.cfg.Fit != nil {
		h.w.cfg.Fit(&cfg)
	}
	n, err := h.w.cfg.boot(cfg, h.now())
	if err != nil {
		return fmt.Errorf("node %d does not start: %w", h.id, err)
	}
	h.node = n
	h.w.log(h, "starts")
	h.alarm = alarm{}
	h.startProbes()
	h.wakeAfter(time.Duration(h.rand.Int64N(int64(h.w.cfg.Params.TickInterval))))
	h.flush()
	return nil
}

// later runs f after d, unless the host has crashed since.
func (h *host) later(d time.Duration, f func()) {
	boots := h.boots
	h.w.After(d, func() {
		if h.up() && h.boots == boots {
			f()
		}
	})
}

// idlest returns the core that is free first.
func (h *host) idlest() int {
	best := 0
	for i, until := range h.cores {
		if until < h.cores[best] {
			best = i
		}
	}
	return best
}

// work occupies a core for cost, once one is free. It returns the time until the work is done.
func (h *host) work(cost time.Duration) time.Duration {
	i := h.idlest()
	h.cores[i] = max(h.w.now, h.busyUntil, h.cores[i]) + cost
	h.worked += cost
	return h.cores[i] - h.w.now
}

// take passes a message to the node.
func (h *host) take(env *txn.Envelope) {
	h.w.trace.handled(h.w.now, env)
	boots := h.boots
	h.node.Deliver(h.now(), env)
	if h.up() && h.boots == boots {
		h.flush()
	}
}

// submit passes a request to the node: immediately, unless requests cost CPU time.
func (h *host) submit(req *coordinator.Request) {
	cost := h.cpu.requestCost(req)
	h.w.hops = chainOf(req)
	give := func() { h.run(func() { h.node.Submit(h.now(), req) }) }
	if cost == 0 || h.cpu.Loop {
		h.queueWork(cost, give)
		return
	}
	h.later(h.work(cost), give)
}

// run makes one call of the node and carries out its output, unless the host crashed in the middle
// of the call, at an answer to a client.
func (h *host) run(f func()) {
	boots := h.boots
	f()
	if h.up() && h.boots == boots {
		h.flush()
	}
}

func (h *host) flush() {
	out := h.node.Drain()
	if h.loop.inside {
		h.loop.out = out // it leaves at the end of the turn
		return
	}
	h.emit(out)
}

// emit carries out a node's output.
func (h *host) emit(out node.Output) {
	boots := h.boots
	alive := func() bool { return h.up() && h.boots == boots }
	h.wakeAt(out.WakeAt)
	for i := range out.Messages {
		if !alive() { // it crashed at an answer or a message: the rest never left
			return
		}
		h.send(&out.Messages[i])
	}
	for _, t := range out.Tasks {
		if alive() {
			h.async(t)
		}
	}
	if out.SyncToken != 0 && alive() {
		h.sync(out.SyncToken)
	}
}

// async runs a node's task beside its loop, in virtual time.
func (h *host) async(t node.Task) {
	hops := h.w.hops
	h.later(h.w.cfg.Hardware.Async, func() {
		h.start(t.Work, func(result any) {
			h.w.hops = hops
			h.queueWork(0, func() { h.run(func() { h.node.Finished(h.now(), t.ID, result) }) })
		})
	})
}

func (h *host) send(env *txn.Envelope) {
	what := leaves
	if h.w.onSend != nil {
		what = h.w.onSend(h, env)
	}
	if what == leaves || what == leftCrash {
		h.w.net.send(env)
	}
	if what == lostCrash || what == leftCrash {
		h.crash(strictly)
	}
}

// sync makes durable all that is applied now, after the sync that may be running.
func (h *host) sync(token uint64) {
	h.syncAsked = append(h.syncAsked, askedSync{token, h.w.hops})
	if !h.syncing {
		h.beginSync()
	}
}

func (h *host) beginSync() {
	h.syncing = true
	covered, point := h.syncAsked, h.engine.BeginSync()
	h.syncAsked = nil
	if h.w.cfg.Hardware.SyncEach {
		covered, h.syncAsked = covered[:1:1], covered[1:]
	}
	d := h.w.cfg.Hardware.Fsync
	if j := h.w.cfg.Hardware.FsyncJitter; j > 0 {
		d += time.Duration(h.rand.Int64N(int64(j) + 1))
	}
	h.later(d*time.Duration(h.slowDisk), func() {
		if h.w.onSync != nil && h.w.onSync(h) == lostCrash {
			h.crash(strictly)
			return
		}
		h.engine.EndSync(point)
		h.syncing = false
		if len(h.syncAsked) > 0 {
			h.beginSync()
		}
		h.synced(covered)
	})
}

// synced notifies the node request by request, so that the effects of each continue the chain of
// its requester.
func (h *host) synced(covered []askedSync) {
	boots := h.boots
	for _, a := range covered {
		if !h.up() || h.boots != boots {
			return
		}
		h.w.hops = a.hops
		h.queueWork(0, func() { h.run(func() { h.node.Synced(h.now(), a.token) }) })
	}
}

// crashKind is the state of the disk after a crash.
type crashKind uint8

const (
	strictly crashKind = iota // the disk has synced data and nothing else
	luckily                   // and some of the later writes
)

// crash stops the node. Nothing that it did not send or sync remains.
func (h *host) crash(kind crashKind) {
	if !h.up() {
		return
	}
	lost := h.engine.Unsynced()
	if kind == strictly {
		h.engine = h.engine.CrashStrict()
	} else {
		h.engine = h.engine.Crash(h.rand)
	}
	h.w.log(h, "crashes (%d writes were not synced)", lost)
	h.node = nil
	h.stopLoop()
	h.stopTasks()
	h.w.cfg.Databases.lost(h)
	calls := h.calls
	h.calls = nil
	for _, c := range calls {
		c.answer(c.lost())
	}
}

// lose removes the machine permanently, with the contents of its disk.
func (h *host) lose() {
	h.crash(strictly)
	h.engine, h.lost = store.NewMem(), true
	h.w.log(h, "is lost permanently")
}

// restart boots the host if it is down.
func (h *host) restart() {
	if h.up() || h.lost {
		return
	}
	if err := h.boot(); err != nil {
		panic(err) // a node must be able to read its own data
	}
}

// observer passes a node's own lines to the cluster.
type observer struct{ h *host }

func (o observer) Span(s txn.ShardID, client geo.Region, held time.Duration) {
	o.h.w.spans++
	if f := o.h.w.cfg.Spans; f != nil {
		f(Span{Shard: s, Leader: o.h.region, Client: client, Held: held})
	}
}

func (o observer) Event(_ txn.NodeID, what string) { o.h.w.trace.note(o.h.w.now, o.h, what) }

func (o observer) Tracing() bool { return o.h.w.cfg.CountEvents && o.h.w.cfg.Trace != nil }
