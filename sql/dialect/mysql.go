package dialect

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// forMySQL gives a statement to a source that speaks MySQL. It is written from its tree: nothing of
// the client's text goes there that was not understood.
func forMySQL(p parsed, schema Schema, o Options) (t Translation, err error) {
	defer func() { err = addressed(err, MySQL) }()
	defer caught(&err)
	t.Kind = kindOf(p.stmt)
	u := usesOf(p.stmt)
	t.Reads, t.Writes = u.reads, u.writes
	w := newMySQLWriter(p, u, schema, o)
	t.Text, t.Args, t.Places = w.formatted()
	again, err := parse(t.Text, Options{})
	if err != nil || !w.same(p.stmt, again.stmt) {
		refuse("this statement", "its text cannot be written again from what was read", "Write it more simply")
	}
	return t, nil
}

// mysqlWriter writes a tree as MySQL's text.
type mysqlWriter struct {
	parsed
	opt    Options
	tables map[Name]*Table // tables that the source names otherwise
	has    map[string]bool // columns of all tables that are known, in lower case
	args   []int
	places []int
}

func newMySQLWriter(p parsed, u *uses, schema Schema, o Options) *mysqlWriter {
	w := &mysqlWriter{parsed: p, opt: o}
	if schema == nil {
		return w
	}
	for _, n := range slices.Concat(u.reads, u.writes) {
		t, ok := schema.Table(n.Database, n.Table)
		for i := 0; ok && i < len(t.Columns); i++ {
			if w.has == nil {
				w.has = map[string]bool{}
			}
			w.has[fold(t.Columns[i].Name)] = true
		}
		if !ok || n.Table == t.Name && n.Database == t.Schema {
			continue
		}
		if !strings.EqualFold(n.Table, t.Name) {
			refuse("the table "+n.String(), "its source calls it "+t.Name, "")
		}
		if w.tables == nil {
			w.tables = map[Name]*Table{}
		}
		w.tables[n] = t
	}
	return w
}

// tableName is a table as the source has it.
func (w *mysqlWriter) tableName(n sqlparser.TableName) sqlparser.TableName {
	t := w.tables[nameOf(n)]
	if t == nil {
		return n
	}
	out := sqlparser.TableName{Name: sqlparser.NewTableIdent(t.Name)}
	if t.Schema != "" {
		out.DbQualifier = sqlparser.NewTableIdent(t.Schema)
	}
	return out
}

// qualifier is the table of a column: without its database, for what the text calls it is the name
// itself or an alias.
func (w *mysqlWriter) qualifier(n sqlparser.TableName) sqlparser.TableName {
	if n.IsEmpty() {
		return n
	}
	if t := w.tables[nameOf(n)]; t != nil {
		return sqlparser.TableName{Name: sqlparser.NewTableIdent(t.Name)}
	}
	return sqlparser.TableName{Name: n.Name}
}
