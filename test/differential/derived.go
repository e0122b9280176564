package main

import (
	"fmt"
	"slices"
)

// Queries that stand for relations: derived tables, common table expressions, views.

// made is a query within a FROM clause or a WITH clause.
type made struct {
	node    *Node
	columns []TableColumn
	key     []string
	rows    int
	items   []*Node // the items of its list that may be removed, by column; nil for those that may not
	heads   []*Node // the nodes that have the names of its columns as aliases
}

// add appends a select item with a name, and records its class.
func (m *made) add(list *Node, item *Node, class string) string {
	name := fmt.Sprint("c", len(m.columns))
	n := fill("% AS "+name, item)
	list.Kids = append(list.Kids, n)
	m.columns = append(m.columns, TableColumn{Name: name, Class: class})
	m.items, m.heads = append(m.items, n), append(m.heads, n)
	return name
}

// query draws a query of which the rows are a relation.
func (d *drawing) query(draw source) *made {
	rows := d.rows
	defer func() { d.rows = rows }()
	g := d.g
	n := 1
	if g.chance(20) {
		n = 2
	}
	f := d.from(n, draw, d.on)
	where := f.where
	if g.chance(45) {
		where = append(where, d.condition(f.side.rels, 1))
	}
	if d.nested < 1 && g.chance(10) {
		where = append(where, d.predicate(f.side.rels, 0))
	}
	m := &made{rows: 1}
	for _, r := range f.side.rels {
		m.rows = min(m.rows*r.rows, productMax)
	}
	switch n := g.IntN(20); {
	case n < 10:
		m.plain(d, f, where)
	case n < 15:
		m.grouped(d, f, where)
	case n < 17:
		m.distinct(d, f, where)
	default:
		m.united(d, f, where)
	}
	return m
}

// plain selects keys and other columns; now and then the first rows.
func (m *made) plain(d *drawing, f *from, where []*Node) {
	g := d.g
	items := list(1, ", ")
	keyed := true
	for _, r := range f.side.rels {
		for _, k := range r.key {
			for _, c := range r.columns {
				if c.Name == k {
					m.key = append(m.key, m.add(items, ref{r, c}.node(), c.Class))
				}
			}
		}
		keyed = keyed && r.key != nil
	}
	for range 1 + g.IntN(3) {
		c := d.column(f.side.rels)
		m.add(items, c.node(), c.Class)
	}
	if !keyed {
		m.key = nil
	}
	if g.chance(25) {
		c := d.column(f.side.rels, numericClasses...)
		if slices.Contains(numericClasses, c.Class) {
			m.add(items, expr("/", "% / 2", c.node()), "decimal")
		} else {
			m.add(items, expr("IS NULL", "% IS NULL", c.node()), "integer")
		}
	}
	tail := none()
	if total := totalOf(g, f.side.rels); total != nil && g.chance(20) {
		tail = optional(fill(" ORDER BY % LIMIT %", total, literal(g.pick("1", "3", "5", "100"))))
	}
	m.node = subquery(items, f, where, tail)
}

func (m *made) distinct(d *drawing, f *from, where []*Node) {
	items := list(1, ", ")
	for range 1 + d.g.IntN(2) {
		if c := d.column(f.side.rels, exactClasses...); slices.Contains(exactClasses, c.Class) {
			m.key = append(m.key, m.add(items, c.node(), c.Class))
		}
	}
	if len(m.columns) == 0 {
		m.plain(d, f, where)
		return
	}
	m.node = subquery(fill("DISTINCT %", items), f, where, none())
}

func (m *made) grouped(d *drawing, f *from, where []*Node) {
	g := d.g
	link := d.alias("groups ")
	items, by := &Node{List: true, Sep: ", ", Min: 1, Link: link}, &Node{List: true, Sep: ", ", Min: 1, Link: link}
	for range 1 + g.IntN(2) {
		if c := d.column(f.side.rels, exactClasses...); slices.Contains(exactClasses, c.Class) {
			m.key = append(m.key, m.add(items, c.node(), c.Class))
			by.Kids = append(by.Kids, c.node())
		}
	}
	if len(m.columns) == 0 {
		m.plain(d, f, where)
		return
	}
	others := list(0, "")
	b := &block{d: d, f: f, rels: f.side.rels}
	for range 1 + g.IntN(2) {
		a := b.aggregate(true)
		class := "decimal"
		switch c := a.Parts[0]; {
		case c[0] == 'C' || c[0] == 'B':
			class = "integer"
		case c[0] == 'G':
			class = "text"
		case c[0] == 'M':
			class = classOfColumn(f.side.rels, a.Kids)
			a.Tags = nil // it is of an exact class
		}
		others.Kids = append(others.Kids, fill(", %", nil))
		last := others.Kids[len(others.Kids)-1]
		name := fmt.Sprint("c", len(m.columns))
		last.Kids[0] = fill("% AS "+name, a)
		m.columns = append(m.columns, TableColumn{Name: name, Class: class})
		m.items, m.heads = append(m.items, last), append(m.heads, last)
	}
	tail := pinned("", fill(" GROUP BY %", by))
	if g.chance(25) {
		tail.Kids = append(tail.Kids, optional(fill(" HAVING COUNT(*) "+g.pick(">", "=", "<")+" %", literal(g.pick("1", "2", "3")))))
	}
	m.node = subquery(fill("%%", items, others), f, where, tail)
}

