package workload

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"isochron/txn"
)

// keyMix is the common part of benchmarks of plain rows without meaning, of which some are popular.
// They are not loaded: an absent row counts 0.
type keyMix struct {
	MixConfig
	rows popular
}

func newKeyMix(cfg MixConfig) keyMix {
	return keyMix{cfg, popular{keys: cfg.Keys, parts: cfg.Parts, thetaMilli: cfg.ZipfMilli, lastProbe: cfg.Draw == DrawLastProbe}}
}

func (keyMix) Rows() iter.Seq[txn.Write] { return func(func(txn.Write) bool) {} }

// value is a row's value: a count, and padding up to the size.
func (m *keyMix) value(count uint64) []byte {
	v := make([]byte, m.ValueBytes)
	binary.BigEndian.PutUint64(v, count)
	return v
}

func countOf(v []byte) uint64 {
	if len(v) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(v)
}

// look is a transaction that reads rows, in one round, and writes none.
func look(class string, keys []txn.Key) Job {
	fixedSet := func() txn.FixedSetTxn {
		return txn.FixedSetTxn{Reads: keys, Then: func([][]byte) ([]txn.Write, bool) { return nil, true }}
	}
	return Job{Class: class, ReadOnly: true, FixedSet: fixedSet, Body: func(ctx context.Context, t txn.Txn) error {
		_, err := t.Read(ctx, txn.Read{Gets: keys, OnlyRead: true})
		return err
	}}
}

// change is a transaction that counts rows up, all read in one round, and blindly writes others.
func (m *keyMix) change(class string, counted, blind []txn.Key) Job {
	fixedSet := func() txn.FixedSetTxn {
		return txn.FixedSetTxn{Reads: counted, Writes: slices.Concat(counted, blind), Then: func(values [][]byte) (writes []txn.Write, ok bool) {
			for i, k := range counted {
				writes = append(writes, txn.Write{Key: k, Value: m.value(countOf(values[i]) + 1)})
			}
			for _, k := range blind {
				writes = append(writes, txn.Write{Key: k, Value: m.value(1)})
			}
			return writes, true
		}}
	}
	return Job{Class: class, FixedSet: fixedSet, Body: func(ctx context.Context, t txn.Txn) error {
		res, err := t.Read(ctx, txn.Read{Gets: counted, ForWrite: true})
		if err != nil {
			return err
		}
		for i, k := range counted {
			t.Put(k, m.value(countOf(res.Values[i])+1))
		}
		for _, k := range blind {
			t.Put(k, m.value(1))
		}
		return nil
	}}
}

// retwis is a small social network: half of its transactions load a timeline,
// the others read a few rows, write these and perhaps others.
type retwis struct{ keyMix }

func newRetwis(cfg MixConfig) Mix { return &retwis{newKeyMix(cfg)} }

// retwisTimelineMax is the longest timeline, in rows; the shortest has one.
const retwisTimelineMax = 10

// retwisWrites are the transactions that write: their share in a hundred, and the rows they read
// and write. They write the rows that they read.
var retwisWrites = []struct {
	class               string
	percent, gets, puts int
}{{"add-user", 5, 1, 3}, {"follow", 15, 2, 2}, {"post-tweet", 30, 3, 5}}

func (m *retwis) Next(c *Client) Job {
	n := c.Rand.IntN(100)
	for _, w := range retwisWrites {
		if n -= w.percent; n < 0 {
			keys := m.rows.distinct(c.Rand, w.puts)
			return m.change(w.class, keys[:w.gets], keys[w.gets:])
		}
	}
	return look("timeline", m.rows.distinct(c.Rand, 1+c.Rand.IntN(retwisTimelineMax)))
}

// ycsbT counts up six rows in each transaction.
type ycsbT struct{ keyMix }

func newYCSBT(cfg MixConfig) Mix { return &ycsbT{newKeyMix(cfg)} }

func (m *ycsbT) Next(c *Client) Job {
	const rows = 6
	return m.change("read-modify-write", m.rows.distinct(c.Rand, rows), nil)
}

// ycsbA reads or writes, with equal odds, each of ten rows; its writes are blind.
type ycsbA struct{ keyMix }

func newYCSBA(cfg MixConfig) Mix { return &ycsbA{newKeyMix(cfg)} }

func (m *ycsbA) Next(c *Client) Job {
	const rows = 10
	var reads, writes []txn.Key
	for _, k := range m.rows.distinct(c.Rand, rows) {
		if c.Rand.IntN(2) == 0 {
			reads = append(reads, k)
		} else {
			writes = append(writes, k)
		}
	}
	if len(writes) == 0 {
		return look("read", reads)
	}
	return Job{Class: "update", Body: func(ctx context.Context, t txn.Txn) error {
		if len(reads) > 0 {
			if _, err := t.Read(ctx, txn.Read{Gets: reads}); err != nil {
				return err
			}
		}
		for _, k := range writes {
			t.Put(k, m.value(1))
		}
		return nil
	}}
}

// micro counts up Length rows on Spread shards.
type micro struct{ keyMix }

func newMicro(cfg MixConfig) Mix { return &micro{newKeyMix(cfg)} }

func (m *micro) Next(c *Client) Job {
	return m.change("micro", m.rows.over(c.Rand, m.Length, m.Spread, m.Parts), nil)
}
