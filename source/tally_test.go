package source

import (
	"testing"
	"time"
)

// A time is counted in the first bucket whose bound is not below it.
func TestHeldBuckets(t *testing.T) {
	for held, want := range map[time.Duration]int{
		1: 0, time.Millisecond: 0, time.Millisecond + 1: 1, 2 * time.Millisecond: 1, 3 * time.Millisecond: 2, 4 * time.Millisecond: 2,
		65 * time.Second: 16, 66 * time.Second: 17, 24 * time.Hour: 17,
	} {
		if got := heldBucket(held); got != want {
			t.Errorf("%v is in bucket %d, not %d", held, got, want)
		}
	}
}
