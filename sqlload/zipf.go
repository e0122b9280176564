package sqlload

import (
	"math"
	"math/rand/v2"
)

// zipf draws numbers below n, the small ones much more often, by the method of
// Gray and others (Quickly generating billion-record synthetic databases,
// SIGMOD 1994), which YCSB made known: one sum over n in advance, then a draw
// in constant time.
type zipf struct {
	n                       uint64
	theta, alpha, zeta, eta float64
}

// newZipf: theta is above 0 and not 1; 0.99 is YCSB's.
func newZipf(n uint64, theta float64) *zipf {
	z := &zipf{n: n, theta: theta, alpha: 1 / (1 - theta)}
	for i := uint64(1); i <= n; i++ {
		z.zeta += 1 / math.Pow(float64(i), theta)
	}
	zeta2 := 1 + math.Pow(0.5, theta)
	z.eta = (1 - math.Pow(2/float64(n), 1-theta)) / (1 - zeta2/z.zeta)
	return z
}

func (z *zipf) draw(r *rand.Rand) uint64 {
	u := r.Float64()
	uz := u * z.zeta
	if uz < 1 || z.n < 2 {
		return 0
	}
	if uz < 1+math.Pow(0.5, z.theta) || z.n < 3 {
		return 1
	}
	return min(z.n-1, uint64(float64(z.n)*math.Pow(z.eta*u-z.eta+1, z.alpha)))
}

// scatter spreads the popular numbers over all of 0..n-1, as YCSB does, so that
// they do not lie side by side: the 64-bit FNV-1a hash of the number's bytes.
func scatter(i, n uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for range 8 {
		h = (h ^ i&0xff) * 0x100000001b3
		i >>= 8
	}
	return h % n
}
