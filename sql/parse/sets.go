package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// The parser has no INTERSECT, EXCEPT, TABLE t, no VALUES as an operand of a set operator, no WINDOW clause of several
// windows, and one ORDER BY and LIMIT for a query in brackets and what is around it: (SELECT ... LIMIT 2) LIMIT 1. A text with these words, outside of quotes and comments, is parsed with UNION, SELECT * FROM t, SELECT * FROM
// (VALUES ...) and a WINDOW for each in their place, and the operators are put into the tree: a Union's Lock, which has no
// other use, says which one it is.
const (
	intersectLock sqlparser.Lock = -1
	exceptLock    sqlparser.Lock = -2
	wholeLock     sqlparser.Lock = -3
)

// Wraps reports whether a Union is the rows of its left side alone, which has an order or limit of its own.
func Wraps(u *sqlparser.Union) bool { return u.Lock == wholeLock }

// Intersects reports whether a Union is an INTERSECT.
func Intersects(u *sqlparser.Union) bool { return u.Lock == intersectLock }

// Excepts reports whether a Union is an EXCEPT.
func Excepts(u *sqlparser.Union) bool { return u.Lock == exceptLock }

// setWord is an operator of a text.
type setWord struct {
	lock sqlparser.Lock // NoLock: UNION
	in   int            // number of the brackets around it
}

// rewritten is a text in the words that the parser has, and the set operators in their order; changed is false if it has
// them already.
func rewritten(text string) (out string, sets []setWord, changed bool) {
	if !needsRewriting(text) {
		return text, nil, false
	}
	r := rewriter{scanner: scanner{text: text}, brackets: []int{0}, nests: []nest{{}}, begins: true, first: true}
	for r.space(); r.at < len(text); r.space() {
		r.token()
	}
	r.endValues(len(text))
	r.out.WriteString(text[r.copied:])
	return r.out.String(), r.sets, r.changed
}

// needsRewriting is a quick look for the words; it may find them in quotes.
func needsRewriting(text string) bool {
	for _, w := range []string{"intersect", "except", "table", "window"} {
		if hasWord(text, w) {
			return true
		}
	}
	return hasWord(text, "union") && hasWord(text, "values") || nestsQueries(text)
}

// nestsQueries is a quick look for a query in brackets at the begin of a text or of other brackets.
func nestsQueries(text string) bool {
	first := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' && first:
			return hasWord(text, "limit") || hasWord(text, "order")
		case c == '(':
			first = true
		case c != ' ' && c != '\n' && c != '\t' && c != '\r':
			first = false
		}
	}
	return false
}

// hasWord is a quick look for a word in lower case.
func hasWord(text, w string) bool {
	for i := 0; i+len(w) <= len(text); i++ {
		if text[i]|0x20 == w[0] && strings.EqualFold(text[i:i+len(w)], w) {
			return true
		}
	}
	return false
}

type rewriter struct {
	scanner
	inserts  bool // the text is an insertion: its query is behind names
	out      strings.Builder
	copied   int // so much of the text is in out
	sets     []setWord
	brackets []int // numbers of those that are open
	numbers  int   // given to brackets
	nests    []nest
	begins   bool  // a query may begin here
	first    bool  // and it is no operand of a set operator
	window   int   // the brackets that a WINDOW clause is in, plus 1; 0: in none
	values   []int // the brackets that lists of VALUES are in, the innermost last
	changed  bool
}

// nest is what is known of brackets, or of the whole text.
type nest struct {
	first bool // they begin a query that is no operand of a set operator
	query bool // a query begins in them
	tail  bool // it has an ORDER BY or LIMIT
}

// put replaces the text from start to the scanner's place.
func (r *rewriter) put(start int, by string) {
	r.out.WriteString(r.text[r.copied:start])
	r.out.WriteString(by)
	r.copied, r.changed = r.at, true
}

func (r *rewriter) in() int { return r.brackets[len(r.brackets)-1] }

func (r *rewriter) token() {
	begins, first := r.begins, r.first
	r.begins, r.first = false, false
	switch c := r.text[r.at]; {
	case c == '\'' || c == '"' || c == '`':
		r.quoted()
	case wordByte(c):
		r.wordToken(begins)
	case c == '(':
		r.numbers++
		r.brackets, r.begins, r.first = append(r.brackets, r.numbers), true, true
		r.nests = append(r.nests, nest{first: begins && first})
		r.at++
	case c == ')':
		r.endValues(r.at)
		if len(r.brackets) > 1 {
			r.brackets = r.brackets[:len(r.brackets)-1]
		}
		r.at++
		r.closed()
	case c == ',' && r.window == r.in()+1:
		r.at++
		r.put(r.at, " WINDOW ")
	default:
		r.at++
	}
}

// closed is called behind brackets. If they are a query with a tail, and another tail follows, the query is the left side of a
// set operation that has no right one.
func (r *rewriter) closed() {
	if len(r.nests) < 2 {
		return
	}
	n := r.nests[len(r.nests)-1]
	r.nests = r.nests[:len(r.nests)-1]
	if !n.first || !n.query {
		return
	}
	top := &r.nests[len(r.nests)-1]
	top.query = true
	next := r.scanner
	switch strings.ToLower(next.word()) {
	case "order", "limit":
		if n.tail {
			r.put(r.at, " UNION SELECT 1 ")
			r.sets = append(r.sets, setWord{wholeLock, r.in()})
		}
	default:
		top.tail = top.tail || n.tail
	}
}

