package main

import (
	"fmt"
	"slices"
	"strings"
)

// drawQueryChange gives changes of one table whose rows or values come from queries.
func drawQueryChange(g gen, tables []*Table, _ int) *Statement {
	t := tables[g.IntN(len(tables))]
	if g.chance(20) {
		t = tables[len(tables)-1] // the one with a counter
	}
	others := slices.DeleteFunc(slices.Clone(tables), func(o *Table) bool { return o == t })
	d := &drawing{g: g, tables: others, quiet: true, apart: true}
	s := &Statement{Table: t, Mode: modeLax, Change: true, Quiet: true}
	switch n := g.IntN(20); {
	case n < 9:
		d.tables = tables // an insertion may read what it inserts into
		d.simple = g.chance(40)
		if d.simple { // the order of rows decides which value is an error, and MariaDB's table of its own has some
			s.Mode, d.tables = g.mode(60), others
		}
		s.Tree = d.insertionOf(t, others)
	case n < 11:
		s.Tree = d.insertionWithSubqueries(t)
	case n < 16:
		s.Tree = d.updateWithSubqueries(t)
	default:
		s.Tree = d.deletionWithSubqueries(t)
	}
	return s
}

// own is the table that is changed, under its own name.
func own(t *Table) *relation {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c TableColumn) bool { return c.Name == "vu" || c.Name == "vb" })
	return &relation{alias: t.Name, columns: columns, key: t.Primary, joined: slices.Concat(t.Primary, t.Primary, t.Indexed), rows: len(t.Rows), table: t}
}

// given draws the columns that an insertion gives values for.
func (d *drawing) given(t *Table) (out []TableColumn) {
	all := d.g.chance(40)
	first := len(t.Columns) - 1
	for i, c := range t.Columns {
		if t.Counter && i == 0 && d.g.chance(50) {
			continue
		}
		if all || slices.Contains(t.Primary, c.Name) || d.g.chance(35) || len(out) == 0 && i == first {
			out = append(out, c)
		}
	}
	return out
}

// insertionOf draws INSERT and REPLACE ... SELECT. others are the tables that its subqueries may read.
func (d *drawing) insertionOf(t *Table, others []*Table) *Node {
	g := d.g
	draw := d.base
	if g.chance(15) && !d.simple {
		draw = func(int) (*Node, *relation) { return d.derived(d.base) }
	}
	n := 1
	if g.chance(30) && !d.simple {
		n = 2
	}
	f := d.from(n, draw, d.on)
	if totalOf(g, f.side.rels) == nil { // what comes first decides
		f = d.from(1, d.base, d.on)
	}
	columns := d.given(t)
	link := d.alias("columns ")
	names, items := &Node{List: true, Sep: ", ", Min: 1, Link: link}, &Node{List: true, Sep: ", ", Min: 1, Link: link}
	for _, c := range columns {
		names.Kids = append(names.Kids, text(c.Name))
		items.Kids = append(items.Kids, d.inserted(t, c, f.side.rels, others))
	}
	where := f.where
	for g.chance(40) && len(where) < 2 && !d.simple {
		where = append(where, d.condition(f.side.rels, 1))
	}
	tail := none()
	if total := totalOf(g, f.side.rels); total != nil {
		tail = pinned("", fill(" ORDER BY %", total), d.limit(30))
	}
	query := subquery(items, f, where, tail)
	if len(query.Kids) > 0 && g.chance(10) {
		query = scope(fill("(%)", query))
	}
	verb, duplicate := g.pick("INSERT", "INSERT", "REPLACE", "INSERT IGNORE"), none()
	if verb == "INSERT" && g.chance(60) {
		duplicate = optional(fill(" ON DUPLICATE KEY UPDATE %", d.onDuplicate(t, f.side.rels, others)))
		duplicate.Name = "ON DUPLICATE KEY"
	}
	out := fill(verb+" INTO "+t.Name+" (%) %%", names, query, duplicate)
	out.Name = verb
	return out
}

