package shard

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Old versions are collected four times per retention time, and a timestamp whose versions may be
// collected stays refused.
func TestOldVersionsAreCollectedPeriodically(t *testing.T) {
	s, p := &state{}, &paper{}
	const keep = 400
	c := newCollecting(s, keep, 1000, p.propose)
	var at []int
	for now := 1000; now < 1400; now++ {
		before := len(p.commands)
		c.step(txn.Now{Mono: time.Duration(now), WallNanos: int64(now)})
		if len(p.commands) > before {
			at = append(at, now)
			if got := p.commands[before].Collect; got.Keep != txn.Timestamp(now-keep) || got.Now != txn.Timestamp(now) {
				t.Errorf("at %d: %+v", now, got)
			}
		}
		if now == 1250 {
			s.applied.Keep = 930 // by the log of another leader
		}
	}
	if want := []int{1100, 1200, 1331}; !slices.Equal(at, want) {
		t.Errorf("at %v, want %v", at, want)
	}
}
