package protocol

import (
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// WithProbing has the links of nodes probed as often as the row has use for, unless they are told
// otherwise: who stamps what it sends with its arrival has to know the ways as they are now, and all
// others keep what parameters are by default.
func (r Spec) WithProbing(p txn.Params) txn.Params {
	if p.ProbeEvery == 0 && r.Arrive.SetsArrivalTime() {
		p.ProbeEvery = estimate.ArrivalProbeEvery
	}
	return p
}

// Probing is how the links of nodes are measured that are probed so often.
func (r Spec) Probing(every time.Duration) estimate.Probing {
	return estimate.ProbingOf(every, r.Arrive.SetsArrivalTime())
}
