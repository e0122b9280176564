package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/disk"
	"isochron/txn"
)

// Config of a Cluster.
type Config struct {
	Dir     string    // created if it does not exist
	Disk    disk.Disk // that Dir is on; nil: the machine's
	WAN     geo.WAN   // one node in each of its regions; its delays are emulated
	WANName string    // the map's name as given by the operator
	// Spec is the protocol of a new cluster; an existing one is switched to it before Start returns.
	// Zero: the default for a new cluster, the present protocol of an existing one.
	Spec protocol.Spec

	// Sources are external databases, each with an agent at the node of its region. Start does not wait
	// for them; AwaitSources does.
	Sources []SourceConfig

	CacheBytes   int64         // block cache, shared by all nodes; 0: 256 MiB
	Params       node.Params   // zero fields get defaults that fit the WAN
	Observer     node.Observer // may be nil
	Metrics      Metrics       // may be nil
	ReadyTimeout time.Duration // of Start; 0: a minute
	Log          *slog.Logger  // nil: slog.Default()
}

// Cluster is the regions of one process. Its methods are safe for concurrent use.
type Cluster struct {
	cfg     Config
	about   Description
	net     *wan
	cache   *pebble.Cache
	runners []*runner
	failed  chan error
}

// Start opens the cluster in cfg.Dir, creating it if the directory holds none, and waits until each node
// knows a leader of every shard. ctx bounds only the start.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = withDefaults(cfg)
	want := cfg.Spec.Name
	about, err := claimCluster(cfg.Disk, cfg.Dir, Description{Regions: cfg.WAN.Regions, WAN: cfg.WANName, Protocol: cmp.Or(want, protocol.Default)})
	if err != nil {
		return nil, err
	}
	if cfg.Spec, err = protocol.LiveByName(about.Protocol); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Dir, err)
	}
	clock := newClock()
	c := &Cluster{
		cfg: cfg, about: about, net: newWAN(clock),
		cache: NewCache(cfg.CacheBytes), failed: make(chan error, 1),
	}
	err = c.open(clock)
	c.connect()
	for _, r := range c.runners {
		r.start() // also those opened before a failure: Close stops running ones
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	err = c.awaitReady(ctx)
	if err == nil && want != "" {
		err = c.SetProtocol(ctx, want)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func withDefaults(cfg Config) Config {
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 256 << 20
	}
	if cfg.ReadyTimeout == 0 {
		cfg.ReadyTimeout = time.Minute
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Disk, cfg.Params = disk.Or(cfg.Disk), cfg.Params.Live().WithDefaultsFor(cfg.WAN.Widest())
	return cfg
}

// open opens every node.
func (c *Cluster) open(clock clock) error {
	for i, region := range c.cfg.WAN.Regions {
		r, err := c.openNode(txn.NodeID(i+1), region, clock)
		if err != nil {
			return err
		}
		c.runners = append(c.runners, r)
	}
	return nil
}

func (c *Cluster) openNode(id txn.NodeID, region geo.Region, clock clock) (*runner, error) {
	dir := filepath.Join(c.cfg.Dir, string(region))
	return openRunner(runnerConfig{
		me:  identity{Format: formatVersion, Cluster: c.about.Cluster, Node: id, Region: region},
		dir: dir, disk: c.cfg.Disk, cache: c.cache, clock: clock, net: c.net, failed: c.fail,
		log:  c.cfg.Log.With("region", string(region)),
		spec: c.cfg.Spec, wan: c.cfg.WAN, params: c.cfg.Params, observer: c.cfg.Observer, metrics: c.cfg.Metrics,
		directory: firstDirectory(onePerRegion(c.cfg.WAN.Regions)), sources: c.sourcesOf(region),
	})
}

// sourcesOf returns the sources whose agents are in a region.
func (c *Cluster) sourcesOf(region geo.Region) (out []SourceConfig) {
	for _, s := range c.cfg.Sources {
		if s.Region == region {
			out = append(out, s)
		}
	}
	return out
}

// AwaitSources waits until each source is served by its agent and known to every gateway; the error names
// one that is not, with the reason.
func (c *Cluster) AwaitSources(ctx context.Context) error {
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for {
		err := c.unserved()
		if err == nil {
			return nil
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
	}
}

// unserved returns why a source is not served, nil if all are.
func (c *Cluster) unserved() error {
	for _, s := range c.cfg.Sources {
		if !slices.Contains(c.cfg.WAN.Regions, s.Region) {
			return fmt.Errorf("source %s: the cluster has no region %s", s.Name, s.Region)
		}
		for _, r := range c.runners {
			if reason := r.agents.reason(s.Name); reason != "" {
				return fmt.Errorf("source %s: %s", s.Name, reason)
			}
		}
		for _, r := range c.runners {
			e, known := r.directory.Load().SourceNamed(s.Name)
			if !known {
				return fmt.Errorf("source %s is not known at the gateway in %s yet", s.Name, r.region)
			}
			serving := false
			r.inLoop(func(n *node.Node) { serving = r.region != s.Region || slices.Contains(n.Leads(), txn.ShardID(e.ID)) })
			if !serving {
				return fmt.Errorf("the agent of source %s does not serve it yet", s.Name)
			}
		}
	}
	return nil
}

// onePerRegion returns one node for each region; node i+1 is in region i.
func onePerRegion(regions []geo.Region) []routing.Node {
	var out []routing.Node
	for i, r := range regions {
		out = append(out, routing.Node{ID: uint32(i + 1), Region: string(r)})
	}
	return out
}

// connect creates a line between each ordered pair of nodes, and from each to itself.
func (c *Cluster) connect() {
	for _, from := range c.runners {
		for _, to := range c.runners {
			var oneWay time.Duration
			if from != to {
				oneWay = c.cfg.WAN.RTT(from.region, to.region) / 2
			}
			c.net.connect(from.id, to.id, oneWay, into(to.box))
		}
	}
}

// awaitReady waits until every node knows a leader of every shard.
func (c *Cluster) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.ReadyTimeout)
	defer cancel()
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for {
		waiting := c.notReady()
		if len(waiting) == 0 {
			return nil
		}
		select {
		case <-pause.C:
		case err := <-c.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("the cluster is not ready: %v do not know a leader of every shard (%w)", waiting, context.Cause(ctx))
		}
	}
}

func (c *Cluster) notReady() []geo.Region {
	var out []geo.Region
	for _, r := range c.runners {
		ready := false
		if !r.inLoop(func(n *node.Node) { ready = n.ShardsReady() }) || !ready {
			out = append(out, r.region)
		}
	}
	return out
}

// fail keeps the first failure.
func (c *Cluster) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

// Failed delivers a node's failure; the process should end.
func (c *Cluster) Failed() <-chan error { return c.failed }

// DB returns a region's gateway, nil if the cluster has no such region.
func (c *Cluster) DB(region geo.Region) txn.DB {
	for _, r := range c.runners {
		if r.region == region {
			return coordinator.NewDB(port{r: r})
		}
	}
	return nil
}

// Leads returns the shards that a region's node leads now.
func (c *Cluster) Leads(region geo.Region) []txn.ShardID {
	var out []txn.ShardID
	for _, r := range c.runners {
		if r.region == region {
			r.inLoop(func(n *node.Node) { out = append(out, n.Leads()...) })
		}
	}
	return out
}

// Close stops all nodes and closes their disks. Pending requests receive an error.
func (c *Cluster) Close() error {
	c.net.close()
	var errs []error
	for _, r := range c.runners {
		errs = append(errs, r.close())
	}
	c.cache.Unref()
	return errors.Join(errs...)
}
