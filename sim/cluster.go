package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"isochron/coordinator"
	"isochron/estimate"
	"isochron/geo"
	"isochron/node"
	"isochron/participant"
	"isochron/protocol"
	"isochron/routing"
	"isochron/shard"
	"isochron/txn"
)

// Config of a World. Directory names the nodes and their regions.
type Config struct {
	Seed      uint64
	WAN       geo.WAN
	Spec      protocol.Spec
	Params    node.Params
	Directory *routing.Directory
	Hardware  Hardware
	Machines  map[txn.NodeID]Hardware // of hosts whose CPU is not Hardware's
	Links     Links
	// Codec passes every message through its wire form, which says how long it is where that counts
	// (Links.TCP).
	Codec bool
	// NoCrash promises that no host crashes: nothing is kept for what comes after.
	NoCrash bool
	// Spans is told of every contention span that ends; nil: they are counted only.
	Spans func(Span)
	// Trace takes one readable line an event; nil makes none.
	Trace func(line string)
	// Fit, if not nil, changes what a node is started with.
	Fit func(*node.Config)
	// Databases are beside the nodes, one for each source of the directory; nil: none are.
	Databases *Databases
	// CountEvents takes the nodes' own lines as well (Observer.Event), if Trace is set.
	CountEvents bool

	// boot makes a node; tests of the simulator put something simpler here.
	boot func(node.Config, txn.Now) (process, error)
}

// Hardware is what the machines are made of.
type Hardware struct {
	MessageCPU  time.Duration // CPU time a message costs its receiver
	RequestCPU  time.Duration // CPU time a client's request costs its gateway
	CommitCPU   time.Duration // the same of one that commits writes; 0: RequestCPU
	Loop        bool          // messages and requests are taken one at a time, see loop.go
	LockCPU     time.Duration // with a loop: CPU time of a lock that is granted or freed
	StepCPU     time.Duration // the same of a step of a walk over who waits for whom
	BesideCPU   time.Duration // the same of one who waits for the row of a lock that is granted or freed
	Cores       int           // of each machine; 0 is 1
	Fsync       time.Duration // of one sync
	SyncEach    bool          // each request for a sync has one of its own: no group commit
	FsyncJitter time.Duration // at most this much more, drawn evenly
	DriftPPM    int64         // clocks run at most this much too fast or too slow
	Skew        time.Duration // wall clocks are wrong by at most so much, drawn evenly
	Async       time.Duration // what a node has run outside its loop takes so long
}

// Span is a contention span that ended at a shard.
type Span struct {
	Shard  txn.ShardID
	Leader geo.Region // where it was measured
	Client geo.Region // of the transaction's coordinator
	Held   time.Duration
}

// process is what a host runs: a *node.Node.
type process interface {
	Deliver(now txn.Now, env *txn.Envelope)
	Wake(now txn.Now)
	Measured(now txn.Now, roundTrips map[txn.NodeID]time.Duration)
	MeasuredWays(ways map[txn.NodeID]estimate.Way)
	Synced(now txn.Now, token uint64) (released int)
	Finished(now txn.Now, id uint64, result any)
	Submit(now txn.Now, req *coordinator.Request)
	Drain() node.Output
	Directory() *routing.Directory
	ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool)
	Ready() bool
	Leads() []txn.ShardID
	Pending() (transactions, commitments, undecided, holders int)
	Summary() []string
	Statuses() []participant.Status
	Converged() bool
}

func bootNode(cfg node.Config, now txn.Now) (process, error) {
	n, err := node.New(cfg, now)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Cluster is a cluster in virtual time.
type Cluster struct {
	cfg     Config
	now     time.Duration
	hops    chain // of the event that runs
	events  uint64
	agenda  agenda
	hosts   []*host // by node id - 1
	net     *network
	clients []*Client
	trace   *tracer
	process *shard.Process // of all nodes, where none crashes
	spans   int            // contention spans that ended
	held    time.Duration  // that a request may wait before it is looked at
	late    []string       // requests that were answered later than a node may

	// onSend may have a host crash at a message: see nemesis.
	onSend func(h *host, env *txn.Envelope) sendAction
	// onAnswer is the same for the answer to a client.
	onAnswer func(h *host, req *coordinator.Request, res *coordinator.Response) sendAction
	// onSync is the same for a sync that is about to end: lostCrash takes with it
	// what the sync would have made durable.
	onSync func(h *host) sendAction
}

// sendAction is what becomes of a message that is about to leave its host.
type sendAction uint8

const (
	leaves    sendAction = iota
	lostCrash            // the host crashes before it leaves
	leftCrash            // the host crashes right after it left
	heldBack             // somebody else sends it later, or nobody does
)

// Streams of chance: each concern draws from its own, so that one more draw
// here does not change everything there.
const (
	streamNetwork uint64 = iota + 1
	streamNemesis
	streamSteps
	streamMoves
	streamHosts   = 1000
	streamClients = 2000
	streamNodes   = 3000
	streamProbes  = 4000
)

func stream(seed, id uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, id)) }

