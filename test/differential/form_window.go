package main

import (
	"fmt"
	"slices"
	"strings"
)

// drawWindows gives window functions over tables, joins and groups, with orders that determine their values.
func drawWindows(g gen, tables []*Table, _ int) *Statement {
	d := &drawing{g: g, tables: tables}
	n := 1
	if g.chance(20) {
		n = 2
	}
	f := d.from(n, d.base, d.on)
	b := d.block(f)
	b.filtered(20)
	w := &windows{b: b, d: d, rels: b.rels, named: list(0, ", ")}
	s := &Statement{Mode: modeStrict}
	switch n := g.IntN(20); {
	case n < 4:
		s.Tree = w.overGroups()
	case n < 6:
		s.Tree = w.filtered()
	default:
		s.Tree = w.plain()
	}
	s.Quiet = d.quiet
	return s
}

// windows are window functions of one query.
type windows struct {
	b     *block
	d     *drawing
	rels  []*relation
	named *Node // definitions of WINDOW
	names []*window
	count int  // of the windows drawn
	alone bool // there is one without a partition or an order: MariaDB computes others beside it wrongly
}

// window is a definition: its partition, and whether its order is total.
type window struct {
	name                string
	total, ordered      bool
	node                *Node
	partition, ordering *Node
}

func (w *windows) plain() *Node {
	g := w.d.g
	items := pinned(", ")
	for _, r := range w.rels {
		for _, k := range r.key {
			items.Kids = append(items.Kids, column(r.alias+"."+k))
		}
	}
	functions := list(1, "")
	for i := range 1 + g.IntN(3) {
		if i == 0 || !w.alone {
			functions.Kids = append(functions.Kids, fill(", %", w.item()))
		}
	}
	tail := pinned("")
	if g.chance(70) {
		keys := list(0, "")
		if g.chance(20) && !w.alone {
			key := w.function()
			for key.Name == "STD()" || key.Name == "VAR_SAMP()" { // their last digits are open
				key = w.function()
			}
			keys.Kids = append(keys.Kids, fill("%, ", key))
		}
		order := optional(fill(" ORDER BY %%", keys, tagged(totalOf(g, w.rels), tagTotal)))
		tail.Kids = append(tail.Kids, order, w.d.limit(25))
	}
	return w.b.selectOf(fill("%%", items, functions), w.ending(tail))
}

// ending puts the WINDOW clause before the order.
func (w *windows) ending(tail *Node) *Node {
	if len(w.named.Kids) == 0 {
		return tail
	}
	return fill("%%", fill(" WINDOW %", w.named), tail)
}

// item draws a window function, now and then within an expression.
func (w *windows) item() *Node {
	g := w.d.g
	n := w.function()
	if slices.Contains(n.Tags, tagOwnName) { // its text is another at MariaDB
		return fill("% AS "+w.d.alias("x"), n)
	}
	switch g.IntN(12) { // MariaDB has no text of one in CONCAT()
	case 0:
		return expr("IS NULL", "% IS NULL", n)
	case 1:
		return expr("COALESCE()", "COALESCE(%, %)", n, literal("0"))
	}
	return n
}

// filtered filters by a window function of a derived table.
func (w *windows) filtered() *Node {
	g := w.d.g
	items := pinned(", ")
	outer := list(1, ", ")
	for _, r := range w.rels {
		for _, k := range r.key {
			name := fmt.Sprint("c", len(items.Kids))
			items.Kids = append(items.Kids, fill("% AS "+name, column(r.alias+"."+k)))
			outer.Kids = append(outer.Kids, column("d."+name))
		}
	}
	win := w.window(true)
	rank := expr("ROW_NUMBER()", "ROW_NUMBER() OVER %", win.node)
	if g.chance(40) {
		rank = expr("RANK()", g.pick("RANK()", "DENSE_RANK()")+" OVER %", win.node)
	}
	items.Kids = append(items.Kids, fill("% AS w", rank))
	outer.Kids = append(outer.Kids, column("d.w"))
	inner := scope(w.b.selectOf(items, w.ending(none())))
	op := g.pick("=", "<=", "<", ">")
	return fill("SELECT % FROM (%) AS d WHERE %", outer, inner, expr(op, "d.w "+op+" %", literal(g.pick("1", "2", "3"))))
}

