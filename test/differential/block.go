package main

import (
	"fmt"
	"slices"
)

// block is one SELECT over a FROM clause.
type block struct {
	d     *drawing
	f     *from
	rels  []*relation
	where []*Node
	// having and item, if any, draw what a form has in these places beside the usual.
	having func() *Node
	item   func() *Node
	always bool // what a form has beside the usual is in the statement
	pinned bool // WHERE leaves out rows of which the servers differ: it stays
}

func (d *drawing) block(f *from) *block {
	return &block{d: d, f: f, rels: f.side.rels, where: f.where}
}

// draw draws the whole SELECT in one of its shapes.
func (b *block) draw() *Node {
	switch n := b.d.g.IntN(20); {
	case n < 11:
		return b.plain()
	case n < 16:
		return b.grouped()
	case n < 18:
		return b.distinct()
	}
	return b.aggregated()
}

// filtered adds conditions to WHERE.
func (b *block) filtered(chance int) {
	for b.d.g.chance(chance) && len(b.where) < 3 {
		b.where = append(b.where, b.d.condition(b.rels, 1))
	}
}

func (b *block) selectOf(items, tail *Node) *Node {
	where := conjunction(" WHERE ", b.where...)
	if b.pinned {
		where = fill(" WHERE %", pinned(" AND ", b.where...))
	}
	return fill("SELECT % FROM %%%", items, b.f.node, where, tail)
}

// one draws an item of the select list.
func (b *block) one() *Node {
	g := b.d.g
	switch {
	case b.item != nil && g.chance(45):
		b.always = false
		return b.item()
	case len(b.f.using) > 0 && g.chance(30):
		if name := g.pick(b.f.using...); b.f.side.names[name] == 1 {
			return column(name)
		}
	}
	return b.d.value(b.rels)
}

// plain selects rows, in a total order where there is one.
func (b *block) plain() *Node {
	g := b.d.g
	items := list(1, ", ")
	switch n := g.IntN(20); {
	case n < 2:
		items.Kids = append(items.Kids, text("*"))
	case n < 4:
		items.Kids = append(items.Kids, column(b.rels[g.IntN(len(b.rels))].alias+".*"))
	}
	for range 1 + g.IntN(3) {
		items.Kids = append(items.Kids, b.one())
	}
	if b.always {
		items.Kids[len(items.Kids)-1] = b.item()
	}
	total := totalOf(g, b.rels)
	if total == nil || g.chance(25) {
		return b.selectOf(items, none())
	}
	keys := list(0, "")
	for range g.IntN(3) {
		key := b.d.value(b.rels)
		if b.item != nil && g.chance(20) {
			key = b.item()
		}
		keys.Kids = append(keys.Kids, fill("%"+g.pick("", " DESC")+", ", key))
	}
	return b.selectOf(items, pinned("", optional(fill(" ORDER BY %%", keys, tagged(total, tagTotal))), b.d.limit(35)))
}

// distinct selects different rows.
func (b *block) distinct() *Node {
	g := b.d.g
	items, order := list(1, ", "), pinned(", ")
	for i := range 1 + g.IntN(3) {
		items.Kids = append(items.Kids, b.d.value(b.rels, comparableClasses...))
		order.Kids = append(order.Kids, text(fmt.Sprint(i+1)+g.pick("", " DESC")))
	}
	return b.selectOf(tagged(fill("DISTINCT %", items), tagFold), b.inOrder(order))
}

// inOrder is a total order, and often a limit.
func (b *block) inOrder(order *Node) *Node {
	if !b.d.g.chance(55) {
		return none()
	}
	return pinned("", optional(tagged(fill(" ORDER BY %", order), tagTotal)), b.d.limit(40))
}

var severalAggregates = []string{"COUNT(%)", "SUM(%)", "AVG(%)", "MIN(%)", "MAX(%)", "COUNT(DISTINCT %)", "SUM(DISTINCT %)", "BIT_OR(%)"}

