package main

import "slices"

// drawSubqueries gives queries with subqueries in every place of them, one or two deep.
func drawSubqueries(g gen, tables []*Table, _ int) *Statement {
	d := &drawing{g: g, tables: tables}
	depth := g.IntN(2)
	on := d.on
	n := 1
	if g.chance(25) {
		n = 2
		if g.chance(40) {
			on = func(left, right []*relation) []*Node {
				return append(d.on(left, right), d.predicate(slices.Concat(left, right), 0))
			}
		}
	}
	b := d.block(d.from(n, d.base, on))
	s := &Statement{Mode: modeStrict, Quiet: true}
	if g.chance(12) {
		s.Tree = b.groupedWithSubquery()
		return s
	}
	if g.chance(25) {
		b.filtered(50)
	}
	elsewhere := g.chance(35)
	if elsewhere {
		b.item = func() *Node { return d.subqueryItem(b.rels, depth) }
		b.having = func() *Node { return d.havingSubquery(b) }
	}
	if !elsewhere || g.chance(40) {
		p := d.predicate(b.rels, depth)
		if g.chance(12) {
			p = expr("OR", "(% OR %)", p, d.condition(b.rels, 0))
		}
		b.where = append(b.where, p)
	}
	if elsewhere && len(b.where) == 0 {
		s.Tree = b.withSubqueries()
		return s
	}
	s.Tree = b.draw()
	return s
}

// withSubqueries draws a shape that has subqueries outside of WHERE.
func (b *block) withSubqueries() *Node {
	switch n := b.d.g.IntN(10); {
	case n < 7:
		b.always = true
		return b.plain()
	case n < 9:
		b.always = true
		return b.grouped()
	}
	b.always = true
	return b.aggregated()
}

// havingSubquery compares an aggregate with a subquery that does not refer to the groups.
func (d *drawing) havingSubquery(b *block) *Node {
	op := d.g.pick(">", "<", ">=", "<>", "=")
	f := d.inner()
	c := d.column(f.side.rels, numericClasses...)
	switch d.g.IntN(3) {
	case 0:
		return expr("HAVING IN (subquery)", "% "+d.g.pick("", "NOT ")+"IN (%)", b.aggregate(true), d.columnQuery(c, nil, 0))
	case 1:
		return expr("HAVING "+op+" (subquery)", "% "+op+" %", expr("COUNT(*)", "COUNT(*)"), d.scalarOver(f, c, nil, 0))
	}
	return expr("HAVING "+op+" (subquery)", "% "+op+" %", b.aggregate(true), d.scalarOver(f, c, nil, 0))
}

// groupedWithSubquery groups by a column to which a subquery of the select list refers.
func (b *block) groupedWithSubquery() *Node {
	g, d := b.d.g, b.d
	c := d.column(b.rels, exactClasses...)
	key := c.node()
	around := []*relation{{alias: c.of.alias, columns: []TableColumn{c.TableColumn}, table: c.of.table}}
	f := d.inner()
	sub := d.scalarOver(f, d.column(f.side.rels), around, 0)
	items := list(1, ", ", key, b.aggregate(false), sub)
	order := pinned(", ", c.node())
	tail := pinned("", tagged(fill(" GROUP BY %", c.node()), tagFold))
	if g.chance(30) {
		tail.Kids = append(tail.Kids, optional(fill(" HAVING %", d.havingSubquery(b))))
	}
	tail.Kids = append(tail.Kids, b.inOrder(order))
	return b.selectOf(items, tail)
}
