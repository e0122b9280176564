package server

import (
	"testing"
	"time"

	"isochron/estimate"
	"isochron/server/peer"
)

// Only a link that is up and was measured recently has a distance.
func TestDistancesAreMeasured(t *testing.T) {
	delay := func(samples int) estimate.Delay {
		return estimate.Delay{Samples: samples, RoundTrip: 30 * time.Millisecond}
	}
	got := distancesOf([]peer.LinkState{{Peer: 2, Up: true, Delay: delay(4)}, {Peer: 3, Up: true}, {Peer: 4, Delay: delay(4)}})
	if len(got) != 1 || got[2] != 30*time.Millisecond {
		t.Errorf("got %v", got)
	}
}
