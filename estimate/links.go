package estimate

import "time"

// How links between nodes are measured, by servers in real time and in worlds alike: what
// virtual time shows of a rule that goes by delays holds for servers as far as these agree. How
// often a link is probed is a parameter of the cluster (txn.Params.ProbeEvery).
const (
	ReportAfter = 5  // probes after which a node is told what its links measure
	LinkProbes  = 60 // so many of the last probes, if all are answered, count for the percentiles of a link
)

// oneWayMost is what two clocks that are set can differ by, the way between them included.
const oneWayMost = 24 * time.Hour

// Probing is how a node's links are measured.
type Probing struct {
	Every       time.Duration // between two probes of a link
	Window      time.Duration // percentiles are of the probes of so long
	ReportAfter int           // probes after which a node is told
}

// Of links of a node that stamps what it sends with the moment at which it should arrive, as Natto's
// proxies and clients have them (Natto sections 2.2 and 4, and its public prototype): they are probed
// each 10 ms, percentiles are of the last second, and a node is told each 100 ms.
const (
	ArrivalProbeEvery  = 10 * time.Millisecond
	ArrivalWindow      = time.Second
	ArrivalReportEvery = 100 * time.Millisecond
)

// ProbingOf is how links are measured that are probed so often, of a node that stamps what it sends or
// does not.
func ProbingOf(every time.Duration, stamps bool) Probing {
	if !stamps {
		return Probing{every, LinkProbes * every, ReportAfter}
	}
	return Probing{every, max(ArrivalWindow, 20*every), max(int(ArrivalReportEvery/every), 1)}
}

// Delays knows nothing yet of links that are measured so.
func (p Probing) Delays() *Delays { return NewDelays(Config{Window: p.Window}) }

// Answered is the sample of a probe whose answer came at a moment of the prober's monotonic
// clock, trip after it had left: no less than a nanosecond.
func Answered(at, trip time.Duration) Sample { return Sample{At: at, RoundTrip: max(trip, 1)} }

// WithClocks is the sample with what the wall clocks said, in nanoseconds: the prober's when
// the probe left, the other's when it came there. Of a clock that is not set nothing is said.
func (s Sample) WithClocks(left, came int64) Sample {
	s.OneWay = time.Duration(came - left)
	s.HasOneWay = left > 0 && came > 0 && s.OneWay.Abs() <= oneWayMost
	return s
}

// Distance is how far a node is for whoever chooses by it: the average round trip; ok is
// false if no probe of the window was answered.
func (d Delay) Distance() (trip time.Duration, ok bool) { return d.RoundTrip, d.Samples > 0 }
