package foreign

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// Two tables at three sources, a small one at each of them, and one at the second alone.
func tables(t testing.TB) Lookup {
	t.Helper()
	columns := []txn.Column{{Name: "id", Type: "bigint"}, {Name: "name", Type: "text", Null: true}, {Name: "n", Type: "numeric(10,2)", Null: true}}
	source := func(i int, of string) *Source {
		return &Source{SourceEntry: txn.SourceEntry{ID: txn.ShardID(i), Name: fmt.Sprintf("s%d", i), Dialect: of}, SourceSchema: txn.SourceSchema{Identity: fmt.Sprint(i)}}
	}
	all := []*Source{source(11, "postgres"), source(12, "postgres"), source(13, "postgres")}
	found := map[string]*catalog.ForeignTable{}
	add := func(name string, r Rule, from ...*Source) {
		var at []*txn.SourceTable
		for range from {
			at = append(at, &txn.SourceTable{Schema: "public", Name: name, Columns: columns, Key: []string{"id"}})
		}
		f, err := Adopt("d", name, r, from, at)
		if err != nil {
			t.Fatal(err)
		}
		if found[name], err = catalog.NewForeignTable(f); err != nil {
			t.Fatal(err)
		}
	}
	add("hashed", Rule{How: catalog.SpreadHashed, By: "id"}, all...)
	add("ranged", Rule{How: catalog.SpreadRanges, By: "id", Bounds: []int64{10, 20}}, all...)
	add("rates", Rule{How: catalog.SpreadEverywhere}, all...)
	add("alone", Rule{How: catalog.SpreadWhole}, all[1])
	return func(database, table string) *catalog.ForeignTable { return found[table] }
}

// where are the sources that a statement is sent to, or its error.
func where(t *testing.T, text string, args ...Arg) string {
	t.Helper()
	st, err := Read(text, tables(t), dialect.Options{Database: "d"})
	if err != nil {
		return err.Error()
	}
	if st == nil {
		return "native"
	}
	p, err := st.Plan(args, Now{})
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range p.Statements {
		out = append(out, fmt.Sprint(s.Source))
	}
	return strings.Join(out, " ")
}

