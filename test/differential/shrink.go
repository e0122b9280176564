package main

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
		*n = *none()
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
		n.Kids = append(n.Kids[:i:i], n.Kids[i+1:]...)
		return
	}
	e.root.walk(func(l *Node) {
		if l.Link == n.Link && i < len(l.Kids) {
			l.Kids = append(l.Kids[:i:i], l.Kids[i+1:]...)
		}
	})
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
		if k.Expr {
			out = append(out, k)
		} else {
			out = append(out, inner(k)...)
		}
	}
	return out
}
