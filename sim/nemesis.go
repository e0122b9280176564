package sim

import (
	"math/rand/v2"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// nemesis breaks a cluster in the ways that its Faults allow. It draws from its own generators, so
// that the same seed breaks the same things.
type nemesis struct {
	w        *Cluster
	faults   Faults
	unit     time.Duration // about a round trip: times of faults are multiples of it
	rand     *rand.Rand    // for faults at times
	steps    *rand.Rand    // for faults at messages
	active   bool
	counts   Counts
	budget   int // crashes at acknowledgements and at steps that are left
	pace     int // units between two timed faults, on average
	targeted targetTxn
	boots    map[incarnation]uint64 // the boot of a host in which an incarnation was used
	broken   []string               // violations of nodes' promises seen in their messages
	// volatile are acknowledgements that a power loss would have made false.
	volatile []string
	leases   []string                   // that lasted while another leader served
	lost     *host                      // lost permanently, in this run
	fresh    *host                      // the node in its place
	members  map[txn.ShardID]membership // the newest that any node has applied
	moves    *rand.Rand                 // of moved replicas
	moving   bool                       // a replica, and it is not back yet
	moved    moved                      // the last move
	biased   *biasedFaults              // nil: no faults are biased
	timers   *timers                    // nil: those of the configuration
	grows    bool                       // nodes may be added
	resting  bool                       // no faults for a while, see rest
	lossPPM  int64                      // messages lost in addition to those of the seed
	pareto   Pareto                     // jitter that the configuration requests
}

func newNemesis(w *Cluster, faults Faults, seed uint64, unit time.Duration) *nemesis {
	n := &nemesis{w: w, faults: faults, unit: unit, rand: stream(seed, streamNemesis), steps: stream(seed, streamSteps), moves: stream(seed, streamMoves), counts: Counts{}, boots: map[incarnation]uint64{}, members: map[txn.ShardID]membership{}}
	w.onSend, w.onAnswer = n.onSend, n.onAnswer
	// Some seeds strike often, some leave time for long sequences; and each omits some kinds of
	// fault, so that no kind always hides another.
	n.pace, n.budget = 8<<n.rand.IntN(4), 1+n.rand.IntN(10)
	n.grows = faults.Replace
	for _, f := range n.faults.fields() {
		*f = *f && n.rand.IntN(4) > 0
	}
	if w.cfg.Spec.Replicates == protocol.Unordered { // its members are fixed, and no leadership is transferred
		n.faults.Replace, n.faults.Transfers = false, false
	}
	if w.cfg.Databases != nil { // an agent cannot leave its database
		n.faults.Replace = false
	}
	if n.faults.Forced && n.rand.IntN(4) == 0 {
		n.faults = Faults{Forced: true} // biased faults have consequences only with enough load
	}
	if n.faults.Forced {
		n.biased = newForced(n, seed)
	}
	return n
}

// start begins the faults.
func (n *nemesis) start() {
	n.active = true
	if n.faults.Network && n.rand.IntN(2) == 0 {
		n.w.net.links.LossPPM = n.rand.Int64N(20_000)
		n.w.net.links.DuplicatePPM = n.rand.Int64N(20_000)
		n.w.net.links.ReorderPPM = n.rand.Int64N(50_000)
		n.w.net.links.ReorderBy = 2 * n.unit
		n.counts["bad networks"]++
	}
	n.w.net.links.LossPPM = max(n.w.net.links.LossPPM, n.lossPPM)
	n.w.net.links.Pareto = n.pareto
	if n.faults.Clocks {
		n.skewClocks()
	}
	n.plan()
	n.planReplacement()
	if n.biased != nil {
		n.biased.start()
	}
}

// heal ends the faults and repairs everything.
func (n *nemesis) heal() {
	n.active = false
	n.w.net.calm = true
	n.w.net.mend()
	if n.timers != nil {
		n.timers.end(n.w.hosts)
	}
	for _, h := range n.w.hosts {
		h.slowDisk = 1
		h.restart()
	}
	n.w.log(nil, "everything is repaired")
}

// rest repairs all faults and injects none until resume: sequences in progress continue.
func (n *nemesis) rest() {
	n.counts["rests, for nothing was committed"]++
	n.resting, n.w.net.calm = true, true
	n.w.net.mend()
	for _, h := range n.w.hosts {
		h.slowDisk = 1
	}
	n.restartAll()
	n.w.log(nil, "the faults rest: nothing was committed yet")
}

func (n *nemesis) resume() {
	n.resting, n.w.net.calm = false, false
	n.w.log(nil, "the faults resume")
}

func (n *nemesis) between(lo, hi int) time.Duration {
	return n.unit*time.Duration(lo) + time.Duration(n.rand.Int64N(int64(n.unit)*int64(hi-lo)))
}

func (n *nemesis) plan() {
	n.w.After(n.between(1, 2*n.pace), func() {
		if n.active {
			if !n.resting {
				n.strike()
			}
			n.plan()
		}
	})
}

// strike injects one fault.
func (n *nemesis) strike() {
	var all []func()
	add := func(on bool, f ...func()) {
		if on {
			all = append(all, f...)
		}
	}
	add(n.faults.Crashes, n.crashOne, n.crashLeader, n.crashLeader, n.crashMost, n.flap, n.flap)
	add(n.faults.PowerLoss, n.powerLoss)
	add(n.faults.Partitions, n.isolate, n.isolateLeader, n.split, n.cutOneWay)
	add(n.faults.Clocks, n.jumpClock)
	add(n.faults.Stalls, n.slowDisk, n.stall)
	add(n.faults.Transfers, n.transfer, n.drain)
	if len(all) > 0 {
		all[n.rand.IntN(len(all))]()
	}
}

func (n *nemesis) anyHost() *host {
	live := n.w.live()
	return live[n.rand.IntN(len(live))]
}

// anyLeader returns a host that leads some shard, or any host.
func (n *nemesis) anyLeader() *host {
	shards := n.w.cfg.Directory.Shards
	if id := n.w.Leader(txn.ShardID(shards[n.rand.IntN(len(shards))].ID)); id != 0 {
		return n.w.host(id)
	}
	return n.anyHost()
}

func (n *nemesis) crash(h *host, what string, kind crashKind, back time.Duration) {
	if h.up() {
		n.counts[what]++
		h.crash(kind)
		n.w.After(back, h.restart)
	}
}

// atSource reports whether a participant is an external database.
func (n *nemesis) atSource(s txn.ShardID) bool {
	return n.w.cfg.Databases != nil && n.w.cfg.Databases.of[s] != nil
}

func (n *nemesis) kind() crashKind { return crashKind(n.rand.IntN(2)) }

func (n *nemesis) crashOne()    { n.crash(n.anyHost(), "crashes", n.kind(), n.between(1, 12)) }
func (n *nemesis) crashLeader() { n.crash(n.anyLeader(), "leader crashes", n.kind(), n.between(1, 12)) }

// flap restarts a host immediately, and often again before its first sync.
func (n *nemesis) flap() {
	h, again := n.anyHost(), n.rand.IntN(3)
	back := n.unit / 20
	n.crash(h, "restarts", n.kind(), back)
	for at := back; again > 0; again-- {
		at += time.Duration(n.rand.Int64N(int64(n.unit) / 8))
		n.w.After(at, func() { n.crash(h, "restarts", strictly, back) })
		at += back
	}
}

func (n *nemesis) crashMost() {
	live := n.w.live()
	for _, i := range n.rand.Perm(len(live))[:len(live)/2+1] {
		n.crash(live[i], "crashes of a majority", n.kind(), n.between(1, 8))
	}
}

func (n *nemesis) powerLoss() {
	for _, h := range n.w.hosts {
		n.crash(h, "power losses", n.kind(), n.between(1, 6))
	}
}

// cutFor cuts both or one of the directions between two hosts for a while.
func (n *nemesis) cutFor(a, b *host, both bool, d time.Duration) {
	n.w.net.setCut(a.id, b.id, true)
	n.w.After(d, func() { n.w.net.setCut(a.id, b.id, false) })
	if both {
		n.cutFor(b, a, false, d)
	}
}

func (n *nemesis) isolateHost(h *host) {
	n.counts["partitions"]++
	d := n.between(2, 24)
	for _, o := range n.w.hosts {
		n.cutFor(h, o, true, d)
	}
}

func (n *nemesis) isolate()       { n.isolateHost(n.anyHost()) }
func (n *nemesis) isolateLeader() { n.isolateHost(n.anyLeader()) }

func (n *nemesis) split() {
	n.counts["partitions"]++
	d, order := n.between(2, 24), n.rand.Perm(len(n.w.hosts))
	for _, i := range order[:len(order)/2] {
		for _, j := range order[len(order)/2:] {
			n.cutFor(n.w.hosts[i], n.w.hosts[j], true, d)
		}
	}
}

func (n *nemesis) cutOneWay() {
	n.counts["one-way cuts"]++
	from, d := n.anyHost(), n.between(2, 24)
	for _, to := range n.w.hosts {
		if n.rand.IntN(2) == 0 {
			n.cutFor(from, to, false, d)
		}
	}
}

func (n *nemesis) jumpClock() {
	n.counts["clock jumps"]++
	h := n.anyHost()
	h.wallShift = time.Duration(n.rand.Int64N(int64(20*time.Second))) - 10*time.Second
	n.w.log(h, "its wall clock is off by %d ms", h.wallShift.Milliseconds())
}

func (n *nemesis) slowDisk() {
	n.counts["slow disks"]++
	h := n.anyHost()
	h.slowDisk = 5 + n.rand.IntN(100)
	n.w.log(h, "its disk is %d times slower", h.slowDisk)
	n.w.After(n.between(2, 24), func() { h.slowDisk = 1 })
}

func (n *nemesis) stall() {
	n.counts["stalls"]++
	h, d := n.anyHost(), n.between(2, 30)
	h.busyUntil = max(h.busyUntil, n.w.now) + d
	n.w.log(h, "stalls for %d ms", d.Milliseconds())
}
