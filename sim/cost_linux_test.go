package sim

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// timed is a node whose work on each message is timed: decoding it, processing it, and encoding the
// messages it sends.
type timed struct {
	*node.Node
	costs *costs
	began time.Duration
	kind  string
}

// cpuTime returns the processor time of this process, without others on the machine. On one
// processor (GOMAXPROCS=1) it includes the collector's share.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

type costs struct {
	took  map[string]time.Duration
	count map[string]int
}

func (p *timed) Deliver(now txn.Now, env *txn.Envelope) {
	raw := txn.Encode(&env.Msg)
	p.begin(kindOf(&env.Msg))
	var m txn.Message
	if err := txn.Decode(raw, &m); err != nil {
		panic(err)
	}
	env.Msg = m
	p.Node.Deliver(now, env)
}

func (p *timed) Submit(now txn.Now, req *coordinator.Request) {
	p.begin("request")
	p.Node.Submit(now, req)
}

func (p *timed) begin(kind string) {
	p.kind = kind
	p.costs.count[kind]++
	p.began = cpuTime()
}

func (p *timed) Drain() node.Output {
	if p.kind == "" {
		return p.Node.Drain() // a tick, or the end of a sync
	}
	out := p.Node.Drain()
	for i := range out.Messages {
		_ = txn.Encode(&out.Messages[i].Msg)
	}
	p.costs.took[p.kind] += cpuTime() - p.began
	p.kind = ""
	return out
}

// BenchmarkMessage measures the cost of a message at its receiver, by kind and on average. The
// laboratory's MessageCPU is based on it: see lab/costs.go.
func BenchmarkMessage(b *testing.B) {
	for _, name := range []string{"2pc+occ", "d2pc+occ"} {
		b.Run(name, func(b *testing.B) { benchmarkMessages(b, name) })
	}
}

func benchmarkMessages(b *testing.B, name string) {
	c := measured{protocol: name, wan: "alibaba3", mix: "retwis", keys: 100_000, clients: 150}.run(b, func(cfg node.Config, now txn.Now, c *costs) (process, error) {
		cfg.Process = nil // the measured nodes are those of a cluster
		n, err := node.New(cfg, now)
		return &timed{Node: n, costs: c}, err
	})
	var took time.Duration
	count := 0
	// order: sums.
	for kind, n := range c.count {
		took, count = took+c.took[kind], count+n
		if kind == "raft" || kind == "prepare" || kind == "vote yes" || kind == "request" || kind == "access" || kind == "decide" {
			b.ReportMetric(float64(c.took[kind].Nanoseconds())/1000/float64(n), "us/"+kind[:4])
		}
	}
	b.ReportMetric(float64(took.Nanoseconds())/1000/float64(max(count, 1)), "us/message")
}

// measured is a cluster under load whose nodes are timed.
type measured struct {
	protocol, wan, mix string
	keys, length       int // of the mix
	clients            int // spread over the nodes
}

// run lets the clients work, and returns the cost of their work after the warm-up.
func (m measured) run(b *testing.B, boot func(node.Config, txn.Now, *costs) (process, error)) *costs {
	b.Helper()
	spec, err := protocol.ByName(m.protocol)
	if err != nil {
		b.Fatal(err)
	}
	wan, err := geo.Parse(m.wan)
	if err != nil {
		b.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	mix, err := workload.NewMix(m.mix, workload.MixConfig{Parts: len(wan.Regions), Keys: m.keys, Length: m.length})
	if err != nil {
		b.Fatal(err)
	}
	c := &costs{map[string]time.Duration{}, map[string]int{}}
	w, err := New(Config{
		Seed: 1, WAN: wan, Spec: spec, Directory: dir, Hardware: Hardware{Fsync: time.Millisecond}, NoCrash: true,
		boot: func(cfg node.Config, now txn.Now) (process, error) { return boot(cfg, now, c) },
	})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if !w.RunUntil(time.Minute, w.Ready) {
		b.Fatal("no leaders")
	}
	for i := range m.clients {
		w.Go(txn.NodeID(i%len(wan.Regions)+1), func(c *Client) {
			wc := &workload.Client{Process: i, DB: c.DB(), Env: c, Rand: c.Rand()}
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
	return c
}
