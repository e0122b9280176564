package main

import "fmt"

// drawChange gives changes of one table: INSERT in its forms, REPLACE, UPDATE and DELETE, most of them by key.
func drawChange(g gen, tables []*Table, _ int) *Statement {
	t := tables[g.IntN(len(tables))]
	if g.chance(20) {
		t = tables[len(tables)-1] // the one with a counter
	}
	s := &Statement{Table: t, Mode: g.mode(65), Change: true}
	switch n := g.IntN(10); {
	case n < 5:
		s.Tree = g.insertion(t)
	case n < 8:
		s.Tree = g.update(t)
	default:
		s.Tree = g.deletion(t)
	}
	return s
}

// insertion draws INSERT, INSERT IGNORE, REPLACE and INSERT ... ON DUPLICATE KEY UPDATE.
func (g gen) insertion(t *Table) *Node {
	names, rows := t.where(), list(1, ", ")
	if g.chance(50) { // a key and some columns
		names = append([]string{}, t.Primary...)
		for _, c := range t.where() {
			if g.chance(40) && !contains(names, c) {
				names = append(names, c)
			}
		}
	}
	if t.Counter && g.chance(50) {
		names = names[1:]
		if len(names) == 0 {
			names = []string{"u"}
		}
	}
	columns := &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}
	for _, n := range names {
		columns.Kids = append(columns.Kids, text(n))
	}
	for range 1 + g.IntN(3)*g.IntN(2) {
		values := &Node{List: true, Sep: ", ", Min: 1, Link: "columns"}
		for _, n := range names {
			values.Kids = append(values.Kids, g.stored(t, n))
		}
		rows.Kids = append(rows.Kids, fill("(%)", values))
	}
	verb, tail := g.pick("INSERT", "INSERT", "INSERT", "REPLACE", "INSERT IGNORE"), none()
	if verb == "INSERT" && g.chance(40) {
		tail = optional(fill(" ON DUPLICATE KEY UPDATE %", g.assignments(t, true)))
	}
	n := fill(verb+" INTO "+t.Name+" (%) VALUES %%", columns, rows, tail)
	if g.chance(8) {
		n = fill(verb+" INTO "+t.Name+" SET %%", g.assignments(t, false), tail)
	}
	n.Name = verb
	if tail.Optional {
		tail.Name = "ON DUPLICATE KEY"
	}
	return n
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// stored draws a value to be stored in a column: of the column's pool, of its class, any literal, or an expression.
func (g gen) stored(t *Table, name string) *Node {
	for _, c := range t.Columns {
		if c.Name != name {
			continue
		}
		switch n := g.IntN(20); {
		case n < 8:
			return literal(g.pick(pool(c.Type)...))
		case n < 12:
			return g.near(t, name)
		case n < 17:
			return g.like(c.Class)
		case n < 18:
			return expr("DEFAULT", "DEFAULT")
		case n < 19:
			return g.expression(1, nil)
		}
	}
	return g.any()
}

// assignments draws one to three assignments; of an INSERT they may name the row that was to be inserted.
func (g gen) assignments(t *Table, inserted bool) *Node {
	out := list(1, ", ")
	seen := map[string]bool{}
	for range 1 + g.IntN(3)*g.IntN(2) {
		c := t.Columns[g.IntN(len(t.Columns))]
		if seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		var value *Node
		switch n := g.IntN(10); {
		case n < 2 && inserted:
			value = expr("VALUES()", fmt.Sprintf("VALUES(%s)", c.Name))
		case n < 4 && (c.Class == "integer" || c.Class == "decimal" || c.Class == "double"):
			op := g.pick("+", "-", "*", "/", "DIV")
			value = expr(op, "% "+op+" %", column(c.Name), literal(g.pick("1", "2", "0", "0.5", "127", "1e0", "'1'", "9223372036854775807")))
		case n < 5:
			value = column(g.pick(t.where()...))
		case n < 6:
			value = g.expression(1, g.leaf(t))
		default:
			value = g.stored(t, c.Name)
		}
		out.Kids = append(out.Kids, fill(c.Name+" = %", value))
	}
	return out
}

// where draws the rows that an UPDATE or a DELETE changes.
func (g gen) changed(t *Table) *Node {
	switch n := g.IntN(10); {
	case n < 6:
		key := list(1, " AND ")
		for _, p := range t.Primary {
			key.Kids = append(key.Kids, expr("=", "% = %", column(p), g.near(t, p)))
		}
		return optional(fill(" WHERE %", key))
	case n < 9:
		return optional(fill(" WHERE %", g.byKey(t)))
	}
	return none()
}

func (g gen) some(t *Table) *Node {
	if !g.chance(15) {
		return none()
	}
	return optional(fill(" ORDER BY % LIMIT %", t.total(), literal(g.pick("0", "1", "3"))))
}

func (g gen) update(t *Table) *Node {
	verb := g.pick("UPDATE", "UPDATE", "UPDATE IGNORE")
	n := fill(verb+" "+t.Name+" SET %%%", g.assignments(t, false), g.changed(t), g.some(t))
	n.Name = verb
	return n
}

func (g gen) deletion(t *Table) *Node {
	n := fill("DELETE FROM "+t.Name+"%%", g.changed(t), g.some(t))
	n.Name = "DELETE"
	return n
}
