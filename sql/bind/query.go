package bind

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/txn"
)

// Query is a SELECT whose names are resolved. A set operation is a Query whose only source is the set.
type Query struct {
	// Table is the only source, if it is a table; else nil. Alias: under which the statement knows it.
	Table *catalog.Descriptor
	Alias string
	// Sources are what the columns of a row come from, in the order of their positions. From: how they are joined; nil: there
	// are none.
	Sources []*Source
	From    *Join
	CTEs    []*CTE // that its WITH defines
	// Outer are what the query refers to of the query around it, in the terms of that one.
	Outer []sqlparser.Expr
	// Subqueries are those that the query's expressions refer to.
	Subqueries []*Subquery

	Lock txn.Lock // of all tables that have none of their own
	Wait txn.Wait
	// Marks are the rows that a query with SKIP LOCKED is made of, and locks when it has found them: references to what marks
	// each of its tables' rows.
	Marks    []sqlparser.Expr
	Distinct bool
	Where    sqlparser.Expr // over rows of the sources; nil: all
	// Grouped: Windows, Items, Having and Order refer to rows of groups, else to rows of the sources.
	Grouped    bool
	Keys       []sqlparser.Expr // of groups, over rows of the sources
	Rollup     bool
	Aggregates []sqlparser.AggrFunc // over rows of the sources
	Windows    []sqlparser.WindowFunc
	Items      []Item
	Having     sqlparser.Expr
	Order      []Order
	CountAll   bool           // SQL_CALC_FOUND_ROWS: rows beyond the limit are counted
	Offset     sqlparser.Expr // nil: 0
	Count      sqlparser.Expr // nil: all
}

// Source yields rows: it has one of Table, Virtual, Query, Set, Values and Round.
type Source struct {
	Table   *catalog.Descriptor
	Virtual *Virtual
	Query   *Query // a derived table, or CTE's
	CTE     *CTE   // not nil: its query is executed once for all sources of it
	Set     *SetOperation
	Values  [][]sqlparser.Expr
	Round   *CTE // the rows that the last round of a recursive CTE made
	Alias   string
	First   int // position of its first column
	Width   int // number of its columns, with those that no name means
	Lock    txn.Lock
	Wait    txn.Wait
	Marked  bool // its last column is what marks a row: not one of the table
	// Changed: the statement changes its rows. derived: it has become part of the query by a derived table.
	Changed bool
	derived bool
}

// CTE is a common table expression.
type CTE struct {
	Name    string
	Columns []string
	Query   *Query
	Uses    int // sources of it
	// Step, if not nil, computes a round of a recursive one from the round before; Query is its beginning.
	Step     *Query
	Distinct bool // rows that were there before are no rows of a round
	// Offset and Count are the limit of all rows of a recursive one; nil: 0, and all.
	Offset, Count sqlparser.Expr
}

// SetOp is a set operation.
type SetOp uint8

// The set operations.
const (
	Union SetOp = iota
	Intersect
	Except
)

// SetOperation is one over two queries of as many columns.
type SetOperation struct {
	Op          SetOp
	All         bool
	Left, Right *Query
}

// Lateral reports whether a source's rows depend on columns of the sources to its left.
func (s *Source) Lateral() bool {
	found := false
	if s.Query != nil {
		for _, e := range s.Query.Outer {
			Refs(e, func(r Ref) { found = found || r.Row == OfSources })
		}
	}
	return found
}

// Join is a tree of joins: a leaf has a Source; a node without Right is a filter of Left.
type Join struct {
	Source      *Source
	Left, Right *Join
	Outer       bool           // rows of Left without a match are kept
	Straight    bool           // Left is read first
	On          sqlparser.Expr // nil: all pairs
}

// SubqueryKind is what an expression wants of a subquery.
type SubqueryKind uint8

// The kinds.
const (
	Scalar SubqueryKind = iota // its only value, NULL of no row
	Exists                     // whether it has a row
	Any                        // whether a comparison with one of its rows is true
	All                        // whether a comparison with all of its rows is true
	OneRow                     // a comparison with its only row; no row is a row of NULLs
)

// Subquery is a query within an expression.
type Subquery struct {
	Kind  SubqueryKind
	Query *Query
	Left  []sqlparser.Expr                 // of Any, All and OneRow: what its rows are compared with
	Op    sqlparser.ComparisonExprOperator // by which
	// Grouped: Left and the query's Outer refer to rows of groups.
	Grouped bool
	lifted  bool
}

// Item is a column of the result.
type Item struct {
	Expr   sqlparser.Expr
	Name   string
	Source *Source // whose column it is, if it is just that; else nil
	Column int     // of the source, if it is just that; else -1
}

