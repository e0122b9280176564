package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// Links are the habits of the network. Rates are in parts per million.
type Links struct {
	JitterPPM    int64         // a delay is longer by up to this part of itself
	MinDelay     time.Duration // between two nodes, whatever the matrix says
	LossPPM      int64
	DuplicatePPM int64
	ReorderPPM   int64 // messages that others may overtake; the rest arrive in order
	ReorderBy    time.Duration
}

// network carries messages. A link is from one node to another, one way.
type network struct {
	w       *World
	links   Links
	rand    *rand.Rand
	cut     [][]bool          // [from-1][to-1]
	arrived [][]time.Duration // when the last message in order arrives
	calm    bool              // no loss, no duplicates, no overtaking: after healing
	sent    int
	lost    int
}

func (n *network) open(hosts int) {
	for range hosts {
		n.cut = append(n.cut, make([]bool, hosts))
		n.arrived = append(n.arrived, make([]time.Duration, hosts))
	}
}

// grow makes room for one host more.
func (n *network) grow() {
	for i := range n.cut {
		n.cut[i] = append(n.cut[i], false)
		n.arrived[i] = append(n.arrived[i], 0)
	}
	n.cut = append(n.cut, make([]bool, len(n.cut)+1))
	n.arrived = append(n.arrived, make([]time.Duration, len(n.arrived)+1))
}

// send puts a message on its way.
func (n *network) send(env txn.Envelope) {
	n.sent++
	if env.To == 0 || int(env.To) > len(n.w.hosts) { // a garbled message named it
		n.lost++
		return
	}
	body := txn.Encode(&env.Msg)
	n.w.trace.message(n.w.now, env, body)
	if n.cut[env.From-1][env.To-1] || n.chance(n.links.LossPPM) {
		n.lost++
		n.w.trace.lost(n.w.now, env)
		return
	}
	n.carry(env, body)
	if n.chance(n.links.DuplicatePPM) {
		n.carry(env, body)
	}
}

func (n *network) carry(env txn.Envelope, body []byte) {
	at := n.w.now + n.delay(env)
	if last := &n.arrived[env.From-1][env.To-1]; n.chance(n.links.ReorderPPM) {
		at += time.Duration(n.rand.Int64N(int64(n.links.ReorderBy) + 1))
	} else {
		at = max(at, *last)
		*last = at
	}
	n.w.agenda.add(at, func() { n.arrive(env, body) })
}

func (n *network) arrive(env txn.Envelope, body []byte) {
	to := n.w.host(env.To)
	if !to.up() {
		n.lost++
		n.w.trace.lost(n.w.now, env)
		return
	}
	if n.w.cfg.Codec {
		env.Msg = txn.Message{}
		if err := txn.Decode(body, &env.Msg); err != nil {
			panic(err) // our own encoding must be readable
		}
	}
	to.receive(env)
}

// delay is one way of the round trip between two regions, and jitter.
func (n *network) delay(env txn.Envelope) time.Duration {
	if env.From == env.To {
		return 0
	}
	d := n.w.cfg.WAN.RTT(n.w.host(env.From).region, n.w.host(env.To).region) / 2
	d = max(d, n.links.MinDelay)
	if most := int64(d) / 1000 * n.links.JitterPPM / 1000; most > 0 && !n.calm {
		d += time.Duration(n.rand.Int64N(most))
	}
	return d
}

func (n *network) chance(ppm int64) bool {
	return !n.calm && ppm > 0 && n.rand.Int64N(1_000_000) < ppm
}

// setCut cuts or mends one direction of a link.
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

// mend mends every link.
func (n *network) mend() {
	for from := range n.cut {
		for to := range n.cut[from] {
			n.setCut(txn.NodeID(from+1), txn.NodeID(to+1), false)
		}
	}
}
