package workload

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"isochron/geo"
	"isochron/txn"
)

// all are the rows of a model database.
func (db *modelDB) all() iter.Seq[txn.Pair] {
	return func(yield func(txn.Pair) bool) {
		for k, row := range db.rows {
			if row.value != nil && !yield(txn.Pair{Key: k, Value: row.value}) {
				return
			}
		}
	}
}

// All conditions hold after a run, unless the database is broken.
func TestTPCCConditions(t *testing.T) {
	for _, f := range []flaw{sound, noValidation, torn} {
		m := newTestMix(t, "tpcc", MixConfig{Parts: 1, Warehouses: 1})
		db, committed := runMix(t, m, f, 17, 25)
		wrong := m.(Checked).Check(db.all())
		if (len(wrong) == 0) != (f == sound) {
			t.Errorf("flaw %d: %q", f, wrong)
		}
		for _, k := range tpccKinds {
			if committed[k.class] < 3 {
				t.Errorf("%d of %s committed", committed[k.class], k.class)
			}
		}
	}
}

// Each condition detects its own kind of damage.
func TestEachTPCCConditionCanFail(t *testing.T) {
	m := newTestMix(t, "tpcc", MixConfig{Parts: 2, Warehouses: 1}).(*tpcc)
	db, _ := runMix(t, m, sound, 19, 15)
	if wrong := m.Check(db.all()); wrong != nil {
		t.Fatal(wrong)
	}
	change := func(kind byte, column int, by int64) func(txn.Key, fields) fields {
		return func(k txn.Key, f fields) fields {
			if rowName(k)[0] == kind {
				f[column] += by
			}
			return f
		}
	}
	drop := func(kind byte) func(txn.Key, fields) fields {
		return func(k txn.Key, f fields) fields {
			if rowName(k)[0] == kind {
				return nil
			}
			return f
		}
	}
	for condition, damage := range map[string]func(txn.Key, fields) fields{
		"0": change('z', 0, 0), "1": change('w', 0, 1), "2": change('d', 0, 1), "3": drop('n'), "4": change('o', 2, 1), "5": drop('n'), "6": drop('l'), "7": change('l', 4, 1),
		"8": change('w', 0, 1), "9": change('d', 1, 1), "10": change('c', 0, 1), "11": change('c', 3, 1), "12": change('c', 1, 1),
	} {
		t.Run(condition, func(t *testing.T) { ruleHits(t, m, db, "condition "+condition+":", damage) })
	}
}

// ruleHits damages the first row that the damage changes and expects the condition to report it.
func ruleHits(t *testing.T, m *tpcc, db *modelDB, says string, damage func(txn.Key, fields) fields) {
	var rows []txn.Pair
	done := false
	keys := slices.SortedFunc(db.all(), func(a, b txn.Pair) int { return strings.Compare(string(a.Key), string(b.Key)) })
	for i, p := range keys {
		f := fields(parseList(p.Value))
		// A row in the middle of its kind, so that a gap is one.
		if middle := i > 0 && i+1 < len(keys) && rowName(keys[i-1].Key)[0] == rowName(p.Key)[0] && rowName(keys[i+1].Key)[0] == rowName(p.Key)[0]; !done && (middle || rowName(p.Key)[0] == 'w') {
			g := damage(p.Key, slices.Clone(f))
			done = !slices.Equal(f, g)
			f = g
		}
		if f != nil {
			rows = append(rows, txn.Pair{Key: p.Key, Value: f.encode()})
		}
	}
	if !done { // the absent row
		rows = append(rows, txn.Pair{Key: m.row('z', 1), Value: fields{1}.encode()})
	}
	wrong := m.Check(slices.Values(rows))
	if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, says) }) {
		t.Errorf("%s is not among %q", says, wrong)
	}
}

// A transaction takes the rounds its logic needs, and most rows are of the client's own warehouse,
// which is led from its region.
func TestTPCCRoundsAndHomes(t *testing.T) {
	m := newTestMix(t, "tpcc", MixConfig{Parts: 3, Warehouses: 2}).(*tpcc)
	d := Cluster([]geo.Region{"pr", "va", "wa"})
	Spread(d, 1)
	c := seeded(23)
	c.DB = newModelDB(d, sound) // in va
	homes := map[int]bool{}
	home, away := 0, 0
	for i := range 3000 {
		c.Process = 3 * i
		homes[m.home(c)] = true
		p, j := &probe{}, m.Next(c)
		if j.Class != "new-order" && j.Class != "payment" {
			continue
		}
		err := j.Body(t.Context(), p)
		if want := map[string]int{"new-order": 1, "payment": 2}[j.Class]; err != nil && err != errGiveUp || p.rounds > want {
			t.Fatalf("%s takes %d rounds: %v", j.Class, p.rounds, err)
		}
		for _, k := range p.gets {
			if _, n := numbers(rowName(k)); n[0] == m.home(c) {
				home++
			} else {
				away++
			}
		}
	}
	if share := float64(away) / float64(home+away); share < 0.005 || share > 0.05 {
		t.Errorf("%.4f of the rows are of other warehouses", share)
	}
	if len(homes) != 2 || !homes[2] || !homes[5] { // those of the second part
		t.Errorf("clients in va are at home in %v", homes)
	}
}

// Names of rows are read back, and sort as their numbers do.
func TestTPCCNames(t *testing.T) {
	m := &tpcc{parts: 3, warehouses: 6}
	kind, n := numbers(rowName(m.row('l', 5, 10, 99_999_999, 15)))
	if kind != 'l' || !slices.Equal(n, []int{5, 10, 99_999_999, 15}) {
		t.Errorf("%c %v", kind, n)
	}
	span := m.under('n', 2, 1)
	if !span.Contains(m.row('n', 2, 1, 1)) || span.Contains(m.row('n', 2, 10, 1)) || span.Contains(m.row('n', 2, 2, 1)) || m.row('n', 2, 1, 9) >= m.row('n', 2, 1, 10) {
		t.Error("the span of a district's orders is wrong")
	}
	for _, odd := range []string{"", "w", "w/x", "w/0000000x"} {
		if kind, n := numbers(odd); len(n) > 0 {
			t.Errorf("%q is read as %c %v", odd, kind, n)
		}
	}
}

// In Bonspiel's variant a new order reads the row of its warehouse, which it does not write; the
// conditions hold from an opening without orders, unless the database is broken.
func TestTPCCTaxed(t *testing.T) {
	cfg := MixConfig{Parts: 1, Warehouses: 1}
	for _, f := range []flaw{sound, noValidation} {
		m := newTestMix(t, "tpcc-bonspiel", cfg)
		db, _ := runMix(t, m, f, 17, 25)
		if wrong := m.(Checked).Check(db.all()); (len(wrong) == 0) != (f == sound) {
			t.Errorf("flaw %d: %q", f, wrong)
		}
	}
	m, c := newTestMix(t, "tpcc-bonspiel", cfg).(*tpcc), seeded(5)
	p := asked(t, m.newOrder(c))
	if w := m.row('w', 1); p.gets[0] != w || slices.Contains(p.puts, w) {
		t.Errorf("the transaction reads %q and writes %q", p.gets, p.puts)
	}
}
