package main

// Conditions over one table.

var comparisons = []string{"=", "<>", "!=", "<", "<=", ">", ">=", "<=>"}

// condition draws a filter over the table.
func (g gen) condition(t *Table, depth int) *Node {
	if depth > 0 && g.chance(30) {
		op := g.pick("AND", "OR", "XOR", "AND", "OR")
		return expr(op, "(% "+op+" %)", g.condition(t, depth-1), g.condition(t, depth-1))
	}
	if depth > 0 && g.chance(8) {
		return expr("NOT", "NOT (%)", g.condition(t, depth-1))
	}
	name := g.pick(t.ordered()...)
	left := column(name)
	if g.chance(15) {
		left = inParentheses(g.expression(1, g.leaf(t)))
	}
	if n := g.textual(t, left, name); n != nil {
		return n
	}
	return g.compared(left, t, t.class(name))
}

func inParentheses(n *Node) *Node { return &Node{Parts: []string{"(", ")"}, Kids: []*Node{n}} }

// compared compares an expression of a class with literals, now and then with a column.
func (g gen) compared(left *Node, t *Table, class string) *Node {
	not := g.pick("", "", "NOT ")
	switch g.IntN(10) {
	case 0:
		return expr(not+"BETWEEN", "% "+not+"BETWEEN % AND %", left, g.like(class), g.like(class))
	case 1, 2:
		items := list(1, ", ", g.like(class))
		for range g.IntN(4) {
			items.Kids = append(items.Kids, g.like(class))
		}
		return expr(not+"IN()", "% "+not+"IN (%)", left, items)
	case 3:
		is := g.pick("NULL", "NOT NULL", "TRUE", "FALSE", "UNKNOWN", "NOT TRUE", "NOT FALSE", "NOT UNKNOWN")
		return expr("IS "+is, "% IS "+is, left)
	case 4:
		op := g.pick(comparisons...)
		return expr(op, "% "+op+" %", left, column(g.pick(t.ordered()...)))
	case 5:
		if g.chance(30) {
			return left // its truth
		}
	case 6:
		op := g.pick(comparisons...)
		return expr(op, "% "+op+" %", g.like(class), left)
	case 7:
		op := g.pick("=", "<", "<>", ">=")
		if g.chance(40) {
			return expr("row "+op, "(%, %) "+op+" (%, %)", left, column(g.pick(t.ordered()...)), g.like(class), g.any())
		}
	}
	op := g.pick(comparisons...)
	return expr(op, "% "+op+" %", left, g.like(class))
}

// textual draws LIKE, REGEXP and COLLATE for columns of text, and now and then for others; nil for none.
func (g gen) textual(t *Table, left *Node, name string) *Node {
	class := t.class(name)
	if n := g.IntN(100); class != "text" && n > 8 || n > 45 {
		return nil
	}
	not := g.pick("", "", "NOT ")
	switch g.IntN(6) {
	case 0:
		return expr(not+"LIKE ESCAPE", "% "+not+"LIKE %", left, text(g.pick("'a|%%' ESCAPE '|'", "'x|_y' ESCAPE '|'", "'a\\\\%c'", "'%' ESCAPE ''", "'ab' ESCAPE 'b'")))
	case 1:
		return expr(not+"REGEXP", "% "+not+"REGEXP %", left, literal(g.pick("'^a'", "'[ab]'", "'.'", "'B$'", "'^$'", "'a|b'", "NULL", "'[[:digit:]]+'", "'\\\\d'")))
	case 2:
		collate := g.pick("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci")
		op := g.pick(comparisons...)
		if class == "text" {
			return expr("COLLATE "+op, "% COLLATE "+collate+" "+op+" %", left, g.like(class))
		}
	}
	return expr(not+"LIKE", "% "+not+"LIKE %", left, literal(g.pick("'a%'", "'%b%'", "'_'", "'A_C'", "''", "'%'", "'1%'", "'%1'", "'2024-%'", "'ä%'", "NULL", "'a%c'")))
}
