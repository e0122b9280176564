package main

import "strings"

// Node is a part of a statement: texts and nodes by turns, or a list of nodes.
type Node struct {
	// Name says what the node is in reports: the function or operator. Empty for what needs no name.
	Name string
	// Parts are the texts around Kids, one more than there are kids. A list has none.
	Parts []string
	Kids  []*Node

	// List has Kids separated by Sep; at least Min of them remain when it is shrunk.
	List bool
	Sep  string
	Min  int
	// Link names lists of which the kids of one index belong together: the columns and values of an INSERT.
	Link string

	// Optional nodes may be removed as a whole.
	Optional bool
	// Expr marks a scalar expression: it may be replaced by an expression within it, or by a literal.
	Expr bool
	// Literal is the value of a leaf that may be sent as a parameter; its text is in Parts.
	Literal *Literal
	// Tags say what follows from the presence of the node (compare.go).
	Tags []string

	// Scope: it is a query within the statement. Its order and limit are not the statement's, and its expressions do not
	// stand for themselves outside of it.
	Scope bool
	// Aliases are the names that go with the node when it is removed: of relations, or of columns of relations.
	Aliases []string
	// Chain: a first element, and a list of others that are joined to it, each the first kid of its node.
	Chain bool
	// Maria are the texts that MariaDB has in place of Parts; nil: the same.
	Maria []string
}

// text makes a leaf.
func text(s string) *Node { return &Node{Parts: []string{s}} }

// fill makes a node of a format in which each % is replaced by a kid.
func fill(format string, kids ...*Node) *Node {
	return &Node{Parts: strings.SplitN(format, "%", len(kids)+1), Kids: kids}
}

// expr is fill for a named scalar expression.
func expr(name, format string, kids ...*Node) *Node {
	n := fill(format, kids...)
	n.Name, n.Expr = name, true
	return n
}

// column makes a leaf that names a column.
func column(name string) *Node { return &Node{Parts: []string{name}, Expr: true} }

// list makes a list of which at least min kids remain.
func list(min int, sep string, kids ...*Node) *Node {
	return &Node{List: true, Sep: sep, Min: min, Kids: kids}
}

// optional marks a node as one that may be removed.
func optional(n *Node) *Node {
	n.Optional = true
	return n
}

// tagged adds tags to a node.
func tagged(n *Node, tags ...string) *Node {
	n.Tags = append(n.Tags, tags...)
	return n
}

// none is what remains of an optional node.
func none() *Node { return text("") }

// pinned makes a list from which no kid is removed, unless what it refers to is.
func pinned(sep string, kids ...*Node) *Node { return list(pinnedMin, sep, kids...) }

// pinnedMin is the minimum of a list of which all kids remain.
const pinnedMin = 1 << 10

// scope marks a query within a statement.
func scope(n *Node) *Node {
	n.Scope = true
	return n
}

// elsewhere gives a node the texts that MariaDB has for it, in a format as that of fill.
func elsewhere(n *Node, format string) *Node {
	n.Maria = strings.SplitN(format, "%", len(n.Kids)+1)
	return n
}

// forMaria is the tree as MariaDB is sent it.
func (n *Node) forMaria() *Node {
	c := n.clone()
	c.walk(func(k *Node) {
		if k.Maria != nil {
			k.Parts = k.Maria
		}
	})
	return c
}

// clone copies the tree; literals are shared.
func (n *Node) clone() *Node {
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		c.Kids[i] = k.clone()
	}
	return &c
}

// walk calls f for the node and all below it, parents first.
func (n *Node) walk(f func(*Node)) {
	f(n)
	for _, k := range n.Kids {
		k.walk(f)
	}
}

// Text is the statement with its literals in it.
func (n *Node) Text() string {
	var b strings.Builder
	n.write(&b, nil)
	return b.String()
}

// Prepared is the statement with parameters in place of its literals, and their values.
func (n *Node) Prepared() (string, []*Literal) {
	var b strings.Builder
	args := []*Literal{}
	n.write(&b, &args)
	return b.String(), args
}

func (n *Node) write(b *strings.Builder, args *[]*Literal) {
	switch {
	case n.List:
		for i, k := range n.Kids {
			if i > 0 {
				b.WriteString(n.Sep)
			}
			k.write(b, args)
		}
	case n.Literal != nil && args != nil:
		*args = append(*args, n.Literal)
		b.WriteString("?")
	default:
		for i, p := range n.Parts {
			b.WriteString(p)
			if i < len(n.Kids) {
				n.Kids[i].write(b, args)
			}
		}
	}
}

// names are the names of the nodes, each once, in the order of the text.
func (n *Node) names() []string {
	var out []string
	seen := map[string]bool{}
	n.walk(func(k *Node) {
		if k.Name != "" && !seen[k.Name] {
			seen[k.Name] = true
			out = append(out, k.Name)
		}
	})
	return out
}

// tags are the tags that are in the tree; of the queries within it only tagFold, which is true of all that is made of their
// rows.
func (n *Node) tags() map[string]bool {
	out := map[string]bool{}
	n.addTags(out, false)
	return out
}

func (n *Node) addTags(out map[string]bool, within bool) {
	within = within || n.Scope
	for _, t := range n.Tags {
		if !within || t == tagFold {
			out[t] = true
		}
	}
	for _, k := range n.Kids {
		k.addTags(out, within)
	}
}
