package main

// drawJoins gives queries over two to five tables, joined in every way.
func drawJoins(g gen, tables []*Table, _ int) *Statement {
	d := &drawing{g: g, tables: tables}
	n := 2 + g.IntN(2)
	if g.chance(25) {
		n = 3 + g.IntN(3)
	}
	draw := d.base
	if g.chance(12) { // one table with itself
		t := tables[g.IntN(len(tables))]
		draw = func(int) (*Node, *relation) { return d.relationOf(t) }
		n = 2
	}
	b := d.block(d.from(n, draw, d.on))
	b.filtered(28)
	return &Statement{Tree: b.draw(), Mode: modeStrict, Quiet: true}
}
