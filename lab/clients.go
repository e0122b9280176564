package lab

import (
	"math/rand/v2"
	"time"

	"isochron/sim"
	"isochron/txn"
	"isochron/workload"
)

func (r *run) client(c *sim.Client, process int) *workload.Client {
	return &workload.Client{Process: process, DB: c.DB(), Env: c, Rand: c.Rand(), Tries: r.spec.Tries}
}

// startClients starts the clients of a closed loop: each begins a transaction when its last one has
// ended. Their first transactions are spread over a round trip.
func (r *run) startClients() {
	spread := int64(max(r.spec.wan.Widest(), time.Millisecond))
	for i := range r.spec.Clients {
		r.w.Go(r.spec.gateway(i), func(c *sim.Client) {
			wc := r.client(c, i+1)
			c.Sleep(time.Duration(c.Rand().Int64N(spread)))
			for !r.stopped {
				r.transact(c, wc, c.Elapsed())
			}
		})
	}
}

// openMax bounds the concurrent transactions of an open loop. An arrival beyond it is counted as
// given up.
const openMax = 50_000

// arrivals are the transactions that arrive at one gateway.
type arrivals struct {
	r       *run
	node    txn.NodeID
	gap     time.Duration // between two, on average
	rand    *rand.Rand
	spike   bool          // they are a spike, which ends at until
	until   time.Duration // 0: never
	waiting []*arrival    // idle workers, the last one first
}

// arrival is a worker: it runs one transaction after another, as they arrive.
type arrival struct {
	c     *sim.Client
	since time.Duration
}

// streamArrivals differs from the streams of chance of package sim.
const streamArrivals = 1 << 32

// startArrivals starts an open loop: transactions arrive at each gateway at random.
func (r *run) startArrivals() {
	gap := time.Duration(float64(r.spec.gateways()) * float64(time.Second) / r.spec.Rate)
	for i := range r.spec.gateways() {
		a := &arrivals{r: r, node: r.spec.gateway(i), gap: gap, rand: rand.New(rand.NewPCG(r.spec.Seed, streamArrivals+uint64(i)))}
		a.next()
	}
}

func (a *arrivals) next() {
	a.r.w.After(sim.Exponential(a.rand, a.gap), func() {
		if a.r.stopped || a.until > 0 && a.r.w.Elapsed() >= a.until {
			return
		}
		a.arrive()
		a.next()
	})
}

func (a *arrivals) arrive() {
	r := a.r
	if n := len(a.waiting); n > 0 {
		w := a.waiting[n-1]
		a.waiting = a.waiting[:n-1]
		w.since = r.w.Elapsed()
		w.c.Wake()
		return
	}
	if r.busy >= openMax {
		if r.measuring {
			r.all.add(outcome{})
		}
		return
	}
	w := &arrival{since: r.w.Elapsed()}
	r.workers++
	process := r.workers
	w.c = r.w.Go(a.node, func(c *sim.Client) {
		wc := r.client(c, process)
		wc.Spike = a.spike
		for {
			r.transact(c, wc, w.since)
			a.waiting = append(a.waiting, w)
			c.Idle()
		}
	})
}
