package protocol

import (
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// WithProbing sets how often delays between nodes are measured, unless it is set: protocols that send
// arrival times need current delays, and all
// others keep the default.
func (r Spec) WithProbing(p txn.Params) txn.Params {
	if p.ProbeEvery == 0 && r.Arrive.SetsArrivalTime() {
		p.ProbeEvery = estimate.ArrivalProbeEvery
	}
	return p
}

// Probing returns the settings of delay measurements at this interval.
func (r Spec) Probing(every time.Duration) estimate.Probing {
	return estimate.ProbingOf(every, r.Arrive.SetsArrivalTime())
}
