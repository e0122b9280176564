package workload

import (
	"slices"
	"strings"
	"testing"

	"isochron/history"
	"isochron/txn"
)

// Each statement is a round of one row; the share of reads is as configured, and a transaction of
// one statement needs no commit of its own.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    MixConfig
		gets   int
		puts   int
		hot    int // rows that are written, each counted once; 0: as many as puts
		single bool
	}{
		{"sysbench", MixConfig{ReadsMilli: 500}, 14, 7, 0, false},
		{"sysbench", MixConfig{Length: 1}, 1, 1, 0, true},
		{"sysbench", MixConfig{ReadsMilli: 1000, Length: 3}, 3, 0, 0, false},
		{"sysbench", MixConfig{ReadsMilli: 1000, Length: 1}, 1, 0, 0, true},
		{"hotspot", MixConfig{ReadsMilli: 500, Length: 16}, 16, 8, 1, false},
		{"hotspot", MixConfig{Length: 1}, 1, 1, 1, true},
		{"hotspot-once", MixConfig{ReadsMilli: 500, Length: 16}, 16, 8, 0, false},
		{"hotspot-once", MixConfig{ReadsMilli: 900, Length: 10}, 10, 1, 1, false},
		{"hotspot-scan", MixConfig{ReadsMilli: 500}, 10, 10, 0, false},
		{"fit", MixConfig{}, 2, 2, 0, false},
	} {
		c.cfg.Parts, c.cfg.Keys = 1, 1000
		m, client := newTestMix(t, c.name, c.cfg), seeded(3)
		written := map[txn.Key]bool{}
		for range 200 {
			j := m.Next(client)
			p := &probe{}
			if err := j.Body(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if p.rounds != c.gets || len(p.gets) != c.gets || len(p.puts) != c.puts || j.Autocommit != c.single || j.ReadOnly != (c.puts == 0 && c.single) {
				t.Fatalf("%s %+v: %d rounds, reads %d rows, writes %d, autocommit %v, read-only %v", c.name, c.cfg, p.rounds, len(p.gets), len(p.puts), j.Autocommit, j.ReadOnly)
			}
			if c.hot == 0 {
				checkDistinct(t, p)
			}
			for _, k := range p.puts {
				written[k] = true
			}
		}
		if c.hot > 0 && len(written) != c.hot {
			t.Errorf("%s: %d rows are written", c.name, len(written))
		}
	}
}

// Neighbours are counted up in their order, and every hot row has its turn.
func TestScanOrder(t *testing.T) {
	m, c, seen := newTestMix(t, "hotspot-scan", MixConfig{Parts: 1, Length: 3, Hot: 5}), seeded(3), map[string]bool{}
	for range 200 {
		keys := asked(t, m.Next(c)).puts
		if !slices.IsSorted(keys) {
			t.Fatalf("out of order: %q", keys)
		}
		for _, k := range keys {
			seen[rowName(k)] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("only %v were counted up", seen)
	}
}

// Clients roll back the configured number of transactions, on every try.
func TestRollbacksAreDrawn(t *testing.T) {
	for _, name := range []string{"sysbench", "hotspot", "fit"} {
		m, c, n := newTestMix(t, name, MixConfig{Parts: 1, Keys: 1000, RollbackMilli: 200, Length: 1}), seeded(3), 0
		for range 5000 {
			j := m.Next(c)
			first, second := j.Body(t.Context(), &probe{}), j.Body(t.Context(), &probe{})
			if first != second || first != nil && first != ErrRollback || first != nil && j.Autocommit {
				t.Fatalf("%s: %v, then %v; autocommit %v", name, first, second, j.Autocommit)
			}
			if first != nil {
				n++
			}
		}
		if n < 900 || n > 1100 {
			t.Errorf("%s: %d of 5000 are rolled back, not a fifth", name, n)
		}
	}
}

// The sums hold after a run, unless the database is broken.
func TestHotRowsAddUp(t *testing.T) {
	for _, name := range []string{"sysbench", "hotspot", "hotspot-once", "hotspot-scan", "fit", "hotspots"} {
		for _, f := range []flaw{sound, noValidation, lossy} {
			m := newTestMix(t, name, MixConfig{Parts: 3, Keys: 60, Length: 2, ReadsMilli: 300, Hot: 3, RollbackMilli: 50})
			db, committed := runMix(t, m, f, 23, 60)
			if wrong := m.(Checked).Check(db.all()); (len(wrong) == 0) != (f == sound) || len(wrong) > wrongMax {
				t.Errorf("%s, flaw %d, %v: %q", name, f, committed, wrong)
			}
		}
	}
}

// An update with an unknown outcome counts either way, and no further.
func TestUnknownOutcomes(t *testing.T) {
	m := newTestMix(t, "hotspot", MixConfig{Parts: 1, Length: 1}).(*sysbench)
	for range 3 {
		m.books.count(hotRow(0), history.OK)
	}
	m.books.count(hotRow(0), history.Unknown)
	m.books.count(hotRow(0), history.Fail)
	for n, sound := range map[uint64]bool{2: false, 3: true, 4: true, 5: false} {
		rows := slices.Values([]txn.Pair{{Key: hotRow(0), Value: m.value(n)}})
		if wrong := m.Check(rows); (len(wrong) == 0) != sound {
			t.Errorf("of %d: %q", n, wrong)
		}
	}
	if wrong := m.Check(slices.Values([]txn.Pair{{Key: hotRow(0), Value: m.value(3)}, {Key: hotRow(7), Value: m.value(1)}})); len(wrong) != 1 || !strings.Contains(wrong[0], "hot7") {
		t.Errorf("a row without a writer: %q", wrong)
	}
	f := newTestMix(t, "fit", MixConfig{Parts: 1}).(*fit)
	f.reported["1"], f.reported["2"] = history.Unknown, history.OK
	if wrong := f.Check(f.all("2")); wrong != nil {
		t.Error(wrong)
	}
	if wrong := f.Check(f.all("1")); len(wrong) != 1 || !strings.Contains(wrong[0], "payment 2 was acknowledged") {
		t.Error(wrong)
	}
}

// all returns an account and the payments in the ledger, which add up.
func (m *fit) all(payments ...string) func(func(txn.Pair) bool) {
	rows := []txn.Pair{{Key: m.account(0), Value: formatAmount(int64(5 * len(payments)))}}
	for _, p := range payments {
		rows = append(rows, txn.Pair{Key: rowKey(tableMix, 0, fitLedger+p), Value: []byte("0 5")})
	}
	return slices.Values(rows)
}

// A spike has payments alone.
func TestSpikesArePayments(t *testing.T) {
	m, c := newTestMix(t, "hotspots", MixConfig{Parts: 1, Keys: 1000}), seeded(3)
	c.Spike = true
	for range 100 {
		if j := m.Next(c); j.Class != "payment" {
			t.Fatal(j.Class)
		}
	}
}
