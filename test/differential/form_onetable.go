package main

import (
	"fmt"
	"strings"
)

// query is a query over one table as it is drawn.
type query struct {
	g     gen
	t     *Table
	items *Node // the select list
	where *Node
	tail  *Node // GROUP BY and what follows
}

// drawOneTable gives queries over one table: filters, projections, orders, limits, DISTINCT, groups.
func drawOneTable(g gen, tables []*Table, _ int) *Statement {
	t := tables[g.IntN(len(tables))]
	q := &query{g: g, t: t, where: none(), tail: none()}
	if g.chance(75) {
		q.where = optional(fill(" WHERE %", g.condition(t, 2)))
	}
	switch n := g.IntN(10); {
	case n < 3:
		q.grouped()
	case n < 4:
		q.distinct()
	case n < 5:
		q.aggregated()
	default:
		q.plain()
	}
	return &Statement{Tree: fill("SELECT % FROM "+t.Name+"%%", q.items, q.where, q.tail), Table: t, Mode: g.mode(92)}
}

// leaf draws a column of the table.
func (g gen) leaf(t *Table) func() *Node {
	return func() *Node { return column(g.pick(t.ordered()...)) }
}

var documentFunctions = []string{"JSON_EXTRACT(%, '$.a')", "JSON_EXTRACT(%, '$[0]', '$.a.b')", "JSON_UNQUOTE(JSON_EXTRACT(%, '$.a'))", "JSON_TYPE(%)", "JSON_LENGTH(%)", "JSON_KEYS(%)", "JSON_SET(%, '$.b', 2)", "JSON_CONTAINS(%, '1')"}

// plain selects rows, most of the time in an order.
func (q *query) plain() {
	g := q.g
	q.items = list(1, ", ")
	if g.chance(10) {
		q.items = list(1, ", ", text("*"))
	}
	for range 1 + g.IntN(3) {
		item := column(g.pick(q.t.where()...))
		switch docs := q.t.where("json"); {
		case g.chance(45):
			item = g.expression(1, g.leaf(q.t))
		case len(docs) > 0 && g.chance(15):
			item = expr("JSON of a column", g.pick(documentFunctions...), column(g.pick(docs...)))
		}
		q.items.Kids = append(q.items.Kids, item)
	}
	if g.chance(70) {
		q.tail = list(0, "", q.ordered(), q.limit())
	}
}

// total is an order that leaves no rows equal.
func (t *Table) total() *Node {
	return tagged(text(strings.Join(t.Primary, ", ")), tagTotal)
}

// ordered is an ORDER BY that ends with the primary key. Positions and aliases are those of the first select item.
func (q *query) ordered() *Node {
	g := q.g
	keys := list(1, ", ")
	aliased := q.items.Kids[0].Parts[0] == "*"
	for range g.IntN(3) {
		var key *Node
		texts := q.t.where("text")
		switch n := g.IntN(5); {
		case n == 0 && !aliased:
			aliased = true
			q.items.Kids[0] = fill("% AS o", q.items.Kids[0])
			key = text(g.pick("o", "1"))
		case n == 1:
			key = g.expression(1, g.leaf(q.t))
			if strings.Trim(key.Text(), "+-() 0123456789") == "" { // MariaDB takes +5 for a position
				key = column(g.pick(q.t.ordered()...))
			}
		case n == 2 && len(texts) > 0:
			key = fill("% COLLATE utf8mb4_bin", column(g.pick(texts...)))
		default:
			key = column(g.pick(q.t.ordered()...))
		}
		keys.Kids = append(keys.Kids, fill("%"+g.pick("", " DESC", " ASC"), key))
	}
	total := q.t.total()
	if g.chance(20) && len(q.t.Primary) == 1 {
		total.Parts[0] += " DESC"
	}
	keys.Kids = append(keys.Kids, total)
	return optional(fill(" ORDER BY %", keys))
}

func (q *query) limit() *Node {
	g := q.g
	if !g.chance(35) {
		return none()
	}
	n := g.pick("0", "1", "2", "3", "5", "100", "18446744073709551615")
	switch g.IntN(4) {
	case 0:
		return optional(tagged(fill(" LIMIT % OFFSET %", literal(n), literal(g.pick("0", "1", "4", "1000"))), tagLimit))
	case 1:
		return optional(tagged(fill(" LIMIT %, %", literal(g.pick("0", "1", "4", "1000")), literal(n)), tagLimit))
	}
	return optional(tagged(fill(" LIMIT %", literal(n)), tagLimit))
}

