package expr

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// XPath, as far as MySQL has it: paths with the axes child, descendant, self, parent and attribute, predicates,
// comparisons, arithmetic, and some functions.

// xpathKind is the kind of a value.
type xpathKind uint8

const (
	xpathNodes xpathKind = iota
	xpathNumber
	xpathString
	xpathBool
)

// xpathValue is the value of an expression; nodes are in the order of the document.
type xpathValue struct {
	kind   xpathKind
	nodes  []int
	number float64 // of a number, and of a bool
	text   string
}

// xpathExpr is an expression: an operator, a function or a path with its parts.
type xpathExpr struct {
	op    string // of a number "number", of a text "string", of a path "path", of a function its name
	args  []*xpathExpr
	value xpathValue // of a literal
	root  bool       // a path from the root
	steps []xpathStep
}

// xpathStep is a step of a path.
type xpathStep struct {
	axis       string
	name       string // "*" is any, "text()" and "node()" are tests of the kind
	predicates []*xpathExpr
}

// xpathBudget bounds the nodes that an expression looks at.
const xpathBudget = 10_000_000

// xpathRun evaluates an expression over a document.
type xpathRun struct {
	nodes   []xmlNode
	context *Context
	budget  int // of nodes that may still be looked at
}

// xpathFocus is the node of an evaluation, and its place among those of a step.
type xpathFocus struct{ node, position, size int }

// spend counts nodes that are looked at.
func (r *xpathRun) spend(n int) error {
	if r.budget -= n; r.budget < 0 || r.context.ended() {
		return newError(1105, "HY000", "an XPath expression looks at too many nodes")
	}
	return nil
}

func aNumber(f float64) xpathValue { return xpathValue{kind: xpathNumber, number: f} }

func aBool(b bool) xpathValue {
	v := xpathValue{kind: xpathBool}
	if b {
		v.number = 1
	}
	return v
}

func (r *xpathRun) value(e *xpathExpr, at xpathFocus) (v xpathValue, err error) {
	switch e.op {
	case "number", "string":
		return e.value, nil
	case "path":
		return r.path(e, at)
	case "last":
		return aNumber(float64(at.size)), nil
	case "position":
		return aNumber(float64(at.position)), nil
	case "or", "and":
		for _, a := range e.args {
			if v, err = r.value(a, at); err != nil || v.true() == (e.op == "or") {
				return aBool(v.true()), err
			}
		}
		return aBool(v.true()), nil
	}
	args := make([]xpathValue, len(e.args))
	for i, a := range e.args {
		if args[i], err = r.value(a, at); err != nil {
			return v, err
		}
	}
	return r.apply(e.op, args, at)
}

// apply computes an operator or function of values.
func (r *xpathRun) apply(op string, args []xpathValue, at xpathFocus) (xpathValue, error) {
	num := func(i int) float64 { return args[i].toNumber(r.nodes) }
	switch op {
	case "|":
		out := append(slices.Clone(args[0].nodes), args[1].nodes...)
		slices.Sort(out)
		return xpathValue{nodes: slices.Compact(out)}, r.spend(len(out))
	case "=", "!=", "<", "<=", ">", ">=":
		return r.compare(op, args[0], args[1])
	case "+":
		return aNumber(num(0) + num(1)), nil
	case "-":
		return aNumber(num(0) - num(1)), nil
	case "*":
		return aNumber(num(0) * num(1)), nil
	case "div":
		return aNumber(math.Trunc(num(0) / num(1))), nil // MySQL divides integers
	case "mod":
		return aNumber(math.Mod(num(0), num(1))), nil
	case "negate":
		return aNumber(-num(0)), nil
	case "ceiling":
		return aNumber(math.Ceil(num(0))), nil
	case "floor":
		return aNumber(math.Floor(num(0))), nil
	case "round":
		return aNumber(math.Floor(num(0) + 0.5)), nil
	case "count":
		return aNumber(float64(len(args[0].nodes))), nil
	case "sum":
		sum := 0.0
		for _, i := range args[0].nodes {
			one := xpathValue{nodes: []int{i}}
			sum += one.toNumber(r.nodes)
		}
		return aNumber(sum), nil
	case "not":
		return aBool(!args[0].true()), nil
	case "boolean":
		return aBool(args[0].true()), nil
	case "true", "false":
		return aBool(op == "true"), nil
	}
	return r.textFunction(op, args, at)
}

// textFunction computes a function of texts.
func (r *xpathRun) textFunction(op string, args []xpathValue, at xpathFocus) (xpathValue, error) {
	if op == "string-length" && len(args) == 0 {
		args = []xpathValue{{nodes: []int{at.node}}}
	}
	texts := make([]string, len(args))
	size := 0
	for i := range args {
		texts[i] = args[i].string(r.nodes)
		size += len(texts[i])
	}
	if err := r.spend(1 + size/16); err != nil {
		return xpathValue{}, err
	}
	switch op {
	case "concat":
		if size > r.context.maxPacket() {
			return xpathValue{}, r.spend(r.budget + 1)
		}
		return xpathValue{kind: xpathString, text: texts[0] + texts[1]}, nil // MySQL leaves the others out
	case "contains":
		return aBool(strings.Contains(texts[0], texts[1])), nil
	case "string-length":
		return aNumber(float64(measure{}.count([]byte(texts[0])))), nil
	}
	// substring: characters from a position, counted from 1, to one.
	from, to := args[1].toNumber(r.nodes), math.Inf(1)
	if len(args) == 3 {
		to = math.Floor(from+0.5) + math.Floor(args[2].toNumber(r.nodes)+0.5)
	}
	from = math.Floor(from + 0.5)
	b, m := []byte(texts[0]), measure{}
	length := float64(len(b))
	first, end := m.offset(b, int(min(max(from-1, 0), length))), m.offset(b, int(min(max(to-1, 0), length)))
	if end < first {
		end = first
	}
	return xpathValue{kind: xpathString, text: texts[0][first:end]}, nil
}

