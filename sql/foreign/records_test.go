package foreign

import (
	"fmt"
	"strings"
	"testing"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/txn"
)

// keyed has tables by integers, by texts and by both, at two sources, and one without a key.
func keyed(t testing.TB) Lookup {
	t.Helper()
	columns := []txn.Column{{Name: "id", Type: "int(11)"}, {Name: "name", Type: "varchar(20)"}, {Name: "n", Type: "int(11)", Null: true}}
	found := map[string]*catalog.ForeignTable{}
	add := func(name string, r Rule, unique [][]string, key ...string) {
		from, at := []*Source{}, []*txn.SourceTable{}
		for i := 11; i < 13; i++ {
			from = append(from, &Source{SourceEntry: txn.SourceEntry{ID: txn.ShardID(i), Name: fmt.Sprintf("s%d", i), Dialect: "mysql"}, SourceSchema: txn.SourceSchema{Identity: fmt.Sprint(i)}})
			at = append(at, &txn.SourceTable{Schema: "s", Name: name, Columns: columns, Key: key, Unique: unique})
			if r.How == catalog.SpreadWhole {
				break
			}
		}
		f, err := Adopt("d", name, r, from, at)
		if err != nil {
			t.Fatal(err)
		}
		if found[name], err = catalog.NewForeignTable(f); err != nil {
			t.Fatal(err)
		}
	}
	add("one", Rule{How: catalog.SpreadWhole}, [][]string{{"name"}}, "id")
	add("text", Rule{How: catalog.SpreadWhole}, nil, "name")
	add("twice", Rule{How: catalog.SpreadHashed, By: "id"}, nil, "id", "name")
	add("hashed", Rule{How: catalog.SpreadHashed, By: "id"}, nil, "id")
	add("bare", Rule{How: catalog.SpreadWhole}, nil)
	return func(_, table string) *catalog.ForeignTable { return found[table] }
}

// recordsOf are the records that a statement names at each source, W where it changes them alone.
func recordsOf(t *testing.T, text string, args ...Arg) string {
	t.Helper()
	st, err := Read(text, keyed(t), dialect.Options{Database: "d"})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := st.Plan(args, Now{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var out []string
	for _, s := range p.Statements {
		var names []string
		for _, r := range s.Records {
			names = append(names, strings.ReplaceAll(strings.TrimPrefix(string(r), fmt.Sprintf("%d\x00s\x00", s.Source)), "\x00", "/"))
		}
		if s.Writes {
			names = append(names, "W")
		}
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, ", ")
}

func TestRecordsOfStatements(t *testing.T) {
	number, word := Arg{Text: []byte("7"), Number: true}, Arg{Text: []byte("Pen ")}
	for _, c := range []struct {
		text, want string
		args       []Arg
	}{
		{"SELECT n FROM one WHERE id = 7", "one/7", nil},
		{"SELECT n FROM one WHERE id = ?", "one/7", []Arg{number}},
		{"SELECT n FROM one WHERE id = ' 007'", "one/7", nil},
		{"SELECT n FROM one WHERE id = '7x'", "", nil},
		{"SELECT n FROM one WHERE id = 7.0", "", nil},
		{"SELECT n FROM one WHERE id IN (3, 1, 3)", "one/3 one/1", nil},
		{"SELECT n FROM one WHERE id > 3", "", nil},
		{"SELECT n FROM one WHERE name = 'x'", "", nil},
		{"SELECT n FROM one WHERE id = NULL", "", nil},
		{"SELECT o.n FROM one o JOIN text t ON t.n = o.n WHERE o.id = 1 AND t.name = 'b'", "one/1 text/b", nil},
		{"SELECT o.n FROM one o JOIN text t ON t.n = o.n WHERE o.id = 1", "", nil},
		{"SELECT n FROM text WHERE name = ?", "text/pen", []Arg{word}},
		{"SELECT n FROM text WHERE name = ?", "", []Arg{number}}, // '07' is equal to it
		{"SELECT n FROM text WHERE name = 'pén'", "", nil},
		{"SELECT n FROM twice WHERE id = 2 AND name IN ('a', 'B')", "twice/2/a twice/2/b", nil},
		{"SELECT n FROM twice WHERE id = 2", "", nil},
		{"SELECT n FROM hashed WHERE id IN (1, 2, 3)", "hashed/2, hashed/1 hashed/3", nil},
		{"SELECT n FROM bare WHERE id = 2", "", nil},
		{"UPDATE one SET n = n + 1 WHERE id = 7", "one/7 W", nil},
		{"UPDATE one SET n = n + 1 WHERE id = 7 AND n = (SELECT MAX(n) FROM text WHERE name = 'a')", "one/7 text/a", nil},
		{"UPDATE one SET id = 8 WHERE id = 7", "", nil},
		{"UPDATE one SET name = 'x' WHERE id = 7", "one/7", nil}, // another may have that name
		{"DELETE FROM one WHERE id = 7", "one/7", nil},
		{"INSERT INTO one (n, id) VALUES (1, 5), (1, ?)", "one/5 one/7", []Arg{number}},
		{"INSERT INTO one (n) VALUES (1)", "", nil},
		{"INSERT INTO one (id) VALUES (1) ON DUPLICATE KEY UPDATE n = 1", "", nil},
		{"REPLACE INTO one (id) VALUES (1)", "", nil},
		{"INSERT INTO one SELECT * FROM text WHERE name = 'a'", "", nil},
		{"INSERT INTO hashed (id) VALUES (1), (2), (3)", "hashed/2, hashed/1 hashed/3", nil},
		{"INSERT INTO twice (id, name) VALUES (1, 'a'), (2, 'b')", "twice/2/b, twice/1/a", nil},
	} {
		if got := recordsOf(t, c.text, c.args...); got != c.want {
			t.Errorf("%s\nnames %q, and not %q", c.text, got, c.want)
		}
	}
	long := "SELECT n FROM one WHERE id IN (0"
	for i := range recordsMax {
		long += fmt.Sprintf(", %d", i+1)
	}
	long += ")"
	if got := recordsOf(t, long); got != "" {
		t.Errorf("a long list of keys names %q", got)
	}
}

func BenchmarkRecords(b *testing.B) {
	st, err := Read("UPDATE one SET n = n + 1 WHERE id = ?", keyed(b), dialect.Options{Database: "d"})
	if err != nil {
		b.Fatal(err)
	}
	args := []Arg{{Text: []byte("7"), Number: true}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := st.Plan(args, Now{}); err != nil {
			b.Fatal(err)
		}
	}
}
