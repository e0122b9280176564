package bind

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
)

// hiddenColumns are behind those of a table whose rows a change may change: the row's key, and its stored bytes.
const hiddenColumns = 2

// Target is a table that an UPDATE or DELETE changes the rows of.
type Target struct {
	Table       *catalog.Descriptor
	Alias       string
	First       int // position of its first column
	Key, Stored int // items of the query
	Sets        []Set
	source      *Source
}

// update binds an UPDATE.
func (b *binder) update(s *sqlparser.Update) (*Change, error) {
	c := &Change{Kind: Updates, Ignore: bool(s.Ignore)}
	if err := b.changedRows(s.With, s.TableExprs, s.Where, s.OrderBy, s.Limit); err != nil {
		return nil, err
	}
	if len(b.names.tables) > 1 {
		switch {
		case len(s.OrderBy) > 0:
			return nil, wrongUsage("UPDATE", "ORDER BY")
		case s.Limit != nil:
			return nil, wrongUsage("UPDATE", "LIMIT")
		}
	}
	b.clause = "field list"
	for _, a := range s.Exprs {
		if err := c.assign(b, a); err != nil {
			return nil, err
		}
	}
	return c, c.complete(b)
}

func wrongUsage(of, with string) error {
	return expr.NewError(1221, "HY000", "Incorrect usage of %s and %s", of, with)
}

// delete binds a DELETE.
func (b *binder) delete(s *sqlparser.Delete) (*Change, error) {
	if len(s.Partitions) > 0 {
		return nil, partitioned()
	}
	c := &Change{Kind: Deletes, Ignore: bool(s.Ignore)}
	if err := b.changedRows(s.With, s.TableExprs, s.Where, s.OrderBy, s.Limit); err != nil {
		return nil, err
	}
	if len(s.Targets) == 0 {
		if len(b.names.tables) != 1 {
			return nil, unsupported("a DELETE of no table")
		}
		if err := c.deletesFrom(b.names.tables[0]); err != nil {
			return nil, err
		}
		return c, c.complete(b)
	}
	for _, name := range s.Targets {
		at := slices.IndexFunc(b.names.tables, func(t *namedTable) bool { return t.qualifies(name) })
		if at < 0 {
			return nil, expr.NewError(1109, "42S02", "Unknown table '%s' in MULTI DELETE", name.Name.String())
		}
		if err := c.deletesFrom(b.names.tables[at]); err != nil {
			return nil, err
		}
	}
	return c, c.complete(b)
}

// changedRows binds which rows are changed.
func (b *binder) changedRows(with *sqlparser.With, from []sqlparser.TableExpr, where *sqlparser.Where, order sqlparser.OrderBy, limit *sqlparser.Limit) error {
	if err := b.with(with); err != nil {
		return err
	}
	b.hides = hiddenColumns
	if err := b.from(from); err != nil {
		return err
	}
	if b.q.From == nil {
		return unsupported("a change of no table")
	}
	if err := b.where(where); err != nil {
		return err
	}
	b.clause = "order clause"
	for _, o := range order {
		e, err := b.resolve(o.Expr, nil)
		if err != nil {
			return err
		}
		if n, number := itemNumber(o.Expr); number {
			return b.unknown(sqlparser.NewColName(strconv.Itoa(n)))
		}
		if hasAggregate(e) {
			return expr.NewError(1111, "HY000", "Invalid use of group function")
		}
		b.q.Order = append(b.q.Order, Order{Expr: e, Item: -1, Descending: o.Direction == sqlparser.DescOrder})
	}
	if limit != nil {
		if limit.Offset != nil {
			return expr.NewError(1064, "42000", "You have an error in your SQL syntax: a change has no offset")
		}
		b.q.Count = limit.Rowcount
	}
	return nil
}

// target is the target that a source of a table or view is, which is added if it is none yet.
func (c *Change) target(s *Source) *Target {
	for _, o := range c.Targets {
		if o.source == s {
			return o
		}
	}
	out := &Target{Table: s.Table, Alias: s.Alias, First: s.First, source: s}
	s.Changed = true
	c.Targets = append(c.Targets, out)
	return out
}

// deletesFrom adds a table or view to the targets of a DELETE.
func (c *Change) deletesFrom(t *namedTable) error {
	switch len(t.sources) {
	case 0:
		return c.fixed(t)
	case 1:
		c.target(t.sources[0])
		return nil
	}
	return expr.NewError(1395, "HY000", "Can not delete from join view '%s.%s'", t.database, t.alias)
}

// fixed is the error of a target whose rows cannot be changed.
func (c *Change) fixed(t *namedTable) error {
	if t.virtual != nil {
		return &Elsewhere{t.virtual.Database, t.virtual.Name}
	}
	return expr.NewError(1288, "HY000", "The target table %s of the %s is not updatable", t.alias, [...]string{Updates: "UPDATE", Deletes: "DELETE"}[c.Kind])
}