// compare compares values: two sets of nodes are equal if two of their texts are.
func (r *xpathRun) compare(op string, a, b xpathValue) (xpathValue, error) {
	if err := r.spend(max(1, len(a.nodes)) * max(1, len(b.nodes))); err != nil {
		return xpathValue{}, err
	}
	each := func(v xpathValue) []xpathValue {
		if v.kind != xpathNodes {
			return []xpathValue{v}
		}
		var out []xpathValue
		for _, i := range v.nodes {
			one := xpathValue{nodes: []int{i}}
			out = append(out, xpathValue{kind: xpathString, text: one.string(r.nodes)})
		}
		return out
	}
	for _, x := range each(a) {
		for _, y := range each(b) {
			if r.comparePair(op, x, y) {
				return aBool(true), nil
			}
		}
	}
	return aBool(false), nil
}

func (r *xpathRun) comparePair(op string, x, y xpathValue) bool {
	texts := x.kind == xpathString && y.kind == xpathString
	equal := texts && strings.EqualFold(x.text, y.text)
	a, b := x.toNumber(r.nodes), y.toNumber(r.nodes)
	if !texts {
		equal = a == b
	}
	switch op {
	case "=":
		return equal
	case "!=":
		return !equal
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

// path is the nodes that a path finds.
func (r *xpathRun) path(e *xpathExpr, at xpathFocus) (xpathValue, error) {
	nodes := []int{at.node}
	if e.root {
		nodes = []int{0}
	}
	for i := range e.steps {
		var out []int
		for _, n := range nodes {
			found, err := r.step(&e.steps[i], n)
			if err != nil {
				return xpathValue{}, err
			}
			out = append(out, found...)
		}
		slices.Sort(out)
		nodes = slices.Compact(out)
	}
	return xpathValue{nodes: nodes}, nil
}

// step is the nodes of an axis that pass the tests.
func (r *xpathRun) step(s *xpathStep, from int) ([]int, error) {
	found, looked := r.axis(s.axis, from, s.name)
	if err := r.spend(1 + looked); err != nil {
		return nil, err
	}
	for _, p := range s.predicates {
		var passed []int
		for i, n := range found {
			v, err := r.value(p, xpathFocus{node: n, position: i + 1, size: len(found)})
			if err != nil {
				return nil, err
			}
			if v.kind == xpathNumber && v.number == float64(i+1) || v.kind != xpathNumber && v.true() {
				passed = append(passed, n)
			}
		}
		found = passed
	}
	return found, nil
}

// axis is the nodes of an axis that pass the test of a step, and how many it looked at.
func (r *xpathRun) axis(axis string, from int, test string) (out []int, looked int) {
	add := func(i int) {
		looked++
		n := &r.nodes[i]
		attribute := n.kind == xmlAttribute
		passes := test == "node()" || test == "text()" && n.kind == xmlText ||
			n.kind != xmlText && i > 0 && (test == "*" || strings.EqualFold(test, n.name))
		if passes && attribute == (axis == "attribute" || attribute && i == from) {
			out = append(out, i)
		}
	}
	n := r.nodes[from]
	switch axis {
	case "self":
		add(from)
	case "parent":
		if n.parent >= 0 {
			add(n.parent)
		}
	case "ancestor", "ancestor-or-self":
		if axis == "ancestor-or-self" {
			add(from)
		}
		for i := n.parent; i >= 0; i = r.nodes[i].parent {
			add(i)
		}
	case "descendant", "descendant-or-self":
		if axis == "descendant-or-self" {
			add(from)
		}
		for i := from + 1; i <= n.last; i++ {
			add(i)
		}
	default: // child and attribute
		for i := from + 1; i <= n.last; i = r.nodes[i].last + 1 {
			add(i)
		}
	}
	return out, looked
}

// true is a value as a truth.
func (v *xpathValue) true() bool {
	switch v.kind {
	case xpathNodes:
		return len(v.nodes) > 0
	case xpathString:
		return v.text != ""
	}
	return v.number != 0 && !math.IsNaN(v.number)
}

// string is a value as text; of nodes, the texts of the first one.
func (v *xpathValue) string(nodes []xmlNode) string {
	switch v.kind {
	case xpathString:
		return v.text
	case xpathNodes:
		if len(v.nodes) == 0 {
			return ""
		}
		return strings.Join(ownTexts(nodes, v.nodes[0]), "")
	}
	return Double(v.number).ToString()
}

// toNumber is a value as a number; text that is none is 0.
func (v *xpathValue) toNumber(nodes []xmlNode) float64 {
	if v.kind == xpathNumber || v.kind == xpathBool {
		return v.number
	}
	text := strings.TrimSpace(v.string(nodes))
	f, _ := strconv.ParseFloat(text[:numberLength(text)], 64)
	return f
}
