package workload

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"isochron/history"
	"isochron/txn"
)

// sysbench is transactions of single statements, one after the other: each reads a row, or counts
// one up. The benchmarks differ in the choice of rows.
type sysbench struct {
	keyMix
	books counters
	// rowsOf draws the rows of a transaction's statements; read marks read-only statements.
	rowsOf func(r *rand.Rand, read []bool) []txn.Key
}

const (
	sysbenchLength = 14
	scanLength     = 10
	scanRows       = 100
)

// newSysbench draws the row of each statement by Zipf's law; all are different.
func newSysbench(cfg MixConfig) Mix {
	m := &sysbench{keyMix: newKeyMix(cfg), books: counters{}}
	m.rowsOf = func(r *rand.Rand, read []bool) []txn.Key { return m.rows.distinct(r, len(read)) }
	return m
}

// newHotspot counts up the same row with all updates.
func newHotspot(cfg MixConfig) Mix {
	m := &sysbench{keyMix: newKeyMix(cfg), books: counters{}}
	m.rowsOf = func(r *rand.Rand, read []bool) []txn.Key {
		reads := 0
		for _, only := range read {
			if only {
				reads++
			}
		}
		var others []txn.Key
		if reads > 0 {
			others = m.rows.distinct(r, reads)
		}
		keys := make([]txn.Key, len(read))
		for i, only := range read {
			if keys[i] = hotRow(0); only {
				keys[i], others = others[0], others[1:]
			}
		}
		return keys
	}
	return m
}

// newHotspotOnce counts up the same row with one update of each transaction, at any position; the
// other rows are drawn.
func newHotspotOnce(cfg MixConfig) Mix {
	m := &sysbench{keyMix: newKeyMix(cfg), books: counters{}}
	m.rowsOf = func(r *rand.Rand, read []bool) []txn.Key {
		keys := m.rows.distinct(r, len(read))
		var writes []int
		for i, only := range read {
			if !only {
				writes = append(writes, i)
			}
		}
		if len(writes) > 0 {
			keys[writes[r.IntN(len(writes))]] = hotRow(0)
		}
		return keys
	}
	return m
}

// newHotspotScan counts up neighbours among a few hot rows, in their order, from a random start:
// two transactions that conflict at one row conflict at more.
func newHotspotScan(cfg MixConfig) Mix {
	cfg.ReadsMilli = 0
	cfg.Hot = max(cfg.Hot, cfg.Length)
	m := &sysbench{keyMix: newKeyMix(cfg), books: counters{}}
	m.rowsOf = func(r *rand.Rand, read []bool) []txn.Key {
		first := r.IntN(m.Hot - len(read) + 1)
		keys := make([]txn.Key, len(read))
		for i := range keys {
			keys[i] = hotRow(first + i)
		}
		return keys
	}
	return m
}

func hotRow(i int) txn.Key { return rowKey(tableMix, 0, "hot"+strconv.Itoa(i)) }

// Next implements Mix. The number of reading statements is their share, to the nearest whole
// number, and their positions are drawn.
func (m *sysbench) Next(c *Client) Job {
	read := make([]bool, m.Length)
	for i := range (m.Length*m.ReadsMilli + 500) / 1000 {
		read[i] = true
	}
	c.Rand.Shuffle(len(read), func(i, j int) { read[i], read[j] = read[j], read[i] })
	return m.job(m.rowsOf(c.Rand, read), read, m.givesUp(c))
}

// givesUp draws whether the client rolls the transaction back at its end.
func (c *MixConfig) givesUp(client *Client) bool {
	return c.RollbackMilli > 0 && client.Rand.IntN(1000) < c.RollbackMilli
}

// job is a transaction of statements over rows.
func (m *sysbench) job(keys []txn.Key, read []bool, givesUp bool) Job {
	j := Job{Class: "update", Autocommit: len(keys) == 1 && !givesUp}
	if !slices.Contains(read, false) {
		j.Class, j.ReadOnly = "read", len(keys) == 1 // of a longer one its server does not know it
	}
	j.Body = func(ctx context.Context, t txn.Txn) error {
		for i, k := range keys {
			if err := m.statement(ctx, t, k, read[i], j.ReadOnly); err != nil {
				return err
			}
		}
		if givesUp {
			return ErrRollback
		}
		return nil
	}
	j.Ended = func(o history.Outcome) {
		for i, k := range keys {
			if !read[i] {
				m.books.count(k, o)
			}
		}
	}
	return j
}

// statement reads a row, or counts it up.
func (m *keyMix) statement(ctx context.Context, t txn.Txn, k txn.Key, read, only bool) error {
	res, err := t.Read(ctx, txn.Read{Gets: []txn.Key{k}, ForWrite: !read, OnlyRead: only})
	if err == nil && !read {
		t.Put(k, m.value(countOf(res.Values[0])+1))
	}
	return err
}

// Check implements Checked: every row has counted the acknowledged updates.
func (m *sysbench) Check(rows iter.Seq[txn.Pair]) []string { return m.books.check(rows) }

// counters are the expected counts of rows, by the outcomes that clients received.
type counters map[txn.Key]*counter

type counter struct {
	acknowledged, unknown uint64
	seen                  bool // by check
}

func (b counters) count(k txn.Key, o history.Outcome) {
	if o == history.Fail {
		return
	}
	if b[k] == nil {
		b[k] = &counter{}
	}
	if o == history.OK {
		b[k].acknowledged++
	} else {
		b[k].unknown++
	}
}

func (b counters) check(rows iter.Seq[txn.Pair]) (wrong []string) {
	say := func(k txn.Key, have uint64, c counter) {
		if len(wrong) < wrongMax {
			wrong = append(wrong, fmt.Sprintf("row %s has counted %d, with %d acknowledged and %d unknown", rowName(k), have, c.acknowledged, c.unknown))
		}
	}
	for p := range rows {
		c := b[p.Key]
		if c == nil {
			c = &counter{}
		}
		c.seen = true
		if n := countOf(p.Value); n < c.acknowledged || n > c.acknowledged+c.unknown {
			say(p.Key, n, *c)
		}
	}
	var lost []txn.Key
	for k, c := range b { // order: sorted below
		if !c.seen && c.acknowledged > 0 {
			lost = append(lost, k)
		}
	}
	slices.Sort(lost)
	for _, k := range lost {
		say(k, 0, *b[k])
	}
	return wrong
}
