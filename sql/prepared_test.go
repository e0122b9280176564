package sql

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// twins are two tables alike, with the same prepared statements on both. Those of the second run in transactions that are begun
// before them, and have the same plans as the first but for those of statements that are transactions of their own.
type twins struct {
	t     *testing.T
	f     *fixture
	sides [2]*client
}

const twinTable = `CREATE TABLE t (id INT PRIMARY KEY, k INT NOT NULL DEFAULT 0, small TINYINT UNSIGNED, big BIGINT,
	c CHAR(12) NOT NULL DEFAULT '', name VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, amount DECIMAL(10,2), at DATETIME, day DATE, f DOUBLE,
	KEY by_k (k), KEY by_name (name))`

func newTwins(t *testing.T) *twins {
	w := &twins{t: t, f: start(t)}
	for i := range w.sides {
		db := fmt.Sprintf("twin%d", i)
		first := w.f.connect(t, "va", "shop")
		first.exec("CREATE DATABASE " + db)
		w.sides[i] = w.f.connect(t, "va", db)
	}
	w.both(twinTable)
	for id := range 20 {
		w.both(fmt.Sprintf(`INSERT INTO t VALUES (%d, %d, %d, %d, 'c%d', '%s', %d.25, '2024-01-%02d 10:00:00', '2024-01-%02d', %d.5)`,
			id, id/3, id, id*1_000_000_000, id%5, []string{"Anna", "bob", "ÄNNA", "Zoe"}[id%4], id, id+1, id+1, id))
	}
	w.both("INSERT INTO t (id, k) VALUES (100, 1)")
	return w
}

// both does a statement on both sides by its text.
func (w *twins) both(query string) {
	w.t.Helper()
	for _, c := range w.sides {
		c.exec(query)
	}
}

// same executes a statement prepared on both sides with each of the values, twice
// over, and compares all that the client sees.
func (w *twins) same(query string, values ...[]any) {
	w.t.Helper()
	ctx := context.Background()
	var stmts [2]*sql.Stmt
	for i, c := range w.sides {
		s, err := c.conn.PrepareContext(ctx, query)
		if err != nil {
			w.t.Fatalf("%s: %v", query, err)
		}
		defer s.Close()
		stmts[i] = s
	}
	for range 2 {
		for _, args := range values {
			var seen [2]string
			for i, s := range stmts {
				w.begin(i)
				seen[i] = outcome(ctx, s, query, args) + "\n" + once(w.sides[i].query("SHOW WARNINGS")) + w.sides[i].query("SELECT ROW_COUNT(), LAST_INSERT_ID()")
				w.commit(i)
			}
			if seen[0] != strings.ReplaceAll(seen[1], "twin1", "twin0") {
				w.t.Errorf("%s with %v:\nalone: %s\nin a transaction: %s", query, args, seen[0], seen[1])
			}
			w.sameText(query, args)
		}
	}
}

func (w *twins) begin(side int) {
	if side == 1 {
		w.sides[1].exec("BEGIN")
	}
}

func (w *twins) commit(side int) {
	if side == 1 {
		w.sides[1].exec("COMMIT")
	}
}

// sameText does the same with the values in the text.
func (w *twins) sameText(query string, args []any) {
	w.t.Helper()
	for _, v := range args {
		query = strings.Replace(query, "?", inText(v), 1)
	}
	var seen [2]string
	for i, c := range w.sides {
		w.begin(i)
		seen[i] = textOutcome(c.conn, query) + "\n" + once(c.query("SHOW WARNINGS")) + c.query("SELECT ROW_COUNT(), LAST_INSERT_ID()")
		w.commit(i)
	}
	if seen[0] != strings.ReplaceAll(seen[1], "twin1", "twin0") {
		w.t.Errorf("%s:\nalone: %s\nin a transaction: %s", query, seen[0], seen[1])
	}
}

func inText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + v + "'"
	case []byte:
		return "'" + string(v) + "'"
	case time.Time:
		return v.Format("'2006-01-02 15:04:05'")
	}
	return fmt.Sprint(v)
}

func textOutcome(conn *sql.Conn, query string) string {
	ctx := context.Background()
	return outcomeOf(query,
		func() (sql.Result, error) { return conn.ExecContext(ctx, query) },
		func() (*sql.Rows, error) { return conn.QueryContext(ctx, query) })
}

