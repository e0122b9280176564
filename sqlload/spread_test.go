package sqlload

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/history"
)

// Transactions at one source are at the configured one, and no others.
func TestSpreadDrawsCentral(t *testing.T) {
	s := newSpread(Options{Rows: 4000, Distributed: 20, Theta: 0.9, CentralAt: 2})
	if err := s.begin(5); err != nil {
		t.Fatal(err)
	}
	r, elsewhere := chance(), 0
	for range 1000 {
		keys, kind := s.draw(r, 5)
		at := keys[0] / 1000
		if kind == kindLocal && (at != 1 || keys[4]/1000 != 1) {
			t.Fatalf("%v are not all at the second source", keys)
		}
		if kind == kindDistributed && at != 1 {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Error("transactions at several sources never began elsewhere")
	}
	if s = newSpread(Options{Rows: 4000, CentralAt: 5}); s.begin(5) == nil {
		t.Error("the fifth of four sources was taken")
	}
}

// The rows of a transaction are at as many sources as its kind requires, in ascending order and
// without duplicates; the share of those with several is the configured one, and every source is
// used.
func TestSpreadDraws(t *testing.T) {
	const n = 20_000
	for _, theta := range []float64{0.3, 0.9, 1.5} {
		s := newSpread(Options{Rows: 4000, Distributed: 20, Span: 2, Theta: theta})
		if err := s.begin(5); err != nil {
			t.Fatal(err)
		}
		r, distributed, first := chance(), 0, 0
		used := make([]int, s.sources)
		for range n {
			keys, kind := s.draw(r, 5)
			at := map[int64]bool{}
			for _, k := range keys {
				if k < 0 || k >= 4000 {
					t.Fatalf("drew %d of 4000", k)
				}
				at[k/1000] = true
				used[k/1000]++
			}
			if len(keys) != 5 || !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != 5 {
				t.Fatalf("drew %v", keys)
			}
			if want := map[string]int{kindLocal: 1, kindDistributed: 2}[kind]; len(at) != want {
				t.Fatalf("%s: %v are at %d sources, want %d", kind, keys, len(at), want)
			}
			if kind == kindDistributed {
				distributed++
			}
			if slices.ContainsFunc(keys, func(k int64) bool { return k%1000 == 0 }) {
				first++
			}
		}
		if distributed < n*19/100 || distributed > n*21/100 {
			t.Errorf("%d of %d are distributed, want a fifth", distributed, n)
		}
		if slices.Min(used) < n || slices.Max(used) > n*3/2 {
			t.Errorf("sources are used %v times", used)
		}
		// The most popular row of its source: seldom, often, nearly always.
		if low, high := map[float64]int{0.3: 0, 0.9: 25, 1.5: 85}[theta], map[float64]int{0.3: 5, 0.9: 60, 1.5: 101}[theta]; first*100 < n*low || first*100 > n*high {
			t.Errorf("theta %v: %d of %d have the first row of a source", theta, first, n)
		}
	}
}

// The hottest of n keys at a skew above 1 is drawn 1/zeta of the time, and none is beyond the last.
func TestZipfAboveOne(t *testing.T) {
	const n, draws = 1000, 100_000
	z, r := newZipf(n, 1.5), chance()
	hottest := 0
	for range draws {
		k := z.draw(r)
		if k >= n {
			t.Fatalf("drew %d of %d", k, n)
		}
		if k == 0 {
			hottest++
		}
	}
	if share := float64(hottest) / draws * z.zeta; share < 0.97 || share > 1.03 {
		t.Errorf("the first is drawn %.2f times as often as it should be", share)
	}
}

// Impossible loads are refused before they begin.
func TestSpreadRefuses(t *testing.T) {
	for want, o := range map[string]Options{
		"too few":      {Rows: 19, Sources: 4},
		"at 5 of 4":    {Span: 5},
		"at 1 of 4":    {Span: 1},
		"at 2 of 1":    {Sources: 1},
		"101 of a hun": {Distributed: 101},
	} {
		s := newSpread(o)
		if err := s.begin(5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, fine := range []Options{{Sources: 1, Distributed: NoneDistributed}, {Span: 4}} {
		s := newSpread(fine)
		if err := s.begin(5); err != nil {
			t.Errorf("%+v: %v", fine, err)
		}
	}
}

// listener is a server that records the statements it receives; each read has one row, each update
// changes one.
type listener struct{ got *[]string }

func (l listener) Connect(context.Context) (driver.Conn, error) { return l, nil }
func (listener) Driver() driver.Driver                          { return nil }
func (listener) Prepare(string) (driver.Stmt, error)            { return nil, errors.New("no statements here") }
func (listener) Close() error                                   { return nil }
func (l listener) Begin() (driver.Tx, error)                    { *l.got = append(*l.got, "BEGIN"); return l, nil }
func (l listener) Commit() error                                { *l.got = append(*l.got, "COMMIT"); return nil }
func (listener) Rollback() error                                { return nil }

func (l listener) ExecContext(_ context.Context, text string, _ []driver.NamedValue) (driver.Result, error) {
	*l.got = append(*l.got, text)
	return driver.RowsAffected(1), nil
}

func (l listener) QueryContext(_ context.Context, text string, _ []driver.NamedValue) (driver.Rows, error) {
	*l.got = append(*l.got, text)
	n := strings.Count(text, "SELECT")
	return &someRows{results: n, left: min(n, 1)}, nil
}

// someRows are so many results of one row each.
type someRows struct{ results, left int }

func (*someRows) Columns() []string        { return []string{"a"} }
func (*someRows) Close() error             { return nil }
func (r *someRows) HasNextResultSet() bool { return r.results > 1 }
func (r *someRows) NextResultSet() error   { r.results--; r.left = 1; return nil }
func (r *someRows) Next([]driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	return nil
}

// Statements are sent one by one or in one message; only the last is marked, and only reads lock.
func TestSpreadSends(t *testing.T) {
	list := []statement{{text: "SELECT 1"}, {text: "UPDATE 2", write: true}, {text: "SELECT 3"}}
	writes := []statement{{text: "UPDATE 1", write: true}, {text: "UPDATE 2", write: true}}
	for _, c := range []struct {
		o    Options
		list []statement
		want string
	}{
		{Options{}, list, "BEGIN|SELECT 1|UPDATE 2|SELECT 3|COMMIT"},
		{Options{ReadLock: " FOR SHARE", Hint: true}, list, "BEGIN|SELECT 1 FOR SHARE|UPDATE 2|/*+ last */ SELECT 3 FOR SHARE|COMMIT"},
		{Options{Packet: true, Hint: true}, list, "BEGIN|SELECT 1; UPDATE 2; /*+ last */ SELECT 3|COMMIT"},
		{Options{Packet: true}, writes, "BEGIN|UPDATE 1; UPDATE 2|COMMIT"},
	} {
		var got []string
		db := sql.OpenDB(listener{&got})
		s := newSpread(c.o)
		v, _, err := try(context.Background(), db, func(ctx context.Context, tx *sql.Tx) error { return s.run(ctx, tx, slices.Clone(c.list)) })
		if text := strings.Join(got, "|"); v != committed || text != c.want {
			t.Errorf("%+v: %d, %v, sent %s, want %s", c.o, v, err, text, c.want)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []Options{{}, {Packet: true}} { // a read of a row that is not there
		var got []string
		s := newSpread(bad)
		db := sql.OpenDB(listener{&got})
		v, _, err := try(context.Background(), db, func(ctx context.Context, tx *sql.Tx) error {
			return s.run(ctx, tx, []statement{{text: "nothing"}, {text: "nothing"}})
		})
		if v != broken || !strings.Contains(err.Error(), "rows were received") {
			t.Errorf("%+v: %d, %v", bad, v, err)
		}
		_ = db.Close()
	}
}

// A client's transaction of either load has as many statements as it should, at two rows at least,
// and half of YCSB's are updates.
func TestSpreadClients(t *testing.T) {
	var updates, all int
	for _, name := range []string{"transfer", "ycsb-txn"} {
		w, err := New(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		client, err := w.Client(nil, 0, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			var got []string
			db := sql.OpenDB(listener{&got})
			if v, _, err := try(context.Background(), db, client.Next().Body); v != committed {
				t.Fatalf("%s: %v", name, err)
			}
			if want := map[string]int{"transfer": 4, "ycsb-txn": 7}[name]; len(got) != want {
				t.Fatalf("%s sent %v", name, got)
			}
			for _, text := range got {
				if name == "ycsb-txn" && strings.HasPrefix(text, "UPDATE") {
					updates++
				}
			}
			all++
			_ = db.Close()
		}
	}
	if updates < 2300 || updates > 2700 {
		t.Errorf("%d of 5000 operations are updates", updates)
	}
}

// A changed sum of money, half a transfer, and a missing acknowledged one are found.
func TestTransferCheck(t *testing.T) {
	w := newTransfer(Options{Rows: 10}).(*transfer)
	w.before = 100
	for _, o := range []history.Outcome{history.OK, history.OK, history.Unknown, history.Fail} {
		w.receive(o)
	}
	for _, c := range []struct {
		sums movedSums
		want string
	}{
		{movedSums{10, 10_000, 204}, ""},
		{movedSums{10, 10_000, 206}, ""},
		{movedSums{10, 10_000, 202}, "1 transfers were made"},
		{movedSums{10, 10_000, 208}, "4 transfers were made"},
		{movedSums{10, 10_000, 205}, "every transfer changes two"},
		{movedSums{10, 10_001, 204}, "add up to 10001"},
		{movedSums{9, 10_000, 204}, "9 accounts"},
	} {
		found := strings.Join(w.judge(c.sums, true), "; ")
		if (c.want == "") != (found == "") || c.want != "" && !strings.Contains(found, c.want) {
			t.Errorf("%+v: found %q, want %q", c.sums, found, c.want)
		}
	}
}

func TestYCSBTxnCheck(t *testing.T) {
	y := newYCSBTxn(Options{Rows: 2}).(*ycsbTxn)
	sums := slices.Repeat([]int64{2 * ycsbFieldBytes}, ycsbFields+1)
	sums[0] = 2
	if found := y.judge(sums); len(found) != 0 {
		t.Error(found)
	}
	sums[3]--
	if found := y.judge(sums); len(found) != 1 || !strings.Contains(found[0], "field2") {
		t.Error(found)
	}
	if sums[0] = 1; !strings.Contains(y.judge(sums)[0], "1 records") {
		t.Error(y.judge(sums))
	}
}

// Errors that a middleware passes on from PostgreSQL have no number, and a SQLSTATE.
func TestJudgeByState(t *testing.T) {
	for state, want := range map[string]verdict{"40001": lost, "40P01": lost, "55P03": lost, "42601": broken, "HY000": broken} {
		err := &mysql.MySQLError{}
		copy(err.SQLState[:], state)
		if got := judge(err, false); got != want {
			t.Errorf("%s: %d, want %d", state, got, want)
		}
	}
}
