package main

import (
	"fmt"
	"strings"
)

// constraintsForm is the name of the form below.
const constraintsForm = "constraints"

// drawConstraints gives changes of tables with checks, generated columns, defaults by expression and foreign keys with all actions.
// Rows are changed in a decided order: which row violates a constraint first depends on it.
func drawConstraints(g gen, _ []*Table, _ int) *Statement {
	f := families()[g.IntN(len(families()))]
	m := f.Members[g.IntN(len(f.Members))]
	s := &Statement{Table: f, Mode: g.mode(85), Change: true}
	switch n := g.IntN(13); {
	case n == 12:
		s.Tree = g.constrainedQuery(m, f.Members[g.IntN(len(f.Members))])
	case n < 5:
		s.Tree = g.constrainedInsert(m)
	case n < 9:
		verb := g.pick("UPDATE", "UPDATE", "UPDATE", "UPDATE IGNORE")
		s.Tree = fill(verb+" "+m.Name+" SET %%", g.constrainedSets(m, false), g.ordered(m))
		s.Tree.Name = verb
	default:
		verb := g.pick("DELETE", "DELETE", "DELETE", "DELETE IGNORE")
		s.Tree = fill(verb+" FROM "+m.Name+"%", g.ordered(m))
		s.Tree.Name = verb
	}
	return s
}

// given are the columns of a member that statements give values for.
func (t *Table) given() (out []TableColumn) {
	for _, c := range t.Columns {
		if !strings.Contains(c.Type, " AS (") {
			out = append(out, c)
		}
	}
	return out
}

// constrainedInsert draws INSERT, INSERT IGNORE, REPLACE and ON DUPLICATE KEY UPDATE, of all columns or some.
func (g gen) constrainedInsert(t *Table) *Node {
	all := t.given()
	whole := g.chance(20)
	if whole {
		all = t.Columns
	}
	columns, rows := &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}, list(1, ", ")
	var names []TableColumn
	for i, c := range all {
		if whole || i == 0 || g.chance(70) {
			names = append(names, c)
			columns.Kids = append(columns.Kids, text(c.Name))
		}
	}
	verb, tail := g.pick("INSERT", "INSERT", "INSERT", "REPLACE", "INSERT IGNORE"), none()
	if verb == "INSERT IGNORE" {
		rows.Min = 2 // MariaDB ignores IGNORE for a single row that fails a check
	}
	for range rows.Min + g.IntN(4)*g.IntN(2) {
		values := &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}
		for _, c := range names {
			if strings.Contains(c.Type, " AS (") {
				values.Kids = append(values.Kids, text("DEFAULT"))
			} else {
				values.Kids = append(values.Kids, g.constrained(t, c, false))
			}
		}
		rows.Kids = append(rows.Kids, fill("(%)", values))
	}
	if verb == "INSERT" && g.chance(40) {
		tail = optional(fill(" ON DUPLICATE KEY UPDATE %", g.constrainedSets(t, true)))
		tail.Name = "ON DUPLICATE KEY"
	}
	n := fill(verb+" INTO "+t.Name+" (%) VALUES %%", columns, rows, tail)
	n.Name = verb
	return n
}

// constrainedQuery draws INSERT or REPLACE of the rows of a query over a table of the family.
func (g gen) constrainedQuery(t, from *Table) *Node {
	verb := g.pick("INSERT", "INSERT", "INSERT IGNORE", "REPLACE")
	if verb == "REPLACE" {
		from = t // of another, actions may delete rows that MariaDB has not read yet
	}
	columns, items := &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}, &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}
	for i, c := range t.given() {
		if i > 0 && g.chance(40) {
			continue
		}
		columns.Kids = append(columns.Kids, text(c.Name))
		var same []string
		for _, o := range from.Columns {
			if o.Class == c.Class {
				same = append(same, o.Name)
			}
		}
		item := g.constrained(t, c, false)
		switch {
		case i == 0:
			item = expr("+", "% + %", column("id"), literal(g.pick("0", "1", "3", "20", "20")))
		case item.Name == "DEFAULT", len(same) > 0 && g.chance(60):
			item = literal("NULL")
			if len(same) > 0 {
				item = column(g.pick(same...))
			}
		}
		items.Kids = append(items.Kids, item)
	}
	n := fill(verb+" INTO "+t.Name+" (%) SELECT % FROM "+from.Name+"%", columns, items, g.ordered(from))
	n.Name = verb + " SELECT"
	return n
}

// constrained draws a value for a column: a small one, as keys of the tables are.
func (g gen) constrained(t *Table, c TableColumn, sees bool) *Node {
	switch n := g.IntN(20); {
	case n < 2 && !c.NotNull:
		return literal("NULL")
	case n < 3 && (!c.NotNull || strings.Contains(c.Type, "DEFAULT")):
		return expr("DEFAULT", "DEFAULT")
	case n < 6 && sees:
		all := t.Columns
		return column(all[g.IntN(len(all))].Name)
	case n < 9 && sees && c.Class != "text":
		return expr("+", "% "+g.pick("+", "-")+" %", column(c.Name), literal(g.pick("1", "10", "0", "3")))
	}
	switch c.Class {
	case "text":
		return literal(g.pick("'a'", "'b'", "'c'", "'d'", "'A'", "'x'", "'y'", "'X'", "'no'", "''", "'b '", "'e'"))
	case "decimal":
		return literal(g.pick("0", "1.5", "-3", "99.999", "-60", "2.25"))
	}
	return literal(g.pick("1", "2", "3", "4", "5", "6", "7", "1", "2", "3", "8", "9", "10", "11", "0", "15", "-1", "100"))
}

// constrainedSets draws assignments.
func (g gen) constrainedSets(t *Table, inserted bool) *Node {
	out, all := list(1, ", "), t.given()
	seen := map[string]bool{}
	for range 1 + g.IntN(3)*g.IntN(2) {
		c := all[g.IntN(len(all))]
		if seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		value := g.constrained(t, c, true)
		if inserted && g.chance(30) {
			value = expr("VALUES()", fmt.Sprintf("VALUES(%s)", t.Columns[g.IntN(len(t.Columns))].Name))
		}
		out.Kids = append(out.Kids, fill(c.Name+" = %", value))
	}
	return out
}

// ordered draws which rows are changed, and in which order.
func (g gen) ordered(t *Table) *Node {
	id := func() *Node { return column("id") }
	small := func() *Node { return literal(g.pick("1", "2", "3", "4", "5", "6", "10", "11")) }
	where := none()
	switch n := g.IntN(10); {
	case n < 4:
		return optional(fill(" WHERE %", expr("=", "% = %", id(), small())))
	case n < 6:
		where = optional(fill(" WHERE %", expr("IN()", "% IN (%)", id(), list(1, ", ", small(), small(), small()))))
	case n < 8:
		where = optional(fill(" WHERE %", expr("<", "% "+g.pick("<", ">", ">=", "<>")+" %", id(), small())))
	case n < 9:
		c := t.Columns[1+g.IntN(len(t.Columns)-1)]
		where = optional(fill(" WHERE %", expr("=", "% "+g.pick("=", "<=>", ">")+" %", column(c.Name), g.constrained(t, c, false))))
		if where.Kids[0].Kids[1].Name == "DEFAULT" {
			where = none()
		}
	}
	limit := none()
	if g.chance(20) {
		limit = optional(fill(" LIMIT %", literal(g.pick("1", "2", "3"))))
	}
	return fill("% ORDER BY id"+g.pick("", "", " DESC")+"%", where, limit)
}
