package workload

import (
	"math/rand/v2"
	"sort"
	"testing"
)

// A draw is the first rank whose sum is above the number drawn, as if all ranks were searched.
func TestAZipfDrawIsTheRankOfItsNumber(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 1000, 4096, 100_000} {
		for _, theta := range []int{0, 700, 990, 2000} {
			z := newZipf(n, theta)
			sum := z.upTo[n-1]
			draw, plain := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
			for range 2000 {
				u := plain.Uint64N(sum)
				want := sort.Search(n, func(i int) bool { return z.upTo[i] > u })
				if got := z.draw(draw); got != want {
					t.Fatalf("%d keys, theta %d: %d draws rank %d, not %d", n, theta, u, got, want)
				}
			}
		}
	}
}
