package expr

import (
	"strconv"
	"strings"
)

// maxXPathDepth bounds the nesting of an expression.
const maxXPathDepth = 64

// xpathParser reads an expression.
type xpathParser struct {
	s     string
	at    int
	depth int
	err   error
}

func parseXPath(s string) (*xpathExpr, error) {
	p := &xpathParser{s: s}
	e := p.binary(0)
	p.space()
	if p.err == nil && p.at < len(s) {
		p.fail()
	}
	return e, p.err
}

// fail notes that what follows is no XPath.
func (p *xpathParser) fail() *xpathExpr {
	if p.err == nil {
		rest := p.s[min(p.at, len(p.s)):]
		p.err = newError(1105, "HY000", "XPATH syntax error: '%s'", rest[:min(len(rest), 32)])
	}
	return &xpathExpr{op: "string", value: xpathValue{kind: xpathString}}
}

func (p *xpathParser) space() {
	for p.at < len(p.s) && isSpace(p.s[p.at]) {
		p.at++
	}
}

// take reads a token if it is next; a word ends where a name would.
func (p *xpathParser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.s[p.at:], token) {
		return false
	}
	end := p.at + len(token)
	if token[0] >= 'a' && token[0] <= 'z' && end < len(p.s) && isXMLName(p.s[end]) {
		return false
	}
	p.at = end
	return true
}

// xpathOperators are those of two operands, the loosest first.
var xpathOperators = [][]string{{"or"}, {"and"}, {"!=", "="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "div", "mod"}, {"|"}}

func (p *xpathParser) binary(level int) *xpathExpr {
	if p.depth++; p.depth > maxXPathDepth*len(xpathOperators) {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if level == len(xpathOperators) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for p.err == nil {
		op := ""
		for _, o := range xpathOperators[level] {
			if p.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		left = &xpathExpr{op: op, args: []*xpathExpr{left, p.binary(level + 1)}}
	}
	return left
}

func (p *xpathParser) unary() *xpathExpr {
	if p.take("-") {
		return &xpathExpr{op: "negate", args: []*xpathExpr{p.binary(len(xpathOperators))}}
	}
	p.space()
	if p.at >= len(p.s) {
		return p.fail()
	}
	switch c := p.s[p.at]; {
	case c == '(':
		p.at++
		e := p.binary(0)
		if !p.take(")") {
			return p.fail()
		}
		return e
	case c == '"' || c == '\'':
		n := strings.IndexByte(p.s[p.at+1:], c)
		if n < 0 {
			return p.fail()
		}
		text := p.s[p.at+1 : p.at+1+n]
		p.at += n + 2
		return &xpathExpr{op: "string", value: xpathValue{kind: xpathString, text: text}}
	case isDigit(c):
		n := numberLength(p.s[p.at:])
		f, _ := strconv.ParseFloat(p.s[p.at:p.at+n], 64)
		p.at += n
		return &xpathExpr{op: "number", value: xpathValue{kind: xpathNumber, number: f}}
	}
	if name := p.peekName(); xpathFunctions[name] > 0 {
		from := p.at
		if p.at += len(name); p.take("(") {
			return p.call(name)
		}
		p.at = from
	}
	return p.path()
}

// peekName is the name that follows.
func (p *xpathParser) peekName() string {
	end := p.at
	for end < len(p.s) && isXMLName(p.s[end]) && p.s[end] != ':' {
		end++
	}
	return p.s[p.at:end]
}

// xpathFunctions are the functions with the bits of the numbers of arguments that they take.
var xpathFunctions = map[string]int{
	"boolean": 2, "ceiling": 2, "concat": 0x7ffc, "contains": 4, "count": 2, "false": 1, "floor": 2, "last": 1, "not": 2,
	"position": 1, "round": 2, "string-length": 3, "substring": 12, "sum": 2, "true": 1,
}

func (p *xpathParser) call(name string) *xpathExpr {
	e := &xpathExpr{op: name}
	for !p.take(")") {
		if len(e.args) > 0 && !p.take(",") || p.err != nil {
			return p.fail()
		}
		e.args = append(e.args, p.binary(0))
	}
	if len(e.args) > 14 || xpathFunctions[name]>>len(e.args)&1 == 0 {
		return p.fail()
	}
	return e
}

// path reads a location path.
func (p *xpathParser) path() *xpathExpr {
	e := &xpathExpr{op: "path"}
	switch {
	case p.take("//"):
		e.root = true
		e.steps = append(e.steps, xpathStep{axis: "descendant-or-self", name: "node()"})
	case p.take("/"):
		e.root = true
		if p.space(); p.at >= len(p.s) || strings.IndexByte("*.@", p.s[p.at]) < 0 && !isXMLName(p.s[p.at]) {
			return e
		}
	}
	for p.err == nil {
		e.steps = append(e.steps, p.step())
		if p.take("//") {
			e.steps = append(e.steps, xpathStep{axis: "descendant-or-self", name: "node()"})
		} else if !p.take("/") {
			break
		}
	}
	return e
}

var xpathAxes = map[string]bool{
	"ancestor": true, "ancestor-or-self": true, "attribute": true, "child": true, "descendant": true, "descendant-or-self": true,
	"parent": true, "self": true,
}

func (p *xpathParser) step() xpathStep {
	s := xpathStep{axis: "child"}
	switch {
	case p.take(".."):
		s.axis, s.name = "parent", "node()"
	case p.take("."):
		s.axis, s.name = "self", "node()"
	case p.take("@"):
		s.axis = "attribute"
	default:
		if name := p.peekName(); strings.HasPrefix(p.s[p.at+len(name):], "::") {
			if !xpathAxes[name] {
				p.fail()
				return s
			}
			s.axis = name
			p.at += len(name) + 2
		}
	}
	if s.name == "" {
		s.name = p.test()
	}
	for p.err == nil && p.take("[") {
		s.predicates = append(s.predicates, p.binary(0))
		if !p.take("]") {
			p.fail()
		}
	}
	return s
}

// test reads the test of a step: a name, * or a kind.
func (p *xpathParser) test() string {
	if p.take("*") {
		return "*"
	}
	p.space()
	from := p.at
	for p.at < len(p.s) && isXMLName(p.s[p.at]) {
		p.at++
	}
	name := p.s[from:p.at]
	if name == "" || isDigit(name[0]) || name[0] == '-' || name[0] == '.' {
		p.at = from
		p.fail()
		return name
	}
	if p.take("(") {
		if (name != "text" && name != "node") || !p.take(")") {
			p.at = from
			p.fail()
		}
		return name + "()"
	}
	return name
}