// overGroups draws window functions over groups and their aggregates.
func (w *windows) overGroups() *Node {
	g, d := w.d.g, w.d
	link := d.alias("groups ")
	keys, by, order := &Node{List: true, Sep: ", ", Min: pinnedMin, Link: link}, &Node{List: true, Sep: ", ", Min: pinnedMin, Link: link}, &Node{List: true, Sep: ", ", Min: pinnedMin, Link: link}
	var columns []ref
	for range 1 + g.IntN(2) {
		c := d.column(w.rels, exactClasses...)
		if slices.Contains(columns, c) {
			continue
		}
		columns = append(columns, c)
		keys.Kids, by.Kids, order.Kids = append(keys.Kids, c.node()), append(by.Kids, c.node()), append(order.Kids, fill("%"+g.pick("", " DESC"), c.node()))
	}
	total := func() *Node {
		out := pinned(", ")
		for _, c := range columns {
			out.Kids = append(out.Kids, fill("%"+g.pick("", " DESC"), c.node()))
		}
		return out
	}
	functions := list(1, "")
	for range 1 + g.IntN(2) {
		partition := none()
		if g.chance(25) {
			partition = optional(fill("PARTITION BY % ", columns[0].node()))
		}
		keys := list(0, "")
		if g.chance(50) { // MariaDB forgets the order of the groups beside an aggregate of distinct values
			keys.Kids = append(keys.Kids, fill("%"+g.pick("", " DESC")+", ", w.numericAggregate()))
		}
		over := fill("(%ORDER BY %%%)", partition, keys, total(), w.rowsFrame(30))
		var n *Node
		switch g.IntN(5) {
		case 0:
			n = expr("RANK()", g.pick("RANK()", "ROW_NUMBER()", "DENSE_RANK()", "CUME_DIST()")+" OVER %", over)
			over.Kids[3] = none()
		case 1:
			n = expr("LAG()", g.pick("LAG(%)", "LEAD(%)")+" OVER %", w.numericAggregate(), over)
			over.Kids[3] = none()
		default:
			n = expr("SUM(SUM())", g.pick("SUM(%)", "MAX(%)", "COUNT(%)", "AVG(%)")+" OVER %", w.numericAggregate(), over)
		}
		functions.Kids = append(functions.Kids, fill(", %", n))
	}
	tail := pinned("", tagged(fill(" GROUP BY %", by), tagFold), optional(tagged(fill(" ORDER BY %", order), tagTotal)), d.limit(20))
	return w.b.selectOf(fill("%%", keys, functions), tail)
}

func (w *windows) numericAggregate() *Node {
	c := w.d.column(w.rels, numericClasses...)
	if !slices.Contains(numericClasses, c.Class) {
		return expr("COUNT(*)", "COUNT(*)")
	}
	return expr("SUM()", w.d.g.pick("SUM(%)", "COUNT(%)", "MIN(%)"), c.node())
}

// window draws a window; total: its order leaves no rows equal.
func (w *windows) window(total bool) *window {
	g, d := w.d.g, w.d
	if g.chance(30) && len(w.names) > 0 {
		n := w.names[g.IntN(len(w.names))]
		if n.total || !total {
			v := *n
			v.node, v.partition, v.ordering = text(n.name), nil, nil
			return &v
		}
	}
	v := &window{partition: none(), ordering: none(), total: total, ordered: true}
	w.count++
	bare := !total && g.chance(30)
	if g.chance(55) || bare && w.count > 1 {
		first := d.value(w.rels, comparableClasses...)
		if bare { // of a value that is the same for all rows MariaDB makes no partition
			first = d.column(w.rels).node()
		}
		keys := list(1, ", ", first)
		if g.chance(20) {
			keys.Kids = append(keys.Kids, d.column(w.rels).node())
		}
		v.partition = optional(fill("PARTITION BY % ", keys))
	}
	switch {
	case total:
		keys := list(0, "")
		for range g.IntN(2) {
			keys.Kids = append(keys.Kids, fill("%"+g.pick("", " DESC")+", ", d.value(w.rels, comparableClasses...)))
		}
		v.ordering = fill("ORDER BY %%", keys, totalOf(g, w.rels))
	case !bare:
		// By one value for all rows MariaDB orders none of the windows.
		v.ordering = fill("ORDER BY %", list(1, ", ", fill("%"+g.pick("", " DESC"), d.column(w.rels, comparableClasses...).node())))
	default:
		v.ordered = false
		if w.alone = len(v.partition.Kids) == 0; !w.alone {
			v.partition.Optional = false
		}
	}
	v.node = fill("(%%)", v.partition, v.ordering)
	if g.chance(20) {
		v.name = d.alias("w")
		w.named.Kids = append(w.named.Kids, fill(v.name+" AS %", v.node))
		w.names = append(w.names, v)
		c := *v
		c.node, c.partition, c.ordering = text(v.name), nil, nil
		return &c
	}
	return v
}

