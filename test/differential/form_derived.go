package main

import (
	"fmt"
	"slices"
)

// drawDerived gives queries over derived tables, views and common table expressions, beside tables.
func drawDerived(g gen, tables []*Table, _ int) *Statement {
	d := &drawing{g: g, tables: tables, views: newViews(), unaliased: map[string]bool{}}
	s := &Statement{Mode: modeStrict, Quiet: true}
	var with []*common
	clause := none()
	if g.chance(45) {
		clause, with = d.with()
	}
	last := ""
	draw := func(room int) (*Node, *relation) {
		switch n := g.IntN(20); {
		case len(with) > 0 && n < 14:
			c := with[g.IntN(len(with))]
			if last == "" {
				c = with[len(with)-1]
			}
			last = c.name
			return d.common(c)
		case n < 5:
			return d.view(room)
		case n < 14:
			return d.derived(d.base)
		case n < 15 && last == "":
			return d.derived(func(int) (*Node, *relation) { return d.derived(d.base) })
		}
		if last == "" {
			return d.derived(d.view)
		}
		return d.base(room)
	}
	n := 1
	if g.chance(45) {
		n = 2 + g.IntN(2)*g.IntN(2)
	}
	b := d.block(d.from(n, func(room int) (*Node, *relation) {
		node, r := draw(room)
		if last == "" {
			last = r.alias
		}
		return node, r
	}, d.on))
	b.filtered(30)
	if g.chance(10) && len(with) > 0 { // a subquery over one of them
		node, r := d.common(with[0])
		f := &from{node: node, side: newSide(r)}
		c := d.joining(b.rels)
		b.where = append(b.where, expr("IN (subquery)", "% IN (%)", c.node(), subquery(d.likeColumn([]*relation{r}, c).node(), f, nil, none())))
	}
	s.Tree = fill("%%", clause, b.draw())
	return s
}

// with draws a WITH clause.
func (d *drawing) with() (*Node, []*common) {
	g := d.g
	list, out := pinned(", "), []*common{}
	word := "WITH "
	for i := range 1 + g.IntN(2) {
		c := &common{name: d.alias("cte")}
		var n *Node
		if g.chance(40) {
			word = "WITH RECURSIVE "
			n = d.recursive(c)
		} else {
			draw := d.base
			if i > 0 && g.chance(60) {
				before := out[i-1]
				draw = func(int) (*Node, *relation) { return d.common(before) }
			}
			d.nested++
			c.m = d.query(draw)
			d.nested--
			n = fill(c.name+" AS (%)", c.m.node)
			if g.chance(25) {
				n = fill(c.name+" ("+c.m.names()+") AS (%)", c.m.node)
				c.m.heads = nil
			}
		}
		n.Aliases = []string{c.name}
		list.Kids = append(list.Kids, n)
		out = append(out, c)
	}
	return named(word[:len(word)-1], fill(word+"% ", list)), out
}

// names gives the columns other names, for a list of them.
func (m *made) names() (out string) {
	for i := range m.columns {
		old := m.columns[i].Name
		m.columns[i].Name = fmt.Sprintf("n%d", i)
		if at := slices.Index(m.key, old); at >= 0 {
			m.key[at] = m.columns[i].Name
		}
		if i > 0 {
			out += ", "
		}
		out += m.columns[i].Name
	}
	return out
}

// recursive draws a common table expression that refers to itself, a bounded number of times.
func (d *drawing) recursive(c *common) *Node {
	g := d.g
	union := g.pick("UNION ALL", "UNION ALL", "UNION")
	m := &made{rows: 12}
	c.m = m
	column := func(name, class string) { m.columns = append(m.columns, TableColumn{Name: name, Class: class}) }
	most := literal(g.pick("1", "3", "5", "10"))
	head, body := "", (*Node)(nil)
	switch g.IntN(6) {
	case 0:
		column("a", "integer")
		m.key = []string{"a"}
		body = fill("SELECT % AS a "+union+" SELECT a + 1 FROM "+c.name+" WHERE a < %", literal("1"), most)
	case 1:
		column("a", "integer")
		column("s", "text")
		m.key, head = []string{"a"}, " (a, s)"
		body = fill("SELECT 1, CAST('x' AS CHAR(40)) "+union+" SELECT a + 1, CONCAT(s, %) FROM "+c.name+" WHERE a < %", literal("'y'"), most)
	case 2:
		column("a", "integer")
		column("b", "integer")
		m.key, head = []string{"b"}, " (a, b)"
		body = fill("SELECT 0, 1 "+union+" SELECT b, a + b + 1 FROM "+c.name+" WHERE b < %", literal(g.pick("10", "100", "1000")))
	case 3:
		column("a", "date")
		m.key, head = []string{"a"}, " (a)"
		body = fill("SELECT DATE'2024-02-25' "+union+" SELECT a + INTERVAL 1 DAY FROM "+c.name+" WHERE a < %", literal("DATE'2024-03-03'"))
	case 4: // from row to row of a table, with the depth
		t := g.pick("auto", "num", "two")
		id, to := "id", map[string]string{"auto": "n", "num": "i", "two": "n"}[t]
		if t == "two" {
			id = "a"
		}
		column("a", "integer")
		column("b", "integer")
		column("depth", "integer")
		m.rows, head = 60, " (a, b, depth)"
		body = fill("SELECT "+id+", "+to+", 0 FROM "+t+" WHERE "+id+" <= % "+union+" SELECT x."+id+", x."+to+", c.depth + 1 FROM "+c.name+" AS c JOIN "+t+" AS x ON x."+id+" = c.b WHERE c.depth < %", literal(g.pick("2", "4")), literal(g.pick("1", "2")))
	default: // all rows that are reached
		column("a", "integer")
		m.rows, m.key = 24, []string{"a"}
		body = fill("SELECT id AS a FROM num WHERE id = % UNION SELECT x.i FROM "+c.name+" AS c JOIN num AS x ON x.id = c.a WHERE x.i IS NOT NULL", literal(g.pick("1", "2", "3", "7")))
	}
	return named("recursive CTE", fill(c.name+head+" AS (%)", scope(body)))
}
