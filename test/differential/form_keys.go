package main

import "strings"

// drawKeys gives reads by keys: points, lists, ranges and prefixes, with literals of the column's type and of others.
func drawKeys(g gen, tables []*Table, _ int) *Statement {
	t := tables[g.IntN(len(tables))]
	items := list(1, ", ", column(g.pick(t.where()...)))
	switch g.IntN(4) {
	case 0:
		items.Kids[0] = text("*")
	case 1:
		items.Kids = append(items.Kids, column(g.pick(t.where()...)))
	case 2:
		items.Kids[0] = expr("COUNT(*)", "COUNT(*)")
	}
	where := optional(fill(" WHERE %", g.byKey(t)))
	tail := none()
	if items.Kids[0].Name == "" && g.chance(60) {
		order := tagged(text(strings.Join(t.Primary, ", ")), tagTotal)
		if g.chance(25) {
			for i, p := range t.Primary {
				order.Parts[0] = strings.Replace(order.Parts[0], p, p+" DESC", 1)
				if i == 0 {
					break
				}
			}
		}
		tail = list(0, "", optional(fill(" ORDER BY %", order)))
		if g.chance(30) {
			tail.Kids = append(tail.Kids, optional(tagged(fill(" LIMIT %", literal(g.pick("1", "2", "3"))), tagLimit)))
		}
	}
	return &Statement{Tree: fill("SELECT % FROM "+t.Name+"%%", items, where, tail), Table: t, Mode: modeStrict}
}

// byKey draws a condition on the columns of a key.
func (g gen) byKey(t *Table) *Node {
	switch n := g.IntN(10); {
	case n < 2 && len(t.Primary) > 1:
		return g.compound(t)
	case n < 4 && len(t.Indexed) > 0:
		name := g.pick(t.Indexed...)
		return expr("AND", "% AND %", g.keyed(t, name), g.keyed(t, g.pick(t.ordered()...)))
	case n < 6 || len(t.Indexed) == 0:
		return g.keyed(t, g.pick(t.Primary...))
	case n < 7:
		return expr("OR", "% OR %", g.keyed(t, g.pick(t.Primary...)), g.keyed(t, g.pick(t.Indexed...)))
	}
	return g.keyed(t, g.pick(t.Indexed...))
}

// keyed compares a column with literals, half of which are of the values that rows have.
func (g gen) keyed(t *Table, name string) *Node {
	c := column(name)
	switch g.IntN(8) {
	case 0:
		items := list(1, ", ", g.near(t, name))
		for range g.IntN(5) {
			items.Kids = append(items.Kids, g.near(t, name))
		}
		return expr("IN()", "% IN (%)", c, items)
	case 1:
		return expr("BETWEEN", "% BETWEEN % AND %", c, g.near(t, name), g.near(t, name))
	case 2:
		op := g.pick("<", "<=", ">", ">=")
		return expr(op, "% "+op+" %", c, g.near(t, name))
	case 3:
		return expr("range", "(% > % AND % <= %)", c, g.near(t, name), column(name), g.near(t, name))
	case 4:
		op := g.pick("<=>", "<>", "IS NULL", "IS NOT NULL")
		if strings.HasPrefix(op, "IS") {
			return expr(op, "% "+op, c)
		}
		return expr(op, "% "+op+" %", c, g.near(t, name))
	case 5:
		if t.class(name) == "text" {
			return expr("LIKE", "% LIKE %", c, literal(g.pick("'a%'", "'1%'", "'x|_%'", "'%'", "'ä%'", "'A'", "'_'", "''")))
		}
	case 6:
		return expr("=", "% = %", g.near(t, name), c)
	}
	return expr("=", "% = %", c, g.near(t, name))
}

// compound compares the columns of a primary key of two.
func (g gen) compound(t *Table) *Node {
	a, b := t.Primary[0], t.Primary[1]
	switch g.IntN(4) {
	case 0:
		return expr("row IN", "(%, %) IN (%)", column(a), column(b), list(1, ", ", g.pair(t, a, b), g.pair(t, a, b)))
	case 1:
		op := g.pick("=", "<", ">=", "<=>")
		return expr("row "+op, "(%, %) "+op+" %", column(a), column(b), g.pair(t, a, b))
	case 2:
		return expr("AND", "% = % AND %", column(a), g.near(t, a), g.keyed(t, b))
	}
	return expr("AND", "% = % AND % = %", column(a), g.near(t, a), column(b), g.near(t, b))
}

func (g gen) pair(t *Table, a, b string) *Node {
	return fill("(%, %)", g.near(t, a), g.near(t, b))
}

// near draws a literal: a value of some row, one of its class, or any.
func (g gen) near(t *Table, name string) *Node {
	if g.chance(50) && len(t.Rows) > 0 {
		row := t.Rows[g.IntN(len(t.Rows))]
		for i, c := range t.Columns {
			if c.Name == name {
				return literal(row[i])
			}
		}
	}
	return g.like(t.class(name))
}
