package sim

import (
	"context"
	"runtime"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// requests is a node alone whose work on requests is timed: what it does at once, local
// messages and all, and what it does when its disk has synced.
type requests struct {
	*node.Node
	costs *costs
	began time.Duration
	kind  string
}

func (p *requests) Submit(now txn.Now, req *coordinator.Request) {
	kind := "read"
	if req.Op == coordinator.OpCommit {
		kind = "commit"
		p.costs.count[kind]++
	} else if req.Op == coordinator.OpRead {
		p.costs.count[kind]++
	}
	p.begin(kind)
	p.Node.Submit(now, req)
}

func (p *requests) Synced(now txn.Now, token uint64) int {
	p.begin("commit") // that is what syncs are for
	return p.Node.Synced(now, token)
}

func (p *requests) begin(kind string) { p.kind, p.began = kind, cpuTime() }

func (p *requests) Drain() node.Output {
	out := p.Node.Drain()
	if p.kind != "" {
		p.costs.took[p.kind] += cpuTime() - p.began
		p.kind = ""
	}
	return out
}

// BenchmarkRequest tells what a client's read under a lock and its commit cost a
// node that holds all shards and has no other replicas, everything in memory. The
// laboratory's costs of statements rest on it: see lab/costs.go.
func BenchmarkRequest(b *testing.B) {
	for _, mix := range []string{"hotspot", "fit"} {
		b.Run(mix, func(b *testing.B) { benchmarkRequests(b, mix) })
	}
}

func benchmarkRequests(b *testing.B, name string) {
	row, err := protocol.ByName(protocol.Default)
	if err != nil {
		b.Fatal(err)
	}
	wan, err := geo.Parse("uniform:1ms:1")
	if err != nil {
		b.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	mix, err := workload.NewMix(name, workload.MixConfig{Parts: 1, Keys: 10_000, Length: 1})
	if err != nil {
		b.Fatal(err)
	}
	c := &costs{map[string]time.Duration{}, map[string]int{}}
	w, err := New(Config{
		Seed: 1, WAN: wan, Row: row, Directory: dir, Hardware: Hardware{Fsync: time.Millisecond}, NoCrash: true,
		boot: func(cfg node.Config, now txn.Now) (process, error) {
			n, err := node.New(cfg, now)
			return &requests{Node: n, costs: c}, err
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if !w.RunUntil(time.Minute, w.Ready) {
		b.Fatal("no leader")
	}
	for i := range 16 {
		w.Go(1, func(c *Client) {
			wc := &workload.Client{Process: i + 1, DB: c.DB(), Env: c, Rand: c.Rand()}
			for {
				t := c.DB().Begin(txn.Options{})
				if mix.Next(wc).Body(context.Background(), t) != nil || t.Commit(context.Background()) != nil {
					t.Rollback()
				}
			}
		})
	}
	w.Run(2 * time.Second)
	clear(c.took)
	clear(c.count)
	runtime.GC()
	b.ResetTimer()
	for range b.N {
		w.Run(100 * time.Millisecond)
	}
	for _, kind := range []string{"read", "commit"} {
		b.ReportMetric(float64(c.took[kind].Nanoseconds())/1000/float64(max(c.count[kind], 1)), "us/"+kind)
	}
}