// once is a list of warnings without repetitions: how many rows a filter looks at
// is not a part of the answer.
func once(warnings string) string {
	lines := strings.SplitAfter(warnings, "\n")
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

func outcome(ctx context.Context, s *sql.Stmt, query string, args []any) string {
	return outcomeOf(query,
		func() (sql.Result, error) { return s.ExecContext(ctx, args...) },
		func() (*sql.Rows, error) { return s.QueryContext(ctx, args...) })
}

// unsigned is how the core describes a sum with an unsigned number, which the engine takes for signed.
const unsigned = "UNSIGNED BIGINT"

func outcomeOf(query string, exec func() (sql.Result, error), read func() (*sql.Rows, error)) string {
	if !strings.HasPrefix(query, "SELECT") {
		res, err := exec()
		if err != nil {
			return wordsOf(err)
		}
		n, _ := res.RowsAffected()
		id, _ := res.LastInsertId()
		return fmt.Sprintf("affected %d, id %d", n, id)
	}
	rows, err := read()
	if err != nil {
		return wordsOf(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	kinds, _ := rows.ColumnTypes()
	out := ""
	for i, name := range names {
		out += fmt.Sprintf("%s %s; ", name, strings.Replace(kinds[i].DatabaseTypeName(), unsigned, "BIGINT", 1))
	}
	for rows.Next() {
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return err.Error()
		}
		out += "\n"
		for _, cell := range cells {
			out += fmt.Sprintf("%T(%s) ", *cell.(*any), *cell.(*any))
		}
	}
	return out + fmt.Sprint(rows.Err())
}

func wordsOf(err error) string {
	if e, ok := err.(*mysql.MySQLError); ok {
		return fmt.Sprintf("%d %s %s", e.Number, e.SQLState, e.Message)
	}
	return err.Error()
}

func args(list ...any) [][]any {
	var out [][]any
	for _, v := range list {
		out = append(out, []any{v})
	}
	return out
}

func TestQueriesAnswerTheSameInATransaction(t *testing.T) {
	w := newTwins(t)
	keys := args(3, 4, int64(1)<<40, -1, "5", "5x", "x", nil, 2.0, 2.5, uint64(6), "200", 127, 300, time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), true, []byte("7"))
	before := w.f.cachedRuns()
	w.same("SELECT * FROM t WHERE id = ?", keys...)
	if w.f.cachedRuns() == before {
		t.Error("no execution went by a cached plan")
	}
	before = w.f.cachedRuns()
	for id := range 4 {
		w.sameText("SELECT c FROM t WHERE id = ? AND k < 100", []any{id})
	}
	if n := w.f.cachedRuns() - before; n != 16 {
		t.Errorf("of four texts that differ in a value, sent on both sides, %d went by a plan that was kept; want all, with as many questions about the session", n)
	}
	for _, q := range []string{
		"SELECT id, small, big FROM t WHERE small = ?", "SELECT id FROM t WHERE big >= ? ORDER BY id", "SELECT id, c FROM t WHERE k = ? ORDER BY c",
		"SELECT id FROM t WHERE id > ? ORDER BY id LIMIT 3", "SELECT id FROM t WHERE id < ? ORDER BY id DESC LIMIT 2",
		"SELECT SUM(k), COUNT(*), MIN(c), MAX(amount), AVG(k) FROM t WHERE id >= ?", "SELECT DISTINCT c FROM t WHERE id <= ? ORDER BY c",
		"SELECT id FROM t WHERE ? = id", "SELECT id FROM t WHERE id = ? FOR UPDATE", "SELECT id FROM t WHERE id = ? LOCK IN SHARE MODE",
		"SELECT id FROM t WHERE amount = ?", "SELECT id FROM t WHERE id IN (1, ?)", "SELECT id + ? FROM t WHERE id = 3",
		"SELECT id FROM t WHERE at = ?", "SELECT id FROM t WHERE day = ?", "SELECT id FROM t WHERE f = ?", "SELECT id FROM t WHERE id = ? AND k = 1 OR id = 9",
		"SELECT id FROM t WHERE id = ? AND id = 3", "SELECT id FROM t WHERE NOT id = ? AND k < 2",
	} {
		w.same(q, keys...)
	}
	for _, q := range []string{
		"SELECT id, name FROM t WHERE name = ?", "SELECT id FROM t WHERE name >= ?", "SELECT id FROM t WHERE c = ?",
		"SELECT id FROM t WHERE name LIKE ?", "SELECT id FROM t WHERE at >= ?", "SELECT id FROM t WHERE day = ?",
	} {
		w.same(q, args("anna", "ANNA", "änna", "bob", "c1", "c1 ", "", nil, "2024-01-05", "2024-01-05 10:00:00", "no date", strings.Repeat("x", 40), 5)...)
	}
	w.same("SELECT id FROM t WHERE id > 4 LIMIT ?", args(1, 3, 0, 2)...)
	w.same("SELECT id FROM t WHERE id BETWEEN ? AND ?", []any{3, 6}, []any{6, 3}, []any{4, 4}, []any{nil, 4}, []any{"2", "5"}, []any{-5, int64(1) << 40})
	w.same("SELECT id FROM t WHERE k = ? AND id = ?", []any{1, 3}, []any{1, 1}, []any{3, 1}, []any{nil, nil})
}

// A change that is a transaction of its own does what it does in a transaction, where it has another plan.
func TestChangesDoTheSameInATransaction(t *testing.T) {
	w := newTwins(t)
	all := "SELECT * FROM t WHERE id >= ?"
	values := args(1, 2, -1, 300, "4", "x", nil, 2.5, "12345678901234567890", strings.Repeat("y", 30), 200, int64(1)<<40)
	for _, q := range []string{
		"UPDATE t SET k = k + 1 WHERE id = ?", "UPDATE t SET k = ? WHERE id = 3", "UPDATE t SET k = k + ? WHERE id = 4", "UPDATE t SET small = ? WHERE id = 5",
		"UPDATE t SET c = ? WHERE id = 6", "UPDATE t SET amount = amount + ? WHERE id = 7", "UPDATE t SET amount = ? WHERE id = 8",
		"UPDATE t SET id = ? WHERE id = 9", "UPDATE t SET day = ? WHERE id = 10", "UPDATE t SET f = f - ? WHERE id = 11", "DELETE FROM t WHERE id = ?",
		"UPDATE t SET c = 'q' WHERE k > ? AND k < 5", "INSERT INTO t (id, c) VALUES (?, 'new')", "INSERT INTO t (id, k) VALUES (50, ?)",
		"INSERT IGNORE INTO t (id, c) VALUES (?, 'ign')", "REPLACE INTO t (id, c) VALUES (?, 'rep')",
		"INSERT INTO t (id, c) VALUES (?, 'o') ON DUPLICATE KEY UPDATE k = k + 1", "DELETE FROM t WHERE k = ?",
	} {
		w.same(q, values...)
		w.same(all, args(-1000)...)
	}
	if w.f.pointUpdates() < 10 {
		t.Errorf("%d updates were done in one go", w.f.pointUpdates())
	}
	w.both("CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(5) NOT NULL, n INT DEFAULT 7)")
	w.same("INSERT INTO a (v) VALUES (?)", args("a", "b", nil, "toolong", 5, "c")...)
	w.same("INSERT INTO a (id, v) VALUES (?, 'x')", args(40, 41, 0, nil, 41, 60, "70", -3)...)
	w.same("SELECT * FROM a WHERE id > ?", args(-100)...)
	w.both("CREATE TABLE b (id INT PRIMARY KEY, v VARCHAR(5) NOT NULL, n INT)")
	before := w.f.cachedRuns()
	w.same("INSERT INTO b (id, v) VALUES (?, 'x')", args(1, 2, 2, 3, nil, "4", "y", int64(1)<<40)...)
	w.same("INSERT INTO b (id) VALUES (?)", args(10, 11)...) // v has no default
	w.same("INSERT INTO b VALUES (20, ?, 5)", args("a", nil, "toolong")...)
	if n := w.f.cachedRuns() - before; n < 3 {
		t.Errorf("%d insertions had a cached plan", n)
	}
	w.same("SELECT * FROM b WHERE id > ?", args(-100)...)
}

func TestCachedPlansFollowTheSession(t *testing.T) {
	w := newTwins(t)
	ctx := context.Background()
	q := "SELECT * FROM t WHERE id = ?"
	var stmts [2]*sql.Stmt
	for i, c := range w.sides {
		stmts[i], _ = c.conn.PrepareContext(ctx, q)
		defer stmts[i].Close()
	}
	same := func(when string) {
		t.Helper()
		for range 3 {
			a, b := outcome(ctx, stmts[0], q, []any{3}), outcome(ctx, stmts[1], q, []any{3})
			if a != strings.ReplaceAll(b, "twin1", "twin0") {
				t.Errorf("%s:\nalone: %s\nin a transaction: %s", when, a, b)
			}
		}
	}
	for _, step := range []string{
		"SELECT 1", "ALTER TABLE t ADD COLUMN extra INT DEFAULT 9", "ALTER TABLE t DROP COLUMN extra", "ALTER TABLE t MODIFY COLUMN k BIGINT",
		"DROP TABLE t", "CREATE TABLE t (id VARCHAR(5) PRIMARY KEY, z INT)", "INSERT INTO t VALUES ('3', 5), ('03', 6)",
		"SET autocommit = 0", "UPDATE t SET z = 8", "ROLLBACK", "SET autocommit = 1", "BEGIN", "UPDATE t SET z = 9", "COMMIT",
		"START TRANSACTION READ ONLY", "COMMIT", "SET sql_mode = 'ANSI_QUOTES'", "SET sql_select_limit = 1",
	} {
		w.both(step)
		same("after " + step)
	}
}

func TestUpdatesInOneGoDoTheSameInATransaction(t *testing.T) {
	w := newTwins(t)
	w.both("CREATE TABLE u (id INT, part BIGINT UNSIGNED, n INT, small TINYINT UNSIGNED, big BIGINT, name VARCHAR(20) COLLATE utf8mb4_0900_ai_ci NOT NULL, raw VARBINARY(9), once INT, PRIMARY KEY (part, id), UNIQUE KEY one (once), KEY by_name (name, n))")
	w.both("INSERT INTO u VALUES (1, 7, 2147483640, 250, 9223372036854775800, 'Anna', 'x', 1), (2, 7, NULL, 3, -9223372036854775800, 'bob', 'y', 2), (-3, 18446744073709551615, 5, 0, 0, '', NULL, 3)")
	numbers := args(1, 0, 5, -5, 7, 250, -250, int64(1)<<40, uint64(1)<<63, nil, "3", "x", 2.5, true)
	texts := args("Anna", "ANNA", "änna", "anna ", "bob", "", nil, 5, strings.Repeat("long ", 5))
	for _, q := range []string{
		"UPDATE u SET n = n + ? WHERE id = 1 AND part = 7", "UPDATE u SET n = n - ? WHERE part = 7 AND id = 2", "UPDATE u SET small = small - ? WHERE part = 7 AND id = 2",
		"UPDATE u SET small = small + ? WHERE part = 7 AND id = 1", "UPDATE u SET big = big + ? WHERE part = 7 AND id = 1", "UPDATE u SET big = big - ? WHERE part = 7 AND id = 2",
		"UPDATE u SET big = n + ?, n = big - 1 WHERE part = 7 AND id = 1", "UPDATE u SET n = ? WHERE part = 18446744073709551615 AND id = -3", "UPDATE u SET once = ? WHERE part = 7 AND id = 1",
		"UPDATE u SET n = 4 WHERE id = ? AND part = 7", "UPDATE u SET n = 5 WHERE id = 1 AND part = 7 AND id = ?", "UPDATE u SET id = ? WHERE id = 2 AND part = 7",
		"UPDATE u SET n = 6 WHERE id = 1 AND part = 7 AND n > ?", "UPDATE u SET n = ? WHERE part = 7 AND id = 1 LIMIT 1", "UPDATE u SET n = ? + n WHERE part = 7 AND id = 1",
	} {
		w.same(q, numbers...)
		w.same("SELECT * FROM u WHERE id > ?", args(-100)...)
	}
	for _, q := range []string{"UPDATE u SET name = ? WHERE part = 7 AND id = 1", "UPDATE u SET raw = ? WHERE part = 7 AND id = 1", "UPDATE u SET name = ?, n = n + 1 WHERE part = 7 AND id = 3"} {
		w.same(q, texts...)
		w.same("SELECT * FROM u WHERE name >= ?", args("")...) // by its index
	}
	if n := w.f.pointUpdates(); n < 50 {
		t.Errorf("%d updates were done in one go", n)
	}
}

// pointUpdates is how many updates were read, changed and committed in one request so far.
func (f *fixture) pointUpdates() int64 {
	n := int64(0)
	for _, s := range f.servers { // order: a sum
		n += s.gateway.pointUpdates.Load()
	}
	return n
}

// cachedRuns is how many executions went by a cached plan so far.
func (f *fixture) cachedRuns() int64 {
	n := int64(0)
	for _, s := range f.servers { // order: a sum
		n += s.gateway.cached.Load()
	}
	return n
}
