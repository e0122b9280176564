package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/disk"
	"isochron/server/memory"
	"isochron/server/peer"
	"isochron/txn"
)

// A Prepare of the largest size fits into one frame, and so does its log entry. This is checked at compile
// time.
const _ uint = peer.FrameMax - coordinator.MaxPrepareBytes - 1<<20

// Member is a node of a cluster of processes.
type Member struct {
	ID      txn.NodeID
	Region  geo.Region
	Address string // listens for the other nodes
	Gateway bool   // without replicas
}

// MemberConfig is one node of a cluster of processes.
type MemberConfig struct {
	Cluster     string
	Self        txn.NodeID
	Dir         string    // created by PrepareMember
	Disk        disk.Disk // that Dir is on; nil: the machine's
	Listen      string    // for the other nodes
	Members     []Member
	Credentials *peer.Credentials
	Spec        protocol.Spec // what the cluster began with, if Dir does not have it
	WAN         geo.WAN       // of all regions: it sets the timeouts and the nearest replicas
	Join        bool          // added to an existing cluster; else one of the first nodes
	Emulate     bool          // add the WAN's delays to this node's links

	// Sources are external databases with agents at this node.
	Sources []SourceConfig

	// VerifyEvery is the interval at which the node compares the replicas of the shards it leads, 0: never;
	// each replica reads VerifyRate bytes a second.
	VerifyEvery time.Duration
	VerifyRate  int64

	Memory   memory.Shares // zero: memory.Default
	Params   node.Params   // zero fields get defaults that fit the WAN
	Observer node.Observer // may be nil
	Metrics  Metrics       // may be nil
	Log      *slog.Logger  // nil: slog.Default()
}

// Process is one node whose peers are other processes. Its methods are safe for concurrent use.
type Process struct {
	cfg     MemberConfig
	region  geo.Region
	gateway bool
	wan     *wan
	peers   *peer.Transport
	cache   *pebble.Cache
	runner  *runner
	deaf    deafness
	failed  chan error
	begun   time.Time

	running    atomic.Bool      // its loop was started
	stopping   sync.Once        // guards the sending of its reason to stop
	lastReport sync.WaitGroup   // that sending, while it runs
	lastWords  reportsOfStopped // of other nodes
	verified   verifications

	onDrain atomic.Pointer[func(draining bool)]
	onRoot  atomic.Pointer[func(context.Context, string) error]
	onUse   atomic.Pointer[func(*memory.Held)]

	away      sync.Once // a peer refused it permanently
	leaving   sync.Once // it learned that it was removed
	removed   atomic.Pointer[string]
	left      chan struct{} // closed when removed is set
	onRemoved atomic.Pointer[func(reason string)]
}

// StartProcess opens the node in cfg.Dir, which PrepareMember has created, and joins its cluster.
func StartProcess(cfg MemberConfig) (*Process, error) {
	cfg, err := beganWith(cfg)
	if err != nil {
		return nil, err
	}
	p, err := newProcess(cfg)
	if err != nil {
		return nil, err
	}
	clock := newClock()
	// The port first: it detects another process of this node before anything is touched.
	if p.peers, err = p.listen(); err != nil {
		return nil, err
	}
	p.cache, p.wan = NewCache(p.cfg.Memory.Of(memory.BlockCache)), newWAN(clock)
	me := identity{Format: formatVersion, Cluster: cfg.Cluster, Node: cfg.Self, Region: p.region, Protocol: cfg.Spec.Name}
	first, err := p.prepare(me)
	if err == nil {
		p.runner, err = openRunner(runnerConfig{
			me: me, dir: p.cfg.Dir, disk: p.cfg.Disk, cache: p.cache, shares: p.cfg.Memory, clock: clock, net: p.wan, failed: p.stops, log: p.cfg.Log,
			spec: cfg.Spec, wan: cfg.WAN, params: p.cfg.Params, observer: cfg.Observer, metrics: cfg.Metrics, directory: p.first(), adopted: p.follow, firstEpoch: first, sources: cfg.Sources,
		})
	}
	if err == nil {
		err = me.markStarted(p.cfg.Disk, p.cfg.Dir)
	}
	var lives *peer.BootRegistry
	if err == nil {
		lives, err = beginLife(p.cfg.Disk, p.cfg.Dir, cfg.Self, p.gateway, first)
	}
	if err != nil {
		p.reportLast(err)
		return nil, errors.Join(err, p.Close())
	}
	p.peers.SetBoots(lives)
	p.wan.connect(cfg.Self, cfg.Self, 0, into(p.runner.box))
	p.runner.start()
	p.running.Store(true)
	p.peers.Start()
	p.verifyAlways()
	if !cfg.Emulate {
		go p.reportDistances()
	}
	return p, nil
}

// prepare checks the node's directory. A gateway with an empty one counts its incarnations from first.
func (p *Process) prepare(me identity) (first uint32, err error) {
	if !p.gateway {
		return 0, me.checkPrepared(p.cfg.Disk, p.cfg.Dir)
	}
	empty, err := me.prepareGateway(p.cfg.Disk, p.cfg.Dir)
	if err != nil || !empty {
		return 0, err
	}
	return p.begin()
}

