package main

import (
	"fmt"
	"slices"
	"strings"
)

// drawSets gives UNION, INTERSECT and EXCEPT, also of rows of different types, with orders and limits.
func drawSets(g gen, tables []*Table, _ int) *Statement {
	d := &drawing{g: g, tables: tables}
	width := 1 + g.IntN(3)
	x := &sets{d: d, link: d.alias("columns "), top: true}
	arms := 2 + g.IntN(2)*g.IntN(3)
	x.alike = arms > 2
	n := x.chain(arms, width)
	s := &Statement{Mode: modeStrict, Quiet: d.quiet}
	if g.chance(20) {
		s.Tree = x.counted(n, width)
		return s
	}
	tail := none()
	if g.chance(60) {
		order := &Node{List: true, Sep: ", ", Min: pinnedMin, Link: x.link}
		for i := range width {
			key := x.names[i]
			order.Kids = append(order.Kids, text(key+g.pick("", " DESC")))
		}
		tail = pinned("", optional(tagged(fill(" ORDER BY %", order), tagTotal)), d.limit(40))
	}
	s.Tree = tagged(fill("%%", n, tail), tagFold)
	return s
}

// sets are queries joined by set operators.
type sets struct {
	d     *drawing
	link  string // of the select lists
	names []string
	// alike: all have columns of the same classes. MariaDB has one type for all queries, MySQL one for each operator.
	alike bool
	top   bool // the next query is the first: its columns give the names
	// classes are those of the columns of the first query.
	classes []string
}

var operators = []string{"UNION", "UNION", "UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"}

// chain draws queries joined by operators.
func (x *sets) chain(n, width int) *Node {
	g := x.d.g
	others := list(0, "")
	first := x.arm(width, true)
	for range n - 1 {
		word := g.pick(operators...)
		others.Kids = append(others.Kids, named(word, fill(" "+word+" %", x.arm(width, false))))
	}
	return &Node{Chain: true, Parts: []string{"", "", ""}, Kids: []*Node{first, others}}
}

// arm draws one query.
func (x *sets) arm(width int, first bool) *Node {
	g, d := x.d.g, x.d
	switch n := g.IntN(20); {
	case n < 3 && !first:
		inner := *x
		inner.alike = true
		return scope(named("parentheses", fill("(%)", inner.chain(2, width))))
	case n < 5 && !x.top:
		return x.values(width)
	case n < 6 && !x.top && width == 3:
		return scope(elsewhere(named("TABLE", text("TABLE txt")), "SELECT * FROM txt"))
	}
	items := &Node{List: true, Sep: ", ", Min: 1, Link: x.link}
	rows := d.rows
	f := d.inner()
	d.rows = rows
	bare := g.chance(12)
	top := x.top
	x.top = false
	for i := range width {
		item, class := x.item(f, i, bare)
		if top {
			x.classes = append(x.classes, class)
			x.names = append(x.names, fmt.Sprint("o", i))
			item = fill(fmt.Sprint("% AS o", i), item)
		} else if width > 1 { // MariaDB makes a table of what is in parentheses
			item = fill(fmt.Sprint("% AS p", i), item)
		}
		items.Kids = append(items.Kids, item)
	}
	if bare {
		return scope(fill("SELECT %", items))
	}
	where := f.where
	if g.chance(50) {
		where = append(where, d.condition(f.side.rels, 0))
	}
	if total := totalOf(g, f.side.rels); total != nil && g.chance(20) {
		return scope(fill("(%)", subquery(items, f, where, optional(fill(" ORDER BY % LIMIT %", total, literal(g.pick("1", "2", "5", "100")))))))
	}
	n := subquery(items, f, where, none())
	if g.chance(15) {
		return scope(fill("(%)", n))
	}
	return n
}

// item draws a column of a query: mostly of the class that the first has there.
func (x *sets) item(f *from, i int, bare bool) (*Node, string) {
	d := x.d
	class := ""
	if i < len(x.classes) {
		class = x.classes[i]
	}
	if bare {
		if of := literalsOf[class]; of != nil && !x.alike {
			return literal(d.g.pick(of...)), class
		}
		if class != "" {
			return literal(literalsAlike[class]), class
		}
		class = d.g.pick("integer", "decimal", "text", "double")
		return literal(d.g.pick(literalsOf[class]...)), class
	}
	c := d.column(f.side.rels)
	for x.alike && c.Class == "year" { // there is no literal of it
		c = d.column(f.side.rels)
	}
	if class != "" && (x.alike || class == "double" || d.g.chance(60)) {
		c = d.column(f.side.rels, class)
	}
	// Of VARCHAR "vu" the collation does not go with others; a DOUBLE and a BINARY(4) become texts of the length of their type.
	if class != "" && c.Class != class && (x.alike || class == "double" || c.Class == "double" || c.Name == "b") || c.Name == "vu" || class == "" && c.Class == "bytes" && c.Name == "b" {
		if class == "" || class == "integer" {
			return expr("IS NULL", "% IS NULL", c.node()), "integer"
		}
		return literal(literalsAlike[class]), class
	}
	if d.g.chance(20) && !x.alike {
		if n := d.over(c); n.Name != "/ 2" { // MariaDB has more digits of it as a text
			return n, "text"
		}
	}
	return c.node(), c.Class
}

// values draws rows without a table. MariaDB has no word for a row of them, and its own VALUES lose the types of parameters.
func (x *sets) values(width int) *Node {
	g := x.d.g
	var here, there []string
	kids := []*Node{}
	for i := range 1 + g.IntN(3) {
		marks := strings.TrimSuffix(strings.Repeat("%, ", width), ", ")
		here, there = append(here, "ROW("+marks+")"), append(there, "SELECT "+marks)
		if i == 0 {
			there[0] = "SELECT "
			for c := range width {
				there[0] += fmt.Sprintf("%% AS p%d, ", c)
			}
			there[0] = strings.TrimSuffix(there[0], ", ")
		}
		for c := range width {
			if of := literalsOf[x.classes[c]]; !x.alike && of != nil {
				kids = append(kids, literal(g.pick(of...)))
			} else {
				kids = append(kids, literal(literalsAlike[x.classes[c]]))
			}
		}
	}
	n := fill("VALUES "+strings.Join(here, ", "), kids...)
	instead := strings.Join(there, " UNION ALL ")
	if len(there) > 1 {
		instead = "(" + instead + ")"
	}
	return scope(named("VALUES", elsewhere(n, instead)))
}

// literalsAlike are literals of just the class.
var literalsAlike = map[string]string{
	"integer": "1", "decimal": "1.50", "double": "1.5e0", "text": "'a'", "bytes": "x'61'", "date": "DATE'2024-01-31'", "datetime": "TIMESTAMP'2024-01-31 10:11:12'",
	"time": "TIME'10:11:12'", "year": "NULL", "enum": "'x'", "set": "'a'",
}

// counted draws a query over the rows of the operators.
func (x *sets) counted(n *Node, width int) *Node {
	items := list(1, ", ", text("COUNT(*)"))
	for i := range width {
		format := x.d.g.pick("COUNT(DISTINCT %)", "MIN(%)", "MAX(%)", "COUNT(%)")
		if slices.Contains(numericClasses, x.classes[i]) && x.d.g.chance(30) {
			format = "COUNT(%)"
		}
		items.Kids = append(items.Kids, expr(format[:len(format)-2]+")", format, column("d."+x.names[i])))
	}
	return tagged(fill("SELECT % FROM (%) AS d", items, scope(n)), tagFold)
}
