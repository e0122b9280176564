package workload

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"isochron/txn"
)

// uneven draws from a few things by a skewed distribution; its table is made at the first draw.
type uneven struct{ zipf *zipf }

// one draws one of n things. 0 thousandths is uniform.
func (u *uneven) one(r *rand.Rand, n, thetaMilli int) int {
	if thetaMilli == 0 {
		return r.IntN(n)
	}
	if u.zipf == nil {
		u.zipf = newZipf(n, thetaMilli)
	}
	return u.zipf.draw(r)
}

// distinct draws some of n things, each once. There must be as many.
func (u *uneven) distinct(r *rand.Rand, n, thetaMilli, some int) []int {
	out := make([]int, 0, some)
	for range drawMax {
		if i := u.one(r, n, thetaMilli); !slices.Contains(out, i) {
			out = append(out, i)
		}
		if len(out) == some {
			return out
		}
	}
	for i := 0; len(out) < some; i++ {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// popular are rows of a table of different popularity. Each rank of popularity has its part, so
// that every part has as much of the whole popularity as the ranks allow.
type popular struct {
	keys, parts, thetaMilli int
	lastProbe               bool // see DrawLastProbe

	// These are made when the first row is drawn: they are large, and a benchmark may be made only
	// to check its configuration.
	zipf *zipf
	part []uint8 // of each rank
}

// build makes the tables, once.
func (p *popular) build() {
	if p.zipf != nil {
		return
	}
	p.zipf, p.part = newZipf(p.keys, p.thetaMilli), make([]uint8, p.keys)
	weight := p.zipf.weight
	if p.lastProbe {
		probed := p.zipf.probed()
		weight = func(rank int) uint64 { return probed[rank] }
	}
	mass := make([]uint64, p.parts)
	for rank := range p.part {
		least := 0
		for i := range mass {
			if mass[i] < mass[least] {
				least = i
			}
		}
		mass[least] += weight(rank)
		p.part[rank] = uint8(least)
	}
}

// key is the row of a rank.
func (p *popular) key(rank int) txn.Key {
	return rowKey(tableMix, int(p.part[rank]), strconv.Itoa(rank))
}

// one draws a rank.
func (p *popular) one(r *rand.Rand) int {
	if p.lastProbe {
		return p.zipf.drawLastProbe(r)
	}
	return p.zipf.draw(r)
}

// drawMax bounds the draws for one row; after them the ranks are tried in order.
const drawMax = 1000

// draw draws a rank that is not among taken and lies in the part, or in any
// part if that is negative. The table must have such a rank.
func (p *popular) draw(r *rand.Rand, taken []int, part int) int {
	fits := func(rank int) bool {
		return (part < 0 || int(p.part[rank]) == part) && !slices.Contains(taken, rank)
	}
	rank := 0
	for range drawMax {
		if rank = p.one(r); fits(rank) {
			return rank
		}
	}
	for range p.part {
		if rank = (rank + 1) % len(p.part); fits(rank) {
			return rank
		}
	}
	panic("the table has no row left to draw")
}

// distinct draws n rows of any part.
func (p *popular) distinct(r *rand.Rand, n int) []txn.Key {
	p.build()
	ranks := make([]int, 0, n)
	keys := make([]txn.Key, 0, n)
	for range n {
		ranks = append(ranks, p.draw(r, ranks, -1))
		keys = append(keys, p.key(ranks[len(ranks)-1]))
	}
	return keys
}

// over draws n rows of a number of parts, the parts in turn; the parts are
// drawn too. n is at least spread.
func (p *popular) over(r *rand.Rand, n, spread, parts int) []txn.Key {
	p.build()
	chosen := r.Perm(parts)[:spread]
	ranks := make([]int, 0, n)
	keys := make([]txn.Key, 0, n)
	for i := range n {
		ranks = append(ranks, p.draw(r, ranks, chosen[i%spread]))
		keys = append(keys, p.key(ranks[len(ranks)-1]))
	}
	return keys
}