func (r *rewriter) wordToken(begins bool) {
	start := r.at
	dotted := start > 0 && (r.text[start-1] == '.' || r.text[start-1] == '@')
	word := strings.ToLower(r.word())
	if dotted {
		return
	}
	if word != "row" {
		r.endValues(start)
	}
	lock, in := sqlparser.NoLock, &r.nests[len(r.nests)-1]
	in.query = in.query || begins && (word == "select" || word == "with" || word == "values" || word == "table")
	in.tail = in.tail || word == "order" || word == "limit"
	switch word {
	case "values":
		if begins && r.rowFollows() {
			r.put(start, "SELECT * FROM (VALUES")
			r.values = append(r.values, r.in())
		}
		return
	case "window":
		r.window = r.in() + 1
		return
	case "order", "limit", "for", "into":
		if r.window == r.in()+1 {
			r.window = 0
		}
		return
	case "insert", "replace":
		r.inserts = r.inserts || begins && start == 0
		return
	case "table":
		if begins || r.inserts && len(r.brackets) == 1 {
			r.put(start, "SELECT * FROM")
		}
		return
	case "all", "distinct", "as":
		r.begins = begins || word == "as"
		return
	case "intersect":
		lock = intersectLock
	case "except":
		lock = exceptLock
	case "union":
	default:
		return
	}
	r.window, r.begins = 0, true
	r.sets = append(r.sets, setWord{lock, r.in()})
	if lock != sqlparser.NoLock {
		r.put(start, "UNION")
	}
}

// rowFollows reports whether a row comes next.
func (r *rewriter) rowFollows() bool {
	next := r.scanner
	return strings.EqualFold(next.word(), "row")
}

// endValues closes the list of VALUES that is in the brackets at hand, if there is one, at a place of the text.
func (r *rewriter) endValues(at int) {
	if n := len(r.values); n > 0 && r.values[n-1] == r.in() {
		r.out.WriteString(r.text[r.copied:at])
		r.out.WriteString(") AS `values` ")
		r.copied, r.values = at, r.values[:n-1]
	}
}

// restored puts the set operators into a tree; false: they are not those of the text.
func restored(tree sqlparser.SQLNode, sets []setWord) bool {
	of, next, ok := map[*sqlparser.Union]setWord{}, 0, true
	unionsInOrder(tree, func(u *sqlparser.Union) {
		if next < len(sets) {
			of[u] = sets[next]
		} else {
			ok = false
		}
		next++
	})
	if !ok || next != len(sets) {
		return false
	}
	for _, root := range chains(of) {
		regroup(root, of)
	}
	return true
}

// chains are the Unions that are not the left side of another in the same brackets.
func chains(of map[*sqlparser.Union]setWord) (out []*sqlparser.Union) {
	inner := map[*sqlparser.Union]bool{}
	for u := range of {
		if l, ok := u.Left.(*sqlparser.Union); ok && of[l].in == of[u].in {
			inner[l] = true
		}
	}
	for u := range of {
		if !inner[u] {
			out = append(out, u)
		}
	}
	return out
}

// regroup has INTERSECT bind more than the others in a chain of operators, which the parser groups from the left.
func regroup(root *sqlparser.Union, of map[*sqlparser.Union]setWord) {
	var operands []sqlparser.TableStatement
	var nodes []*sqlparser.Union
	for u := root; ; {
		operands = append(operands, u.Right)
		nodes = append(nodes, u)
		l, ok := u.Left.(*sqlparser.Union)
		if !ok || of[l].in != of[u].in {
			operands = append(operands, u.Left)
			break
		}
		u = l
	}
	// From the left: operands[n] nodes[n-1] operands[n-1] ... nodes[0] operands[0].
	type operator struct {
		distinct bool
		lock     sqlparser.Lock
	}
	left := operands[len(operands)-1]
	var stack []sqlparser.TableStatement
	var waiting []operator
	for i := len(nodes) - 1; i >= 0; i-- {
		op := operator{nodes[i].Distinct, of[nodes[i]].lock}
		if op.lock == intersectLock {
			left = &sqlparser.Union{Left: left, Right: operands[i], Distinct: op.distinct, Lock: op.lock}
			continue
		}
		stack, waiting = append(stack, left), append(waiting, op)
		left = operands[i]
	}
	stack = append(stack, left)
	whole := stack[0]
	for i, op := range waiting {
		whole = &sqlparser.Union{Left: whole, Right: stack[i+1], Distinct: op.distinct, Lock: op.lock}
	}
	top := whole.(*sqlparser.Union)
	if top.Lock == wholeLock {
		top.Right = nil
	}
	root.Left, root.Right, root.Distinct, root.Lock = top.Left, top.Right, top.Distinct, top.Lock
}

// unionsInOrder calls f for the Unions of a tree, in the order of their operators in the text.
func unionsInOrder(n sqlparser.SQLNode, f func(*sqlparser.Union)) {
	visit := func(n sqlparser.SQLNode) {
		textOrder(n, func(t sqlparser.TableStatement) { unionsInOrder(t, f) })
	}
	if u, ok := n.(*sqlparser.Union); ok {
		if u.With != nil {
			visit(u.With)
		}
		unionsInOrder(u.Left, f)
		f(u)
		unionsInOrder(u.Right, f)
		visit(u.OrderBy)
		visit(u.Limit)
		return
	}
	visit(n)
}
