package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
)

// hostileArguments are what functions are given that nobody thought of.
var hostileArguments = []string{
	"NULL", "0", "-1", "1", "2147483648", "-9223372036854775808", "18446744073709551615", "1e308", "-1e308", "1e-308", "0.1", "123456789012345678901234567890.123456789",
	"''", "'a'", "'0'", "'-1'", "'2020-01-01'", "'2020-01-01 10:00:00.123456'", "'0000-00-00'", "'10:00:00'", "'-838:59:59'", "'ä€𝄞'", "'[1, {\"a\": [null]}]'", "'$.a'", "'$**.a'", "'%Y %W %f'", "'POINT(1 1)'", "'GEOMETRYCOLLECTION()'",
	"x''", "x'00'", "x'ff'", "x'0107000000ffffffff'", "x'000000000107000000ffffffff'", "b'1'", "true", "interval 1 day", "(SELECT 1)", "(SELECT v FROM z LIMIT 1)", "v", "i", "d", "j", "t",
	"now()", "current_date", "repeat('a', 1000)", "repeat('a', 2000000000)", "space(1000)", "cast('[]' AS json)", "cast(1 AS decimal(65, 30))", "@u", "@@version", "point(1, 1)", "st_geomfromtext('LINESTRING(1 1, 2 2)')", "uuid()", "rand()", "row(1, 2)", "(1, 2)", "*", "DISTINCT 1", "1 AS x", "date '2020-01-01'", "timestamp '2020-01-01 00:00:00'", "a.b.c",
}

// fuzzed is a server and a connection to it that must live.
type fuzzed struct {
	pool *sql.DB
	conn *sql.Conn
	id   int
}

func startFuzzed(t testing.TB) *fuzzed {
	t.Helper()
	s, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Memory: Memory{Statements: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Logger = "tcp", s.Addr().String(), "root", &mysql.NopLogger{}
	pool, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	f := &fuzzed{pool: pool}
	if f.conn, err = pool.Conn(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.conn.Close(); pool.Close() })
	for _, q := range []string{
		"CREATE DATABASE z", "USE z", "CREATE TABLE z (v VARCHAR(40) PRIMARY KEY, i INT, d DATETIME, j JSON, t TIME)",
		`INSERT INTO z VALUES ('a', 1, '2020-01-01', '{"a": [1]}', '10:00:00'), ('b', NULL, NULL, NULL, NULL)`, "SET @u = 'x'",
	} {
		if _, err := f.conn.ExecContext(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&f.id); err != nil {
		t.Fatal(err)
	}
	return f
}

// try does a statement that may fail, but in words, and not with the connection.
func (f *fuzzed) try(t testing.TB, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // only so that a hang ends as a failure
	defer cancel()
	began := time.Now()
	defer func() {
		if d := time.Since(began); d > 2*time.Second {
			t.Logf("%.200s takes %s", query, d)
		}
	}()
	rows, err := f.conn.QueryContext(ctx, query)
	if err == nil {
		for rows.Next() { // the error is asked for below
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	var said *mysql.MySQLError
	if errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%.300s ends the connection: %v", query, err)
	}
	if errors.As(err, &said) { // others are of the driver, at values of another type than was said
		for _, trace := range []string{"goroutine ", ".go:", "runtime error", "interface conversion", "panic"} {
			if strings.Contains(said.Message, trace) && !strings.Contains(query, trace) {
				t.Errorf("%.300s shows the engine's insides: %.300s", query, said.Message)
			}
		}
	}
}

// lives reports whether the connection is still the same.
func (f *fuzzed) lives(t testing.TB, after string) {
	t.Helper()
	var id int
	if err := f.conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil || id != f.id {
		t.Fatalf("after %.300s the connection %d is %d (%v)", after, f.id, id, err)
	}
}

// call is a statement that calls a function, of which and how numbers say.
func call(names []string, name, form byte, more uint16, arguments []byte) string {
	args := make([]string, 0, len(arguments))
	for _, a := range arguments[:min(len(arguments), 6)] {
		args = append(args, hostileArguments[int(a)%len(hostileArguments)])
	}
	f := names[(int(name)<<8|int(more)&0xff)%len(names)] + "(" + strings.Join(args, ", ") + ")"
	switch form % 6 {
	case 1:
		return "SELECT v, " + f + " FROM z GROUP BY v"
	case 2:
		return "SELECT " + f + " OVER (ORDER BY v) FROM z"
	case 3:
		return "SELECT v FROM z WHERE " + f + " ORDER BY " + f
	case 4:
		return "SELECT 1 + " + f
	case 5:
		return "SELECT json_array(" + f + "), concat(" + f + ") FROM z"
	}
	return "SELECT " + f + " FROM z"
}

func sortedCatalogue() []string {
	names := catalogue()
	names = append(names, "version", "get_lock", "is_free_lock", "is_used_lock", "release_all_locks", "release_lock")
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "sleep" || n == "get_lock" })
}

// Every function with every hostile argument: none ends the connection, none shows a
// trace.
func TestEveryFunctionWithHostileArguments(t *testing.T) {
	f := startFuzzed(t)
	names := sortedCatalogue()
	began, calls := time.Now(), 0
	for i, name := range names {
		for j, arg := range hostileArguments {
			if os.Getenv("HOSTILE_ALL") == "" && (i+j)%8 != 0 {
				continue // all of them take minutes
			}
			other := hostileArguments[(i*7+j*3)%len(hostileArguments)]
			for _, query := range []string{"SELECT " + name + "(" + arg + ") FROM z", "SELECT " + name + "(" + other + ", " + arg + ") FROM z", "SELECT " + name + "(v, " + arg + ", " + other + ") FROM z"} {
				f.try(t, query)
				calls++
			}
		}
		f.lives(t, name)
	}
	t.Logf("%d calls of %d functions in %s", calls, len(names), time.Since(began))
}

// FuzzFunctions calls all functions with hostile arguments.
func FuzzFunctions(f *testing.F) {
	names := sortedCatalogue()
	for i := range names {
		f.Add(byte(i>>8), byte(i), uint16(i), []byte{byte(i), byte(i * 3), byte(i * 7)})
	}
	db := startFuzzed(f)
	f.Fuzz(func(t *testing.T, name, form byte, more uint16, arguments []byte) {
		query := call(names, name, form, more, arguments)
		db.try(t, query)
		db.lives(t, query)
	})
}

// FuzzStatements sends whatever text: the connection lives, and the depth is bounded.
func FuzzStatements(f *testing.F) {
	for _, query := range panicking {
		f.Add(query)
	}
	for _, query := range deepStatements(40) {
		f.Add(query)
	}
	db := startFuzzed(f)
	f.Fuzz(func(t *testing.T, query string) {
		lower := strings.ToLower(query)
		for _, word := range []string{"sleep", "get_lock", "kill", "use", "set", "drop", "shutdown"} {
			if strings.Contains(lower, word) {
				t.Skip("it would end or change the connection, or wait")
			}
		}
		db.try(t, query)
		db.lives(t, query)
	})
}
