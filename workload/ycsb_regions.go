package workload

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"isochron/txn"
)

// ycsbRegions is YCSB-A as Bonspiel measures it (section 4), with the choices of its public
// prototype where the paper has none. A transaction has Length operations on different rows; one in
// two reads its row and writes it, the others only read theirs. All rows are read in one round, and
// no read for a write takes a lock.
//
// Each part has rows of its own, with its own Zipf distribution in which the first row is the
// hottest. A transaction is at home, in a part that is led from its client's region, or, as often
// as DistributedMilli, elsewhere: then each of its rows is in a part drawn from all others, so that
// none is at home.
type ycsbRegions struct {
	keyMix
	near nearParts
	zipf *zipf
}

// ycsbRegionsLength is the number of operations of a transaction (Bonspiel section 4).
const ycsbRegionsLength = 10

func newYCSBRegions(cfg MixConfig) Mix {
	return &ycsbRegions{keyMix: newKeyMix(cfg), near: newNearParts(cfg.Parts)}
}

// Next implements Mix.
func (m *ycsbRegions) Next(c *Client) Job {
	near := m.near.of(c.DB)
	home := near[c.Rand.IntN(len(near))]
	away := m.Parts > 1 && c.Rand.IntN(1000) < m.DistributedMilli
	var keys []txn.Key
	for len(keys) < m.Length {
		part := home
		if away {
			part = (home + 1 + c.Rand.IntN(m.Parts-1)) % m.Parts
		}
		keys = append(keys, m.draw(c.Rand, keys, part))
	}
	writes := make([]bool, len(keys))
	for i := range writes {
		writes[i] = c.Rand.IntN(2) == 0
	}
	class := map[bool]string{false: "at home", true: "elsewhere"}[away]
	return Job{Class: class, ReadOnly: !slices.Contains(writes, true), Body: func(ctx context.Context, t txn.Txn) error {
		res, err := t.Read(ctx, txn.Read{Gets: keys})
		if err != nil {
			return err
		}
		for i, k := range keys {
			if writes[i] {
				t.Put(k, m.value(countOf(res.Values[i])+1))
			}
		}
		return nil
	}}
}

// draw draws a row of a part that is not among taken.
func (m *ycsbRegions) draw(r *rand.Rand, taken []txn.Key, part int) txn.Key {
	if m.zipf == nil {
		m.zipf = lastZipf.of(m.Keys/m.Parts, m.ZipfMilli)
	}
	for range drawMax {
		if k := rowKey(tableMix, part, strconv.Itoa(m.zipf.draw(r))); !slices.Contains(taken, k) {
			return k
		}
	}
	for rank := 0; ; rank++ { // a part has more rows than a transaction
		if k := rowKey(tableMix, part, strconv.Itoa(rank)); !slices.Contains(taken, k) {
			return k
		}
	}
}
