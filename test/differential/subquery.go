package main

import (
	"slices"
	"strings"
)

// Subqueries as parts of expressions.

// inner draws the FROM clause of a query within another.
func (d *drawing) inner() *from {
	rows := d.rows
	defer func() { d.rows = rows }()
	n := 1
	if d.g.chance(15) {
		n = 2
	}
	return d.from(n, d.base, d.on)
}

// within draws the conditions of a query within another: mostly one that refers to a relation around it.
func (d *drawing) within(f *from, around []*relation, depth int) []*Node {
	g := d.g
	where := f.where
	if len(around) > 0 && g.chance(55) {
		where = append(where, d.on(around, f.side.rels)...)
	}
	if g.chance(35) {
		where = append(where, d.condition(f.side.rels, 0))
	}
	if depth > 0 && g.chance(20) {
		where = append(where, d.predicate(slices.Concat(f.side.rels, around), depth-1))
	}
	return where
}

// query puts a query within another together.
func subquery(item *Node, f *from, where []*Node, tail *Node) *Node {
	return scope(fill("SELECT % FROM %%%", item, f.node, conjunction(" WHERE ", where...), tail))
}

// like draws a column that is compared with another: mostly of its class.
func (d *drawing) likeColumn(rels []*relation, c ref) ref {
	for range 40 {
		if d.strict {
			if e := d.column(rels, c.Class); e.Class == c.Class {
				return e
			}
			break
		}
		e := d.joining(rels)
		if d.g.chance(65) {
			e = d.column(rels, c.Class)
		}
		if !d.unsuited(c, e) && (c.Class == e.Class || !ordinal(c, e)) {
			return e
		}
	}
	return c
}

// columnQuery draws a query of one column to compare another column with.
func (d *drawing) columnQuery(c ref, around []*relation, depth int) *Node {
	g := d.g
	f := d.inner()
	where := d.within(f, around, depth)
	e := d.likeColumn(f.side.rels, c)
	switch n := g.IntN(20); {
	case n < 2:
		having := fill(" GROUP BY % HAVING COUNT(*) "+g.pick(">", "=", "<=")+" %", e.node(), literal(g.pick("1", "2")))
		return subquery(e.node(), f, where, having)
	case n < 3 && slices.Contains(numericClasses, e.Class):
		return subquery(expr("MAX()", g.pick("MAX(%)", "MIN(%)"), e.node()), f, where, none())
	case n < 4:
		return subquery(fill("DISTINCT %", e.node()), f, where, none())
	case n < 5 && !d.apart:
		o := d.inner()
		second := subquery(d.likeColumn(o.side.rels, c).node(), o, d.within(o, around, 0), none())
		word := g.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT")
		return scope(named(word, fill("% "+word+" %", subquery(e.node(), f, where, none()), second)))
	}
	return subquery(e.node(), f, where, none())
}

// predicate draws a condition with a subquery.
func (d *drawing) predicate(around []*relation, depth int) *Node {
	g := d.g
	c := d.joining(around)
	not := g.pick("", "", "NOT ")
	switch n := g.IntN(20); {
	case n < 6:
		return expr(not+"IN (subquery)", "% "+not+"IN (%)", c.node(), d.columnQuery(c, around, depth))
	case n < 11:
		f := d.inner()
		return expr(not+"EXISTS", not+"EXISTS (%)", subquery(text(g.pick("1", "*", "NULL")), f, d.within(f, around, depth), none()))
	case n < 14:
		word := g.pick("ANY", "SOME", "ALL", "ALL")
		op := g.pick("=", "<>", "<", "<=", ">", ">=")
		d.strict = op != "=" && op != "<>" // MariaDB takes the least or the greatest by the type of the rows
		defer func() { d.strict = false }()
		return expr(op+" "+word, "% "+op+" "+word+" (%)", c.node(), d.columnQuery(c, around, depth))
	case n < 16 && !d.apart: // rows of several types
		return d.rowPredicate(c, around, depth)
	case n < 17:
		return expr("IS NULL", "% IS "+not+"NULL", d.scalar(around, depth))
	}
	op := g.pick(comparisons...)
	return expr(op, "% "+op+" %", c.node(), d.scalarLike(c, around, depth))
}

// rowPredicate compares two columns with the rows of a subquery.
func (d *drawing) rowPredicate(c ref, around []*relation, depth int) *Node {
	g := d.g
	e := d.joining(around)
	f := d.inner()
	items := fill("%, %", d.likeColumn(f.side.rels, c).node(), d.likeColumn(f.side.rels, e).node())
	where := d.within(f, around, depth)
	if total := totalOf(g, f.side.rels); g.chance(30) && total != nil {
		op := g.pick("=", "<>", "<", "<=>")
		return expr("row "+op+" (subquery)", "(%, %) "+op+" (%)", c.node(), e.node(), subquery(items, f, where, fill(" ORDER BY % LIMIT 1", total)))
	}
	not := g.pick("", "NOT ")
	return expr("row "+not+"IN (subquery)", "(%, %) "+not+"IN (%)", c.node(), e.node(), subquery(items, f, where, none()))
}

// scalarLike draws a subquery of one value to compare with a column.
func (d *drawing) scalarLike(c ref, around []*relation, depth int) *Node {
	f := d.inner()
	return d.scalarOver(f, d.likeColumn(f.side.rels, c), around, depth)
}

// scalar draws a subquery of one value.
func (d *drawing) scalar(around []*relation, depth int) *Node {
	f := d.inner()
	return d.scalarOver(f, d.column(f.side.rels), around, depth)
}

func (d *drawing) scalarOver(f *from, c ref, around []*relation, depth int) *Node {
	g := d.g
	where := d.within(f, around, depth)
	total := totalOf(g, f.side.rels)
	n := g.IntN(10)
	if d.apart && !slices.Contains(numericClasses, c.Class) {
		n = 0
	}
	switch {
	case n < 3 && total != nil:
		return expr("scalar subquery", "(%)", subquery(c.node(), f, where, fill(" ORDER BY % LIMIT 1", total)))
	case n < 6 && slices.Contains(exactClasses, c.Class):
		return expr("scalar MAX()", "(%)", subquery(expr("MAX()", g.pick("MAX(%)", "MIN(%)"), c.node()), f, where, none()))
	case n < 8 && slices.Contains(numericClasses, c.Class):
		return expr("scalar SUM()", "(%)", subquery(expr("SUM()", g.pick("SUM(%)", "AVG(%)"), c.node()), f, where, none()))
	case n < 9:
		return expr("scalar COUNT()", "(%)", subquery(expr("COUNT()", "COUNT(%)", c.node()), f, where, none()))
	}
	return expr("scalar COUNT()", "(%)", subquery(text("COUNT(*)"), f, where, none()))
}

// subqueryItem draws an expression with a subquery for the select list.
func (d *drawing) subqueryItem(around []*relation, depth int) *Node {
	g := d.g
	switch n := g.IntN(10); {
	case n < 5:
		return d.scalar(around, depth)
	case n < 7:
		return expr("CASE", "CASE WHEN % THEN % ELSE 'no' END", d.predicate(around, depth), literal("'yes'"))
	case n < 8:
		return expr("COALESCE()", "COALESCE(%, %)", d.scalar(around, depth), literal("0"))
	}
	p := d.predicate(around, depth)
	if strings.HasPrefix(p.Text(), "NOT ") {
		return fill("(%)", p)
	}
	return p
}
