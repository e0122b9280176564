package sql

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"isochron/sql/comparing"
)

// The engine looks a key up by a value of another type as its conversion leaves it, and then
// takes the rows that it finds for equal. So before it looks for keys, a condition
// column = value of another type becomes two: one that compares both as MySQL does, of which no key
// is made, and column = the value of its own type that is nearest, which each row has that is equal.

// exactProbes is a plan with such conditions.
func exactProbes(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *gms.Context, n gms.Node) (gms.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *gmsplan.JoinNode:
			if n.Filter == nil {
				return n, transform.SameTree, nil
			}
			p := prober{keys: keysOf(ctx, n), constants: true, narrow: !n.Op.IsAnti() && !n.Op.IsFullOuter() && !n.Op.IsExcludeNulls(), all: n.Op.IsExcludeNulls()}
			out, same := n, transform.SameTree
			if e := p.exact(ctx, n.Filter); e != n.Filter {
				out, same = n.WithFilter(e), transform.NewTree
			}
			if negated(n) {
				out, _ = out.WithComment(noMerge).(*gmsplan.JoinNode)
				same = transform.NewTree
			}
			return out, same, nil
		case *gmsplan.Filter:
			p := prober{keys: keysOf(ctx, n), narrow: true}
			if e := p.exact(ctx, n.Expression); e != n.Expression {
				return gmsplan.NewFilter(ctx, e, n.Child), transform.NewTree, nil
			}
		}
		return n, transform.SameTree, nil
	})
}

// noMerge keeps the engine from joining two sorted sides. Where it does that for NOT IN it yields rows with a NULL.
const noMerge = "/*+ NO_MERGE_JOIN */"

// negated reports whether a join, or one below it that is planned with it, is for NOT IN.
func negated(n *gmsplan.JoinNode) (is bool) {
	transform.Inspect(n, func(n gms.Node) bool {
		if j, ok := n.(*gmsplan.JoinNode); ok && (j.Op.IsAnti() || j.Op.IsExcludeNulls()) {
			is = true
		}
		return !is
	})
	return is
}

// prober rewrites the conditions of a node.
type prober struct {
	keys      map[gms.ColumnId]bool // columns of an index; true: which holds them in part
	constants bool                  // conditions with a constant too
	narrow    bool                  // a condition that is not known may become one that is false
	all       bool                  // each row of the right side is to be looked at: a NULL decides NOT IN
}

// keysOf are the columns below a node that are in an index.
func keysOf(ctx *gms.Context, n gms.Node) map[gms.ColumnId]bool {
	keys := map[gms.ColumnId]bool{}
	transform.Inspect(n, func(n gms.Node) bool {
		t, ok := n.(gmsplan.TableIdNode)
		if !ok {
			return true
		}
		table, ok := n.(gms.TableNode)
		if alias, is := n.(*gmsplan.TableAlias); is {
			table, ok = alias.Child.(gms.TableNode)
		}
		if !ok {
			return true
		}
		indexed, ok := table.UnderlyingTable().(gms.IndexAddressable)
		if !ok {
			return true
		}
		indexes, err := indexed.GetIndexes(ctx)
		if err != nil {
			return true
		}
		parts := map[string]bool{}
		for _, x := range indexes {
			for _, e := range x.Expressions() {
				parts[e] = parts[e] || len(x.PrefixLengths()) > 0
			}
		}
		first, _ := t.Columns().Next(1)
		for i, col := range n.Schema(ctx) {
			if part, ok := parts[table.UnderlyingTable().Name()+"."+col.Name]; ok {
				keys[first+gms.ColumnId(i)] = part
			}
		}
		return false
	})
	return keys
}

// exact rewrites the parts of a condition.
func (p prober) exact(ctx *gms.Context, e gms.Expression) gms.Expression {
	switch e := e.(type) {
	case *expression.And:
		l, r := p.exact(ctx, e.LeftChild), p.exact(ctx, e.RightChild)
		if l != e.LeftChild || r != e.RightChild {
			return expression.NewAnd(l, r)
		}
	case *expression.Or:
		l, r := p.exact(ctx, e.LeftChild), p.exact(ctx, e.RightChild)
		if l != e.LeftChild || r != e.RightChild {
			return expression.NewOr(l, r)
		}
	case *expression.Equals:
		return p.equal(ctx, e)
	case *expression.NullSafeEquals:
		if !p.known(ctx, e.Left(), e.Right()) {
			return &apart{e}
		}
	}
	return e
}

// known reports whether the engine may look for a key of a comparison.
func (p prober) known(ctx *gms.Context, l, r gms.Expression) bool {
	lt, rt := l.Type(ctx), r.Type(ctx)
	if !p.constants && (!hasColumn(ctx, l) || !hasColumn(ctx, r)) {
		return true
	}
	lTuple, isTuple := lt.(types.TupleType)
	if rTuple, ok := rt.(types.TupleType); ok && isTuple && len(lTuple) == len(rTuple) {
		for i := range lTuple {
			if useOf(lTuple[i], rTuple[i]) != comparing.AsIs || useOf(rTuple[i], lTuple[i]) != comparing.AsIs {
				return false
			}
		}
		return true
	}
	return p.use(ctx, l, r) == comparing.AsIs && p.use(ctx, r, l) == comparing.AsIs && !p.inPart(l) && !p.inPart(r)
}

