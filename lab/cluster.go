package lab

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

// The longest time until a cluster has its leaders in their regions, and the time without load
// after that, until all elections are over.
const (
	readyWithin = 2 * time.Minute
	calm        = 3 * time.Second
)

// directory has one node a region, shard i led from region i modulo their number, and after these
// nodes the coordinators, if there are any.
func (s resolved) directory() *routing.Directory {
	d := workload.Cluster(s.wan.Regions)
	s.addCoordinators(d)
	var shards []uint64
	for i := range s.Shards {
		leader := i % len(s.wan.Regions)
		shards = append(shards, d.EnsureShard(s.holders(leader), string(s.wan.Regions[leader]), i/len(s.wan.Regions)))
	}
	workload.Place(d, shards)
	s.addSources(d)
	d.Hot = s.hotRows(s.HotOff || s.HotFrom > 0)
	return d
}

// holders are the nodes of the regions nearest to a leader's, its own first; of two equally near
// the first of the map. With Holders they are the nodes that it names.
func (s resolved) holders(leader int) []uint32 {
	var all []int
	for i := range s.wan.Regions {
		all = append(all, i)
	}
	far := func(i int) time.Duration {
		if i == leader {
			return -1
		}
		return s.wan.RTT(s.wan.Regions[leader], s.wan.Regions[i])
	}
	if s.held != nil {
		all = s.held[leader]
		far = func(int) time.Duration { return 0 }
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
	var nodes []uint32
	for _, i := range all[:s.Replicas] {
		nodes = append(nodes, uint32(i+1))
	}
	return nodes
}

func (s resolved) params() node.Params {
	p := node.Params{InjectedBugs: s.bugs, LockWait: s.LockWait, AdmissionOff: s.AdmissionOff && !s.spec.Admission.Forecasts(), BatchSize: s.Sequence,
		PreparesAgain: s.Client.prepares(), NearAsIs: s.NearAsIs, AbortsLikeCommits: s.AbortsLikeCommits, ReadsUnwaited: s.ReadsUnwaited, EndsNotedFirst: s.EndsNotedFirst, Forecast: s.Forecast, Warmth: s.Warmth, ProbeEvery: s.ProbeEvery, ResendAfter: s.ResendAfter, PromoteAfterTries: -1, Rules: s.rules}
	if s.NeverSure {
		p.LockAfterTries = -1
	}
	p = s.spec.WithProbing(p)
	if s.ElectionTimeout != 0 {
		p.HeartbeatInterval, p.ElectionTimeout = p.WithDefaultsFor(s.wan.Widest()).HeartbeatInterval, s.ElectionTimeout
	}
	return p.WithDefaultsFor(s.wan.Widest())
}

func (s resolved) world(dir *routing.Directory, seen func(sim.Span)) (*sim.Cluster, error) {
	page, _ := s.managed()
	commit := s.CommitCPU
	if s.Sequence > 0 {
		commit = s.RequestCPU // the rest is charged to commits with writes
	}
	return sim.New(sim.Config{
		Seed: s.Seed, WAN: s.wan, Spec: s.spec, Directory: dir, Spans: seen,
		Params: s.params(),
		Hardware: sim.Hardware{MessageCPU: s.CPU, RequestCPU: cmp.Or(s.RequestCPU, s.CPU), Cores: s.Cores, Fsync: s.Fsync, SyncEach: s.SyncEach, Skew: s.Skew,
			CommitCPU: commit, Loop: s.Loop, LockCPU: s.LockCPU, StepCPU: s.StepCPU, BesideCPU: page},
		Machines: s.machines(), Fit: s.fit, Databases: s.databases(),
		Links: sim.Links{Pareto: s.pareto, LossPPM: int64(s.Loss * 1e6), TCP: s.TCP},
		// Faults may duplicate a message: then each is a copy of its own. TCP needs the encoded
		// length.
		Codec: s.faults != sim.Faults{} || s.TCP && s.Loss > 0, NoCrash: s.faults == sim.Faults{},
	})
}

// bringUp waits until each shard is led from its region.
func (r *run) bringUp() error {
	led := func() bool {
		for _, s := range r.dir.Shards {
			if leader := r.w.Leader(txn.ShardID(s.ID)); leader == 0 || r.dir.RegionOf(uint32(leader)) != s.Leader {
				return false
			}
		}
		return r.w.Ready()
	}
	for waited := time.Duration(0); !led(); waited += bringUpStep {
		if waited >= readyWithin {
			return fmt.Errorf("after %v of virtual time the shards are not led from where they belong: %v", readyWithin, r.w.Summary())
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.w.Run(bringUpStep)
	}
	r.w.Run(calm)
	return nil
}

const bringUpStep = 100 * time.Millisecond

// load writes the rows of the workload, through clients beside the leaders.
func (r *run) load() error {
	parts := map[uint64][]txn.Write{}
	for w := range r.mix.Rows() {
		shard, ok := r.dir.ShardOf(string(w.Key))
		if !ok {
			return fmt.Errorf("no shard holds the row %q of the workload", w.Key)
		}
		parts[shard] = append(parts[shard], txn.Write{Key: w.Key, Value: stamped(initialWrite, w.Value)})
	}
	var loaders []*sim.Client
	var failed error
	for _, s := range r.dir.Shards {
		if rows := parts[s.ID]; len(rows) > 0 {
			loaders = append(loaders, r.w.Go(r.nodeIn(geo.Region(s.Leader)), func(c *sim.Client) {
				failed = cmp.Or(failed, r.loadRows(c, rows))
			}))
		}
	}
	for _, c := range loaders {
		for !c.Done() {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			r.w.Run(bringUpStep)
		}
	}
	return failed
}

// The rows of one load transaction, and its tries.
const (
	loadBatch = 500
	loadTries = 20
)

func (r *run) loadRows(c *sim.Client, rows []txn.Write) error {
	for batch := range slices.Chunk(rows, loadBatch) {
		var err error
		for range loadTries {
			t := c.DB().Begin(txn.Options{})
			for _, w := range batch {
				t.Put(w.Key, w.Value)
			}
			if err = t.Commit(r.ctx); err == nil {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("the rows of the workload could not be loaded: %w", err)
		}
	}
	return nil
}

// nodeIn returns the node of a region.
func (r *run) nodeIn(region geo.Region) txn.NodeID {
	return txn.NodeID(slices.Index(r.spec.wan.Regions, region) + 1)
}