// New makes a world and boots its hosts at time 0.
func New(cfg Config) (*Cluster, error) {
	if cfg.boot == nil {
		cfg.boot = bootNode
	}
	if cfg.Params.DetectAfter == 0 {
		cfg.Params.DetectAfter = node.Params{}.WithDefaultsFor(cfg.WAN.Widest()).DetectAfter
	}
	cfg.Params = cfg.Spec.WithProbing(cfg.Params).WithDefaults()
	w := &Cluster{cfg: cfg, hops: noChain}
	if cfg.NoCrash && !cfg.Codec {
		w.process = shard.NewProcess()
	}
	w.trace = newTracer(cfg.Trace, w.label)
	w.net = &network{w: w, links: cfg.Links, rand: stream(cfg.Seed, streamNetwork), tcp: newConnections(cfg.Links)}
	for i, n := range cfg.Directory.Nodes {
		if int(n.ID) != i+1 {
			return nil, fmt.Errorf("node %d stands at place %d of the directory: a world numbers its nodes from 1", n.ID, i+1)
		}
		w.hosts = append(w.hosts, newHost(w, txn.NodeID(n.ID), geo.Region(n.Region)))
	}
	w.net.open(len(w.hosts))
	cfg.Databases.attach(w)
	for _, h := range w.hosts {
		if err := h.boot(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Elapsed is the virtual time.
func (w *Cluster) Elapsed() time.Duration { return w.now }

// Hash is over everything that happened so far.
func (w *Cluster) Hash() uint64 { return w.trace.hash.Sum64() }

// After runs f when the time has passed.
func (w *Cluster) After(d time.Duration, f func()) { w.agenda.add(w.now+d, w.hops, f) }

// Events is how many events have run.
func (w *Cluster) Events() uint64 { return w.events }

// Messages is how many messages have left a node, those that were lost included.
func (w *Cluster) Messages() int { return w.net.sent }

// Step runs the next event, if it comes no later than limit.
func (w *Cluster) Step(limit time.Duration) bool {
	if w.agenda.empty() || w.agenda.next() > limit {
		return false
	}
	e := w.agenda.pop()
	w.now, w.hops = e.at, e.hops
	w.events++
	if e.mail != nil {
		w.net.move(e.mail)
	} else {
		e.run()
	}
	return true
}

// Run runs all events of the next d.
func (w *Cluster) Run(d time.Duration) {
	limit := w.now + d
	for w.Step(limit) {
	}
	w.now, w.hops = limit, noChain
}

// RunUntil runs until the condition holds, looking every ms, for at most d. It
// reports whether it came to hold.
func (w *Cluster) RunUntil(d time.Duration, holds func() bool) bool {
	for limit := w.now + d; !holds(); {
		if w.now >= limit {
			return false
		}
		w.Run(min(time.Millisecond, limit-w.now))
	}
	return true
}

// Ready reports whether every node is up and knows every shard's leader.
func (w *Cluster) Ready() bool {
	for _, h := range w.hosts {
		if h.lost {
			continue
		}
		if !h.up() || !h.node.Ready() {
			return false
		}
	}
	return true
}

// Leader is the node that leads a shard, 0 if none does or several think so.
func (w *Cluster) Leader(shard txn.ShardID) (leader txn.NodeID) {
	for _, h := range w.hosts {
		if !h.up() {
			continue
		}
		for _, s := range h.node.Leads() {
			if s == shard && leader != 0 {
				return 0
			} else if s == shard {
				leader = h.id
			}
		}
	}
	return leader
}

// Residue tells what transactions have left behind: those that a coordinator
// keeps, votes without a decision, locks. It is empty in a quiet cluster.
func (w *Cluster) Residue() []string {
	var all []string
	for _, h := range w.hosts {
		if h.lost {
			continue
		}
		if !h.up() {
			all = append(all, w.label(h.id)+" is down")
			continue
		}
		if t, c, u, l := h.node.Pending(); t+c+u+l > 0 {
			all = append(all, fmt.Sprintf("%s keeps %d transactions, %d commitments, %d undecided votes, %d lock holders", w.label(h.id), t, c, u, l))
		}
	}
	return all
}

// Summary tells of every replica of every node, a line each.
func (w *Cluster) Summary() []string {
	var all []string
	for _, h := range w.hosts {
		if h.up() {
			for _, line := range h.node.Summary() {
				all = append(all, w.label(h.id)+": "+line)
			}
		}
	}
	return all
}

// Close ends the clients that are still running.
func (w *Cluster) Close() {
	for _, c := range w.clients {
		c.stop()
	}
	for _, h := range w.hosts {
		h.stopTasks()
	}
}

// label is a node's name in a trace: its region, if it is the only one there.
func (w *Cluster) label(id txn.NodeID) string {
	region := w.cfg.Directory.RegionOf(uint32(id))
	if region == "" {
		return fmt.Sprintf("n%d", id) // it came later
	}
	for _, n := range w.cfg.Directory.Nodes {
		if n.Region == region && n.ID != uint32(id) {
			return fmt.Sprintf("n%d", id)
		}
	}
	return region
}

// live are the hosts that were not lost for ever.
func (w *Cluster) live() []*host {
	var out []*host
	for _, h := range w.hosts {
		if !h.lost {
			out = append(out, h)
		}
	}
	return out
}

// add brings in a new machine, whose node knows where the others are and no more.
func (w *Cluster) add(region geo.Region) *host {
	nodes := slices.Clone(w.cfg.Directory.Nodes)
	for _, h := range w.hosts[len(nodes):] {
		nodes = append(nodes, routing.Node{ID: uint32(h.id), Region: string(h.region)})
	}
	id := uint32(len(w.hosts) + 1)
	nodes = append(nodes, routing.Node{ID: id, Region: string(region)})
	h := newHost(w, txn.NodeID(id), region)
	h.first = node.Joining(id, nodes)
	w.hosts = append(w.hosts, h)
	w.net.grow()
	h.restart()
	return h
}

func (w *Cluster) host(id txn.NodeID) *host { return w.hosts[id-1] }

func (w *Cluster) log(h *host, format string, args ...any) {
	w.trace.line(w.now, h, format, args...)
}

// Pending is how many events are to come: messages on their way or waiting for a processor, timers.
func (w *Cluster) Pending() int { return len(w.agenda.heap) }
