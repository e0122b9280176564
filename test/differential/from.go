package main

import (
	"slices"
)

// FROM clauses: chains of joins over tables, and over what the drawing names.

// source draws a relation with its text.
type source func(room int) (*Node, *relation)

// unindexed is how MariaDB reads tables here: it rounds what it seeks in an index.
const unindexed = " USE INDEX ()"

// base draws a table that has at most so many rows, and its text.
func (d *drawing) base(room int) (*Node, *relation) {
	t := d.tables[d.g.IntN(len(d.tables))]
	for i := 0; len(t.Rows) > room && i < 20; i++ {
		t = d.tables[d.g.IntN(len(d.tables))]
	}
	return d.relationOf(t)
}

// relationOf is a table as a relation, with its text.
func (d *drawing) relationOf(t *Table) (*Node, *relation) {
	joined := slices.Concat(t.Primary, t.Primary, t.Indexed)
	columns := t.Columns
	if d.apart {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return c.Name == "vu" || c.Name == "vb" })
	}
	r := &relation{alias: d.alias("t"), columns: columns, key: t.Primary, joined: joined, rows: len(t.Rows), table: t}
	n := text(t.Name + d.g.pick(" AS ", " ") + r.alias)
	n.Aliases = []string{r.alias}
	return elsewhere(n, n.Parts[0]+unindexed), r
}

// side is a part of a FROM clause: its relations, and how often an unqualified name stands for a column of it.
type side struct {
	rels  []*relation
	names map[string]int
}

func newSide(r *relation) *side {
	s := &side{rels: []*relation{r}, names: map[string]int{}}
	for _, c := range r.columns {
		s.names[c.Name]++
	}
	return s
}

// add joins another side, by USING for the names given.
func (s *side) add(o *side, using ...string) {
	s.rels = append(s.rels, o.rels...)
	for name, n := range o.names {
		s.names[name] += n
	}
	for _, name := range using {
		s.names[name]--
	}
}

// from is a FROM clause.
type from struct {
	node *Node
	side *side
	// where are conditions that join elements separated by commas.
	where []*Node
	// using are unqualified names of which each stands for one column of two relations.
	using []string
}

func (d *drawing) room() int { return max(productMax/max(d.rows, 1), 6) }

// from draws a FROM clause of so many relations.
func (d *drawing) from(n int, draw source, on func(left, right []*relation) []*Node) *from {
	d.rows = 1
	d.quiet = d.quiet || n > 1
	f := &from{}
	f.node, f.side = d.chain(n, draw, on, f, true)
	return f
}

// element draws a relation, or a chain of them in parentheses.
func (d *drawing) element(n int, draw source, on func(left, right []*relation) []*Node, f *from) (*Node, *side) {
	if n > 1 {
		node, s := d.chain(n, draw, on, f, false)
		return fill("(%)", node), s
	}
	node, r := draw(d.room())
	d.rows *= max(r.rows, 1)
	return node, newSide(r)
}

// chain draws elements joined from left to right.
func (d *drawing) chain(n int, draw source, on func(left, right []*relation) []*Node, f *from, top bool) (*Node, *side) {
	g := d.g
	take := func(most int) int {
		if most > 1 && g.chance(25) {
			return 2
		}
		return 1
	}
	size := take(n - 1)
	first, all := d.element(size, draw, on, f)
	joins := list(0, "")
	out := &Node{Chain: true, Parts: []string{"", "", ""}, Kids: []*Node{first, joins}}
	left := all // since the last comma
	for done := size; done < n; {
		size = take(n - done)
		done += size
		node, right := d.element(size, draw, on, f)
		if top && done == n && g.chance(12) || top && left != all {
			joins.Kids = append(joins.Kids, named("comma", fill(", %", node)))
			f.where = append(f.where, on(all.rels, right.rels)...)
			all.add(right)
			left = right
			continue
		}
		join, using := d.join(node, left, right, on)
		joins.Kids = append(joins.Kids, join)
		f.using = append(f.using, using...)
		left.add(right, using...)
		if left != all {
			all.add(right, using...)
		}
	}
	return out, all
}

