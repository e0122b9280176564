package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// forMySQL gives a statement to a source that speaks MySQL. Its text goes as it came, unless it
// is made of a tree, names tables that the source has under another name, or says FOR SHARE, which MariaDB does not
// know and which is LOCK IN SHARE MODE in both.
func forMySQL(p parsed, text string, schema Schema) (t Translation, err error) {
	defer caught(&err)
	t.Kind = kindOf(p.stmt)
	u := usesOf(p.stmt)
	t.Reads, t.Writes = u.reads, u.writes
	w := newMySQLWriter(p, u, schema)
	if text != "" && !p.share && len(w.tables) == 0 {
		t.Text, t.Untouched = text, true
		for i := range p.places {
			t.Args = append(t.Args, i)
		}
		return t, nil
	}
	t.Text, t.Args, t.Places = w.formatted()
	again, err := parse(t.Text, Options{})
	if err != nil || plainText(again.stmt) != w.plain() {
		refuse("this statement", "its text cannot be written again from what was read", "Write it more simply, or name its tables as the source does")
	}
	return t, nil
}

// mysqlWriter writes a tree as MySQL's text.
type mysqlWriter struct {
	parsed
	tables map[Name]*Table // those that the source names otherwise
}

func newMySQLWriter(p parsed, u *uses, schema Schema) *mysqlWriter {
	w := &mysqlWriter{parsed: p}
	if schema == nil {
		return w
	}
	for _, n := range slices.Concat(u.reads, u.writes) {
		t, ok := schema.Table(n.Database, n.Table)
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

// named writes the names of tables as the source has them. A column's table is named without
// its database: what the text calls it is the name itself or an alias.
func (w *mysqlWriter) named(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) bool {
	switch n := n.(type) {
	case sqlparser.TableName:
		t := w.tables[nameOf(n)]
		if t == nil {
			return false
		}
		if t.Schema != "" {
			buf.Myprintf("%v.", sqlparser.NewTableIdent(t.Schema))
		}
		buf.Myprintf("%v", sqlparser.NewTableIdent(t.Name))
		return true
	case *sqlparser.ColName:
		if n.Qualifier.IsEmpty() {
			return false
		}
		buf.Myprintf("%v.%v", w.qualifier(n.Qualifier), n.Name)
		return true
	case *sqlparser.StarExpr:
		if n.TableName.IsEmpty() {
			return false
		}
		buf.Myprintf("%v.*", w.qualifier(n.TableName))
		return true
	}
	return false
}

func (w *mysqlWriter) qualifier(n sqlparser.TableName) sqlparser.TableIdent {
	if t := w.tables[nameOf(n)]; t != nil {
		return sqlparser.NewTableIdent(t.Name)
	}
	return n.Name
}

// formatted is the tree as MySQL's text, with the places of its values.
func (w *mysqlWriter) formatted() (text string, args, places []int) {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.SQLVal:
			if n.Type == sqlparser.ValArg {
				place, err := strconv.Atoi(strings.TrimPrefix(string(n.Val), ":v"))
				if err != nil {
					refuse("the placeholder "+string(n.Val), "only ? stands for a value", "")
				}
				args, places = append(args, place-1), append(places, buf.Len())
				buf.Myprintf("?")
				return
			}
		case *sqlparser.Select:
			if w.share && n.Lock != nil && n.Lock.Type != "" {
				if n.Lock.Type != sqlparser.ForUpdateStr {
					refuse("FOR SHARE with OF, NOWAIT or SKIP LOCKED", "MySQL and MariaDB do not share a way to say it", "Use FOR UPDATE, or leave the word out")
				}
				c := *n
				c.Lock = &sqlparser.Lock{Type: sqlparser.ShareModeStr}
				c.Format(buf)
				return
			}
		}
		if !w.named(buf, n) {
			n.Format(buf)
		}
	})
	buf.Myprintf("%v", w.stmt)
	return buf.String(), args, places
}

// plain is what plainText is to give of what formatted wrote.
func (w *mysqlWriter) plain() string {
	return plainly(w.stmt, w.named)
}

// plainText is a tree as text in which all placeholders and locking clauses are alike.
func plainText(stmt sqlparser.Statement) string {
	return plainly(stmt, func(*sqlparser.TrackedBuffer, sqlparser.SQLNode) bool { return false })
}

func plainly(stmt sqlparser.Statement, written func(*sqlparser.TrackedBuffer, sqlparser.SQLNode) bool) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		if written(buf, n) {
			return
		}
		switch n := n.(type) {
		case *sqlparser.SQLVal:
			if n.Type == sqlparser.ValArg {
				buf.Myprintf("?")
				return
			}
		case *sqlparser.AliasedExpr:
			if !n.As.IsEmpty() { // with AS or without it
				buf.Myprintf("%v as %v", n.Expr, n.As)
				return
			}
		case *sqlparser.Select:
			c := *n
			c.Lock = nil
			c.Format(buf)
			return
		}
		n.Format(buf)
	})
	buf.Myprintf("%v", stmt)
	return buf.String()
}