// aggregate draws an aggregate over the relations; exact leaves out those of which the value may be one of several equal ones.
func (b *block) aggregate(exact bool) *Node {
	g := b.d.g
	if total := totalOf(g, b.rels); total != nil && b.d.rows <= 200 && g.chance(6) {
		if c := b.d.column(b.rels, exactClasses...); slices.Contains(exactClasses, c.Class) {
			return expr("GROUP_CONCAT()", "GROUP_CONCAT(% ORDER BY %"+g.pick("", " SEPARATOR '|'")+")", c.node(), total)
		}
	}
	format := g.pick(severalAggregates...)
	var c ref
	switch format[0] {
	case 'S', 'A', 'B':
		if c = b.d.column(b.rels, numericClasses...); !slices.Contains(numericClasses, c.Class) || format[0] == 'B' && c.Class != "integer" {
			return expr("COUNT(*)", "COUNT(*)")
		}
	case 'M':
		classes := comparableClasses
		if exact {
			classes = exactClasses
		}
		c = b.d.column(b.rels, classes...)
		if exact && !slices.Contains(exactClasses, c.Class) {
			return expr("COUNT(*)", "COUNT(*)")
		}
	default:
		if g.chance(30) {
			return expr("COUNT(*)", "COUNT(*)")
		}
		c = b.d.column(b.rels)
	}
	arg := c.node()
	if g.chance(15) && slices.Contains(numericClasses, c.Class) && format[0] != 'B' {
		arg = expr("CASE", "CASE WHEN % THEN % END", b.d.condition(b.rels, 0), arg)
	}
	n := expr(format[:len(format)-2]+")", format, arg)
	if format[0] == 'M' {
		tagged(n, tagFold)
	}
	return n
}

// aggregated selects one row of aggregates.
func (b *block) aggregated() *Node {
	items := list(1, ", ")
	for range 1 + b.d.g.IntN(3) {
		items.Kids = append(items.Kids, b.aggregate(false))
	}
	tail := none()
	if b.having != nil && (b.always || b.d.g.chance(30)) {
		tail = optional(fill(" HAVING %", b.having()))
	}
	return b.selectOf(items, tail)
}

// grouped selects groups by one or two keys. Key, item and order of one key are removed together.
func (b *block) grouped() *Node {
	g, d := b.d.g, b.d
	link := d.alias("groups ")
	keys, by, order := &Node{List: true, Sep: ", ", Min: 1, Link: link}, &Node{List: true, Sep: ", ", Min: 1, Link: link}, &Node{List: true, Sep: ", ", Min: pinnedMin, Link: link}
	for range 1 + g.IntN(2) {
		name := d.alias("g")
		item := d.value(b.rels, comparableClasses...)
		for item.Name == "NULLIF(" { // MariaDB refuses it as a key of groups
			item = d.value(b.rels, comparableClasses...)
		}
		if len(keys.Kids) > 0 && keys.Kids[0].Kids[0].Text() == item.Text() { // so it does a key that is there twice
			continue
		}
		keys.Kids = append(keys.Kids, fill("% AS "+name, item))
		if g.chance(30) {
			key := item.clone()
			key.Expr = false // it stays the item's
			by.Kids = append(by.Kids, key)
		} else {
			by.Kids = append(by.Kids, text(name))
		}
		order.Kids = append(order.Kids, text(name+g.pick("", " DESC")))
	}
	others := list(0, "")
	for range g.IntN(3) {
		others.Kids = append(others.Kids, fill(", %", b.aggregate(false)))
	}
	tail := pinned("", tagged(fill(" GROUP BY %", by), tagFold))
	rollup := g.chance(10)
	if rollup {
		tail.Kids = append(tail.Kids, optional(text(" WITH ROLLUP")))
	}
	switch {
	case b.having != nil && (b.always || g.chance(50)):
		tail.Kids = append(tail.Kids, optional(fill(" HAVING %", b.having())))
	case g.chance(20):
		tail.Kids = append(tail.Kids, optional(fill(" HAVING COUNT(*) "+g.pick(">", "=", "<", "<>")+" %", literal(g.pick("1", "2", "3")))))
	}
	if !rollup {
		tail.Kids = append(tail.Kids, b.inOrder(order))
	}
	return b.selectOf(fill("%%", keys, others), tail)
}
