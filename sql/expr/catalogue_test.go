package expr

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/server/sourcedb/sourcetest"
)

var (
	yardstickSocket = flag.String("yardstick", "", "the socket of a running MariaDB 10.11 with time zone +00:00, instead of starting one")
	differencesFile = flag.String("differences", "", "write what differs from MariaDB into this file: family, call, own value, MariaDB's value")
	catalogueFamily = flag.String("family", "", "only this family of the catalogue")
)

// mostWrong bounds, by family, the calls of the catalogue that are not computed here, or differ from MariaDB without a
// reason in byDesign.
var mostWrong = map[string]int{
	"operators":                  59,
	"flow control":               1,
	"numeric":                    0,
	"date and time":              0,
	"strings":                    1,
	"casts":                      1,
	"bits":                       0,
	"encryption and compression": 2,
	"information":                0,
	"JSON":                       10,
	"miscellaneous":              3,
	"locks":                      5,
	"XML":                        0,
	"performance schema":         0,
}

// difference is a group of calls for which MariaDB is not MySQL 8.
type difference struct {
	call, got, reason string // regular expressions, "" matches all; and the manual's rule
}

// byDesign are the differences; each family's test adds its own.
var byDesign []difference

// defaultMode is MySQL 8's default sql_mode.
const defaultMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

// catalogued is an entry of the catalogue of MySQL 8's functions.
type catalogued struct {
	family   string
	free     bool   // its value is not compared
	expected string // MySQL 8's value, where MariaDB has none; "*": unknown
	calls    []string
}

var (
	catalogueArguments = []string{
		"0", "-3", "18446744073709551615", "-9223372036854775808", "12.345", "-0.5", "1.5e3", "'abc'", "'12abc'", "''", "' 7 '",
		"NULL", "DATE'2024-02-29'", "TIMESTAMP'2024-02-29 10:11:12.5'", "TIME'-10:11:12'", "0x6162", "TRUE", "'ÄB c'", "'2024-02-30'",
		"'0000-00-00'", "'[1, {\"a\": 2}]'", "99999999999999999999.5",
	}
	catalogueHole = regexp.MustCompile(`\{((?:[^{}]|\{[^{}]*\})*)\}`)
)

// catalogue reads the functions of test/differential: each argument of a call is replaced in turn by a literal of each kind.
func catalogue(t *testing.T) (out []catalogued) {
	text, err := os.ReadFile("../../test/differential/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	family := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "family "); ok {
			family = rest
			continue
		}
		_, call, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		f := catalogued{family: family}
		call, f.expected, _ = strings.Cut(call, " => ")
		call, f.free = strings.CutPrefix(call, "~")
		if f.expected != "" || f.free {
			f.calls = []string{call}
		} else {
			f.calls = filled(call)
		}
		out = append(out, f)
	}
	return out
}

func filled(call string) []string {
	marks := catalogueHole.FindAllStringSubmatchIndex(call, -1)
	fill := func(which int, with string) string {
		var b strings.Builder
		at := 0
		for i, m := range marks {
			b.WriteString(call[at:m[0]])
			if i == which {
				b.WriteString(with)
			} else {
				b.WriteString(call[m[2]:m[3]])
			}
			at = m[1]
		}
		return b.String() + call[at:]
	}
	out := []string{fill(-1, "")}
	for i := range marks {
		for _, a := range catalogueArguments {
			out = append(out, fill(i, a))
		}
	}
	return out
}

// outcome is the value of an expression, or its error.
type outcome struct {
	absent bool // there is no such function
	failed bool
	text   string // "NULL", or the error
	class  string // of its type
}

func (o outcome) String() string {
	if o.failed {
		return "error " + o.text
	}
	return o.text
}

// own is the value that this package computes.
func own(text string) outcome {
	c := testContext()
	if strings.HasPrefix(text, "SLEEP(") || strings.HasPrefix(text, "BENCHMARK(") { // they end with it
		done, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		c.Done = done
	}
	e, err := environment.Parser().ParseExpr(text)
	if err != nil {
		return outcome{absent: true, failed: true, text: "the parser refuses it"}
	}
	p, err := Compile(c, Columns{}, e)
	if err != nil {
		return outcome{absent: unsupported(err), failed: true, text: err.Error()}
	}
	p.Begin(c)
	out, err := p.Run(nil, nil)
	if err != nil {
		return outcome{failed: true, text: err.Error()}
	}
	typ := p.Type(0)
	o := outcome{text: "NULL", class: class(typ.Type().String())}
	if !out[0].IsNull() {
		v := Display(out[0], typ)
		o.text = v.ToString()
	}
	return o
}

// class groups types by what a client sees.
func class(name string) string {
	n := strings.ToUpper(name)
	switch {
	case n == "NULL_TYPE" || n == "NULL":
		return "null"
	case strings.Contains(n, "TIMESTAMP") || strings.HasPrefix(n, "DATETIME"):
		return "datetime"
	case n == "DATE", n == "TIME", n == "YEAR", n == "JSON", n == "BIT":
		return strings.ToLower(n)
	case strings.Contains(n, "INT"):
		return "int"
	case strings.HasPrefix(n, "FLOAT"), n == "DOUBLE":
		return "float"
	case n == "DECIMAL":
		return "decimal"
	}
	return "string"
}