// framed gives a window a frame: within its parentheses, or behind its name.
func (v *window) framed(frame *Node) *Node {
	if v.partition == nil {
		if frame.Parts[0] == "" && len(frame.Kids) == 0 {
			return v.node
		}
		return fill("("+v.name+"%)", frame)
	}
	return fill("(%%%)", v.partition, v.ordering, frame)
}

// lagOrDefault draws LAG with a default: MariaDB counts the rows.
func (w *windows) lagOrDefault() *Node {
	var classes []string
	for _, c := range comparableClasses {
		if c != "date" { // IF() of MariaDB has NULL for 0000-00-00
			classes = append(classes, c)
		}
	}
	c := w.d.column(w.rels, classes...)
	v := w.window(true)
	name := v.name
	if name == "" {
		name = w.d.alias("w")
		w.named.Kids = append(w.named.Kids, fill(name+" AS %", v.node))
	}
	n := w.d.g.pick("1", "2", "5")
	lag := expr("LAG() with a default", "LAG(%, "+n+", %) OVER "+name, c.node(), w.d.literalFor(c))
	return tagged(elsewhere(lag, "IF(ROW_NUMBER() OVER "+name+" > "+n+", LAG(%, "+n+") OVER "+name+", %)"), tagOwnName)
}

// rowsFrame draws ROWS with numbers.
func (w *windows) rowsFrame(chance int) *Node {
	if !w.d.g.chance(chance) {
		return none()
	}
	return w.frame("ROWS", func() *Node { return text(w.d.g.pick("0", "1", "2", "3", "100")) })
}

// frame draws a frame of which the bounds are in order.
func (w *windows) frame(unit string, number func() *Node) *Node {
	g := w.d.g
	n := func(word string) *Node { return fill("% "+word, number()) }
	if g.chance(30) {
		if g.chance(50) {
			return optional(named(unit, text(" "+unit+" "+g.pick("UNBOUNDED PRECEDING", "CURRENT ROW"))))
		}
		return optional(named(unit, fill(" "+unit+" %", n("PRECEDING"))))
	}
	bounds := []*Node{text("UNBOUNDED PRECEDING"), n("PRECEDING"), text("CURRENT ROW"), n("FOLLOWING"), text("UNBOUNDED FOLLOWING")}
	from := g.IntN(4)
	to := from + g.IntN(5-from)
	if to == 0 {
		to = 1
	}
	second := bounds[to]
	if from == to { // of a frame that ends before it begins MariaDB has rows
		second = bounds[from].clone()
	}
	return optional(named(unit+" BETWEEN", fill(" "+unit+" BETWEEN % AND %", bounds[from], second)))
}

var ranks = []string{"ROW_NUMBER()", "RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()"}

