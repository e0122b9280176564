package geo

import (
	"slices"
	"time"
)

// QuorumRTT returns the round trip from a leader to the nearest majority of the
// replicas: the least time in which an entry of its log can be acknowledged. A
// leader that is one of the replicas counts itself at no cost; several
// replicas may be in one region.
func (w WAN) QuorumRTT(leader Region, replicas []Region) time.Duration {
	need := len(replicas)/2 + 1
	var others []time.Duration
	self := false
	for _, r := range replicas {
		if r == leader && !self {
			self = true
			continue
		}
		others = append(others, w.RTT(leader, r))
	}
	if self {
		need--
	}
	if need == 0 || len(others) == 0 {
		return 0
	}
	slices.Sort(others)
	return others[need-1]
}

// MaxRTT returns the round trip to the farthest of the regions.
func (w WAN) MaxRTT(from Region, to []Region) time.Duration {
	var far time.Duration
	for _, r := range to {
		far = max(far, w.RTT(from, r))
	}
	return far
}

// Widest returns the longest round trip between two regions.
func (w WAN) Widest() (most time.Duration) {
	for _, r := range w.Regions {
		most = max(most, w.MaxRTT(r, w.Regions))
	}
	return most
}