// mariadb is a connection to a MariaDB; the test is skipped where there is none.
func mariadb(t testing.TB) *sql.Conn {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Logger, cfg.Collation = "root", &mysql.NopLogger{}, "utf8mb4_general_ci"
	cfg.Params = map[string]string{"sql_mode": "'" + defaultMode + "'", "max_statement_time": "0.3", "time_zone": "'+00:00'", "timestamp": "1709201472.5"}
	if *yardstickSocket != "" {
		cfg.Net, cfg.Addr = "unix", *yardstickSocket
	} else {
		s, err := sourcetest.MariaDB("--max-allowed-packet=1M", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", "--default-time-zone=+00:00")
		if err != nil {
			if os.Getenv("ISOCHRON_NEED_SOURCES") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		t.Cleanup(s.Close)
		cfg.Net, cfg.Addr = "tcp", s.Addr()
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// measured is MariaDB's value of an expression.
func measured(conn *sql.Conn, text string) outcome {
	rows, err := conn.QueryContext(context.Background(), "SELECT "+text)
	if err == nil {
		defer rows.Close()
		var types []*sql.ColumnType
		if types, err = rows.ColumnTypes(); err == nil && rows.Next() {
			var v sql.NullString
			if err = rows.Scan(&v); err == nil {
				o := outcome{text: "NULL", class: class(types[0].DatabaseTypeName())}
				if v.Valid {
					o.text = v.String
				}
				return o
			}
		}
		if err == nil {
			err = rows.Err()
		}
	}
	m, ok := err.(*mysql.MySQLError)
	if !ok {
		return outcome{failed: true, text: fmt.Sprint(err)}
	}
	return outcome{failed: true, absent: m.Number == 1305 || m.Number == 1064 || m.Number == 1128, text: m.Error()}
}

// sameAlso are further comparisons of texts, which families add.
var sameAlso []func(own, measured string) bool

// sameValue allows the last digit of a floating-point number.
func sameValue(a, b outcome) bool {
	if a.failed || b.failed {
		return a.failed && b.failed
	}
	if a.text == b.text {
		return true
	}
	for _, same := range sameAlso {
		if same(a.text, b.text) {
			return true
		}
	}
	if b.class != "float" {
		return false
	}
	x, errX := strconv.ParseFloat(a.text, 64)
	y, errY := strconv.ParseFloat(b.text, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-14*math.Abs(x)
}

// familyCount counts the calls of a family.
type familyCount struct{ calls, right, wrong, design, absent, types int }

// TestCatalogueAgainstMariaDB compares every call of the catalogue.
func TestCatalogueAgainstMariaDB(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of calls")
	}
	conn := mariadb(t)
	log := bufio.NewWriter(os.Stderr)
	if *differencesFile != "" {
		f, err := os.Create(*differencesFile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		log = bufio.NewWriter(f)
		defer log.Flush()
	}
	counts := map[string]*familyCount{}
	for _, f := range catalogue(t) {
		if *catalogueFamily != "" && f.family != *catalogueFamily {
			continue
		}
		n := counts[f.family]
		if n == nil {
			n = &familyCount{}
			counts[f.family] = n
		}
		for _, call := range f.calls {
			n.compare(f, call, conn, func(kind string, got, want outcome) {
				if *differencesFile != "" {
					fmt.Fprintf(log, "%s\t%s\t%s\t%s\t%s\n", kind, f.family, call, got, want)
				}
			})
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		n := counts[name]
		t.Logf("%-28s calls %5d right %5d wrong %4d by design %4d absent %4d, other type %4d", name, n.calls, n.right, n.wrong, n.design, n.absent, n.types)
		if most, ok := mostWrong[name]; ok && n.wrong+n.absent > most {
			t.Errorf("%s: %d calls are absent or differ from MariaDB, at most %d did; see -differences", name, n.wrong+n.absent, most)
		}
	}
}

func (n *familyCount) compare(f catalogued, call string, conn *sql.Conn, log func(kind string, got, want outcome)) {
	n.calls++
	got := own(call)
	if got.absent {
		n.absent++
		log("absent", got, outcome{})
		return
	}
	want := outcome{text: f.expected}
	switch {
	case f.free || f.expected == "*":
		want = got
		if f.free && got.failed {
			want = outcome{text: "a value"}
		}
	case f.expected == "":
		want = measured(conn, call)
		if want.absent {
			want = got
		}
	}
	if sameValue(got, want) {
		n.right++
		if got.class != want.class && want.class != "" && got.text != "NULL" && !got.failed {
			n.types++
			log("type", outcome{text: got.class}, outcome{text: want.class})
		}
		return
	}
	for _, d := range byDesign {
		if regexp.MustCompile(d.call).MatchString(call) && regexp.MustCompile(d.got).MatchString(got.String()) {
			n.design++
			return
		}
	}
	n.wrong++
	log("wrong", got, want)
}
