package main

import (
	"slices"
	"strings"
)

// shrinkTrials bounds how many smaller statements are tried for one that differs.
const shrinkTrials = 60

// shrink removes parts of a tree as long as keeps reports that what is to be seen remains, until no edit succeeds or as
// many were tried as given. It returns the smallest tree found; the given one is not changed.
func shrink(tree *Node, trials int, keeps func(*Node) bool) *Node {
	changed := false
	for at := 0; ; {
		smaller := edit(tree, at)
		switch {
		case smaller == nil && changed: // edits that failed may succeed in the smaller tree
			at, changed = 0, false
			continue
		case smaller == nil || trials <= 0:
			return tree
		}
		trials--
		if keeps(smaller) {
			tree, changed = smaller, true
		} else {
			at++
		}
	}
}

// edit returns a copy of the tree with its nth edit applied, nil if there is none. The edits are numbered from the top of
// the tree down, so that large parts are tried first.
func edit(tree *Node, n int) *Node {
	c := tree.clone()
	e := &editor{left: n, root: c}
	if e.visit(c) {
		return c
	}
	return nil
}

type editor struct {
	left int
	root *Node
}

// take counts an edit, and reports whether it is the one to apply.
func (e *editor) take() bool {
	e.left--
	return e.left == -1
}

// replacements are the literals that an expression may become.
var replacements = []string{"NULL", "1", "'a'"}

// visit tries the edits of a node, then those of its kids; it reports whether one was applied.
func (e *editor) visit(n *Node) bool {
	if n.Optional && e.take() {
		gone := *n
		*n = *none()
		e.forget(&gone)
		return true
	}
	if n.Chain && len(n.Kids[1].Kids) > 0 && e.take() {
		e.behead(n)
		return true
	}
	if n.List && len(n.Kids) > n.Min {
		for i := range n.Kids {
			if e.take() {
				e.drop(n, i)
				return true
			}
		}
	}
	if n.Expr && len(n.Kids) > 0 && e.hoist(n) {
		return true
	}
	for _, k := range n.Kids {
		if e.visit(k) {
			return true
		}
	}
	return false
}

// drop removes a kid of a list, and from the lists linked to it those of the same index.
func (e *editor) drop(n *Node, i int) {
	if n.Link == "" {
		e.forget(n.without(i))
		return
	}
	var gone []*Node
	e.root.walk(func(l *Node) {
		if l.Link == n.Link && i < len(l.Kids) {
			gone = append(gone, l.without(i))
		}
	})
	for _, k := range gone {
		e.forget(k)
	}
}

// without removes a kid of a list, and returns it.
func (n *Node) without(i int) *Node {
	k := n.Kids[i]
	n.Kids = append(n.Kids[:i:i], n.Kids[i+1:]...)
	return k
}

// behead replaces the first element of a chain by the second.
func (e *editor) behead(n *Node) {
	first := n.Kids[0]
	n.Kids[0] = n.Kids[1].Kids[0].Kids[0]
	rest := n.Kids[1].without(0)
	rest.Kids[0] = none()
	e.forget(first)
	e.forget(rest)
}

// forget removes what refers to the aliases of a part that was removed, and that no other part has: a kid of a list where
// others remain, an optional node, or else the reference alone, which becomes NULL.
func (e *editor) forget(gone *Node) {
	left := map[string]bool{}
	e.root.walk(func(n *Node) {
		for _, a := range n.Aliases {
			left[a] = true
		}
	})
	gone.walk(func(n *Node) {
		for _, a := range n.Aliases {
			if !left[a] {
				e.unname(e.root, a)
			}
		}
	})
}

// unname removes the references to an alias at a node and below it.
func (e *editor) unname(n *Node, alias string) {
	switch {
	case n.refers(alias):
		*n = *literal("NULL")
	case n.Optional && len(n.Kids) == 1 && n.Kids[0].List && n.Kids[0].allMention(alias):
		*n = *none()
	case n.List:
		for i := 0; i < len(n.Kids); {
			switch k := n.Kids[i]; {
			case !k.mentions(alias):
				i++
			case len(n.Kids) > 1 || n.Min == 0:
				e.drop(n, i)
			default:
				e.unname(k, alias)
				i++
			}
		}
	default:
		for _, k := range n.Kids {
			e.unname(k, alias)
		}
	}
}

func (n *Node) allMention(alias string) bool {
	return len(n.Kids) > 0 && !slices.ContainsFunc(n.Kids, func(k *Node) bool { return !k.mentions(alias) })
}

// refers reports whether a leaf is a reference to an alias, or to a column of it.
func (n *Node) refers(alias string) bool {
	return len(n.Kids) == 0 && !n.List && len(n.Parts) > 0 && (n.Parts[0] == alias || strings.HasPrefix(n.Parts[0], alias+"."))
}

func (n *Node) mentions(alias string) (found bool) {
	n.walk(func(k *Node) { found = found || k.refers(alias) })
	return found
}

// hoist replaces an expression by one within it, or by a literal.
func (e *editor) hoist(n *Node) bool {
	for _, k := range inner(n) {
		if e.take() {
			*n = *k
			return true
		}
	}
	for _, r := range replacements {
		if e.take() {
			*n = *literal(r)
			return true
		}
	}
	return false
}

// inner are the expressions right within a node.
func inner(n *Node) (out []*Node) {
	for _, k := range n.Kids {
		if k.Scope {
			continue
		}
		if k.Expr {
			out = append(out, k)
		} else {
			out = append(out, inner(k)...)
		}
	}
	return out
}
