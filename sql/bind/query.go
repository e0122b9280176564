package bind

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/txn"
)

// Query is a SELECT over one table, or none, whose names are resolved.
type Query struct {
	Table    *catalog.Descriptor // nil: there is none
	Alias    string              // under which the statement knows the table
	Lock     txn.Lock
	Wait     txn.Wait
	Distinct bool
	Where    sqlparser.Expr // over rows of the table; nil: all
	// Grouped: Items, Having and Order refer to rows of groups, else to rows of the table.
	Grouped    bool
	Keys       []sqlparser.Expr // of groups, over rows of the table
	Rollup     bool
	Aggregates []sqlparser.AggrFunc // over rows of the table
	Items      []Item
	Having     sqlparser.Expr
	Order      []Order
	Offset     sqlparser.Expr // nil: 0
	Count      sqlparser.Expr // nil: all
}

// Item is a column of the result.
type Item struct {
	Expr   sqlparser.Expr
	Name   string
	Column int // of the table, if it is just that; else -1
}

// Order is a key of ORDER BY.
type Order struct {
	Expr       sqlparser.Expr
	Item       int // of Items, if it is just that; else -1
	Descending bool
}

// Lookup finds a table of the catalogue; an empty database is the current one. false: it is no table, or not one that
// the user may read.
type Lookup func(database, table string) (*catalog.Descriptor, bool)

// References. No client can write a name that begins with a zero byte.
const (
	columnRow = "\x00row"
	groupRow  = "\x00group"
)

// Column is the position in the table's row that an expression refers to; false: it is no such reference.
func Column(e sqlparser.Expr) (int, bool) { return reference(e, columnRow) }

// OfGroup is the position in a row of groups that an expression refers to: keys, aggregates, and last the number of keys
// that are rolled up.
func OfGroup(e sqlparser.Expr) (int, bool) { return reference(e, groupRow) }

func reference(e sqlparser.Expr, row string) (int, bool) {
	c, ok := e.(*sqlparser.ColName)
	if !ok || c.Qualifier.Name.String() != row {
		return 0, false
	}
	at, err := strconv.Atoi(c.Name.String())
	return at, err == nil
}

func refer(row string, at int) *sqlparser.ColName {
	return sqlparser.NewColNameWithQualifier(strconv.Itoa(at), sqlparser.TableName{Name: sqlparser.NewIdentifierCS(row)})
}

func unsupported(what string) error { return &expr.Unsupported{What: what} }

// Select binds a SELECT. names are the texts of its select list; fullGroup: ONLY_FULL_GROUP_BY is in force.
func Select(s *sqlparser.Select, names []string, lookup Lookup, fullGroup bool) (*Query, error) {
	b := &binder{q: &Query{Distinct: s.Distinct}, fullGroup: fullGroup}
	if s.With != nil || len(s.Windows) > 0 || s.Into != nil || s.SQLCalcFoundRows || s.SelectExprs == nil || len(names) != len(s.SelectExprs.Exprs) {
		return nil, unsupported("this form of SELECT")
	}
	if err := b.lock(s.Lock); err != nil {
		return nil, err
	}
	if err := b.from(s.From, lookup); err != nil {
		return nil, err
	}
	if err := b.items(s.SelectExprs.Exprs, names); err != nil {
		return nil, err
	}
	if err := b.where(s.Where); err != nil {
		return nil, err
	}
	if err := b.tail(s); err != nil {
		return nil, err
	}
	if l := s.Limit; l != nil {
		b.q.Offset, b.q.Count = l.Offset, l.Rowcount
	}
	return b.q, nil
}

func (b *binder) lock(l sqlparser.Lock) error {
	switch l {
	case sqlparser.NoLock:
	case sqlparser.ShareModeLock, sqlparser.ForShareLock, sqlparser.ForShareLockNoWait:
		b.q.Lock = txn.LockShared
	case sqlparser.ForUpdateLock, sqlparser.ForUpdateLockNoWait:
		b.q.Lock = txn.LockExclusive
	default:
		return unsupported("SKIP LOCKED")
	}
	if l == sqlparser.ForShareLockNoWait || l == sqlparser.ForUpdateLockNoWait {
		b.q.Wait = txn.NoWait
	}
	return nil
}

// binder binds a statement.
type binder struct {
	q         *Query
	database  string // of the table
	fullGroup bool
	lifting   int // number of the item at hand, from 1
}