func TestWhereStatementsGo(t *testing.T) {
	engine := ErrEngine.Error()
	for text, want := range map[string]string{
		"SELECT 1":                                                                   "native",
		"SELECT * FROM other":                                                        "native",
		"SELECT * FROM hashed WHERE id = 4":                                          "12",
		"SELECT * FROM hashed WHERE id = -1":                                         "13",
		"SELECT * FROM hashed WHERE id = '5'":                                        "13",
		"SELECT * FROM hashed WHERE id = 4.5":                                        "11",
		"SELECT * FROM hashed WHERE id IN (4.5, 5)":                                  "13",
		"SELECT * FROM hashed WHERE id = '4.5x'":                                     "11 12 13",
		"SELECT * FROM hashed WHERE id IN (1, 4)":                                    "12",
		"SELECT * FROM hashed WHERE id > 4":                                          "11 12 13",
		"SELECT * FROM hashed WHERE id = NULL":                                       "11",
		"SELECT * FROM ranged WHERE id = 10":                                         "12",
		"SELECT * FROM ranged WHERE id < 10":                                         "11 12", // one more than need be, never one less
		"SELECT * FROM ranged WHERE id >= 10":                                        "12 13",
		"SELECT * FROM ranged WHERE id BETWEEN 3 AND 5 OR id = 100":                  "11 13",
		"SELECT * FROM hashed h JOIN alone a ON a.id = h.id WHERE h.id = 4":          "12",
		"SELECT * FROM hashed h JOIN alone a ON a.id = h.id WHERE h.id = 5":          engine,
		"SELECT * FROM hashed h JOIN rates r ON r.id = h.n WHERE h.id = 5":           "13",
		"SELECT * FROM alone a JOIN rates r ON r.id = a.id":                          "12",
		"SELECT * FROM hashed h JOIN other o ON o.id = h.id WHERE h.id = 5":          engine,
		"SELECT * FROM hashed ORDER BY name LIMIT 3":                                 engine,
		"SELECT DISTINCT n FROM hashed":                                              engine,
		"SELECT LAST_INSERT_ID() FROM hashed WHERE id = 1":                           engine,
		"SELECT id FROM hashed ORDER BY n LIMIT 3":                                   "11 12 13",
		"SELECT name, COUNT(*) FROM hashed GROUP BY name":                            engine,
		"SELECT MAX(name) FROM hashed":                                               engine,
		"SELECT * FROM rates":                                                        "11",
		"UPDATE rates SET n = 1 WHERE id = 3":                                        "11 12 13",
		"UPDATE hashed SET n = 1 WHERE id = 7":                                       "12",
		"DELETE FROM hashed WHERE name = 'x'":                                        "11 12 13",
		"INSERT INTO hashed (id, n) VALUES (3, 1), (4, 1), (6, 1)":                   "11 12",
		"INSERT INTO ranged (n, id) VALUES (1, 25)":                                  "13",
		"INSERT INTO rates (id) VALUES (1)":                                          "11 12 13",
		"UPDATE hashed SET id = 8 WHERE id = 7":                                      "an UPDATE of hashed.id, by which the rows are placed",
		"INSERT INTO hashed (id) VALUES (1) ON DUPLICATE KEY UPDATE id = 2":          "by which the rows are placed",
		"INSERT INTO hashed (n) VALUES (1)":                                          "does not give id",
		"INSERT INTO hashed (id) VALUES (NULL)":                                      "without a value of id",
		"INSERT INTO hashed (id) VALUES ('x')":                                       "which is no integer",
		"INSERT INTO alone SELECT * FROM hashed":                                     "has at another",
		"INSERT INTO alone SELECT * FROM other":                                      "read the rows first",
		"INSERT INTO other SELECT * FROM alone":                                      engine,
		"UPDATE hashed SET n = @x WHERE id = 1":                                      "is of this session",
		"DELETE FROM hashed LIMIT 1":                                                 "with LIMIT",
		"UPDATE alone SET n = (SELECT MAX(n) FROM hashed WHERE id = 4) WHERE id = 1": "12",
		"UPDATE alone SET n = (SELECT MAX(n) FROM hashed WHERE id = 5) WHERE id = 1": "has at another",
		"ALTER TABLE alone ADD COLUMN x INT":                                         "isochron.drop_imported_table",
	} {
		if got := where(t, text); got != want && (!strings.Contains(got, want) || want[0] == '1' || want == engine) {
			t.Errorf("%s\n\tgoes to %s, not to %s", text, got, want)
		}
	}
	five, text := Arg{Text: []byte("5"), Number: true}, Arg{Text: []byte("5")}
	for _, a := range []Arg{five, text} {
		if got := where(t, "SELECT * FROM hashed WHERE id = ?", a); got != "13" {
			t.Errorf("a bound key goes to %s", got)
		}
	}
}

