package workload

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sort"
	"sync"
)

// The bounds of a Zipf distribution.
const (
	zipfKeysMax  = 5_000_000 // some 90 MB of tables
	zipfMilliMax = 2000
)

// zipf draws ranks below a number of keys: rank i with a probability proportional to 1/(i+1)^theta.
// Table and draw use integers alone, so that a seed draws the same keys on every processor.
type zipf struct {
	upTo []uint64 // the weights of the ranks up to this one, added up
	// from[i] is the first rank whose sum is above i<<shift: a draw searches only between two of
	// them.
	from  []uint32
	shift int
}

// newZipf builds the table for n keys and theta in thousandths; 0 is uniform.
func newZipf(n, thetaMilli int) *zipf {
	w := powers(n, thetaMilli)
	shift := bits.Len(uint(n)) // n weights of at most 1<<63 must add up to less than 1<<64
	sum := uint64(0)
	for i := range w {
		sum += w[i] >> shift
		w[i] = sum
	}
	z := &zipf{upTo: w, shift: max(0, bits.Len64(sum)-bits.Len(uint(n)))}
	rank := 0
	for i := range (sum-1)>>z.shift + 1 {
		for w[rank] <= i<<z.shift {
			rank++
		}
		z.from = append(z.from, uint32(rank))
	}
	z.from = append(z.from, uint32(n-1))
	return z
}

// keptZipf keeps the last table: it is large, takes half a second to build for four million keys,
// and the experiments of a figure often share it. Tables do not change.
type keptZipf struct {
	mu            sync.Mutex
	n, thetaMilli int
	table         *zipf
}

var lastZipf keptZipf

func (k *keptZipf) of(n, thetaMilli int) *zipf {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.table == nil || k.n != n || k.thetaMilli != thetaMilli {
		k.n, k.thetaMilli, k.table = n, thetaMilli, newZipf(n, thetaMilli)
	}
	return k.table
}

// draw draws a rank.
func (z *zipf) draw(r *rand.Rand) int {
	u := r.Uint64N(z.upTo[len(z.upTo)-1])
	first, last := int(z.from[u>>z.shift]), int(z.from[u>>z.shift+1])
	return first + sort.Search(last-first, func(i int) bool { return z.upTo[first+i] > u })
}

// drawLastProbe draws the rank at which DrawLastProbe's search ends.
func (z *zipf) drawLastProbe(r *rand.Rand) int {
	u, first, end, at := r.Uint64N(z.upTo[len(z.upTo)-1]), 0, len(z.upTo), 0
	for first < end {
		if at = (first + end) / 2; u >= z.upTo[at] {
			first = at + 1
		} else {
			end = at - 1
		}
	}
	return at
}

// probed returns the weights of all ranks under drawLastProbe.
func (z *zipf) probed() []uint64 {
	out := make([]uint64, len(z.upTo))
	var divide func(first, end int, low, high uint64) // a search that has come to [first, end) with a number of [low, high)
	divide = func(first, end int, low, high uint64) {
		at := (first + end) / 2
		cut := min(max(z.upTo[at], low), high)
		for _, half := range []struct {
			first, end int
			low, high  uint64
		}{{first, at - 1, low, cut}, {at + 1, end, cut, high}} {
			if half.first < half.end {
				divide(half.first, half.end, half.low, half.high)
			} else {
				out[at] += half.high - half.low
			}
		}
	}
	divide(0, len(z.upTo), 0, z.upTo[len(z.upTo)-1])
	return out
}

// weight returns the weight of a rank; the sum of all is below 1<<63.
func (z *zipf) weight(rank int) uint64 {
	if rank == 0 {
		return z.upTo[0]
	}
	return z.upTo[rank] - z.upTo[rank-1]
}

// powers returns k^-theta for k from 1 to n, in units of 1/(1<<63): those of primes from
// logarithms, the others as products.
func powers(n, thetaMilli int) []uint64 {
	factor := smallestFactors(n)
	halves := halfPowers()
	w := make([]uint64, n)
	w[0] = 1 << 63
	for k := 2; k <= n; k++ {
		p := int(factor[k])
		if p == k {
			// The logarithm is below 23, which has 5 bits; with the fraction's 48 and
			// theta's 11 the product fits.
			y := log2(uint64(k)) * uint64(thetaMilli) / 1000
			w[k-1] = exp2(y, halves)
			continue
		}
		hi, lo := bits.Mul64(w[p-1], w[k/p-1])
		w[k-1] = hi<<1 | lo>>63
	}
	return w
}

// smallestFactors has for each number from 2 to n its smallest factor above 1.
func smallestFactors(n int) []uint32 {
	f := make([]uint32, n+1)
	for p := 2; p <= n; p++ {
		if f[p] != 0 {
			continue
		}
		for k := p; k <= n; k += p {
			if f[k] == 0 {
				f[k] = uint32(p)
			}
		}
	}
	return f
}

// fractionBits is the number of binary digits of a logarithm.
const fractionBits = 48

// log2 returns the logarithm to base 2 in units of 1/(1<<fractionBits), rounded down: squaring a
// number between 1 and 2 gives one digit of its logarithm.
func log2(k uint64) uint64 {
	whole := bits.Len64(k) - 1
	x := k << (63 - whole) // between 1 and 2, in units of 1/(1<<63)
	out := uint64(whole)
	for range fractionBits {
		hi, lo := bits.Mul64(x, x)
		out <<= 1
		if hi>>63 == 1 {
			out |= 1
			x = hi
		} else {
			x = hi<<1 | lo>>63
		}
	}
	return out
}

// halfPowers has 2^-(2^-i) for i up to fractionBits, in units of 1/(1<<64),
// each the root of the one before.
func halfPowers() []uint64 {
	c := make([]uint64, fractionBits+1)
	c[0] = 1 << 63
	for i := 1; i < len(c); i++ {
		square := new(big.Int).Lsh(new(big.Int).SetUint64(c[i-1]), 64)
		c[i] = square.Sqrt(square).Uint64()
	}
	return c
}

// exp2 returns 2^-y in units of 1/(1<<63), for y in units of 1/(1<<fractionBits).
func exp2(y uint64, halves []uint64) uint64 {
	w := uint64(1) << 63
	for i := 1; i <= fractionBits; i++ {
		if y>>(fractionBits-i)&1 == 1 {
			w, _ = bits.Mul64(w, halves[i])
		}
	}
	return w >> (y >> fractionBits)
}