// inPart reports whether an expression is a column of which an index holds the beginning only.
func (p prober) inPart(e gms.Expression) bool {
	field, ok := e.(*expression.GetField)
	return ok && p.keys[field.Id()]
}

// use is how a key that is an expression is looked up by another.
func (p prober) use(ctx *gms.Context, key, by gms.Expression) comparing.Use {
	if hasColumn(ctx, by) {
		return useOf(key.Type(ctx), by.Type(ctx))
	}
	return useOfConstant(key.Type(ctx), by.Type(ctx), constantOf(by))
}

func hasColumn(ctx *gms.Context, e gms.Expression) bool {
	return transform.InspectExpr(ctx, e, func(_ *gms.Context, e gms.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *gmsplan.Subquery:
			return true
		}
		return false
	})
}

// equal rewrites an equality.
func (p prober) equal(ctx *gms.Context, e *expression.Equals) gms.Expression {
	l, r := e.Left(), e.Right()
	if p.known(ctx, l, r) {
		if p.all && (l.IsNullable(ctx) || r.IsNullable(ctx)) && hasCanonical(l.Type(ctx), r.Type(ctx)) && !types.IsTime(l.Type(ctx)) {
			return expression.NewEquals(&canonical{l, r, false}, &canonical{r, l, true})
		}
		return e
	}
	if !p.narrow {
		return &apart{e}
	}
	out := gms.Expression(&apart{e})
	if hasCanonical(l.Type(ctx), r.Type(ctx)) {
		out = expression.NewEquals(&canonical{l, r, false}, &canonical{r, l, true})
	}
	for _, way := range [][2]gms.Expression{{l, r}, {r, l}} {
		field, ok := way[0].(*expression.GetField)
		if !ok {
			continue
		}
		if _, key := p.keys[field.Id()]; key && p.use(ctx, way[0], way[1]) != comparing.Never {
			out = expression.NewAnd(out, expression.NewEquals(field, &nearest{way[1], field.Type(ctx)}))
		}
	}
	return out
}

// nearest is a value as a type has it; NULL if no value of that type can equal it.
type nearest struct {
	gms.Expression
	to gms.Type
}

var _ gms.CollationCoercible = (*nearest)(nil)

// Eval implements gms.Expression.
// String implements fmt.Stringer.
func (n *nearest) String() string { return fmt.Sprintf("nearest(%s)", n.Expression) }

// Eval implements gms.Expression.
func (n *nearest) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := valued(ctx, row, n.Expression)
	if err != nil || v == nil {
		return nil, err
	}
	near, exact, ok := nearestOf(ctx, n.to, n.Expression.Type(ctx), v)
	if !ok || !exact {
		return nil, nil
	}
	return near, nil
}

// Type implements gms.Expression.
func (n *nearest) Type(*gms.Context) gms.Type { return n.to }

// IsNullable implements gms.Expression.
func (n *nearest) IsNullable(*gms.Context) bool { return true }

// Children implements gms.Expression.
func (n *nearest) Children() []gms.Expression { return []gms.Expression{n.Expression} }

// WithChildren implements gms.Expression.
func (n *nearest) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &nearest{children[0], n.to}, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (n *nearest) CollationCoercibility(ctx *gms.Context) (gms.CollationID, byte) {
	return gms.GetCoercibility(ctx, n.Expression)
}

// canonical is a text that two values have alike if they are equal.
type canonical struct {
	of, beside gms.Expression
	turned     bool // it stands at the right
}

var (
	_ gms.Expression         = (*canonical)(nil)
	_ gms.CollationCoercible = (*canonical)(nil)
)

// Eval implements gms.Expression.
func (c *canonical) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	v, err := valued(ctx, row, c.of)
	if err != nil || v == nil {
		return nil, err
	}
	collation := collationOf(ctx, c.of, c.beside)
	if c.turned {
		collation = collationOf(ctx, c.beside, c.of)
	}
	s, ok := canonicalOf(ctx, c.of.Type(ctx), c.beside.Type(ctx), v, collation)
	if !ok {
		return nil, nil
	}
	return []byte(s), nil
}

// Resolved implements gms.Expression.
func (c *canonical) Resolved() bool { return c.of.Resolved() }

// String implements fmt.Stringer.
func (c *canonical) String() string { return fmt.Sprintf("compared(%s)", c.of) }

// Type implements gms.Expression.
func (c *canonical) Type(*gms.Context) gms.Type { return types.LongBlob }

// IsNullable implements gms.Expression.
func (c *canonical) IsNullable(*gms.Context) bool { return true }

// Children implements gms.Expression.
func (c *canonical) Children() []gms.Expression { return []gms.Expression{c.of} }

// WithChildren implements gms.Expression.
func (c *canonical) WithChildren(_ *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	return &canonical{children[0], c.beside, c.turned}, nil
}

// CollationCoercibility implements gms.CollationCoercible.
func (c *canonical) CollationCoercibility(*gms.Context) (gms.CollationID, byte) {
	return gms.Collation_binary, 2
}
