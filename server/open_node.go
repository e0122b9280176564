package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/disk"
	"isochron/server/memory"
	"isochron/store"
	"isochron/txn"
)

// dataDir is the engine's directory, beside the node's identity.
const dataDir = "data"

// runnerConfig has what one node needs.
type runnerConfig struct {
	me        identity
	dir       string
	disk      disk.Disk
	cache     *pebble.Cache
	shares    memory.Shares // zero: only the cache has a common bound
	clock     clock
	net       network
	failed    func(error)
	log       *slog.Logger
	spec      protocol.Spec
	wan       geo.WAN
	params    node.Params // complete
	observer  node.Observer
	metrics   Metrics // may be nil
	directory *routing.Directory
	adopted   func(*routing.Directory) // called with each directory the node adopts; may be nil
	// firstEpoch is the number after which an empty engine's incarnations are counted.
	firstEpoch uint32
	sources    []SourceConfig // with agents at this node
}

// openRunner opens a node without starting its loop.
func openRunner(cfg runnerConfig) (*runner, error) {
	engine, err := OpenEngine(EngineConfig{
		Dir: filepath.Join(cfg.dir, dataDir), Cache: cfg.cache, MemTable: cfg.memTable(), Log: cfg.log, fs: cfg.disk,
		Failed: func(f *store.Failure) { cfg.failed(f) },
	})
	if err != nil {
		return nil, err
	}
	if err := cfg.me.claim(cfg.disk, cfg.dir); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	agents, err := newAgents(cfg.me.Cluster, cfg.me.Node, cfg.sources, cfg.log)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	w := newWatch(cfg)
	rows, logs := cfg.pools()
	held := newVerifying()
	n, err := newNode(node.Config{
		Specs: rows, Logs: logs,
		ID: cfg.me.Node, Region: cfg.me.Region, Engine: engine, Spec: cfg.spec, Seed: rand.Uint64(), FirstEpoch: cfg.firstEpoch,
		Directory: cfg.directory, WAN: cfg.wan, Params: cfg.params, Observer: cfg.observer, EventListener: w, Verify: held.hold,
		Openers: agents.openers(),
	}, cfg.clock.now())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the node in %s does not start: %w", cfg.me.Region, err), engine.Close())
	}
	return &runner{
		id: cfg.me.Node, region: cfg.me.Region, log: cfg.log, clock: cfg.clock, engine: engine, node: n,
		box: newMailbox(cfg.shares.Mailbox()), net: cfg.net, watch: w, syncer: newSyncer(engine, cfg.clock, cfg.failed, w.synced), adopted: cfg.adopted,
		failed: cfg.failed, agents: agents, verifying: held, stop: make(chan struct{}), ended: make(chan struct{}),
	}, nil
}

// memTable returns the size of the engine's memory tables; 0: its default.
func (c *runnerConfig) memTable() int64 {
	if c.shares.Total == 0 {
		return 0
	}
	return c.shares.MemTable()
}

// pools returns the pools that the replicas share; none without a division of the memory.
func (c *runnerConfig) pools() (rows, logs *store.Pool) {
	if c.shares.Total == 0 {
		return nil, nil
	}
	return store.NewPool(c.shares.Of(memory.Rows)), store.NewPool(c.shares.Of(memory.Logs))
}

// newNode opens a node on its engine. Unreadable data is returned as an error, since no loop runs yet.
func newNode(cfg node.Config, now txn.Now) (n *node.Node, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *store.Failure:
			n, err = nil, p
		default:
			panic(p)
		}
	}()
	return node.New(cfg, now)
}

// firstDirectory returns the directory of a new cluster: the meta shard on all nodes except gateways, led from
// the first node's region. DDL adds the other shards.
func firstDirectory(nodes []routing.Node) *routing.Directory {
	meta := routing.Shard{ID: uint64(txn.MetaShard)}
	for _, n := range nodes {
		if n.Gateway {
			meta.Learners = append(meta.Learners, n.ID)
			continue
		}
		meta.Replicas = append(meta.Replicas, n.ID)
		meta.Leader = cmp.Or(meta.Leader, n.Region)
	}
	return &routing.Directory{Epoch: 1, Nodes: nodes, Shards: []routing.Shard{meta}}
}
