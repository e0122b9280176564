package bind

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// Lookup finds a table of the catalogue; an empty database is the current one. false: it is no table, or not one that
// the user may read.
type Lookup func(database, table string) (*catalog.Descriptor, bool)

// View is a stored query.
type View struct {
	Database string
	Columns  []string // names of its columns; nil: those of the query
	Checked  bool     // WITH CHECK OPTION
	Tree     sqlparser.TableStatement
	Texts    Texts
}

// Virtual is a table whose rows are not the shards': one of the server itself, or one at sources.
type Virtual struct {
	Database, Name string
	Columns        []VirtualColumn
}

// VirtualColumn is a column of a virtual table.
type VirtualColumn struct {
	Name string
	Type expr.Type
}

// Texts are the texts of select lists, by the SELECT that they are of.
type Texts map[*sqlparser.Select][]string

// Scope is what a statement is bound against.
type Scope struct {
	Table     Lookup
	View      func(database, view string) (*View, bool)     // nil: there are none
	Virtual   func(database, table string) (*Virtual, bool) // nil: there are none
	Missing   func(database, table string) error            // why a name is no table that may be read; nil: it is for another way
	FullGroup bool                                          // ONLY_FULL_GROUP_BY is in force
	Texts     Texts
	Alone     bool // the statement is its own transaction: its locks end with it
}

// Bind binds a query.
func Bind(tree sqlparser.TableStatement, s Scope) (*Query, error) {
	return (&binder{scope: &s}).query(tree)
}

// nestingMax bounds queries within queries, views and CTEs among them.
const nestingMax = 63

// binder binds one query.
type binder struct {
	scope *Scope
	q     *Query
	depth int
	views []string // whose definitions the query is part of
	ctes  *ctes
	// names are what a name may refer to, in the clause at hand.
	names names
	// lefts are the operands to the left of the one that is bound: LATERAL may name their columns.
	lefts []*names
	// enclosing resolves a name in the query around this one, in the terms of that one; nil: there is none.
	enclosing  func(n *sqlparser.ColName) (sqlparser.Expr, error)
	first      aliases        // of the clause at hand
	clause     string         // for errors
	fixed      map[int]bool   // columns with one value in a group; nil: not known yet
	lifting    int            // number of the item at hand, from 1
	database   string         // of a view, for names without one; "": the current one
	compacts   bool           // Outer has what is not referred to
	exists     bool           // no column of the query is looked at
	clauseLock sqlparser.Lock // of the SELECT at hand, for all its tables
	isArm      bool           // it is an operand of a set operation
	// aggregates: those over columns of the query around this one are this one's.
	aggregates bool
	hides      int // columns behind those of tables that no name means: a change has some (hiddenColumns)
}

// ctes are the common table expressions that a query sees, the latest first.
type ctes struct {
	cte   *CTE
	up    *ctes
	round bool // it is being defined: its name means the round before
	// tree, if not nil, is the definition of one that refers to queries around it, and of is the query whose WITH has it: each
	// source of it there is a derived table of its own.
	tree *sqlparser.CommonTableExpr
	of   *binder
}

// names are the tables of a FROM clause and its columns.
type names struct {
	tables  []*namedTable
	visible []visible // in the order of *
}

// namedTable is a table under its alias.
type namedTable struct {
	alias, database string
	columns         []visible
	sources         []*Source // of a table or view: those whose rows a change of it may change
	virtual         *Virtual  // nil: a table, view or query
}

// visible is a column that can be named.
type visible struct {
	name  string
	to    sqlparser.Expr
	twice bool // several columns have the name
}

func (n *names) add(o *names) {
	n.tables = append(n.tables, o.tables...)
	n.visible = append(n.visible, o.visible...)
}

// child is a binder of a query within this one.
func (b *binder) child() *binder {
	return &binder{scope: b.scope, depth: b.depth + 1, views: b.views, ctes: b.ctes, database: b.database}
}

// find is what a name refers to in this query; nil, nil: it is none of its columns.
func (b *binder) find(n *sqlparser.ColName) (*visible, error) { return b.findAmong(&b.names, n) }

// findAmong is what a name refers to among those of an operand; nil, nil: nothing.
func (b *binder) findAmong(of *names, n *sqlparser.ColName) (*visible, error) {
	var list []visible
	if n.Qualifier.IsEmpty() {
		list = of.visible
	} else {
		for _, t := range of.tables {
			if t.qualifies(n.Qualifier) {
				list = append(list, t.columns...)
			}
		}
	}
	var found *visible
	for i := range list {
		if !strings.EqualFold(list[i].name, n.Name.String()) {
			continue
		}
		if found != nil || list[i].twice {
			return nil, expr.NewError(1052, "23000", "Column '%s' in %s is ambiguous", shown(n), b.clauseName())
		}
		found = &list[i]
	}
	return found, nil
}

// qualifies reports whether a qualifier is that of the table.
func (t *namedTable) qualifies(q sqlparser.TableName) bool {
	if !q.Qualifier.IsEmpty() && !strings.EqualFold(q.Qualifier.String(), t.database) {
		return false
	}
	return strings.EqualFold(q.Name.String(), t.alias)
}

// outer is what a name refers to in the queries around this one, as a reference of this one; nil, nil: nothing.
func (b *binder) outer(n *sqlparser.ColName) (sqlparser.Expr, error) {
	if b.enclosing == nil {
		return nil, nil
	}
	e, err := b.enclosing(n)
	if e == nil || err != nil {
		return nil, err
	}
	for i, o := range b.q.Outer {
		if sqlparser.Equals.Expr(o, e) {
			return refer(outerRow, i), nil
		}
	}
	b.q.Outer = append(b.q.Outer, e)
	return refer(outerRow, len(b.q.Outer)-1), nil
}

// inside resolves a name of a query within this one.
func (b *binder) inside(n *sqlparser.ColName) (sqlparser.Expr, error) { return b.sought(n, true) }

// sought is what a name refers to by the clause at hand, or further out; nil, nil: nothing.
func (b *binder) sought(n *sqlparser.ColName, nested bool) (sqlparser.Expr, error) {
	if b.first != nil && n.Qualifier.IsEmpty() {
		if e, ok := b.first(n.Name.String(), nested); ok {
			return e, nil
		}
	}
	v, err := b.find(n)
	if err != nil {
		return nil, err
	}
	if v != nil {
		return v.to, nil
	}
	return b.outer(n)
}

func shown(n *sqlparser.ColName) string {
	parts := []string{}
	for _, p := range []string{n.Qualifier.Qualifier.String(), n.Qualifier.Name.String(), n.Name.String()} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}

func (b *binder) clauseName() string {
	if b.clause == "" {
		return "field list"
	}
	return b.clause
}

func (b *binder) unknown(n *sqlparser.ColName) error {
	return expr.NewError(1054, "42S22", "Unknown column '%s' in '%s'", shown(n), b.clauseName())
}
