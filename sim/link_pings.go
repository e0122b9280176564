package sim

import (
	"math/rand/v2"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// A server's links ping each other and report the measurements to their node (package server/peer,
// server/measured.go). In the simulator the same samples are drawn: as often (package estimate has
// the interval), from the delays of the network and the hosts' wall clocks, from their own stream
// of chance.

// probes are the measurements of a host in one boot.
type probes struct {
	h      *host
	rand   *rand.Rand
	every  estimate.Probing
	delays *estimate.Delays
	count  int
}

func (h *host) startProbes() {
	every := h.w.cfg.Spec.Probing(h.w.cfg.Params.ProbeEvery)
	p := &probes{h: h, rand: stream(h.w.cfg.Seed^h.boots, streamProbes+uint64(h.id)), every: every, delays: every.Delays()}
	h.later(every.Every, p.probe)
}

// probe takes one sample of the way to each host that is reachable and up.
func (p *probes) probe() {
	h := p.h
	now := h.now()
	for _, to := range h.w.hosts {
		if to == h || !to.up() || h.w.net.cut[h.id-1][to.id-1] || h.w.net.cut[to.id-1][h.id-1] {
			continue
		}
		there := h.w.net.probed(p.rand, asked, h.id, to.id, h.w.now) - h.w.now
		back := h.w.net.probed(p.rand, answered, to.id, h.id, h.w.now+there) - h.w.now - there
		p.delays.Add(to.id, estimate.Answered(now.Mono, there+back).WithClocks(now.WallNanos, to.now().WallNanos+int64(there)))
	}
	if p.count++; p.count%p.every.ReportAfter == 0 {
		h.queueWork(0, func() {
			h.run(func() {
				h.node.Measured(h.now(), p.roundTrips())
				h.node.MeasuredWays(p.ways())
			})
		})
	}
	h.later(p.every.Every, p.probe)
}

// roundTrips returns the averages to all hosts that have answered recently.
func (p *probes) roundTrips() map[txn.NodeID]time.Duration {
	out := map[txn.NodeID]time.Duration{}
	for _, to := range p.h.w.hosts {
		if d, known := p.delays.To(to.id, p.h.now().Mono); known {
			if trip, ok := d.Distance(); ok {
				out[to.id] = trip
			}
		}
	}
	return out
}

// ways returns the measured ways to these hosts.
func (p *probes) ways() map[txn.NodeID]estimate.Way {
	out := map[txn.NodeID]estimate.Way{}
	for _, to := range p.h.w.hosts {
		d, known := p.delays.To(to.id, p.h.now().Mono)
		if way, measured := d.Way(); known && measured {
			out[to.id] = way
		}
	}
	return out
}