// Order is a key of ORDER BY.
type Order struct {
	Expr       sqlparser.Expr
	Item       int // of Items, if it is just that; else -1
	Descending bool
}

// RowKind is a kind of row that an expression refers to a value of.
type RowKind uint8

// The kinds of rows.
const (
	OfSources    RowKind = iota + 1 // the row of the sources
	OfGroups                        // of groups: keys, aggregates, and last the number of keys that are rolled up
	OfOuter                         // Query.Outer
	OfSubqueries                    // Query.Subqueries
	OfWindows                       // Query.Windows
)

// Ref is what a reference refers to.
type Ref struct {
	Row RowKind
	At  int
}

// References. No client can write a name that begins with a zero byte.
const (
	columnRow = "\x00row"
	groupRow  = "\x00group"
	outerRow  = "\x00outer"
	subRow    = "\x00subquery"
	windowRow = "\x00window"
)

var rowKinds = map[string]RowKind{columnRow: OfSources, groupRow: OfGroups, outerRow: OfOuter, subRow: OfSubqueries, windowRow: OfWindows}

// RefOf is the reference that an expression is; false: it is none.
func RefOf(e sqlparser.SQLNode) (Ref, bool) {
	c, ok := e.(*sqlparser.ColName)
	if !ok {
		return Ref{}, false
	}
	name := c.Qualifier.Name.String()
	if len(name) == 0 || name[0] != 0 {
		return Ref{}, false
	}
	at, err := strconv.Atoi(c.Name.String())
	return Ref{rowKinds[name], at}, err == nil
}

// Refs calls f for each reference of an expression.
func Refs(e sqlparser.SQLNode, f func(Ref)) {
	if e == nil {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if r, ok := RefOf(n); ok {
			f(r)
		}
		return true, nil
	}, e)
}

// Column is the position in the sources' row that an expression refers to; false: it is no such reference.
func Column(e sqlparser.Expr) (int, bool) { return reference(e, OfSources) }

func reference(e sqlparser.Expr, row RowKind) (int, bool) {
	r, ok := RefOf(e)
	return r.At, ok && r.Row == row
}

func refer(row string, at int) *sqlparser.ColName {
	return sqlparser.NewColNameWithQualifier(strconv.Itoa(at), sqlparser.TableName{Name: sqlparser.NewIdentifierCS(row)})
}

// ColumnAt is a reference to a position in the sources' row.
func ColumnAt(at int) sqlparser.Expr { return refer(columnRow, at) }

// OuterAt is a reference to one of Query.Outer; -1: to the number of the row of the query around.
func OuterAt(at int) sqlparser.Expr { return refer(outerRow, at) }

// SourceOf is the source of a position in the sources' row, and the column of it.
func (q *Query) SourceOf(at int) (*Source, int) {
	for _, s := range q.Sources {
		if at >= s.First && at < s.First+s.Width {
			return s, at - s.First
		}
	}
	return nil, -1
}

// Width is the number of columns of the sources' row.
func (q *Query) Width() (n int) {
	for _, s := range q.Sources {
		n = max(n, s.First+s.Width)
	}
	return n
}

func unsupported(what string) error { return &expr.Unsupported{What: what} }

// Expressions are all expressions of the query, with those by which its subqueries refer to it.
func (q *Query) Expressions() (out []sqlparser.SQLNode) {
	add := func(list ...sqlparser.Expr) {
		for _, e := range list {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	add(q.Where)
	add(q.Keys...)
	for _, a := range q.Aggregates {
		add(a)
	}
	for _, w := range q.Windows {
		add(w)
	}
	for _, item := range q.Items {
		add(item.Expr)
	}
	add(q.Having)
	add(q.Marks...)
	for _, o := range q.Order {
		add(o.Expr)
	}
	for _, s := range q.Subqueries {
		add(s.Left...)
		add(s.Query.Outer...)
	}
	for _, s := range q.Sources {
		for _, inner := range s.queries() {
			add(inner.Outer...)
		}
	}
	q.From.conditions(add)
	return out
}

func (j *Join) conditions(add func(...sqlparser.Expr)) {
	if j == nil {
		return
	}
	add(j.On)
	j.Left.conditions(add)
	j.Right.conditions(add)
}

// Joined is the largest number of sources that one of the statement's queries joins.
func (q *Query) Joined() int {
	most := len(q.Sources)
	for _, s := range q.Subqueries {
		most = max(most, s.Query.Joined())
	}
	for _, s := range q.Sources {
		for _, inner := range s.queries() {
			most = max(most, inner.Joined())
		}
	}
	return most
}
