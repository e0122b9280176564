package estimate

import (
	"slices"
	"time"

	"isochron/txn"
)

// Config has the settings of Delays. Zero fields mean the defaults.
type Config struct {
	Window     time.Duration // older samples do not count for a percentile; 1 s
	OldWeight  float64       // weight of the average so far in the next one, from 0 to below 1; 0.8
	SamplesMax int           // kept for each node, the newest; 256
	NodesMax   int           // nodes kept; the one without samples for longest is dropped; 1024
}

// The defaults: the window of Natto's paper (section 4.1), the weight of GeoTP's prototype.
const (
	DefaultWindow     = time.Second
	DefaultOldWeight  = 0.8
	DefaultSamplesMax = 256
	DefaultNodesMax   = 1024
)

func (c Config) withDefaults() Config {
	if c.Window <= 0 {
		c.Window = DefaultWindow
	}
	if c.OldWeight <= 0 || c.OldWeight >= 1 {
		c.OldWeight = DefaultOldWeight
	}
	if c.SamplesMax <= 0 {
		c.SamplesMax = DefaultSamplesMax
	}
	if c.NodesMax <= 0 {
		c.NodesMax = DefaultNodesMax
	}
	return c
}

// Sample is one answered probe.
type Sample struct {
	At        time.Duration // arrival of the answer, by the prober's monotonic clock
	RoundTrip time.Duration // at least 0
	// OneWay is the other node's wall clock at the probe's arrival minus the prober's at its
	// departure. With skewed clocks it may be below 0. It is valid only if HasOneWay.
	OneWay    time.Duration
	HasOneWay bool
}

// Delay describes the delay to one node.
type Delay struct {
	Samples int // in the window; 0: the other fields are older, or zero if there never was a sample

	Last      time.Duration // the newest round trip
	RoundTrip time.Duration // the weighted average
	P95       time.Duration // of the round trips in the window; the newest if the window has none

	HasOneWay bool
	OneWayP95 time.Duration // of the one-way delays in the window, skew included
}

// Way is the delay of a message to a node, 95th percentile.
type Way struct {
	OneWay    time.Duration // includes the clocks' difference: below 0 if the other clock is behind
	RoundTrip time.Duration // by one clock; an upper bound of the one-way delay
}

// Way returns the delay by the samples in the window; false if there are none, or none one-way.
func (d Delay) Way() (Way, bool) {
	return Way{OneWay: d.OneWayP95, RoundTrip: d.P95}, d.Samples > 0 && d.HasOneWay
}

// Delays has the delays to all probed nodes.
type Delays struct {
	cfg   Config
	nodes map[txn.NodeID]*samples
}

// samples are the samples of one node, the oldest first.
type samples struct {
	all     []Sample
	average float64 // nanoseconds
}

// NewDelays returns a Delays without samples.
func NewDelays(cfg Config) *Delays {
	return &Delays{cfg: cfg.withDefaults(), nodes: map[txn.NodeID]*samples{}}
}

// Add adds a sample. A sample with a round trip below 0 is ignored.
func (d *Delays) Add(to txn.NodeID, s Sample) {
	if s.RoundTrip < 0 {
		return
	}
	n := d.nodes[to]
	if n == nil {
		d.makeRoom()
		n = &samples{average: float64(s.RoundTrip)}
		d.nodes[to] = n
	}
	n.average = d.cfg.OldWeight*n.average + (1-d.cfg.OldWeight)*float64(s.RoundTrip)
	if len(n.all) == d.cfg.SamplesMax {
		n.all = append(n.all[:0], n.all[1:]...)
	}
	n.all = append(n.all, s)
}

// makeRoom drops the node without samples for longest, if there is no room for another.
func (d *Delays) makeRoom() {
	if len(d.nodes) < d.cfg.NodesMax {
		return
	}
	var oldest txn.NodeID
	var at time.Duration
	for id, n := range d.nodes { // order: the oldest last sample, then the lowest id
		last := n.all[len(n.all)-1].At
		if oldest == 0 || last < at || last == at && id < oldest {
			oldest, at = id, last
		}
	}
	delete(d.nodes, oldest)
}

// Forget drops the samples of a node, for example when it has moved.
func (d *Delays) Forget(to txn.NodeID) { delete(d.nodes, to) }

// To returns the delay to a node; false if it was never probed.
func (d *Delays) To(to txn.NodeID, now time.Duration) (Delay, bool) {
	n := d.nodes[to]
	if n == nil {
		return Delay{}, false
	}
	last := n.all[len(n.all)-1]
	out := Delay{Last: last.RoundTrip, RoundTrip: time.Duration(n.average), P95: last.RoundTrip, HasOneWay: last.HasOneWay, OneWayP95: last.OneWay}
	var trips, ways []time.Duration
	for _, s := range n.all {
		if now-s.At > d.cfg.Window {
			continue
		}
		trips = append(trips, s.RoundTrip)
		if s.HasOneWay {
			ways = append(ways, s.OneWay)
		}
	}
	out.Samples = len(trips)
	if len(trips) > 0 {
		out.P95 = p95(trips)
	}
	if len(ways) > 0 {
		out.HasOneWay, out.OneWayP95 = true, p95(ways)
	}
	return out, true
}

// p95 returns the least sample that 95 of 100 do not exceed. It sorts its argument.
func p95(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[(len(all)*95+99)/100-1]
}