// classOfColumn is the class of the column that an aggregate has as its argument.
func classOfColumn(rels []*relation, args []*Node) string {
	for _, r := range rels {
		for _, c := range r.columns {
			if len(args) > 0 && args[0].mentions(r.alias+"."+c.Name) {
				return c.Class
			}
		}
	}
	return "integer"
}

// united joins the rows of two queries.
func (m *made) united(d *drawing, f *from, where []*Node) {
	g := d.g
	word := g.pick("UNION", "UNION ALL", "UNION", "UNION ALL", "INTERSECT", "EXCEPT")
	link := d.alias("columns ")
	first, second := &Node{List: true, Sep: ", ", Min: 1, Link: link}, &Node{List: true, Sep: ", ", Min: 1, Link: link}
	o := d.inner()
	for range 1 + g.IntN(2) {
		c := d.column(f.side.rels, exactClasses...)
		e := d.column(o.side.rels, c.Class)
		class := c.Class
		if !slices.Contains(exactClasses, c.Class) || e.Class != c.Class || class == "enum" {
			m.add(first, expr("IS NULL", "% IS NULL", c.node()), "integer")
			second.Kids = append(second.Kids, expr("IS NULL", "% IS NULL", e.node()))
			continue
		}
		m.add(first, c.node(), class)
		second.Kids = append(second.Kids, e.node())
	}
	if word != "UNION ALL" {
		for _, c := range m.columns {
			m.key = append(m.key, c.Name)
		}
	}
	m.rows = min(m.rows+o.side.product(), productMax)
	left := subquery(first, f, where, none())
	m.node = scope(named(word, fill("% "+word+" %", left, subquery(second, o, d.within(o, nil, 0), none()))))
}

func (s *side) product() int {
	n := 1
	for _, r := range s.rels {
		n = min(n*max(r.rows, 1), productMax)
	}
	return n
}

// relation gives the query a name; the items of the query go with the references to it.
func (m *made) relation(alias string) *relation {
	r := &relation{alias: alias, columns: m.columns, key: m.key, rows: m.rows}
	for i, n := range m.heads {
		n.Aliases = append(n.Aliases, alias+"."+m.columns[i].Name)
	}
	for _, c := range m.columns {
		if c.Class == "integer" {
			r.joined = append(r.joined, c.Name)
		}
	}
	return r
}

// derived draws a derived table, with a list of the names of its columns now and then: MariaDB has these in the query.
func (d *drawing) derived(draw source) (*Node, *relation) {
	d.nested++
	m := d.query(draw)
	d.nested--
	alias := d.alias("d")
	if d.g.chance(25) {
		names := ""
		renamed := *m
		renamed.columns, renamed.key = slices.Clone(m.columns), slices.Clone(m.key)
		for i := range renamed.columns {
			old, name := m.columns[i].Name, fmt.Sprintf("n%d", i)
			renamed.columns[i].Name = name
			if at := slices.Index(renamed.key, old); at >= 0 {
				renamed.key[at] = name
			}
			if i > 0 {
				names += ", "
			}
			names += name
			m.rename(i, old, name)
		}
		renamed.heads = nil
		n := fill("(%) AS "+alias+" ("+names+")", m.node)
		n.Aliases = []string{alias}
		return named("columns of a derived table", elsewhere(n, "(%) AS "+alias)), renamed.relation(alias)
	}
	n := fill("(%) AS "+alias, m.node)
	n.Aliases = []string{alias}
	return n, m.relation(alias)
}

// rename gives a column another name at MariaDB.
func (m *made) rename(i int, old, name string) {
	m.items[i].walk(func(n *Node) {
		if last := len(n.Parts) - 1; last > 0 && n.Parts[last] == " AS "+old {
			n.Maria = slices.Clone(n.Parts)
			n.Maria[last] = " AS " + name
		}
	})
}

// view draws a view.
func (d *drawing) view(room int) (*Node, *relation) {
	for range 5 {
		if v := d.views[d.g.IntN(len(d.views))]; v.rows <= room {
			r := &relation{alias: d.alias("v"), columns: v.columns, key: v.key, rows: v.rows, joined: v.key}
			n := named("view", text(v.Name+" AS "+r.alias))
			n.Aliases = []string{r.alias}
			return n, r
		}
	}
	return d.base(room)
}

// common is a common table expression.
type common struct {
	name string
	m    *made
}

// named draws a reference to a common table expression.
func (d *drawing) common(c *common) (*Node, *relation) {
	alias := d.alias("r")
	n := named("CTE", text(c.name+" AS "+alias))
	if d.g.chance(15) && !d.unaliased[c.name] {
		d.unaliased[c.name] = true
		alias = c.name
		n.Parts[0] = c.name
	}
	n.Aliases = []string{alias}
	return n, c.m.relation(alias)
}
