package estimate

import (
	"slices"
	"time"

	"isochron/txn"
)

// Config are the settings of Delays. Zero fields mean the defaults.
type Config struct {
	Window     time.Duration // samples older than that count no more for a percentile; 1 s
	OldWeight  float64       // of the average so far in the next one, from 0 to below 1; 0.8
	SamplesMax int           // kept of each node, the newest; 256
	NodesMax   int           // known at once, the longest unheard is forgotten; 1024
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

// Sample is one probe that was answered.
type Sample struct {
	At        time.Duration // when the answer came, on the prober's monotonic clock
	RoundTrip time.Duration // at least 0
	// OneWay is the other's wall clock when the probe came there less the prober's when
	// it left. With skewed clocks it may be below 0. It counts only if HasOneWay.
	OneWay    time.Duration
	HasOneWay bool
}

// Delay is what is known of the way to one node.
type Delay struct {
	Samples int // in the window; 0: the rest is of before, or zero if there never was one

	Last      time.Duration // the newest round trip
	RoundTrip time.Duration // the average that forgets
	P95       time.Duration // of the round trips in the window; the newest if there is none in it

	HasOneWay bool
	OneWayP95 time.Duration // of the one-way delays in the window, skew included
}

// Way is how long a message to a node takes, 95 times of a hundred.
type Way struct {
	OneWay    time.Duration // with what the clocks of both ends differ by: below 0 if the other's is behind
	RoundTrip time.Duration // there and back, by one clock; so the way there alone takes no longer
}

// Way is that of the samples in the window; false if there are none, or none of one way.
func (d Delay) Way() (Way, bool) {
	return Way{OneWay: d.OneWayP95, RoundTrip: d.P95}, d.Samples > 0 && d.HasOneWay
}

// Delays are those to all nodes that were probed.
type Delays struct {
	cfg   Config
	nodes map[txn.NodeID]*samples
}

// samples are those of one node, the oldest first.
type samples struct {
	all     []Sample
	average float64 // nanoseconds
}

// NewDelays knows nothing yet.
func NewDelays(cfg Config) *Delays {
	return &Delays{cfg: cfg.withDefaults(), nodes: map[txn.NodeID]*samples{}}
}

// Add takes in a sample. One whose round trip is below 0 is none.
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

// makeRoom forgets the node that was longest unheard, if there is no place for another.
func (d *Delays) makeRoom() {
	if len(d.nodes) < d.cfg.NodesMax {
		return
	}
	var oldest txn.NodeID
	var at time.Duration
	for id, n := range d.nodes { // order: the longest unheard, then the lowest
		last := n.all[len(n.all)-1].At
		if oldest == 0 || last < at || last == at && id < oldest {
			oldest, at = id, last
		}
	}
	delete(d.nodes, oldest)
}

// Forget drops what is known of a node, for example when it has moved.
func (d *Delays) Forget(to txn.NodeID) { delete(d.nodes, to) }

// To is what is known of the way to a node; false if it was never probed.
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

// p95 is the least sample that 95 of 100 are not above. It sorts what it is given.
func p95(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[(len(all)*95+99)/100-1]
}
