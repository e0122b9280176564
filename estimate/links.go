package estimate

import "time"

// How links between nodes are measured, by servers in real time and by simulations alike: simulation
// results about rules that use delays are valid for servers as far as these agree. The probe
// interval is a parameter of the cluster (txn.Params.ProbeEvery).
const (
	ReportAfter = 5  // probes between two reports to a node
	LinkProbes  = 60 // probes, if all are answered, in the window of a link's percentiles
)

// oneWayMost is the largest difference of two clocks that are set, the delay between them included.
const oneWayMost = 24 * time.Hour

// Probing describes how a node's links are measured.
type Probing struct {
	Every       time.Duration // between two probes of a link
	Window      time.Duration // window of the percentiles
	ReportAfter int           // probes between two reports to the node
}

// For links of a node that sends arrival times, as Natto's
// proxies and clients do (Natto sections 2.2 and 4, and its public prototype): probed
// every 10 ms, percentiles of the last second, a report every 100 ms.
const (
	ArrivalProbeEvery  = 10 * time.Millisecond
	ArrivalWindow      = time.Second
	ArrivalReportEvery = 100 * time.Millisecond
)

// ProbingOf returns the settings for links probed at this interval, by a node that sends arrival times
// or not.
func ProbingOf(every time.Duration, timestamps bool) Probing {
	if !timestamps {
		return Probing{every, LinkProbes * every, ReportAfter}
	}
	return Probing{every, max(ArrivalWindow, 20*every), max(int(ArrivalReportEvery/every), 1)}
}

// Delays returns empty Delays for links measured in this way.
func (p Probing) Delays() *Delays { return NewDelays(Config{Window: p.Window}) }

// Answered returns the sample of a probe whose answer arrived at the time at of the prober's monotonic
// clock, trip after it was sent: at least a nanosecond.
func Answered(at, trip time.Duration) Sample { return Sample{At: at, RoundTrip: max(trip, 1)} }

// WithClocks returns the sample with the wall clocks, in nanoseconds: the prober's when
// the probe was sent, the other node's when it arrived. A clock that is not set adds nothing.
func (s Sample) WithClocks(left, came int64) Sample {
	s.OneWay = time.Duration(came - left)
	s.HasOneWay = left > 0 && came > 0 && s.OneWay.Abs() <= oneWayMost
	return s
}

// Distance returns the average round trip, for choosing a node by distance; ok is
// false if no probe of the window was answered.
func (d Delay) Distance() (trip time.Duration, ok bool) { return d.RoundTrip, d.Samples > 0 }