// inserted draws the value of a column: mostly a column of its class.
func (d *drawing) inserted(t *Table, c TableColumn, rels []*relation, others []*Table) *Node {
	g := d.g
	switch n := g.IntN(20); {
	case t.Counter && c.Name == "id": // beyond its type, and below 0, counters differ
		if n < 15 && rels[0].table != nil && slices.Contains([]string{"num", "str", "tim6"}, rels[0].table.Name) {
			return column(rels[0].alias + ".id")
		}
		return literal(g.pick("1", "3", "6", "7", "40"))
	case n < 11:
		if small := smallOf(rels); len(small) > 0 && slices.Contains(numericClasses, c.Class) && g.chance(70) {
			return small[g.IntN(len(small))].node()
		}
		return d.suitable(c, rels)
	case n < 14 && !d.simple:
		return d.among(others, func() *Node { return d.scalarFor(c, rels) })
	case n < 16:
		return g.near(t, c.Name)
	}
	return literal(g.pick(pool(c.Type)...))
}

// suitable draws a column whose values a column takes as both servers do, or a literal.
func (d *drawing) suitable(c TableColumn, rels []*relation) *Node {
	classes := map[string][]string{
		"integer": {"integer", "integer", "decimal"}, "decimal": {"decimal", "integer"}, "double": {"double", "integer", "decimal"},
		"text": {"text", "text", "integer", "decimal", "date", "enum"}, "enum": {"enum", "text"}, "set": {"set", "text"}, "datetime": {"datetime", "date"},
	}[c.Class]
	if classes == nil {
		classes = []string{c.Class}
	}
	if from := plain(of(rels, []string{d.g.pick(classes...)}), c); len(from) > 0 {
		return from[d.g.IntN(len(from))].node()
	}
	return literal(d.g.pick(pool(c.Type)...))
}

// plain are columns without those of which the zeros are shown, if they become texts: MariaDB's subqueries lose them.
func plain(list []ref, to TableColumn) []ref {
	return slices.DeleteFunc(list, func(r ref) bool {
		return to.Class == "text" && r.Class == "integer" && (r.Name == "z" || r.of.table == nil)
	})
}

// onDuplicate draws assignments over the row that exists, the one that was to be inserted, and the tables of the query.
func (d *drawing) onDuplicate(t *Table, rels []*relation, others []*Table) *Node {
	g := d.g
	out, seen := list(1, ", "), map[string]bool{}
	for range 1 + g.IntN(2) {
		c := t.Columns[g.IntN(len(t.Columns))]
		// MariaDB counts a NULL that stays as a change, if the column has a default.
		if seen[c.Name] || slices.Contains(t.Primary, c.Name) && g.chance(80) || strings.Contains(c.Type, " DEFAULT ") && !c.NotNull {
			continue
		}
		seen[c.Name] = true
		var value *Node
		switch n := g.IntN(20); {
		case n < 6:
			value = expr("VALUES()", fmt.Sprintf("VALUES(%s)", c.Name))
		case n < 9 && slices.Contains(numericClasses, c.Class):
			value = expr("+", "% + %", column(t.Name+"."+c.Name), literal("1"))
		case n < 14 && len(rels) > 0:
			value = d.suitable(c, rels)
		case n < 16 && !d.simple && slices.Contains(numericClasses, c.Class):
			value = d.among(others, func() *Node { return d.scalarFor(c, nil) })
		default:
			value = literal(g.pick(pool(c.Type)...))
		}
		out.Kids = append(out.Kids, fill(t.Name+"."+c.Name+" = %", value))
	}
	if len(out.Kids) == 0 {
		c := t.Columns[len(t.Primary)]
		out.Kids = append(out.Kids, fill(c.Name+" = %", expr("VALUES()", fmt.Sprintf("VALUES(%s)", c.Name))))
	}
	return out
}

// among draws over other tables.
func (d *drawing) among(tables []*Table, draw func() *Node) *Node {
	before := d.tables
	d.tables = tables
	defer func() { d.tables = before }()
	return draw()
}

