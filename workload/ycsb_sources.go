package workload

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"isochron/txn"
)

// ycsbSources is YCSB as GeoTP measures it (section 7.1): a few statements over rows of external
// databases, each of which reads a row or writes one. Part i of the rows is in
// MixConfig.Sources[i].
//
// All rows together have one Zipf distribution, and the rank of a row gives its place: rank modulo
// the number of sources, as in the public client of the prototype, which scatters nothing. So the
// hottest row of all is in the first source. A transaction is at one source, given by Central, or,
// as often as DistributedMilli, at Spread of them, in turn. Its statements go in the order of the
// ranks, in Rounds packets of about equal length; the last packet is marked as the last.
type ycsbSources struct {
	sourceMix
	zipf *zipf
	// inUse are the even ranks, in order, on which distributed transactions are executing, once for
	// each of them; for CentralInUse.
	inUse []int
}

// ycsbSourcesLength is the number of statements of a transaction (GeoTP section 7.1).
const ycsbSourcesLength = 5

func newYCSBSources(cfg MixConfig) Mix { return &ycsbSources{sourceMix: sourceMix{cfg}} }

func (*ycsbSources) Rows() iter.Seq[txn.Write] { return func(func(txn.Write) bool) {} }

// Next implements Mix.
func (m *ycsbSources) Next(c *Client) Job {
	class, places := m.places(c)
	if class == ClassCentral && m.Central == CentralInUse {
		one := []txn.SourceStatement{m.statement(m.nextInUse(m.ranks().draw(c.Rand)), c.Rand.IntN(2) == 0)}
		return Job{Class: class, Body: func(ctx context.Context, t txn.Txn) error { return m.execute(ctx, t, one, 1) }}
	}
	var ranks []int
	for i := range m.Length {
		ranks = append(ranks, m.draw(c.Rand, ranks, places[i%len(places)]))
	}
	slices.Sort(ranks)
	statements := make([]txn.SourceStatement, len(ranks))
	for i, rank := range ranks {
		statements[i] = m.statement(rank, c.Rand.IntN(1000) < m.ReadsMilli)
	}
	return Job{Class: class, Body: func(ctx context.Context, t txn.Txn) error {
		if class == ClassDistributed && m.Central == CentralInUse {
			defer m.uses(ranks)()
		}
		return m.execute(ctx, t, statements, m.Rounds)
	}}
}

// uses marks the even ones of ranks as in use until done is called.
func (m *ycsbSources) uses(ranks []int) (done func()) {
	for _, rank := range ranks {
		if rank%2 == 0 {
			i, _ := slices.BinarySearch(m.inUse, rank)
			m.inUse = slices.Insert(m.inUse, i, rank)
		}
	}
	return func() {
		for _, rank := range ranks {
			if i, found := slices.BinarySearch(m.inUse, rank); found {
				m.inUse = slices.Delete(m.inUse, i, i+1)
			}
		}
	}
}

// nextInUse returns the highest rank in use that is not above rank, 0 if there is none.
func (m *ycsbSources) nextInUse(rank int) int {
	i, found := slices.BinarySearch(m.inUse, rank)
	switch {
	case found:
		return rank
	case i == 0:
		return 0
	}
	return m.inUse[i-1]
}

// statement reads or writes the row of a rank.
func (m *ycsbSources) statement(rank int, reads bool) txn.SourceStatement {
	name := fmt.Sprintf("user/%d", rank)
	s := txn.SourceStatement{Source: m.Sources[rank%len(m.Sources)], Records: []txn.Key{txn.Key(name)}}
	if s.Text, s.Writes = "GET "+name, !reads; s.Writes {
		s.Text = "PUT " + name + " x"
	}
	return s
}

// draw draws a rank of a place that is not among taken.
func (m *ycsbSources) draw(r *rand.Rand, taken []int, place int) int {
	for range drawMax {
		if rank := m.ranks().draw(r); rank%len(m.Sources) == place && !slices.Contains(taken, rank) {
			return rank
		}
	}
	rank := place
	for slices.Contains(taken, rank) {
		rank += len(m.Sources)
	}
	return rank
}

// ranks is the distribution of all rows together.
func (m *ycsbSources) ranks() *zipf {
	if m.zipf == nil {
		m.zipf = lastZipf.of(m.Keys, m.ZipfMilli)
	}
	return m.zipf
}