// function draws a window function with its window.
func (w *windows) function() *Node {
	g, d := w.d.g, w.d
	switch n := g.IntN(20); {
	case n < 5:
		name := g.pick(ranks...)
		v := w.window(name == "ROW_NUMBER()")
		if !v.ordered {
			name = "COUNT(*)" // MariaDB wants an order
		}
		return expr(name, name+" OVER %", v.framed(none()))
	case n < 6:
		return expr("NTILE()", "NTILE(%) OVER %", text(g.pick("1", "2", "3", "7", "100")), w.window(true).framed(none()))
	case n < 9:
		name := g.pick("LAG", "LEAD")
		arg := d.value(w.rels, comparableClasses...)
		v := w.window(true).framed(none())
		if name == "LAG" && g.chance(20) {
			return w.lagOrDefault()
		}
		if g.chance(60) {
			return expr(name+"()", name+"(%, %) OVER %", arg, text(g.pick("0", "1", "2", "3", "100")), v)
		}
		return expr(name+"()", name+"(%) OVER %", arg, v)
	case n < 12:
		v := w.window(true).framed(w.rowsFrame(50))
		arg := d.value(w.rels, comparableClasses...)
		switch g.IntN(3) {
		case 0:
			return expr("NTH_VALUE()", "NTH_VALUE(%, %) OVER %", arg, text(g.pick("1", "2", "3")), v)
		case 1:
			return expr("LAST_VALUE()", "LAST_VALUE(%) OVER %", arg, v)
		}
		return expr("FIRST_VALUE()", "FIRST_VALUE(%) OVER %", arg, v)
	case n < 14:
		if r := w.ranged(); r != nil {
			return r
		}
	}
	total := g.chance(60)
	v := w.window(total)
	frame := none()
	switch {
	case total:
		frame = w.rowsFrame(55)
	case v.ordered && g.chance(30):
		frame = optional(named("RANGE", text(g.pick(" RANGE UNBOUNDED PRECEDING", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", " RANGE CURRENT ROW", " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"))))
	}
	return w.over(v.framed(frame))
}

// tagOwnName marks what is named by an alias, as its text is not the same in both servers.
const tagOwnName = "own name"

var windowAggregates = []string{"COUNT(%)", "SUM(%)", "AVG(%)", "MIN(%)", "MAX(%)", "BIT_OR(%)", "STD(%)", "VAR_SAMP(%)"} // MariaDB computes BIT_XOR of negative numbers wrongly

// over draws an aggregate over a window.
func (w *windows) over(v *Node) *Node {
	g, d := w.d.g, w.d
	format := g.pick(windowAggregates...)
	c := d.column(w.rels, numericClasses...)
	switch {
	case format[0] == 'B' && c.Class != "integer" || !slices.Contains(numericClasses, c.Class):
		return expr("COUNT(*)", "COUNT(*) OVER %", v)
	case format[0] == 'M' || format == "COUNT(%)":
		c = d.column(w.rels, comparableClasses...)
	}
	n := expr(format[:len(format)-2]+")", format+" OVER %", c.node(), v)
	if format[0] == 'M' {
		tagged(n, tagFold)
	}
	return n
}

// ranged draws an aggregate over RANGE with numbers, or with intervals; nil if there is no column for it. MariaDB has no
// intervals in frames: it counts days and seconds. It refuses a frame beyond the numbers of BIGINT.
func (w *windows) ranged() *Node {
	g, d := w.d.g, w.d
	names := []string{"id", "ti", "si", "mi", "d", "n", "y", "a", "da", "dt", "k"}
	var all []ref
	for _, c := range of(w.rels, []string{"integer", "decimal", "date", "datetime"}) {
		if slices.Contains(names, c.Name) && !strings.HasPrefix(c.Type, "BIGINT") && c.of.table != nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	c := all[g.IntN(len(all))]
	partition := none()
	if g.chance(40) {
		partition = optional(fill("PARTITION BY % ", d.column(w.rels).node()))
	}
	key := c.node()
	number := func() *Node { return text(g.pick("0", "1", "2", "10", "1000")) }
	switch c.Class {
	case "decimal":
		number = func() *Node { return text(g.pick("0", "1", "0.5", "2.25")) }
	case "date":
		w.d.quiet = true
		w.withinDates(c)
		key = elsewhere(text(key.Parts[0]), "TO_DAYS("+key.Parts[0]+")")
		number = func() *Node { n := g.pick("0", "1", "29", "400"); return elsewhere(text("INTERVAL "+n+" DAY"), n) }
	case "datetime":
		w.d.quiet = true
		w.withinDates(c)
		key = elsewhere(text(key.Parts[0]), "TO_SECONDS("+key.Parts[0]+")")
		number = func() *Node {
			n := g.pick("0", "3600", "86400")
			return elsewhere(text("INTERVAL "+n+" SECOND"), n)
		}
	}
	frame := w.frame("RANGE", number)
	frame.Optional = false
	w.count++
	over := fill("(%ORDER BY %"+g.pick("", " DESC")+"%)", partition, key, frame)
	n := w.over(over)
	for n.Name == "BIT_OR()" { // of an empty frame MariaDB returns what was there before
		n = w.over(over)
	}
	if key.Maria != nil {
		n.Tags = append(n.Tags, tagOwnName)
	}
	return n
}

// withinDates leaves out rows with the date 0000-00-00, of which there is no day before or after, and the last of all dates.
func (w *windows) withinDates(c ref) {
	w.b.where = append(w.b.where, expr("OR", "(% IS NULL OR YEAR(%) BETWEEN 1 AND 9990)", c.node(), c.node()))
	w.b.pinned = true
}