// insertionWithSubqueries draws VALUES and SET with subqueries.
func (d *drawing) insertionWithSubqueries(t *Table) *Node {
	g := d.g
	columns, names, rows := d.given(t), list(pinnedMin, ", "), list(1, ", ")
	for _, c := range columns {
		names.Kids = append(names.Kids, text(c.Name))
	}
	if len(columns) == 0 {
		columns = t.Columns[1:2]
		names.Kids = append(names.Kids, text(columns[0].Name))
	}
	for range 1 + g.IntN(2) {
		values := list(pinnedMin, ", ")
		for _, c := range columns {
			v := literal(g.pick(pool(c.Type)...))
			if g.chance(40) {
				v = d.scalarFor(c, nil)
			} else if t.Counter && c.Name == "id" {
				v = literal(g.pick("1", "3", "6", "7", "40", "NULL"))
			}
			values.Kids = append(values.Kids, v)
		}
		rows.Kids = append(rows.Kids, fill("(%)", values))
	}
	verb, duplicate := g.pick("INSERT", "INSERT", "REPLACE", "INSERT IGNORE"), none()
	if verb == "INSERT" && g.chance(50) {
		duplicate = optional(fill(" ON DUPLICATE KEY UPDATE %", d.onDuplicate(t, nil, d.tables)))
	}
	out := fill(verb+" INTO "+t.Name+" (%) VALUES %%", names, rows, duplicate)
	out.Name = verb
	return out
}

// scalarFor draws a subquery whose value a column takes as both servers do.
func (d *drawing) scalarFor(c TableColumn, around []*relation) *Node {
	f := d.inner()
	from := of(f.side.rels, []string{c.Class})
	if c.Class == "text" {
		from = of(f.side.rels, []string{"text", "integer", "date"})
	}
	from = plain(from, c)
	switch total := totalOf(d.g, f.side.rels); {
	case len(from) > 0 && total != nil && d.g.chance(75):
		e := from[d.g.IntN(len(from))]
		return expr("scalar subquery", "(%)", subquery(e.node(), f, d.within(f, around, 0), fill(" ORDER BY % LIMIT 1", total)))
	case slices.Contains(numericClasses, c.Class) || c.Class == "text":
		return expr("scalar COUNT()", "(%)", subquery(text("COUNT(*)"), f, d.within(f, around, 0), none()))
	}
	return literal(d.g.pick(pool(c.Type)...))
}

// updateWithSubqueries draws UPDATE with subqueries in SET and WHERE.
func (d *drawing) updateWithSubqueries(t *Table) *Node {
	g, r := d.g, own(t)
	sets, seen := list(1, ", "), map[string]bool{}
	inSet := g.chance(60)
	for range 1 + g.IntN(2) {
		c := t.Columns[g.IntN(len(t.Columns))]
		if seen[c.Name] || slices.Contains(t.Primary, c.Name) {
			continue
		}
		seen[c.Name] = true
		value := literal(g.pick(pool(c.Type)...))
		if inSet {
			value = d.scalarFor(c, []*relation{r})
		}
		sets.Kids = append(sets.Kids, fill(c.Name+" = %", value))
	}
	if len(sets.Kids) == 0 {
		c := t.Columns[len(t.Columns)-1]
		sets.Kids = append(sets.Kids, fill(c.Name+" = %", d.scalarFor(c, []*relation{r})))
	}
	verb := g.pick("UPDATE", "UPDATE", "UPDATE IGNORE")
	out := fill("%"+verb+" "+t.Name+" SET %%%", none(), sets, d.changedBySubqueries(t, r, !inSet), g.some(t))
	out.Name = verb
	return out
}

// changedBySubqueries draws the rows that are changed.
func (d *drawing) changedBySubqueries(t *Table, r *relation, always bool) *Node {
	g := d.g
	var where []*Node
	if always || g.chance(50) {
		where = append(where, d.predicate([]*relation{r}, g.IntN(2)))
	}
	if g.chance(30) {
		where = append(where, d.condition([]*relation{r}, 1))
	}
	return conjunction(" WHERE ", where...)
}

// deletionWithSubqueries draws DELETE with subqueries.
func (d *drawing) deletionWithSubqueries(t *Table) *Node {
	out := fill("DELETE FROM "+t.Name+"%%", d.changedBySubqueries(t, own(t), true), d.g.some(t))
	out.Name = "DELETE"
	return out
}
