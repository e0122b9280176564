package power

import (
	"flag"
	"fmt"
	"testing"

	"isochron/server/disk/disktest"
)

// The long form.
var (
	plays = flag.Int("power.plays", 1, "how many clusters each test of power cuts makes, each with a seed of its own")
	cuts  = flag.Int("power.cuts", 4, "how often each of them loses its power")
	seed  = flag.Uint64("power.seed", 1, "the first seed")
)

// Acknowledged commits are there after a power cut of all nodes at the same time; no transaction is
// there by half.
func TestPowerCut(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		for i := range *plays {
			s := *seed + uint64(i)
			t.Run(fmt.Sprintf("nodes %d seed %d", nodes, s), func(t *testing.T) {
				p := play{dir: t.TempDir(), nodes: nodes, cuts: *cuts, keep: turned(append(disktest.Keeps(), disktest.All), s), at: turned(cutTimes, s), seed: s}
				out, err := p.run()
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d power cuts, %d transactions committed", out.cuts, out.commits)
				for _, f := range out.found {
					t.Error(f)
				}
				if out.cuts < *cuts || out.commits == 0 {
					t.Errorf("%d power cuts of %d, and %d transactions", out.cuts, *cuts, out.commits)
				}
			})
		}
	}
}

// turned begins a list elsewhere.
func turned[T any](list []T, by uint64) []T {
	at := int(by % uint64(len(list)))
	return append(append([]T(nil), list[at:]...), list[:at]...)
}
