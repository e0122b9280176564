package rounds

import (
	"context"
	"slices"

	"isochron/sql/access"
	"isochron/sql/comparing"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
)

// Reads that depend on no row of another begin in one round: those of a whole table or of a constant range, and of constant keys.
// A lookup, a read that a subquery bounds and one that locks wait for their turn, since it may need less or nothing.

// Request is a read that depends on no other, and locks nothing.
type Request struct {
	Access  *table.Access
	Columns []int
	Ordered bool // in the order of the access's index
}

// FirstReader is a Reader that begins several reads in the rounds of one. The sources are in the order of the list.
type FirstReader interface {
	ReadFirst(ctx context.Context, list []Request) ([]exec.Source, error)
}

// firstMost bounds the reads that begin together, of each of which a piece is held.
const firstMost = 16

// first is a read that has begun before its turn.
type first struct {
	choice *access.Choice
	from   exec.Source
	rounds int // of those that began together, at the one that comes first; else 0
}

// firsts finds the reads of a plan that depend on no other.
type firsts struct {
	run     *run
	leaves  []*leaf
	choices []*access.Choice
	common  map[*shared]bool // that have been visited
}

// firstReads finds the reads of a plan that may begin together; fewer than two are none.
func (p *Plan) firstReads(now comparing.Clock, c *expr.Context) *firsts {
	quiet := *c // the reads warn in their turn
	f := &firsts{run: &run{now: now, c: &quiet}, common: map[*shared]bool{}}
	if len(p.Query.Marks) > 0 || p.OneTable() {
		return f
	}
	f.block(p.block)
	if len(f.leaves) < 2 {
		f.leaves, f.choices = nil, nil
	}
	return f
}

// rounds are those of the reads together.
func (f *firsts) rounds() (most int) {
	for i, l := range f.leaves {
		most = max(most, f.choices[i].Rounds(table.Mode{}, l.columns))
	}
	return most
}

// beginFirst begins the reads that depend on no other.
func (r *run) beginFirst(p *Plan) error {
	reader, ok := r.reader.(FirstReader)
	if !ok {
		return nil
	}
	f := p.firstReads(r.now, r.c)
	if len(f.leaves) == 0 {
		return nil
	}
	list := make([]Request, len(f.leaves))
	for i, l := range f.leaves {
		list[i] = Request{f.choices[i].Access, l.columns, f.choices[i].Ordered}
	}
	sources, err := reader.ReadFirst(r.ctx, list)
	if err != nil {
		return err
	}
	r.first = map[*leaf]*first{}
	for i, l := range f.leaves {
		r.first[l] = &first{choice: f.choices[i], from: sources[i]}
	}
	r.first[f.leaves[0]].rounds = f.rounds()
	return nil
}

// begun is the read of a leaf that has begun; nil: it has not. It serves once.
func (r *run) begun(l *leaf) *first {
	out := r.first[l]
	delete(r.first, l)
	return out
}

// leaf notes a read, and reports whether no row can match.
func (f *firsts) leaf(l *leaf, choose func() (*access.Choice, error)) (none bool) {
	if l.locks() || bounded(l.conditions) {
		return false
	}
	choice, err := choose()
	if err != nil {
		return false // it is the error of the read
	}
	if choice == nil {
		return true
	}
	if len(f.leaves) < firstMost && !slices.Contains(f.leaves, l) {
		f.leaves, f.choices = append(f.leaves, l), append(f.choices, choice)
	}
	return false
}

// bounded reports whether a condition has the rows of a subquery.
func bounded(list []condition) bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c.subquery != nil || slices.ContainsFunc(c.alternatives, bounded) })
}

// block visits a query, and reports whether it has no rows before it groups.
func (f *firsts) block(b *block) (none bool) {
	if b.lateral {
		return false
	}
	b.begin(f.run.c)
	offset, count, err := b.window()
	switch {
	case err != nil:
		return false
	case b.leaf != nil:
		none = f.leaf(b.leaf, func() (*access.Choice, error) { return b.choose(f.run, offset, count) })
	case b.from != nil:
		none = f.node(b.from)
	}
	for _, s := range b.late {
		f.step(s, none)
	}
	none = none && !b.query.Grouped
	f.step(b.input, none)
	f.step(b.having, none)
	for _, w := range b.windows {
		f.step(w.input, none)
	}
	f.step(b.list, none)
	return none
}

// step visits the subqueries of a step; none: there are no rows for it.
func (f *firsts) step(s *step, none bool) {
	if s == nil {
		return
	}
	for _, a := range s.subqueries {
		if a.bounds || !none {
			f.block(a.block)
		}
	}
}

// node visits what yields rows, and reports whether there are none.
func (f *firsts) node(n node) (none bool) {
	switch n := n.(type) {
	case leafNode:
		n.leaf.begin(f.run.c)
		return f.leaf(n.leaf, func() (*access.Choice, error) { return n.leaf.choose(f.run) })
	case *filterNode:
		none = f.node(n.from)
		f.step(n.step, none)
	case *extendNode:
		none = f.node(n.from)
		f.step(n.step, none)
	case *blockNode:
		return f.block(n.block)
	case *joinNode:
		if f.node(n.left) {
			return true
		}
		if n.lateral == nil && n.index == nil {
			f.node(n.right)
		}
	case *appliedJoin:
		return f.node(n.left)
	case *setNode:
		f.node(n.left)
		f.node(n.right)
	case sharedNode:
		if !f.common[n.of] {
			f.common[n.of] = true
			f.block(n.of.base)
		}
	}
	return none
}
