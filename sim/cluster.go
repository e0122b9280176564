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

// Config configures a Cluster. Directory lists the nodes and their regions.
type Config struct {
	Seed      uint64
	WAN       geo.WAN
	Spec      protocol.Spec
	Params    node.Params
	Directory *routing.Directory
	Hardware  Hardware
	Machines  map[txn.NodeID]Hardware // for hosts with a CPU other than Hardware's
	Links     Links
	// Codec encodes and decodes every message. Links.TCP needs the encoded length.
	Codec bool
	// NoCrash promises that no host crashes: nothing is kept for a restart.
	NoCrash bool
	// Spans is called with every contention span that ends; nil: they are only counted.
	Spans func(Span)
	// Trace receives one readable line for each event; nil disables it.
	Trace func(line string)
	// Fit, if not nil, changes the configuration with which a node is started.
	Fit func(*node.Config)
	// Databases has one database for each source of the directory; nil: none.
	Databases *Databases
	// CountEvents adds the nodes' own lines (Observer.Event) to the trace, if Trace is set.
	CountEvents bool

	// boot makes a node; tests of the simulator replace it by something simpler.
	boot func(node.Config, txn.Now) (process, error)
}

// Hardware describes the machines.
type Hardware struct {
	MessageCPU  time.Duration // CPU time of a message at its receiver
	RequestCPU  time.Duration // CPU time of a client's request at its gateway
	CommitCPU   time.Duration // the same of a request that commits writes; 0: RequestCPU
	Loop        bool          // messages and requests are processed one at a time, see loop.go
	LockCPU     time.Duration // with a loop: CPU time of a lock that is granted or released
	StepCPU     time.Duration // the same of one step of a walk over the wait graph
	BesideCPU   time.Duration // the same of each transaction waiting for the row of a lock that is granted or released
	Cores       int           // of each machine; 0 is 1
	Fsync       time.Duration // duration of one sync
	SyncEach    bool          // each request for a sync has its own: no group commit
	FsyncJitter time.Duration // added to a sync, drawn evenly up to this
	DriftPPM    int64         // largest rate error of a clock, either way
	Skew        time.Duration // largest error of a wall clock, drawn evenly
	Async       time.Duration // duration of a task that a node runs outside its loop
}

// Span is a contention span that ended at a shard.
type Span struct {
	Shard  txn.ShardID
	Leader geo.Region // where it was measured
	Client geo.Region // of the transaction's coordinator
	Held   time.Duration
}

// process is the program of a host: a *node.Node.
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
	hops    chain // of the running event
	events  uint64
	agenda  agenda
	hosts   []*host // by node id - 1
	net     *network
	clients []*Client
	trace   *tracer
	process *shard.Process // of all nodes, if none crashes
	spans   int            // contention spans that ended
	held    time.Duration  // how long a request may be queued before it begins
	late    []string       // requests answered later than a node may

	// onSend may crash a host at a message: see nemesis.
	onSend func(h *host, env *txn.Envelope) sendAction
	// onAnswer is the same for the answer to a client.
	onAnswer func(h *host, req *coordinator.Request, res *coordinator.Response) sendAction
	// onSync is the same for a sync that is about to end: lostCrash also loses what the sync would
	// have made durable.
	onSync func(h *host) sendAction
}

// sendAction is the treatment of a message that is about to leave its host.
type sendAction uint8

const (
	leaves    sendAction = iota
	lostCrash            // the host crashes before the message leaves
	leftCrash            // the host crashes right after the message left
	heldBack             // the scenario sends it later, or never
)

// Streams of chance: each concern has its own, so that one more draw in one does not change the
// others.
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

// New makes a cluster and boots its hosts at time 0.
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
			return nil, fmt.Errorf("node %d is entry %d of the directory: a simulated cluster numbers its nodes from 1", n.ID, i+1)
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

// Elapsed returns the virtual time.
func (w *Cluster) Elapsed() time.Duration { return w.now }

// Hash returns a hash over everything that happened so far.
func (w *Cluster) Hash() uint64 { return w.trace.hash.Sum64() }

// After runs f when d has passed.
func (w *Cluster) After(d time.Duration, f func()) { w.agenda.add(w.now+d, w.hops, f) }

// Events returns the number of events that have run.
func (w *Cluster) Events() uint64 { return w.events }

// Messages returns the number of messages that have left a node, lost ones included.
func (w *Cluster) Messages() int { return w.net.sent }

// Step runs the next event, if it is due no later than limit.
func (w *Cluster) Step(limit time.Duration) bool {
	if w.agenda.empty() || w.agenda.next() > limit {
		return false
	}
	e := w.agenda.pop()
	w.now, w.hops = e.at, e.hops
	w.events++
	if e.delivery != nil {
		w.net.move(e.delivery)
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

// RunUntil runs until the condition holds, checking every ms, for at most d. It reports whether the
// condition held.
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

// Leader returns the node that leads a shard; 0 if no node does or several assume so.
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

// Residue lists state left behind by transactions: transactions that a coordinator keeps, votes
// without a decision, locks. It is empty in a quiet cluster.
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

// Summary describes every replica of every node, one line each.
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

// label returns a node's name in a trace: its region, if it is the only node there.
func (w *Cluster) label(id txn.NodeID) string {
	region := w.cfg.Directory.RegionOf(uint32(id))
	if region == "" {
		return fmt.Sprintf("n%d", id) // added after the start
	}
	for _, n := range w.cfg.Directory.Nodes {
		if n.Region == region && n.ID != uint32(id) {
			return fmt.Sprintf("n%d", id)
		}
	}
	return region
}

// live returns the hosts that were not lost permanently.
func (w *Cluster) live() []*host {
	var out []*host
	for _, h := range w.hosts {
		if !h.lost {
			out = append(out, h)
		}
	}
	return out
}

// add adds a new machine, whose node knows only the addresses of the others.
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

// Pending returns the number of future events: messages in transit or waiting for a processor,
// timers.
func (w *Cluster) Pending() int { return len(w.agenda.heap) }