func (b *binder) from(list []sqlparser.TableExpr, lookup Lookup) error {
	if len(list) == 0 {
		return nil
	}
	t, ok := list[0].(*sqlparser.AliasedTableExpr)
	if !ok || len(list) > 1 || len(t.Partitions) > 0 || len(t.Columns) > 0 {
		return unsupported("this FROM clause")
	}
	name, ok := t.Expr.(sqlparser.TableName)
	if !ok {
		return unsupported("a derived table")
	}
	if name.Qualifier.IsEmpty() && name.Name.String() == "dual" {
		return nil
	}
	d, ok := lookup(name.Qualifier.String(), name.Name.String())
	if !ok {
		return unsupported("table " + name.Name.String())
	}
	if !hasIndexes(d, t.Hints) {
		return unsupported("a hint of no index")
	}
	b.q.Table, b.database, b.q.Alias = d, d.Record.Database, name.Name.String()
	if !t.As.IsEmpty() {
		b.q.Alias, b.database = t.As.String(), ""
	}
	return nil
}

// hasIndexes reports whether hints name indexes of the table. They change no answer, and the choice by rounds is kept.
func hasIndexes(d *catalog.Descriptor, hints sqlparser.IndexHints) bool {
	for _, h := range hints {
		for _, name := range h.Indexes {
			known := name.EqualString("primary") && !d.Keyless() || slices.ContainsFunc(d.Indexes, func(x *catalog.IndexInfo) bool { return name.EqualString(x.Name) })
			if !known {
				return false
			}
		}
	}
	return true
}

func (b *binder) where(w *sqlparser.Where) (err error) {
	if w == nil {
		return nil
	}
	if hasAggregate(w.Expr) {
		return unsupported("an aggregate in WHERE")
	}
	b.q.Where, err = b.resolve(w.Expr, nil)
	return err
}

// items expands and resolves the select list.
func (b *binder) items(list []sqlparser.SelectExpr, names []string) error {
	for i, item := range list {
		switch item := item.(type) {
		case *sqlparser.StarExpr:
			if err := b.star(item); err != nil {
				return err
			}
		case *sqlparser.AliasedExpr:
			e, err := b.resolve(item.Expr, nil)
			if err != nil {
				return err
			}
			out := Item{Expr: e, Name: nameOf(item, names[i]), Column: -1}
			if at, ok := Column(e); ok {
				out.Column = at
				if item.As.IsEmpty() {
					out.Name = b.q.Table.Schema.Schema[at].Name
				}
			}
			b.q.Items = append(b.q.Items, out)
		default:
			return unsupported("this select list")
		}
	}
	return nil
}

func (b *binder) star(star *sqlparser.StarExpr) error {
	if b.q.Table == nil || !star.TableName.IsEmpty() && !b.qualifies(star.TableName) {
		return unsupported("* without its table")
	}
	for at, c := range b.q.Table.Schema.Schema {
		b.q.Items = append(b.q.Items, Item{Expr: refer(columnRow, at), Name: c.Name, Column: at})
	}
	return nil
}

// nameOf is the name of a result's column: the alias, or the text, of a literal without its quotes. Names have characters
// of up to three bytes, as MySQL's metadata; others are question marks.
func nameOf(item *sqlparser.AliasedExpr, text string) string {
	name := givenName(item, text)
	if !strings.ContainsFunc(name, beyondMetadata) {
		return name
	}
	return strings.Map(func(r rune) rune {
		if beyondMetadata(r) {
			return '?'
		}
		return r
	}, name)
}

// beyondMetadata reports whether a character has four bytes in UTF-8.
func beyondMetadata(r rune) bool { return r > 0xffff }

func givenName(item *sqlparser.AliasedExpr, text string) string {
	if !item.As.IsEmpty() {
		return item.As.String()
	}
	if lit, ok := item.Expr.(*sqlparser.Literal); ok && lit.Type == sqlparser.StrVal {
		return strings.TrimLeft(lit.Val, " ")
	}
	if _, ok := item.Expr.(*sqlparser.NullVal); ok && strings.EqualFold(text, "null") {
		return "NULL" // a parameter that is NULL has its own text
	}
	switch e := item.Expr.(type) {
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.StrVal, sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal:
			text = strings.TrimLeft(text, "+ ") // a plus is no operator
		}
	case *sqlparser.Argument, sqlparser.BoolVal:
		text = strings.TrimLeft(text, "+ ")
	}
	if len(text) > maxName {
		return text[:maxName]
	}
	return text
}

// maxName is the longest name of a result's column, in bytes.
const maxName = 256
