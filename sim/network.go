package sim

import (
	"math/rand/v2"
	"time"

	"isochron/geo"
	"isochron/txn"
)

// Links are the properties of the network. Rates are in parts per million.
type Links struct {
	JitterPPM    int64         // a delay is longer by up to this part of itself
	Pareto       Pareto        // instead: the distribution of delays about the matrix's
	MinDelay     time.Duration // lower bound of the delay between two nodes
	LossPPM      int64
	TCP          bool // segments lost between two regions are retransmitted, and late: see tcp.go
	DuplicatePPM int64
	ReorderPPM   int64 // messages that others may overtake; the rest arrive in order
	ReorderBy    time.Duration
}

// network carries messages. A link is from one node to another, one way.
type network struct {
	w       *Cluster
	links   Links
	rand    *rand.Rand
	cut     [][]bool          // [from-1][to-1]
	arrived [][]time.Duration // when the last message in order arrives
	delays  [][]time.Duration // one way, without jitter
	wide    [][]bool          // between two regions
	calm    bool              // no loss, no duplicates, no overtaking: after healing
	sent    int
	lost    int
	free    []*delivery // for reuse
	tcp     *connections
}

// delivery is a message in transit: first it arrives, then the host's CPU processes it.
type delivery struct {
	env   txn.Envelope
	body  []byte // its wire form, if messages are encoded
	taken bool   // it has arrived
	boots uint64 // of the host that it arrived at
}

func (n *network) open(hosts int) {
	for range hosts {
		n.cut = append(n.cut, make([]bool, hosts))
		n.arrived = append(n.arrived, make([]time.Duration, hosts))
	}
	n.measure()
}

// Move changes the delays of messages to those of a map with the regions of Config.WAN, in their
// order, whatever their names there. Nodes are not notified: they measure.
func (w *Cluster) Move(wan geo.WAN) {
	for i, region := range w.cfg.WAN.Regions {
		for j, other := range w.cfg.WAN.Regions {
			d := max(wan.RTT(wan.Regions[i], wan.Regions[j])/2, w.net.links.MinDelay)
			for _, from := range w.hosts {
				for _, to := range w.hosts {
					if from != to && from.region == region && to.region == other {
						w.net.delays[from.id-1][to.id-1] = d
					}
				}
			}
		}
	}
}

// measure reads the delays from the map.
func (n *network) measure() {
	n.delays, n.wide = nil, nil
	for _, from := range n.w.hosts {
		var delays []time.Duration
		var wide []bool
		for _, to := range n.w.hosts {
			d := max(n.w.cfg.WAN.RTT(from.region, to.region)/2, n.links.MinDelay)
			if from == to {
				d = 0
			}
			delays, wide = append(delays, d), append(wide, from.region != to.region)
		}
		n.delays, n.wide = append(n.delays, delays), append(n.wide, wide)
	}
}

// grow adds room for one host.
func (n *network) grow() {
	for i := range n.cut {
		n.cut[i] = append(n.cut[i], false)
		n.arrived[i] = append(n.arrived[i], 0)
	}
	n.cut = append(n.cut, make([]bool, len(n.cut)+1))
	n.arrived = append(n.arrived, make([]time.Duration, len(n.arrived)+1))
	n.measure()
}

// send puts a message in transit.
func (n *network) send(env *txn.Envelope) {
	n.sent++
	if env.To == 0 || int(env.To) > len(n.w.hosts) { // a garbled message named it
		n.lost++
		return
	}
	var body []byte
	if n.w.cfg.Codec {
		body = txn.Encode(&env.Msg)
	}
	n.w.trace.message(n.w.now, env, body)
	if n.cut[env.From-1][env.To-1] || !n.links.TCP && n.chance(n.links.LossPPM) {
		n.lost++
		n.w.trace.lost(n.w.now, env)
		return
	}
	n.carry(env, body)
	if n.chance(n.links.DuplicatePPM) {
		n.carry(env, body)
	}
}

func (n *network) carry(env *txn.Envelope, body []byte) {
	at := n.w.now + n.delay(env)
	if k := n.tcp.of(n, env); k != nil {
		at = n.tcp.carry(k, n.rand, n.w.now, at-n.w.now, n.trip(env.From, env.To), len(body))
	} else if last := &n.arrived[env.From-1][env.To-1]; n.chance(n.links.ReorderPPM) {
		at += time.Duration(n.rand.Int64N(int64(n.links.ReorderBy) + 1))
	} else {
		at = max(at, *last)
		*last = at
	}
	m := n.blank()
	m.env, m.body = *env, body
	n.w.agenda.push(event{at: at, hops: n.w.hops.over(n.wide[env.From-1][env.To-1]), delivery: m})
}

// blank returns an empty mail.
func (n *network) blank() *delivery {
	last := len(n.free) - 1
	if last < 0 {
		return new(delivery)
	}
	m := n.free[last]
	n.free = n.free[:last]
	return m
}

// move takes a message one step further.
func (n *network) move(m *delivery) {
	to := n.w.host(m.env.To)
	switch {
	case !m.taken && to.up():
		n.arrive(to, m)
		return
	case !m.taken:
		n.lost++
		n.w.trace.lost(n.w.now, &m.env)
	case to.up() && to.boots == m.boots: // messages for an earlier boot are dropped
		to.take(&m.env)
	}
	*m = delivery{}
	n.free = append(n.free, m)
}

func (n *network) arrive(to *host, m *delivery) {
	if n.w.cfg.Codec {
		m.env.Msg = txn.Message{}
		if err := txn.Decode(m.body, &m.env.Msg); err != nil {
			panic(err) // our own encoding must be readable
		}
	}
	n.queue(to, m)
}

// queue makes a message that has arrived wait for the host's CPU.
func (n *network) queue(to *host, m *delivery) {
	m.taken, m.boots = true, to.boots
	if to.cpu.Loop {
		to.queueWork(to.cpu.MessageCPU, func() { n.move(m) })
		return
	}
	n.w.agenda.push(event{at: n.w.now + to.work(to.cpu.MessageCPU), hops: n.w.hops, delivery: m})
}

// delay returns one way of the round trip between two regions, and jitter.
func (n *network) delay(env *txn.Envelope) time.Duration {
	d := n.delays[env.From-1][env.To-1]
	return n.wavering(n.rand, d)
}

// wavering returns a delay with its drawn jitter.
func (n *network) wavering(r *rand.Rand, d time.Duration) time.Duration {
	if n.links.Pareto.on() && d > 0 && !n.calm {
		return n.links.Pareto.draw(r, d)
	}
	if most := int64(d) / 1000 * n.links.JitterPPM / 1000; most > 0 && !n.calm {
		d += time.Duration(r.Int64N(most))
	}
	return d
}

func (n *network) chance(ppm int64) bool {
	return !n.calm && ppm > 0 && n.rand.Int64N(1_000_000) < ppm
}

// setCut cuts or restores one direction of a link.
func (n *network) setCut(from, to txn.NodeID, cut bool) {
	if from != to && n.cut[from-1][to-1] != cut {
		n.cut[from-1][to-1] = cut
		what := "mended"
		if cut {
			what = "cut"
		}
		n.w.log(nil, "the link from n%d to n%d is %s", from, to, what)
	}
}

// mend restores every link.
func (n *network) mend() {
	for from := range n.cut {
		for to := range n.cut[from] {
			n.setCut(txn.NodeID(from+1), txn.NodeID(to+1), false)
		}
	}
}
