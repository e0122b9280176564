package sim

import (
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// requests is a single node whose work on requests is timed: immediate work, with its local
// messages, and work when its disk has synced.
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
	p.begin("commit") // syncs are for commits
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

// BenchmarkRequest measures the cost of a client's locking read and its commit at a node that holds
// all shards and has no other replicas, everything in memory. The laboratory's costs of statements
// are based on it: see lab/costs.go.
func BenchmarkRequest(b *testing.B) {
	for _, mix := range []string{"hotspot", "fit"} {
		b.Run(mix, func(b *testing.B) { benchmarkRequests(b, mix) })
	}
}

func benchmarkRequests(b *testing.B, name string) {
	c := measured{protocol: protocol.Default, wan: "uniform:1ms:1", mix: name, keys: 10_000, length: 1, clients: 16}.run(b, func(cfg node.Config, now txn.Now, c *costs) (process, error) {
		n, err := node.New(cfg, now)
		return &requests{Node: n, costs: c}, err
	})
	for _, kind := range []string{"read", "commit"} {
		b.ReportMetric(float64(c.took[kind].Nanoseconds())/1000/float64(max(c.count[kind], 1)), "us/"+kind)
	}
}
