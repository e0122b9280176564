package sim

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"
)

// Fractions as integers, so that a run is the same on every processor. A fixed has 32 binary digits
// after its point.
const (
	fixedBits = 32
	fixedOne  = uint64(1) << fixedBits
)

// mulFixed returns a*b; the product must fit.
func mulFixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi<<(64-fixedBits) | lo>>fixedBits
}

// divFixed returns a/b rounded down; a < b<<32.
func divFixed(a, b uint64) uint64 {
	q, _ := bits.Div64(a>>(64-fixedBits), a<<fixedBits, b)
	return q
}

// sqrtOf returns the square root of a whole number, rounded down.
func sqrtOf(v uint64) uint64 {
	r := uint64(0)
	for bit := uint64(1) << 31; bit > 0; bit >>= 1 {
		if t := r + bit; t*t <= v {
			r = t
		}
	}
	return r
}

// minusLog2 returns -log2(u / 2^64) of a number u > 0, by squaring: each square yields one more
// binary digit.
func minusLog2(u uint64) uint64 {
	whole := uint64(bits.LeadingZeros64(u))
	m, digits := u<<whole, uint64(0) // m/2^63 lies in [1, 2)
	for range fixedBits {
		hi, lo := bits.Mul64(m, m) // in [2^126, 2^128)
		digits <<= 1
		if hi>>63 == 1 {
			digits, m = digits|1, hi
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return (whole+1)<<fixedBits - digits
}

// roots[i] is 2^(2^-(i+1)), so that any power of two is a product of them.
var roots = func() (out [fixedBits]uint64) {
	r := 2 * fixedOne
	for i := range out {
		r = rootFixed(r)
		out[i] = r
	}
	return out
}()

// rootFixed returns the square root of a fixed in [1, 2], rounded down.
func rootFixed(v uint64) uint64 {
	r := uint64(0)
	for bit := fixedOne; bit > 0; bit >>= 1 {
		t := r | bit
		if hi, lo := bits.Mul64(t, t); hi < v>>fixedBits || hi == v>>fixedBits && lo <= v<<fixedBits {
			r = t
		}
	}
	return r
}

// exp2 returns 2^x of a fixed x below 31.
func exp2(x uint64) uint64 {
	out := fixedOne
	for i := range fixedBits {
		if x>>(fixedBits-1-i)&1 == 1 {
			out = mulFixed(out, roots[i])
		}
	}
	return out << (x >> fixedBits)
}

// ln2 is the natural logarithm of 2, as a fixed.
const ln2 = 2977044471

// anyOf returns a number above 0.
func anyOf(r *rand.Rand) uint64 { return max(r.Uint64(), 1) }

// Exponential draws the time to the next of events that happen at random, mean apart on average. It
// is at most 45 times the mean.
func Exponential(r *rand.Rand, mean time.Duration) time.Duration {
	hi, lo := bits.Mul64(mulFixed(minusLog2(anyOf(r)), ln2), uint64(mean))
	return time.Duration(hi<<(64-fixedBits) | lo>>fixedBits)
}

// Pareto is a jitter: delays are distributed by Pareto's law, with the delay of the map as their
// mean. Its zero value is no jitter.
type Pareto struct {
	least   uint64 // the shortest delay, as a fraction of the mean
	inverse uint64 // 1 / the exponent of the law
	netem   uint64 // of netem's law instead: the deviation as a fraction of the mean; 0 is none
}

// ParetoRatioMax bounds the ratio of a Pareto. Ratios below a thousandth are none.
const ParetoRatioMax = 10

// NewPareto returns the jitter in which the ratio of a delay's deviation to its mean is ratioPPM in
// a million.
func NewPareto(ratioPPM int64) (Pareto, error) {
	if ratioPPM < 0 || ratioPPM > ParetoRatioMax*1_000_000 {
		return Pareto{}, fmt.Errorf("the jitter is %d millionths of the delay; it must lie between 0 and %d times the delay", ratioPPM, ParetoRatioMax)
	}
	if ratioPPM < 1000 {
		return Pareto{}, nil
	}
	// With exponent a the mean is a/(a-1) times the least, and the ratio is 1/sqrt(a(a-2)): a = 1 +
	// sqrt(1 + 1/ratio^2), here in millionths.
	const million = 1_000_000
	q := million * million / uint64(ratioPPM)
	a := million + sqrtOf(million*million+q*q)
	return Pareto{least: divFixed(a-million, a), inverse: divFixed(million, a)}, nil
}

// NewNetemPareto returns the jitter that Linux's netem calls pareto, with the ratio of NewPareto: a
// law with the exponent 3, shifted and scaled to a mean of 0 and a deviation of 1, but cut at 4, is
// multiplied by the deviation and added to the delay (iproute2, netem/pareto.c). No delay exceeds
// the mean and four deviations, and one in ninety takes as long as that.
func NewNetemPareto(ratioPPM int64) (Pareto, error) {
	p, err := NewPareto(ratioPPM)
	if err != nil || !p.on() {
		return p, err
	}
	return Pareto{inverse: fixedOne / 3, netem: divFixed(uint64(ratioPPM), 1_000_000)}, nil
}

func (p Pareto) on() bool { return p.least != 0 || p.netem != 0 }

// draw returns one delay. It is at most 512 times the mean.
func (p Pareto) draw(r *rand.Rand, mean time.Duration) time.Duration {
	if p.netem != 0 {
		return p.drawNetem(r, mean)
	}
	const most = 9 << fixedBits
	x := min(mulFixed(minusLog2(anyOf(r)), p.inverse), most)
	hi, lo := bits.Mul64(mulFixed(exp2(x), p.least), uint64(mean))
	return time.Duration(hi<<(64-fixedBits) | lo>>fixedBits)
}

// drawNetem returns one delay; one below 0 is 0.
func (p Pareto) drawNetem(r *rand.Rand, mean time.Duration) time.Duration {
	// The mean of the law is 3/2 and its deviation near 3/4, so that 9/2 is four deviations above.
	const middle, highest = fixedOne + fixedOne/2, 4*fixedOne + fixedOne/2
	v := min(exp2(min(mulFixed(minusLog2(anyOf(r)), p.inverse), 3*fixedOne)), highest)
	add := func(above uint64) time.Duration { // for a value this far above the middle
		hi, lo := bits.Mul64(mulFixed(above*4/3, p.netem), uint64(mean))
		return time.Duration(hi<<(64-fixedBits) | lo>>fixedBits)
	}
	if v >= middle {
		return mean + add(v-middle)
	}
	return max(mean-add(middle-v), 0)
}
