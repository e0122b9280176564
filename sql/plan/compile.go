package plan

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/legacy/enginetable"
	"isochron/sql/table"
)

// RoundPlan is a statement that is executed in rounds.
type RoundPlan struct {
	// Read is the read part, nil for an insertion of given rows.
	Read *Read
	// Insert is the insertion, nil if there is none.
	Insert *Insert
	// Writes is the table that is written, nil if none.
	Writes *enginetable.Table
	// ForeignKeys: rows of other tables are looked up for each row.
	ForeignKeys bool
}

// Read is a fused part of a statement's tree.
type Read struct {
	Top     gms.Node // the highest node it replaces
	Table   *enginetable.Table
	Access  *table.Access
	Filter  gms.Expression
	Project []gms.Expression
	Ordered bool // order and limit are those of the index
	Limit   int  // rows to return, after Offset; -1 is all
	Offset  int
	// Pushed: the fetch itself stops at the limit.
	Pushed   bool
	cutShort bool
}

// Insert is an insertion.
type Insert struct {
	Node  *gmsplan.InsertInto
	Table *enginetable.Table
	// Owners: the rows that already have a key are needed too.
	Owners bool
}

// Compile recognises the statement, or gives nil.
func Compile(ctx *gms.Context, root gms.Node) *RoundPlan {
	if hasSubquery(ctx, root) {
		return nil
	}
	p := new(RoundPlan)
	if p.descend(ctx, root) && (p.Read != nil || p.Insert != nil) {
		return p
	}
	return nil
}

// Targets are the tables, by id, that an UPDATE or DELETE without a round plan
// writes, and all that it joins them with. What its subqueries read is not among them.
func Targets(ctx *gms.Context, root gms.Node) (written, joined []uint64) {
	transform.InspectWithOpaque(ctx, root, func(_ *gms.Context, n gms.Node) bool {
		switch n := n.(type) {
		case *gmsplan.Update:
			all := tablesIn(n)
			written, joined = append(written, updated(n, all)...), append(joined, all...)
			return false
		case *gmsplan.DeleteFrom:
			for _, target := range n.GetDeleteTargets() {
				written = append(written, tablesIn(target)...)
			}
			joined = append(joined, tablesIn(n)...)
			return false
		}
		return true
	})
	return written, joined
}

// updated are the tables that an UPDATE writes, of all that are in it.
func updated(u *gmsplan.Update, all []uint64) (ids []uint64) {
	join := false
	transform.Inspect(u, func(n gms.Node) bool {
		if j, ok := n.(*gmsplan.UpdateJoin); ok {
			join = true
			for _, target := range j.UpdateTargets { // order: into a set
				ids = append(ids, tablesIn(target)...)
			}
		}
		return !join
	})
	if !join {
		return all
	}
	return ids
}

// tablesIn are the tables in a tree, by id.
func tablesIn(root gms.Node) (ids []uint64) {
	transform.Inspect(root, func(n gms.Node) bool {
		if n, ok := n.(gms.TableNode); ok {
			if t, ok := gms.GetUnderlyingTable(n.UnderlyingTable()).(*enginetable.Table); ok {
				ids = append(ids, t.Descriptor().ID())
			}
		}
		return true
	})
	return ids
}

// descend goes down the tree through nodes that cost no round to what does.
func (p *RoundPlan) descend(ctx *gms.Context, n gms.Node) bool {
	if r := fuse(ctx, n); r != nil {
		p.Read = r
		return true
	}
	switch n := n.(type) {
	case *gmsplan.InsertInto:
		return p.insert(ctx, n)
	case *gmsplan.Update:
		return !n.IsJoin && p.write(ctx, n.Child)
	case *gmsplan.DeleteFrom:
		return len(n.GetDeleteTargets()) == 1 && p.write(ctx, n.Child)
	case *gmsplan.ForeignKeyHandler:
		p.ForeignKeys = true
		return p.descend(ctx, n.OriginalNode)
	case *gmsplan.UpdateSource:
		return p.descend(ctx, n.Child)
	case *gmsplan.Limit, *gmsplan.Offset, *gmsplan.TopN, *gmsplan.Sort, *gmsplan.Project, *gmsplan.Filter,
		*gmsplan.GroupBy, *gmsplan.Having, *gmsplan.Distinct, *gmsplan.TableAlias:
		return p.descend(ctx, n.Children()[0])
	}
	return false
}

func (p *RoundPlan) write(ctx *gms.Context, child gms.Node) bool {
	if !p.descend(ctx, child) || p.Read == nil {
		return false
	}
	p.Writes = p.Read.Table
	return true
}

func (p *RoundPlan) insert(ctx *gms.Context, n *gmsplan.InsertInto) bool {
	insertable, err := gmsplan.GetInsertable(n.Destination)
	if err != nil {
		return false
	}
	t, ok := gms.GetUnderlyingTable(insertable).(*enginetable.Table)
	if !ok {
		return false
	}
	_, p.ForeignKeys = insertable.(*gmsplan.ForeignKeyHandler)
	if !isValues(n.Source) && !p.descend(ctx, n.Source) {
		return false
	}
	p.Insert = &Insert{Node: n, Table: t, Owners: n.IsReplace || n.OnDupExprs.HasUpdates()}
	p.Writes = t
	return true
}

func isValues(n gms.Node) bool {
	switch n := n.(type) {
	case *gmsplan.Values:
		return true
	case *gmsplan.Project:
		return isValues(n.Child)
	}
	return false
}