// distinct selects different rows.
func (q *query) distinct() {
	g := q.g
	item := column(g.pick(q.t.ordered()...))
	if g.chance(40) {
		item = g.expression(1, g.leaf(q.t))
	}
	q.items = tagged(fill("DISTINCT %", list(1, ", ", fill("% AS g0", item))), tagFold)
	if g.chance(40) {
		q.items.Kids[0].Kids = append(q.items.Kids[0].Kids, column(g.pick(q.t.ordered()...)))
	}
	if g.chance(50) {
		q.tail = optional(tagged(text(" ORDER BY 1"+g.pick("", " DESC")), tagKey+"g0"))
	}
}

var aggregates = []string{"COUNT(%)", "COUNT(DISTINCT %)", "SUM(%)", "SUM(DISTINCT %)", "AVG(%)", "MIN(%)", "MAX(%)", "STD(%)", "STDDEV_SAMP(%)", "VAR_POP(%)", "VARIANCE(%)", "VAR_SAMP(%)", "BIT_AND(%)", "BIT_OR(%)", "BIT_XOR(%)", "AVG(DISTINCT %)", "MAX(DISTINCT %)"}

// aggregate draws an aggregate over the table.
func (q *query) aggregate() *Node {
	g := q.g
	switch g.IntN(8) {
	case 0:
		return expr("COUNT(*)", "COUNT(*)")
	case 1:
		key := strings.Join(q.t.Primary, ", ")
		return expr("GROUP_CONCAT()", "GROUP_CONCAT(% ORDER BY %"+g.pick("", " SEPARATOR '|'", " SEPARATOR ''")+")", q.argument(), list(1, ", ", text(g.pick(key, q.t.Primary[0]+" DESC"+strings.TrimPrefix(key, q.t.Primary[0])))))
	case 2:
		a := column(g.pick(q.t.ordered()...))
		n := expr("GROUP_CONCAT(DISTINCT)", "GROUP_CONCAT(DISTINCT % ORDER BY "+a.Parts[0]+g.pick("", " DESC")+")", a)
		a.Expr = false
		return tagged(n, tagFold)
	case 3:
		if len(q.t.Columns) > 3 && g.chance(30) {
			return expr("COUNT(DISTINCT) of two", "COUNT(DISTINCT %, %)", q.argument(), q.argument())
		}
	}
	format := g.pick(aggregates...)
	name, _, _ := strings.Cut(format, "%")
	n := expr(name+")", format, q.argument())
	if strings.HasPrefix(format, "M") {
		tagged(n, tagFold)
	}
	return n
}

func (q *query) argument() *Node {
	if q.g.chance(25) {
		return q.g.expression(1, q.g.leaf(q.t))
	}
	return column(q.g.pick(q.t.ordered()...))
}

// aggregated selects one row of aggregates.
func (q *query) aggregated() {
	q.items = list(1, ", ")
	for range 1 + q.g.IntN(2) {
		item := q.aggregate()
		if q.g.chance(20) {
			item = expr("arithmetic", "%"+q.g.pick(" + 1", " * 2", " / 3", " IS NULL", " DIV 2"), item)
		}
		q.items.Kids = append(q.items.Kids, item)
	}
	if q.g.chance(15) {
		q.tail = optional(fill(" HAVING % "+q.g.pick(">", "=", "<", "<>")+" %", q.aggregate(), q.g.any()))
	}
}

// grouped selects groups by one or two keys, with aggregates.
func (q *query) grouped() {
	g := q.g
	keys := []*Node{column(g.pick(q.t.ordered()...))}
	if g.chance(25) {
		keys[0] = g.expression(1, g.leaf(q.t))
	}
	if g.chance(30) {
		keys = append(keys, column(g.pick(q.t.ordered()...)))
	}
	items, by, order := list(1, ", "), list(1, ", "), list(1, ", ")
	for i, k := range keys {
		name := fmt.Sprintf("g%d", i)
		items.Kids = append(items.Kids, fill("% AS "+name, k))
		switch by.Kids = append(by.Kids, text(name)); g.IntN(4) {
		case 0:
			by.Kids[i] = text(fmt.Sprint(i + 1))
		case 1:
			by.Kids[i] = k.clone()
		}
		order.Kids = append(order.Kids, tagged(text(name+g.pick("", " DESC")), tagKey+name))
	}
	for range 1 + g.IntN(2) {
		items.Kids = append(items.Kids, q.aggregate())
	}
	q.items = items
	tail := list(0, "", tagged(fill(" GROUP BY %", by), tagFold))
	rollup := g.chance(20)
	if rollup {
		tail.Kids = append(tail.Kids, optional(text(" WITH ROLLUP")))
	}
	if g.chance(25) {
		tail.Kids = append(tail.Kids, optional(fill(" HAVING % "+g.pick(">", "=", "<", "<>", "IS NOT NULL OR 1 =")+" %", q.aggregate(), g.any())))
	}
	if !rollup && g.chance(50) { // MariaDB refuses both
		tail.Kids = append(tail.Kids, optional(fill(" ORDER BY %", order)))
	}
	q.tail = tail
}