// join draws how a side is joined to those before it.
func (d *drawing) join(node *Node, left, right *side, on func(left, right []*relation) []*Node) (join *Node, using []string) {
	g := d.g
	if g.chance(20) {
		if join, using = d.merging(node, left, right); join != nil {
			return join, using
		}
	}
	word := g.pick("JOIN", "JOIN", "INNER JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "STRAIGHT_JOIN", "CROSS JOIN")
	if word == "CROSS JOIN" && d.rows <= 600 {
		return named(word, fill(" "+word+" %", node)), nil
	}
	if word == "CROSS JOIN" {
		word = "JOIN"
	}
	conditions := on(left.rels, right.rels)
	if g.chance(15) {
		conditions = append(conditions, d.condition(right.rels, 0))
	}
	if g.chance(10) {
		conditions = append(conditions, d.condition(left.rels, 0))
	}
	return named(word, fill(" "+word+" % ON %", node, list(1, " AND ", conditions...))), nil
}

// merging draws USING or NATURAL, nil if the sides have no column for it.
func (d *drawing) merging(node *Node, left, right *side) (*Node, []string) {
	var shared []string
	natural := true
	for name, n := range left.names {
		switch m := right.names[name]; {
		case m == 0:
		case m == 1 && n == 1 && !left.json(name) && !right.json(name):
			shared = append(shared, name)
		default:
			natural = false
		}
	}
	if len(shared) == 0 {
		return nil, nil
	}
	slices.Sort(shared)
	word := d.g.pick("JOIN", "LEFT JOIN", "RIGHT JOIN")
	if natural && d.g.chance(45) {
		return named("NATURAL "+word, fill(" NATURAL "+word+" %", node)), shared
	}
	if len(shared) > 1 && d.g.chance(60) {
		shared = shared[:1]
	}
	names := list(1, ", ")
	for _, s := range shared {
		names.Kids = append(names.Kids, text(s))
	}
	return named(word+" USING", fill(" "+word+" % USING (%)", node, names)), shared
}

// json reports whether a column of the name holds documents.
func (s *side) json(name string) bool {
	return slices.ContainsFunc(s.rels, func(r *relation) bool {
		return slices.ContainsFunc(r.columns, func(c TableColumn) bool { return c.Name == name && c.Class == "json" })
	})
}

// named gives a node that is no expression a name for reports.
func named(name string, n *Node) *Node {
	n.Name = name
	return n
}

// smallOf are the columns of numbers of which many are small, so that a join of two finds rows.
func smallOf(rels []*relation) (out []ref) {
	for _, c := range of(rels, numericClasses) {
		if slices.Contains([]string{"id", "n", "k", "z", "a", "i", "ti", "tu", "iu", "bi", "bu", "bo", "c0", "c1", "n0", "n1"}, c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// on draws the conditions of a join: mostly one equality, often of columns of different types.
func (d *drawing) on(left, right []*relation) []*Node {
	g := d.g
	a := d.joining(left)
	b := d.joining(right)
	switch n := g.IntN(20); {
	case n < 9: // columns in which values are the same
		if small, more := smallOf(left), smallOf(right); len(small) > 0 && len(more) > 0 {
			a, b = small[g.IntN(len(small))], more[g.IntN(len(more))]
		}
	case n < 14:
		b = d.column(right, a.Class)
	}
	for i := 0; d.unsuited(a, b) && i < 100; i++ {
		if i > 10 {
			a = d.joining(left)
		}
		b = d.joining(right)
	}
	if d.apart && d.unsuited(a, b) {
		return []*Node{expr("IS NOT NULL", "% IS NOT NULL", a.node())}
	}
	x, y := a.node(), b.node()
	if g.chance(50) {
		x, y = y, x
	}
	op := g.pick("=", "=", "=", "=", "=", "<=>", "<", ">=", "<>")
	out := []*Node{expr(op, "% "+op+" %", x, y)}
	switch n := g.IntN(20); {
	case n < 2:
		c := d.joining(left)
		if e := d.column(right, c.Class); !d.unsuited(c, e) {
			out = append(out, expr("=", "% = %", c.node(), e.node()))
		}
	case n < 4:
		out[0] = expr("OR", "(% OR %)", out[0], d.condition(right, 0))
	case n < 5 && slices.Contains(numericClasses, a.Class) && slices.Contains(numericClasses, b.Class):
		out[0] = expr("=", "COALESCE(%, 0) = %", a.node(), b.node())
	case n < 6 && a.Class == b.Class:
		out[0] = expr("BETWEEN", "% BETWEEN % AND %", a.node(), b.node(), d.literalFor(b))
	}
	return out
}

// unsuited reports whether two columns are not to be compared: they have collations of which none goes before the other, or a
// type that no one compares. Times beside numbers are a matter of expressions, and few.
func (d *drawing) unsuited(a, b ref) bool {
	if d.apart && (isNumeric(a) != isNumeric(b) || !isNumeric(a) && a.Class != b.Class) {
		return true
	}
	collated := func(c ref) bool { return c.Name == "vu" && c.Class == "text" }
	switch {
	case collated(a) && b.Class == "text" && !collated(b), collated(b) && a.Class == "text" && !collated(a), a.Class == "bit", b.Class == "bit":
		return true
	case isTime(a) && isNumeric(b), isTime(b) && isNumeric(a):
		return d.apart || d.g.chance(97)
	}
	return false
}

// ordinal reports whether a column is an ENUM or SET beside a number: as a row of a subquery MariaDB takes its text.
func ordinal(a, b ref) bool {
	return a.Class == "enum" || a.Class == "set" || b.Class == "enum" || b.Class == "set"
}

func isTime(c ref) bool { return slices.Contains([]string{"date", "datetime", "time"}, c.Class) }

func isNumeric(c ref) bool {
	return slices.Contains([]string{"integer", "decimal", "double", "year"}, c.Class)
}
