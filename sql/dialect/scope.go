package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// scope is the meaning of names at a place: the tables of a query, and the tables of the queries
// around it.
type scope struct {
	outer *scope
	items []*item
	// aliases are the names that the query gives its own columns. They can be named where
	// MySQL allows it: see emitter.named.
	aliases []output
	// assigned are the columns that the assignments so far have changed: MySQL reads the new
	// value, PostgreSQL the old one.
	assigned map[string]frag
	// substitute is the substitution of an alias by its expression here.
	substitute substitution
	// groups are the columns that GROUP BY names.
	groups map[string]bool
}

// item is a table in FROM.
type item struct {
	name     string // its name here, as written
	database string
	quoted   string // the same for PostgreSQL
	table    *Table // of the schema; nil if it does not know it, or for a derived one
	logical  Name   // of a table; of a derived one it is empty
	columns  []output
	closed   bool // columns are all it has
	optional bool // at the side of an outer join that may be NULL
	excluded bool // it is the row that an INSERT proposed
}

// output is a column of a query or a table, under the name that it has in the source.
type output struct {
	typed
	name string
	sure bool
	expr frag // an alias's expression
}

// base reports whether it is a table of the source.
func (i *item) base() bool { return i.logical.Table != "" }

func (i *item) find(name string) (output, bool) {
	for _, c := range i.columns {
		if c.name == name {
			return c, true
		}
	}
	for _, c := range i.columns {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	return output{}, false
}

// cte is a query with a name.
type cte struct {
	name    string
	columns []output
	closed  bool
}

// tableName is a table's name as the client means it.
func (e *emitter) tableName(t sqlparser.TableName) Name {
	n := Name{t.Qualifier.String(), t.Name.String()}
	if strings.EqualFold(n.Database, e.opt.Database) {
		n.Database = ""
	}
	return n
}

// find asks the schema for a table.
func (e *emitter) find(n Name) *Table {
	if e.schema == nil {
		return nil
	}
	if t, ok := e.schema.Table(n.Database, n.Table); ok {
		return t
	}
	return nil
}

// known is a table of which the translation needs the keys.
func (e *emitter) known(n Name, what string) *Table {
	t := e.find(n)
	if t == nil {
		refuse(what, "the keys of the table "+n.String()+" are not known", "Import the table first")
	}
	return t
}

// physical writes the name of a table in the source.
func (e *emitter) physical(n Name) string {
	if t := e.find(n); t != nil {
		if t.Schema != "" {
			return ident(t.Schema) + "." + ident(t.Name)
		}
		return ident(t.Name)
	}
	if n.Database != "" {
		return ident(fold(n.Database)) + "." + ident(fold(n.Table))
	}
	return ident(fold(n.Table))
}

// newItem is a table under its name or an alias.
func (e *emitter) newItem(n Name, alias string) *item {
	i := &item{name: n.Table, database: n.Database, logical: n, table: e.find(n)}
	if alias != "" {
		i.name, i.database = alias, ""
	}
	i.quoted = ident(fold(i.name))
	if i.table != nil {
		i.closed = true
		for _, c := range i.table.Columns {
			i.columns = append(i.columns, output{typed: typeOf(c.Type), name: c.Name, sure: !c.Null})
		}
	}
	return i
}

// item finds a table of this scope or one around it by the qualifier of a column.
func (s *scope) item(t sqlparser.TableName) *item {
	name, database := t.Name.String(), t.Qualifier.String()
	for ; s != nil; s = s.outer {
		for _, i := range s.items {
			if strings.EqualFold(i.name, name) && (database == "" || i.database == "" || strings.EqualFold(i.database, database)) {
				return i
			}
		}
	}
	return nil
}

// column writes a column's name.
func (e *emitter) column(c *sqlparser.ColName) frag {
	name := c.Name.String()
	if !c.Qualifier.IsEmpty() {
		i := e.scope.item(c.Qualifier)
		if i == nil {
			refuse("the column "+textOf(c), "no table of that name stands in the query", "")
		}
		return e.columnOf(i, name, true)
	}
	for s := e.scope; s != nil; s = s.outer {
		if f, ok := s.standsFor(name); ok {
			e.written += len(f.text)
			e.spend(e.written - e.most)
			return f
		}
		if i := s.holder(name); i != nil {
			return e.columnOf(i, name, e.values != nil)
		}
	}
	return atom(ident(e.outside(name)), unknown)
}

// outside is a name that no table is known to have, where not all columns of all tables are known.
// PostgreSQL would take the name of a table for its whole row.
func (e *emitter) outside(name string) string {
	closed, items := true, 0
	for s := e.scope; s != nil; s = s.outer {
		for _, i := range s.items {
			items++
			closed = closed && i.closed
			if strings.EqualFold(i.name, name) {
				noColumn(name)
			}
		}
	}
	if closed && items > 0 {
		noColumn(name)
	}
	return notOfServer(name)
}

// ofServer are columns that each table of a PostgreSQL has, and no table of a MySQL.
var ofServer = []string{"xmin", "xmax", "cmin", "cmax", "ctid", "tableoid", "oid"}

func notOfServer(name string) string {
	if name = fold(name); slices.Contains(ofServer, name) {
		noColumn(name)
	}
	return name
}

// holder is the table of a scope in which an unqualified name must be: the one that is known
// to have it, else the only one of which not all columns are known.
func (s *scope) holder(name string) *item {
	var open *item
	many := false
	for _, i := range s.items {
		if i.excluded {
			continue
		}
		if _, ok := i.find(name); ok {
			return i
		}
		if !i.closed {
			many = open != nil
			open = i
		}
	}
	if many {
		return nil
	}
	return open
}

func (e *emitter) columnOf(i *item, name string, qualify bool) frag {
	c, ok := i.find(name)
	switch {
	case !ok && i.closed:
		noColumn(i.name + "." + name)
	case !ok:
		c = output{name: notOfServer(name)}
	}
	if f, ok := e.scope.of(i).assigned[c.name]; ok && i.base() && !i.excluded {
		if f.text == "" && e.unordered {
			refuse("a column that is read after it was set, in an UPDATE over a join ("+c.name+")", "whether MySQL reads the old value or the new one is not said", "Set it last")
		}
		if f.text == "" {
			refuse("a column that is read after it was set ("+c.name+")", "MySQL reads its new value, and the type that it was given is not known", "Set it last, or write the value out")
		}
		return f
	}
	text := ident(c.name)
	if qualify {
		text = i.quoted + "." + text
	}
	return frag{typed: c.typed, text: text, atom: true, sure: c.sure && !i.optional}
}

// of returns the scope that contains a table, this one if none does.
func (s *scope) of(i *item) *scope {
	for o := s; o != nil; o = o.outer {
		if slices.Contains(o.items, i) {
			return o
		}
	}
	return s
}

// within runs f in a scope inside the present one.
func (e *emitter) within(f func(*scope)) {
	outer := e.scope
	e.scope = &scope{outer: outer}
	defer func() { e.scope = outer }()
	f(e.scope)
}

// substitution is whether the alias of a column of the query represents its expression, where
// PostgreSQL knows no aliases.
type substitution byte

const (
	never         substitution = iota
	columnsBefore              // in GROUP BY: a column of that name goes before
	aliasesBefore              // in HAVING and ORDER BY: only a grouped column goes before
)

// standsFor returns the expression that a name represents as an alias.
func (s *scope) standsFor(name string) (frag, bool) {
	if s.substitute == never {
		return frag{}, false
	}
	a := s.alias(name)
	if a == nil || s.groups[fold(name)] {
		return frag{}, false
	}
	if _, column := holds(s.holder(name), name); column && s.substitute == columnsBefore {
		return frag{}, false
	}
	return a.expr, true
}