// hasSubquery reports whether the statement reads anywhere else than in the
// straight line that descend follows.
func hasSubquery(ctx *gms.Context, root gms.Node) bool {
	found := false
	transform.InspectExpressionsWithNode(ctx, root, func(_ *gms.Context, _ gms.Node, e gms.Expression) bool {
		switch e.(type) {
		case *gmsplan.Subquery, *gmsplan.InSubquery, *gmsplan.ExistsSubquery:
			found = true
		}
		return !found
	})
	return found
}

// fuse makes one read of the lower part of a tree, or gives nil.
func fuse(ctx *gms.Context, n gms.Node) *Read {
	switch n := n.(type) {
	case *gmsplan.Limit:
		return fuseLimit(ctx, n)
	case *gmsplan.Offset:
		r := fuse(ctx, n.Child)
		count, ok := constant(ctx, n.Offset)
		if r == nil || !ok || r.Limit >= 0 || r.Offset > 0 {
			return nil
		}
		r.Offset = count
		return r.under(n)
	case *gmsplan.TopN:
		return fuseTopN(ctx, n)
	case *gmsplan.Project:
		r := fuse(ctx, n.Child)
		if r == nil || r.Project != nil || !plain(ctx, n.Projections) {
			return nil
		}
		r.Project = n.Projections
		return r.under(n)
	case *gmsplan.Filter:
		r := fuse(ctx, n.Child)
		if r == nil || r.Project != nil || r.Filter != nil || r.Limit >= 0 || r.Offset > 0 {
			return nil
		}
		r.Filter = n.Expression
		return r.under(n)
	case *gmsplan.TableAlias:
		if r := fuse(ctx, n.Child); r != nil {
			return r.under(n)
		}
	case *gmsplan.IndexedTableAccess:
		return fuseLookup(ctx, n)
	case *gmsplan.ResolvedTable:
		if t, ok := gms.GetUnderlyingTable(n.Table).(*enginetable.Table); ok {
			return &Read{Top: n, Table: t, Access: table.All(t.Descriptor()), Limit: -1}
		}
	}
	return nil
}

func (r *Read) under(n gms.Node) *Read {
	r.Top = n
	return r
}

func fuseLookup(ctx *gms.Context, n *gmsplan.IndexedTableAccess) *Read {
	t, ok := gms.GetUnderlyingTable(n.UnderlyingTable()).(*enginetable.Table)
	if !ok || !n.IsStatic() {
		return nil
	}
	lookup, inRange, err := n.GetLookup(ctx, nil)
	if err != nil {
		return nil
	}
	lookup.IsEmptyRange = lookup.IsEmptyRange || !inRange
	access, err := enginetable.ForLookup(ctx, t.Descriptor(), lookup)
	if err != nil {
		return nil
	}
	// The order of the index is as good as any, and may be a requested one.
	return &Read{Top: n, Table: t, Access: access, Limit: -1}
}

func fuseLimit(ctx *gms.Context, n *gmsplan.Limit) *Read {
	r := fuse(ctx, n.Child)
	count, ok := constant(ctx, n.Limit)
	if r == nil || !ok || n.CalcFoundRows || r.Limit >= 0 {
		return nil
	}
	r.Limit = count
	r.push(ctx)
	return r.under(n)
}

func fuseTopN(ctx *gms.Context, n *gmsplan.TopN) *Read {
	r := fuse(ctx, n.Child)
	count, ok := constant(ctx, n.Limit)
	if r == nil || !ok || n.CalcFoundRows || r.Limit >= 0 || r.Offset > 0 || r.Project != nil {
		return nil
	}
	falling, ok := r.inOrder(ctx, n.SortConditions)
	if !ok {
		return nil
	}
	r.Access.Reverse, r.Ordered = falling, true
	r.Limit = count
	r.push(ctx)
	return r.under(n)
}

// push lets the fetch stop at the limit if the index has all that the filter
// asks.
func (r *Read) push(ctx *gms.Context) {
	want := r.Limit + r.Offset
	if want <= 0 || !r.Access.Exact() || !r.decided(ctx) {
		return
	}
	r.Access.Limit, r.Pushed = want, true
}

// decided reports whether the filter is implied by the ranges: each part of it compares a column of the index with a
// constant, precisely.
func (r *Read) decided(ctx *gms.Context) bool {
	if r.Filter == nil {
		return true
	}
	for _, part := range expression.SplitConjunction(ctx, r.Filter) {
		if !expression.PreciseComparison(ctx, part) || !r.comparesIndexColumn(part) {
			return false
		}
	}
	return true
}

func (r *Read) comparesIndexColumn(e gms.Expression) bool {
	switch e.(type) {
	case *expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
	default:
		return false
	}
	children := e.Children()
	field, ok := children[0].(*expression.GetField)
	value := children[1]
	if !ok {
		field, ok = children[1].(*expression.GetField)
		value = children[0]
	}
	if _, literal := value.(*expression.Literal); !ok || !literal || r.Access.Index.HasPrefixes() {
		return false
	}
	for _, pos := range r.Access.Index.Columns {
		if r.Table.Descriptor().Schema.Schema[pos].Name == field.Name() {
			return true
		}
	}
	return false
}

func constant(ctx *gms.Context, e gms.Expression) (int, bool) {
	if e == nil || len(e.Children()) > 0 {
		return 0, false
	}
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return 0, false
	}
	n, _, err := int64Type.Convert(ctx, v)
	i, ok := n.(int64)
	return int(i), err == nil && ok && i >= 0
}
