package main

import (
	"slices"
	"strings"
)

// drawManyTables gives changes of joined tables. What a row is set to is the same whichever match of it comes first.
func drawManyTables(g gen, tables []*Table, _ int) *Statement {
	t := tables[g.IntN(len(tables))]
	others := slices.DeleteFunc(slices.Clone(tables), func(o *Table) bool { return o == t })
	also := others[g.IntN(len(others))]
	rest := slices.DeleteFunc(slices.Clone(others), func(o *Table) bool { return o == also })
	d := &drawing{g: g, tables: rest, quiet: true, apart: true}
	s := &Statement{Table: t, Mode: modeLax, Change: true, Quiet: true}
	names := []*Table{t}
	if g.chance(50) {
		names, s.Also = append(names, also), also
	}
	if g.chance(45) {
		s.Tree = d.updateOfTables(names)
	} else {
		s.Tree = d.deletionOfTables(names)
	}
	return s
}

// joinOf draws a FROM clause of the tables that are changed, each under a name, and others. It returns the former.
func (d *drawing) joinOf(tables []*Table) (f *from, changed []*relation) {
	left := slices.Clone(tables)
	draw := func(room int) (*Node, *relation) {
		if len(left) == 0 {
			if d.g.chance(25) {
				return d.derived(d.base)
			}
			return d.base(room)
		}
		n, r := d.relationOf(left[0])
		left = left[1:]
		changed = append(changed, r)
		return n, r
	}
	more := d.g.IntN(2)
	if len(tables) == 1 {
		more = 1 + d.g.IntN(2)*d.g.IntN(2)
	}
	f = d.from(len(tables)+more, draw, d.on)
	return f, changed
}

func (d *drawing) filter(f *from) *Node {
	where := f.where
	for d.g.chance(45) && len(where) < 3 {
		where = append(where, d.condition(f.side.rels, 1))
	}
	if d.g.chance(12) {
		where = append(where, d.predicate(f.side.rels, 0))
	}
	return conjunction(" WHERE ", where...)
}

// updateOfTables draws UPDATE of joined tables.
func (d *drawing) updateOfTables(tables []*Table) *Node {
	g := d.g
	f, changed := d.joinOf(tables)
	where, sets := d.filter(f), pinned(", ")
	// Neither what the statement reads is changed, nor what assigns is changed before: in which order that is seen is open.
	free := func(r *relation, name string) bool {
		unique := slices.ContainsFunc(r.table.Keys, func(k string) bool { return strings.HasPrefix(k, "UNIQUE") && strings.Contains(k, "("+name+")") })
		return !unique && !slices.Contains(r.key, name) && !f.node.mentions(r.alias+"."+name) && !where.mentions(r.alias+"."+name) && !slices.Contains(f.using, name)
	}
	for _, r := range changed {
		seen := list(0, "")
		for range 4 {
			c := r.columns[g.IntN(len(r.columns))]
			value := d.assigned(r, c)
			if !free(r, c.Name) || sets.mentions(r.alias+"."+c.Name) || len(seen.Kids) > 1 {
				continue
			}
			taken := slices.ContainsFunc(seen.Kids, func(k *Node) bool { return k.Parts[0] == c.Name || value.mentions(r.alias+"."+k.Parts[0]) })
			if !taken {
				seen.Kids = append(seen.Kids, text(c.Name))
				sets.Kids = append(sets.Kids, fill(r.alias+"."+c.Name+" = %", value))
			}
		}
	}
	if len(sets.Kids) == 0 {
		return d.deletionOfTables(tables)
	}
	verb := g.pick("UPDATE", "UPDATE", "UPDATE IGNORE")
	out := fill(verb+" % SET %%", f.node, sets, where)
	out.Name = verb
	return out
}

// assigned draws a value that depends on the row alone.
func (d *drawing) assigned(r *relation, c TableColumn) *Node {
	g := d.g
	switch n := g.IntN(10); {
	case n < 2 && slices.Contains(numericClasses, c.Class):
		return expr("+", "% + %", column(r.alias+"."+c.Name), literal("1"))
	case n < 5:
		return d.suitable(c, []*relation{r})
	case n < 6:
		return d.scalarFor(c, []*relation{r})
	}
	return literal(g.pick(pool(c.Type)...))
}

// deletionOfTables draws DELETE of joined tables.
func (d *drawing) deletionOfTables(tables []*Table) *Node {
	f, changed := d.joinOf(tables)
	names := pinned(", ")
	for _, r := range changed {
		names.Kids = append(names.Kids, text(r.alias))
	}
	format := d.g.pick("DELETE % FROM %%", "DELETE FROM % USING %%")
	out := fill(format, names, f.node, d.filter(f))
	out.Name = "DELETE"
	return out
}
