package main

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed functions.txt
var catalogueText string

// call is an entry of the catalogue of MySQL's functions and operators.
type call struct {
	family, name string
	parts        []string // around the arguments
	defaults     []string // the arguments of the entry
	free         bool     // the value depends on the time, the session or chance
	want         string   // MySQL 8's value where MariaDB has no such function; "*": not known
}

var argument = regexp.MustCompile(`\{((?:[^{}]|\{[^{}]*\})*)\}`)

// readCatalogue reads functions.txt.
func readCatalogue(catalogue string) (out []*call) {
	family := ""
	for line := range strings.Lines(catalogue) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "family "); ok {
			family = rest
			continue
		}
		name, rest, ok := strings.Cut(line, "\t")
		if !ok || line[0] == '#' {
			continue
		}
		c := &call{family: family, name: strings.TrimSpace(name)}
		rest, c.want, _ = strings.Cut(rest, " => ")
		rest, c.free = strings.CutPrefix(rest, "~")
		if c.free && family == "date and time" && c.name != "SYSDATE()" { // sessions set the time
			c.free = false
		}
		if c.free || c.want != "" {
			c.parts = []string{rest}
			out = append(out, c)
			continue
		}
		at := 0
		for _, m := range argument.FindAllStringSubmatchIndex(rest, -1) {
			if m[0] > 0 && rest[m[0]-1] == '\'' {
				continue // the braces of a document
			}
			c.parts = append(c.parts, rest[at:m[0]])
			c.defaults = append(c.defaults, rest[m[2]:m[3]])
			at = m[1]
		}
		c.parts = append(c.parts, rest[at:])
		out = append(out, c)
	}
	return out
}

var catalogue = sync.OnceValue(func() []*call { return readCatalogue(catalogueText) })

// node is the call with its arguments.
func (c *call) node(args []*Node) *Node {
	n := &Node{Name: c.name, Parts: c.parts, Kids: args, Expr: true}
	if c.name == "REGEXP_SUBSTR()" { // MariaDB returns an empty text where there is no match
		n.Maria = slices.Clone(c.parts)
		n.Maria[0], n.Maria[len(n.Maria)-1] = "NULLIF("+n.Maria[0], n.Maria[len(n.Maria)-1]+", '')"
	}
	return n
}

// withDefaults are the arguments of the entry.
func (c *call) withDefaults() []*Node {
	args := make([]*Node, len(c.defaults))
	for i, d := range c.defaults {
		args[i] = literal(d)
	}
	return args
}

// forever are calls whose arguments are how long they take: they run with their defaults only.
var forever = []string{"SLEEP()", "BENCHMARK()"}

// long are calls with an argument that is the length of their value. A date as that would be a text of 20 MB.
var long = []string{"REPEAT()", "SPACE()", "LPAD()", "RPAD()"}

// left are families that the forms here do not have: aggregates and windows need rows, the others are not compared.
var left = []string{"aggregates", "windows", "spatial", "locks", "replication", "performance schema", "XML"}

func (c *call) fixed() bool { return slices.Contains(forever, c.name) || len(c.defaults) == 0 }

// argument draws a literal as an argument of the call.
func (c *call) argument(g gen) *Node {
	for {
		n := g.any()
		if s := n.Parts[0]; slices.Contains(long, c.name) && (strings.HasPrefix(s, "DATE") || strings.HasPrefix(s, "TIME'8") || s == "20240229" || s == "'20240229'" || s == "101112" || s == "65535") {
			continue
		}
		return n
	}
}

// comparable are the calls that the forms "functions" and "scalar" draw.
var comparable = sync.OnceValue(func() (out []*call) {
	for _, c := range catalogue() {
		if !slices.Contains(left, c.family) && c.want != "*" && !strings.Contains(strings.Join(c.parts, ""), "(c)") {
			out = append(out, c)
		}
	}
	return out
})

// composable are those that may stand in another expression.
var composable = sync.OnceValue(func() (out []*call) {
	for _, c := range comparable() {
		if !c.free && c.want == "" && !c.fixed() {
			out = append(out, c)
		}
	}
	return out
})