// For any condition on a key, a row that satisfies it is requested at its source.
func TestNoRowIsMissed(t *testing.T) {
	lookup := tables(t)
	rng := rand.New(rand.NewPCG(1, 2))
	term := func() (string, func(int) bool) {
		a, b := rng.IntN(40)-5, rng.IntN(40)-5
		switch rng.IntN(5) {
		case 0:
			return fmt.Sprintf("id = %d", a), func(x int) bool { return x == a }
		case 1:
			return fmt.Sprintf("id IN (%d, %d)", a, b), func(x int) bool { return x == a || x == b }
		case 2:
			return fmt.Sprintf("id < %d", a), func(x int) bool { return x < a }
		case 3:
			return fmt.Sprintf("%d <= id", a), func(x int) bool { return a <= x }
		}
		return fmt.Sprintf("id BETWEEN %d AND %d", a, b), func(x int) bool { return a <= x && x <= b }
	}
	for range 2000 {
		text1, is1 := term()
		text2, is2 := term()
		word, holds := "AND", func(x int) bool { return is1(x) && is2(x) }
		if rng.IntN(2) == 0 {
			word, holds = "OR", func(x int) bool { return is1(x) || is2(x) }
		}
		for _, name := range []string{"hashed", "ranged"} {
			text := fmt.Sprintf("DELETE FROM %s WHERE %s %s %s", name, text1, word, text2)
			st, err := Read(text, lookup, dialect.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at := st.reached(st.tables[0], nil)
			for x := -10; x < 50; x++ {
				part, _ := place(st.tables[0].ForeignTable, fmt.Sprint(x))
				if holds(x) && !slices.Contains(at, st.tables[0].Parts[part].Source) {
					t.Fatalf("%s is sent to %v, and row %d lies in part %d", text, at, x, part)
				}
			}
		}
	}
}

func answer(types []string, rows ...string) txn.SourceResult {
	r := txn.SourceResult{Done: true}
	for i, typ := range types {
		r.Columns = append(r.Columns, txn.Column{Name: fmt.Sprint("c", i), Type: typ, Null: true})
	}
	for _, row := range rows {
		var cells [][]byte
		for _, cell := range strings.Split(row, "|") {
			if cell == "NULL" {
				cells = append(cells, nil)
			} else {
				cells = append(cells, []byte(cell))
			}
		}
		r.Rows = append(r.Rows, cells)
	}
	return r
}

func merged(t *testing.T, text string, results ...txn.SourceResult) string {
	t.Helper()
	st, err := Read(text, tables(t), dialect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Plan(nil, Now{})
	if err != nil {
		t.Fatal(text, err)
	}
	a, err := p.Merge(results, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range a.Rows {
		var line []string
		for _, v := range row {
			if v.IsNull() {
				line = append(line, "NULL")
			} else {
				line = append(line, v.ToString())
			}
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	return strings.Join(lines, " ")
}

func TestAnswersBecomeOne(t *testing.T) {
	num := []string{"bigint", "numeric(10,2)"}
	sums := []string{"bigint", "numeric", "numeric", "numeric", "bigint"}
	for _, c := range []struct {
		text, want string
		results    []txn.SourceResult
	}{
		{"SELECT id FROM hashed ORDER BY n LIMIT 1, 3", "1 2 7",
			[]txn.SourceResult{answer(num, "1|-10.00", "2|9.50", "3|10.00"), answer(num, "5|NULL", "6|11"), answer(num, "7|9.51")}},
		{"SELECT id FROM hashed ORDER BY n DESC", "6 3 1 5",
			[]txn.SourceResult{answer(num, "3|10.00", "1|-10.00"), answer(num, "6|11", "5|NULL"), answer(num)}},
		{"SELECT COUNT(*), SUM(n), MIN(n), AVG(n) FROM hashed", "5|3.50|-2.00|1.166667",
			[]txn.SourceResult{answer(sums, "2|2.50|-2.00|2.50|2"), answer(sums, "0|NULL|NULL|NULL|0"), answer(sums, "3|1.00|1.00|1.00|1")}},
		{"SELECT n, COUNT(*) FROM hashed GROUP BY n ORDER BY n", "NULL|1 1.50|5 2.00|1",
			[]txn.SourceResult{answer([]string{"numeric", "bigint"}, "1.50|2", "2.00|1"), answer([]string{"numeric", "bigint"}, "1.5|3"), answer([]string{"numeric", "bigint"}, "NULL|1")}},
	} {
		if got := merged(t, c.text, c.results...); got != c.want {
			t.Errorf("%s\n\t%s\nand not\n\t%s", c.text, got, c.want)
		}
	}
}

func TestForms(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for _, c := range [][3]string{
		{"boolean", "t", "1"}, {"boolean", "f", "0"}, {"bytea", `\x00ff`, "\x00\xff"}, {"bytea", "plain", "plain"},
		{"timestamp(3) without time zone", "2024-01-31 10:20:30.5", "2024-01-31 10:20:30.500"},
		{"timestamp without time zone", "infinity", "infinity"},
		{"time without time zone", "10:20:30.000001", "10:20:30.000001"},
		{"time without time zone", "10:20:30", "10:20:30.000000"},
		{"time(2) without time zone", "10:20:30.5", "10:20:30.50"},
		{"time(0) without time zone", "10:20:30", "10:20:30"},
		{"timestamp(0) without time zone", "2024-01-31 10:20:30", "2024-01-31 10:20:30"},
		{"timestamp with time zone", "2024-01-31 23:20:30.25+00", "2024-02-01 00:20:30.250000"},
		{"timestamp with time zone", "2024-01-31 23:20:30-05:30", "2024-02-01 05:50:30.000000"},
		{"double precision", "1e+20", "1e20"}, {"character(5)", "ab   ", "ab"}, {"integer[]", "{1,2}", "{1,2}"},
	} {
		v := []byte(c[1])
		if f := Form(dialect.Postgres, c[0], zone); f != nil {
			v = f(v)
		}
		if string(v) != c[2] {
			t.Errorf("%s %s is %q, not %q", c[0], c[1], v, c[2])
		}
	}
	for word, want := range map[string]string{"integer": "int", "character varying(20)": "varchar(20)", "character varying": "longtext", "numeric(10,2)": "decimal(10,2)",
		"numeric": "decimal(65,30)", "timestamp(3) without time zone": "datetime(3)", "timestamp with time zone": "datetime(6)", "uuid": "char(36)", "integer[]": "longtext", "jsonb": "json", "real": "float"} {
		if got := SQLType(dialect.Postgres, word); got != want || catalog.CheckType(got) != nil {
			t.Errorf("%s is %s, not %s", word, got, want)
		}
	}
	f := Field(dialect.MySQL, txn.Column{Name: "c", Type: "int unsigned"})
	if f.Type != sqltypes.Uint32 || f.Flags&32 == 0 || f.Flags&1 == 0 {
		t.Error(f)
	}
}

func TestImportRefuses(t *testing.T) {
	table := func(columns ...txn.Column) *txn.SourceTable {
		return &txn.SourceTable{Name: "t", Columns: columns, Key: []string{"id"}}
	}
	id := txn.Column{Name: "id", Type: "bigint"}
	one, two := &Source{SourceEntry: txn.SourceEntry{ID: 1, Name: "a", Dialect: "mysql"}}, &Source{SourceEntry: txn.SourceEntry{ID: 2, Name: "b", Dialect: "postgres"}}
	hash := Rule{How: catalog.SpreadHashed, By: "id"}
	for want, try := range map[string]func() (*catalog.Foreign, error){
		"other columns": func() (*catalog.Foreign, error) {
			return Adopt("d", "t", hash, []*Source{one, two}, []*txn.SourceTable{table(id), table(id, txn.Column{Name: "x", Type: "text"})})
		},
		"must be alike": func() (*catalog.Foreign, error) {
			return Adopt("d", "t", hash, []*Source{one, two}, []*txn.SourceTable{table(id), table(txn.Column{Name: "id", Type: "text"})})
		},
		"named twice": func() (*catalog.Foreign, error) {
			return Adopt("d", "t", hash, []*Source{one, one}, []*txn.SourceTable{table(id), table(id)})
		},
		"keeps its name": func() (*catalog.Foreign, error) {
			return Adopt("d", "u", hash, []*Source{one}, []*txn.SourceTable{table(id)})
		},
		"have 1 bounds": func() (*catalog.Foreign, error) {
			return Adopt("d", "t", Rule{How: catalog.SpreadRanges, By: "id"}, []*Source{one, two}, []*txn.SourceTable{table(id), table(id)})
		},
		"not in its primary key": func() (*catalog.Foreign, error) {
			return Adopt("d", "t", Rule{How: catalog.SpreadHashed, By: "x"}, []*Source{one}, []*txn.SourceTable{table(id, txn.Column{Name: "x", Type: "int"})})
		},
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; expected %q", err, want)
		}
	}
}

// Of a list of keys a source is sent the keys that it can have.
func TestListsOfKeysAreSplitBySource(t *testing.T) {
	args := []Arg{{Text: []byte("3"), Number: true}, {Text: []byte("4"), Number: true}, {Text: []byte("6"), Number: true}}
	for text, want := range map[string]string{
		"UPDATE hashed SET name = 'x' WHERE n > 0 AND id IN (3, 4, 6, 4.5)": "11 (3, 6) 12 (4)",
		"DELETE FROM hashed WHERE (id IN (3, 4, NULL))":                     "11 (3, NULL) 12 (4, NULL)",
		"DELETE FROM hashed WHERE id IN (?, ?, ?)":                          "11 ($1, $2) 12 ($1)",
		"SELECT id FROM hashed WHERE id IN (?, ?, ?)":                       "11 ($1, $2) 12 ($1)",
		"DELETE FROM hashed WHERE id IN (3, 4) OR n = 1":                    "11 (3, 4) 12 (3, 4) 13 (3, 4)",
		"DELETE FROM hashed WHERE id NOT IN (3, 4)":                         "11 (3, 4) 12 (3, 4) 13 (3, 4)",
		"DELETE FROM hashed WHERE n IN (3, 4) AND id IN (3, 4)":             "11 (3, 4) (3) 12 (3, 4) (4)",
		"DELETE FROM rates WHERE id IN (3, 4)":                              "11 (3, 4) 12 (3, 4) 13 (3, 4)",
	} {
		s, err := Read(text, tables(t), dialect.Options{Database: "d"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(args[:strings.Count(text, "?")], Now{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, st := range p.Statements {
			got = append(got, fmt.Sprint(st.Source))
			for _, list := range lists.FindAllStringSubmatch(st.Text, -1) {
				got = append(got, list[1])
			}
			if n := strings.Count(st.Text, "$"); n != len(st.Args) {
				t.Errorf("%s\n\tis sent with %d values: %s", text, len(st.Args), st.Text)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s\n\tis sent as %s, not %s", text, got, want)
		}
	}
}

var lists = regexp.MustCompile(`IN (\([^()]*\))`)