// assign binds an assignment of an UPDATE.
func (c *Change) assign(b *binder, a *sqlparser.UpdateExpr) error {
	v, err := b.find(a.Name)
	if err != nil {
		return err
	}
	if v == nil {
		return b.unknown(a.Name)
	}
	at, ok := Column(v.to)
	t := b.names.of(v)
	if !ok || t == nil {
		return unsupported("name " + sqlparser.String(a.Name))
	}
	s, column := b.q.SourceOf(at)
	if !slices.Contains(t.sources, s) {
		return c.fixed(t)
	}
	to, set := c.target(s), Set{Column: column}
	if set.Expr, err = b.assigned(a.Expr); err != nil {
		return err
	}
	to.Sets = append(to.Sets, set)
	return nil
}

// of is the table that a column is of; nil: none.
func (n *names) of(v *visible) *namedTable {
	for _, t := range n.tables {
		if slices.ContainsFunc(t.columns, func(o visible) bool { return o.to == v.to }) {
			return t
		}
	}
	return nil
}

// complete makes of what is bound the query of the rows, or Rows of a plain one.
func (c *Change) complete(b *binder) error {
	if len(c.Targets) == 0 {
		return unsupported("a change of no table")
	}
	c.Table = c.Targets[0].Table
	for _, t := range c.Targets {
		if err := usesTarget(t.Table, t.Alias, b.q.Subqueries); err != nil {
			return err
		}
	}
	if c.Kind == Updates {
		if err := c.keysOnce(); err != nil {
			return err
		}
	}
	if b.q.Table != nil && len(b.q.Subqueries) == 0 {
		c.Rows, c.Sets, c.Targets = b.q, c.Targets[0].Sets, nil
		return nil
	}
	c.Query = b.q
	for _, t := range c.Targets {
		n := len(t.Table.Record.Columns)
		t.Key, t.Stored = c.item(refer(columnRow, t.First+n)), c.item(refer(columnRow, t.First+n+1))
		assigned := map[int]bool{}
		for _, set := range t.Sets {
			Refs(set.Expr, func(r Ref) { c.need(r, assigned) })
			assigned[t.First+set.Column] = true
		}
	}
	return nil
}

// need makes an item of what an assignment refers to: of a subquery, unless it refers to a column that is assigned before.
func (c *Change) need(r Ref, assigned map[int]bool) {
	switch r.Row {
	case OfSources:
		c.item(refer(columnRow, r.At))
	case OfSubqueries:
		if !c.follows(r, assigned) {
			c.item(refer(subRow, r.At))
			return
		}
		for _, e := range c.Query.Subqueries[r.At].around() {
			Refs(e, func(r Ref) { c.need(r, assigned) })
		}
	}
}

// follows reports whether what a reference means depends on columns that are assigned before.
func (c *Change) follows(r Ref, assigned map[int]bool) (yes bool) {
	if r.Row != OfSubqueries {
		return r.Row == OfSources && assigned[r.At]
	}
	for _, e := range c.Query.Subqueries[r.At].around() {
		Refs(e, func(r Ref) { yes = yes || c.follows(r, assigned) })
	}
	return yes
}

// around are the expressions of a subquery over the rows of the query around it.
func (s *Subquery) around() []sqlparser.Expr { return append(slices.Clone(s.Left), s.Query.Outer...) }

// item is the item of the query that a reference is.
func (c *Change) item(e *sqlparser.ColName) int {
	for i, item := range c.Query.Items {
		if sqlparser.Equals.Expr(item.Expr, e) {
			return i
		}
	}
	c.Query.Items = append(c.Query.Items, Item{Expr: e, Column: -1})
	return len(c.Query.Items) - 1
}

// keysOnce refuses to change the key of a table's rows that are changed under two names.
func (c *Change) keysOnce() error {
	for i, t := range c.Targets {
		for _, o := range c.Targets[i+1:] {
			if t.Table.ID() != o.Table.ID() {
				continue
			}
			if t.changesKey() || o.changesKey() {
				return expr.NewError(1706, "HY000", "Primary key/partition key update is not allowed since the table is updated both as '%s' and '%s'.", t.Alias, o.Alias)
			}
		}
	}
	return nil
}

func (t *Target) changesKey() bool {
	return slices.ContainsFunc(t.Sets, func(s Set) bool {
		return slices.Contains(t.Table.Primary.Columns, s.Column) || slices.Contains(t.Table.Divides(), s.Column)
	})
}

// usesTarget refuses subqueries that read the table that is changed, but in derived tables.
func usesTarget(d *catalog.Descriptor, alias string, subqueries []*Subquery) error {
	for _, s := range subqueries {
		if reads(s.Query, d) {
			return expr.NewError(1093, "HY000", "You can't specify target table '%s' for update in FROM clause", alias)
		}
	}
	return nil
}

func reads(q *Query, d *catalog.Descriptor) bool {
	for _, s := range q.Sources {
		switch {
		case s.Table != nil && !s.derived && s.Table.ID() == d.ID():
			return true
		case s.Set != nil && (reads(s.Set.Left, d) || reads(s.Set.Right, d)):
			return true
		}
	}
	return slices.ContainsFunc(q.Subqueries, func(s *Subquery) bool { return reads(s.Query, d) })
}
