package expr

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// XML functions (the manual's 14.11). Entities stay as they are written.

var (
	extractValue = &Function{Name: "EXTRACTVALUE", Min: 2, Max: 2, Type: textType, Eval: evalExtractValue}
	updateXML    = &Function{Name: "UPDATEXML", Min: 3, Max: 3, Type: textType, Eval: evalUpdateXML}
)

func init() {
	registerNode(func(e *sqlparser.ExtractValueExpr) (node, bool) {
		return node{function: extractValue, args: []sqlparser.Expr{e.Fragment, e.XPathExpr}}, true
	})
	registerNode(func(e *sqlparser.UpdateXMLExpr) (node, bool) {
		return node{function: updateXML, args: []sqlparser.Expr{e.Target, e.XPathExpr, e.NewXML}}, true
	})
}

// xmlKind is what a node of a document is.
type xmlKind uint8

const (
	xmlElement xmlKind = iota
	xmlText
	xmlAttribute
)

// xmlNode is a node of a document; its root is an element without a name. Nodes are in the order of the text.
type xmlNode struct {
	kind       xmlKind
	name, text string
	parent     int
	last       int // of the nodes within it; its own position if there are none
	from, to   int // its bytes
}

// maxXMLDepth bounds the nesting of elements.
const maxXMLDepth = 256

// xmlReader reads a document.
type xmlReader struct {
	s     string
	at    int
	nodes []xmlNode
	open  []int // elements that have not ended
}

// parseXML reads a document, or part of one; the fault says what is wrong, and where.
func parseXML(s string) (nodes []xmlNode, fault string) {
	r := &xmlReader{s: s, nodes: []xmlNode{{parent: -1, to: len(s)}}, open: []int{0}}
	for r.at < len(s) && fault == "" {
		if s[r.at] == '<' {
			fault = r.markup()
			continue
		}
		end := strings.IndexByte(s[r.at:], '<')
		if end < 0 {
			end = len(s) - r.at
		}
		r.text(r.at, r.at+end)
		r.at += end
	}
	if fault == "" && len(r.open) > 1 {
		fault = r.fault("unexpected END-OF-INPUT")
	}
	if fault == "" {
		r.close()
	}
	return r.nodes, fault
}

func (r *xmlReader) fault(what string) string {
	read := r.s[:min(r.at, len(r.s))]
	line := strings.Count(read, "\n")
	return fmt.Sprintf("parse error at line %d pos %d: %s", line+1, len(read)-strings.LastIndexByte(read, '\n'), what)
}

// text adds a text, unless it is only white space.
func (r *xmlReader) text(from, to int) {
	if text := strings.Trim(r.s[from:to], " \t\r\n"); text != "" {
		from += strings.Index(r.s[from:to], text)
		r.add(xmlNode{kind: xmlText, text: text, from: from, to: from + len(text)})
	}
}

func (r *xmlReader) add(n xmlNode) int {
	n.parent, n.last = r.open[len(r.open)-1], len(r.nodes)
	r.nodes = append(r.nodes, n)
	return len(r.nodes) - 1
}

// close ends the innermost element.
func (r *xmlReader) close() {
	n := &r.nodes[r.open[len(r.open)-1]]
	n.last = len(r.nodes) - 1
	r.open = r.open[:len(r.open)-1]
}

// markup reads what begins with <.
func (r *xmlReader) markup() string {
	rest := r.s[r.at:]
	for _, m := range []struct{ begin, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}} {
		if !strings.HasPrefix(rest, m.begin) {
			continue
		}
		n := strings.Index(rest[len(m.begin):], m.end)
		if n < 0 {
			r.at = len(r.s)
			return r.fault("unexpected END-OF-INPUT")
		}
		from := r.at + len(m.begin)
		if m.end == "]]>" && n > 0 {
			r.add(xmlNode{kind: xmlText, text: r.s[from : from+n], from: r.at, to: from + n + len(m.end)})
		}
		r.at = from + n + len(m.end)
		return ""
	}
	if strings.HasPrefix(rest, "</") {
		return r.endTag()
	}
	return r.startTag()
}

func (r *xmlReader) endTag() string {
	r.at += 2
	name := r.name()
	r.space()
	n := &r.nodes[r.open[len(r.open)-1]]
	switch {
	case len(r.open) == 1:
		return r.fault(fmt.Sprintf("'</%s>' unexpected (END-OF-INPUT wanted)", shorten(name)))
	case name != n.name:
		return r.fault(fmt.Sprintf("'</%s>' unexpected ('</%s>' wanted)", shorten(name), shorten(n.name)))
	case r.at >= len(r.s):
		return r.fault("unexpected END-OF-INPUT")
	case r.s[r.at] != '>':
		return r.fault("unexpected character ('>' wanted)")
	}
	r.at++
	n.to = r.at
	r.close()
	return ""
}