func newProcess(cfg MemberConfig) (*Process, error) {
	if cfg.Memory.Total == 0 {
		cfg.Memory = memory.Default()
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Disk, cfg.Params = disk.Or(cfg.Disk), cfg.Spec.WithProbing(cfg.Params.Live()).WithDefaultsFor(cfg.WAN.Widest())
	for _, m := range cfg.Members {
		if m.ID == cfg.Self {
			cfg.Log = cfg.Log.With("node", m.ID, "region", string(m.Region))
			return &Process{cfg: cfg, region: m.Region, gateway: m.Gateway, failed: make(chan error, 1), left: make(chan struct{}), begun: time.Now()}, nil
		}
	}
	return nil, fmt.Errorf("node %d is not in its own list of members", cfg.Self)
}

func routed(members []Member) []routing.Node {
	var out []routing.Node
	for _, m := range members {
		out = append(out, routing.Node{ID: uint32(m.ID), Region: string(m.Region), Gateway: m.Gateway})
	}
	return out
}

// listen opens the port for the other nodes.
func (p *Process) listen() (*peer.Transport, error) {
	addresses := map[txn.NodeID]string{}
	for _, m := range p.cfg.Members {
		addresses[m.ID] = m.Address
	}
	return peer.New(peer.Config{
		Self: p.cfg.Self, Cluster: p.cfg.Cluster, Settings: p.settings(), Founders: p.founders(),
		Listen: p.cfg.Listen, Peers: addresses, Credentials: p.cfg.Credentials, Log: p.cfg.Log,
		Deliver: func(from txn.NodeID, envelope []byte) {
			p.runner.box.put(input{envelope: envelope, from: from})
		},
		Carry: func(to txn.NodeID, frame []byte, send func([]byte)) {
			p.wan.carry(p.cfg.Self, to, frame, send)
		},
		Deaf:       p.deaf.to,
		Answer:     p.answer,
		Removed:    func(id txn.NodeID) string { return removedText(p.runner.directory.Load(), id) },
		TurnedAway: p.turnedAway,
		QueueBytes: p.cfg.Memory.Queues(),
		Probing:    p.cfg.Spec.Probing(p.cfg.Params.ProbeEvery),
	})
}

// settings returns the settings that all nodes must share: the protocol that the cluster began with, which
// never changes, as every log begins under it, and the election timeout, as a leader's lease depends on its
// followers not voting within it.
func (p *Process) settings() string {
	return fmt.Sprintf("protocol %s, election time-out %v", p.cfg.Spec.Name, p.cfg.Params.ElectionTimeout)
}

// founders returns the nodes the cluster began with. They must agree on this list, since all else depends on
// it; nodes added later are not checked.
func (p *Process) founders() string {
	if p.cfg.Join || p.gateway {
		return ""
	}
	var b strings.Builder
	b.WriteString("nodes")
	for _, m := range p.cfg.Members {
		fmt.Fprintf(&b, " %d=%s", m.ID, m.Region)
		if m.Gateway {
			b.WriteString(" (gateway)")
		}
	}
	return b.String()
}

// first returns the directory of a node that has none yet.
func (p *Process) first() *routing.Directory {
	if p.cfg.Join || p.gateway {
		return node.Joining(uint32(p.cfg.Self), routed(p.cfg.Members))
	}
	return firstDirectory(routed(p.cfg.Members))
}

// follow creates lines and connections to the directory's nodes and to no others. Addresses of the
// configuration override the directory's, so that an operator can correct them.
func (p *Process) follow(d *routing.Directory) {
	p.checkRole(d)
	peers := map[txn.NodeID]string{}
	for _, n := range d.Nodes {
		id := txn.NodeID(n.ID)
		if id == p.cfg.Self {
			continue
		}
		peers[id] = n.Address
		for _, m := range p.cfg.Members {
			if m.ID == id {
				peers[id] = m.Address
			}
		}
		p.wan.lay(p.cfg.Self, id, p.oneWay(geo.Region(n.Region)), func(data []byte) { p.peers.Send(id, data) })
	}
	p.peers.SetPeers(peers)
	if reason := removedText(d, p.cfg.Self); reason != "" {
		p.wasRemoved(reason)
	}
}

// waitingLogEvery is the interval of log lines of a node that waits for its cluster.
const waitingLogEvery = 10 * time.Second

// AwaitReady waits until the node knows a leader of every shard, which needs a majority of the nodes. Only
// ctx bounds it.
func (p *Process) AwaitReady(ctx context.Context) error {
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	logged := time.Now()
	for {
		ready := false
		if p.Removed() == "" && p.runner.inLoop(func(n *node.Node) { ready = n.ShardsReady() }) && ready {
			return nil
		}
		if reason := p.Removed(); reason != "" {
			return errors.New(reason)
		}
		if time.Since(logged) >= waitingLogEvery {
			logged = time.Now()
			p.cfg.Log.Warn("waiting for a majority of the cluster's nodes", "peers_connected", p.connected(), "nodes", len(p.cfg.Members))
		}
		select {
		case <-pause.C:
		case err := <-p.failed:
			p.fail(err) // for the reader of Failed
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *Process) connected() int {
	n := 0
	for _, l := range p.peers.Links() {
		if l.Up {
			n++
		}
	}
	return n
}

// stops handles the failure that stops the node's loop or its disk.
func (p *Process) stops(err error) {
	p.stopping.Do(func() { p.lastReport.Go(func() { p.reportLast(err) }) })
	p.fail(err)
}

// fail keeps the first failure.
func (p *Process) fail(err error) {
	select {
	case p.failed <- err:
	default:
	}
}

// Failed delivers the node's failure; the process should end.
func (p *Process) Failed() <-chan error { return p.failed }

// Region returns the node's region.
func (p *Process) Region() geo.Region { return p.region }

// DB returns the node's gateway.
func (p *Process) DB() txn.DB { return coordinator.NewDB(port{p.runner, p}) }

// Close leaves the cluster and closes the disk. Pending requests receive an error.
func (p *Process) Close() error {
	p.lastReport.Wait()
	p.stopVerifying()
	p.peers.Close()
	p.wan.close()
	var err error
	if p.runner != nil {
		err = p.runner.close()
	}
	p.cache.Unref()
	return err
}