func (r *xmlReader) startTag() string {
	from := r.at
	r.at++
	name := r.name()
	if name == "" {
		return r.fault("unexpected character (ident or '/' wanted)")
	}
	if len(r.open) > maxXMLDepth {
		return r.fault("too many levels of elements")
	}
	element := r.add(xmlNode{kind: xmlElement, name: name, from: from})
	r.open = append(r.open, element)
	for {
		r.space()
		switch {
		case r.at >= len(r.s):
			return r.fault("unexpected END-OF-INPUT")
		case r.s[r.at] == '>':
			r.at++
			return ""
		case strings.HasPrefix(r.s[r.at:], "/>"):
			r.at += 2
			r.nodes[element].to = r.at
			r.close()
			return ""
		}
		if fault := r.attribute(); fault != "" {
			return fault
		}
	}
}

func (r *xmlReader) attribute() string {
	from := r.at
	name := r.name()
	if name == "" {
		return r.fault("unexpected character ('>' wanted)")
	}
	r.space()
	value := ""
	if r.at < len(r.s) && r.s[r.at] == '=' {
		r.at++
		r.space()
		if r.at >= len(r.s) {
			return r.fault("unexpected END-OF-INPUT")
		}
		if q := r.s[r.at]; q == '"' || q == '\'' {
			n := strings.IndexByte(r.s[r.at+1:], q)
			if n < 0 {
				r.at = len(r.s)
				return r.fault("unexpected END-OF-INPUT")
			}
			value = r.s[r.at+1 : r.at+1+n]
			r.at += n + 2
		} else if value = r.name(); value == "" {
			return r.fault("unexpected character (ident or string wanted)")
		}
	}
	r.add(xmlNode{kind: xmlAttribute, name: name, text: value, from: from, to: r.at})
	return ""
}

func (r *xmlReader) space() {
	for r.at < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.at]) >= 0 {
		r.at++
	}
}

// name reads a name; it ends before a character that no name has.
func (r *xmlReader) name() string {
	from := r.at
	for r.at < len(r.s) && isXMLName(r.s[r.at]) {
		r.at++
	}
	return r.s[from:r.at]
}

func isXMLName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || isDigit(b) || b == '_' || b == '-' || b == '.' || b == ':' || b >= 0x80
}

// xml reads the document of argument 0 and evaluates the path of argument 1; false: the document is none, after a warning.
func (c *Call) xml() (nodes []xmlNode, v xpathValue, ok bool, err error) {
	path, err := parseXPath(c.Str(1))
	if err != nil {
		return nil, v, false, err
	}
	if !c.Constant[1] {
		return nil, v, false, newError(1105, "HY000", "Only constant XPATH queries are supported")
	}
	nodes, fault := parseXML(c.Str(0))
	if fault != "" {
		c.Warn(1525, fmt.Sprintf("Incorrect XML value: '%s'", fault))
		return nil, v, false, nil
	}
	run := &xpathRun{nodes: nodes, context: c.Context, budget: xpathBudget}
	v, err = run.value(path, xpathFocus{node: 0, position: 1, size: 1})
	return nodes, v, err == nil, err
}

// evalExtractValue is ExtractValue: the texts of the nodes that a path finds, or the value of an expression.
func evalExtractValue(c *Call) (Value, error) {
	nodes, v, ok, err := c.xml()
	if err != nil || !ok {
		return Null, err
	}
	if v.kind != xpathNodes {
		return c.Text(v.string(nodes)), nil
	}
	var parts []string
	size := 0
	for _, i := range v.nodes {
		for _, text := range ownTexts(nodes, i) {
			parts = append(parts, text)
			size += len(text) + 1
		}
	}
	if c.TooLong(size) {
		return Null, nil
	}
	return c.Text(strings.Join(parts, " ")), nil
}

// ownTexts are the texts of a node itself, without those of the elements in it.
func ownTexts(nodes []xmlNode, i int) (out []string) {
	if nodes[i].kind != xmlElement {
		return []string{nodes[i].text}
	}
	for at := i + 1; at <= nodes[i].last; at = nodes[at].last + 1 {
		if nodes[at].kind == xmlText {
			out = append(out, nodes[at].text)
		}
	}
	return out
}

// evalUpdateXML replaces the one node that a path finds; a document with none, or several, stays as it is.
func evalUpdateXML(c *Call) (Value, error) {
	nodes, v, ok, err := c.xml()
	if err != nil || !ok {
		return Null, err
	}
	if v.kind != xpathNodes {
		return Null, nil
	}
	s := c.Str(0)
	if len(v.nodes) != 1 || v.nodes[0] == 0 {
		return c.Text(s), nil
	}
	n := nodes[v.nodes[0]]
	if c.TooLong(len(s) - (n.to - n.from) + len(c.Raw(2))) {
		return Null, nil
	}
	return c.Text(s[:n.from] + c.Str(2) + s[n.to:]), nil
}
