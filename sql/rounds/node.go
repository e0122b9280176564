package rounds

import (
	"context"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// node yields the rows of sources, joined. domain are the rows of the query around a lateral one.
type node interface {
	open(r *run, domain [][]expr.Value) (exec.Source, error)
}

// domainNode yields the domain.
type domainNode struct{}

func (domainNode) open(_ *run, domain [][]expr.Value) (exec.Source, error) {
	return exec.Rows(domain), nil
}

// leafNode yields the rows of a table.
type leafNode struct{ leaf *leaf }

func (n leafNode) open(r *run, _ [][]expr.Value) (exec.Source, error) { return n.leaf.open(r) }

// virtualNode yields the rows of a virtual table.
type virtualNode struct {
	source *bind.Source
	query  *bind.Query // that locks them
}

func (n virtualNode) open(r *run, _ [][]expr.Value) (exec.Source, error) {
	reader, ok := r.reader.(VirtualReader)
	if !ok {
		return nil, &expr.Unsupported{What: "table " + n.source.Virtual.Name}
	}
	return reader.ReadVirtual(r.ctx, n.source.Virtual, n.source.Lock, n.source.Wait)
}

// filterNode keeps rows for which an expression is true.
type filterNode struct {
	from node
	step *step
}

func (n *filterNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	n.step.begin(r.c)
	from, err := n.from.open(r, domain)
	if err != nil {
		return nil, err
	}
	return exec.Filter(n.step.extend(r, from), n.step.program), nil
}

// extendNode puts the values of subqueries behind the rows.
type extendNode struct {
	from node
	step *step
}

func (n *extendNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	n.step.begin(r.c)
	from, err := n.from.open(r, domain)
	if err != nil {
		return nil, err
	}
	return n.step.extend(r, from), nil
}

// blockNode yields the rows of a query: of a derived table, or of a side of a set operation. input computes what it refers to
// outside, of the domain; nil: nothing, and it is not lateral.
type blockNode struct {
	block *block
	input *expr.Program
}

func (n *blockNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	if n.block.lateral {
		inner, err := n.domain(r, domain)
		if err != nil {
			return nil, err
		}
		return n.block.open(r, inner)
	}
	if domain == nil {
		return n.block.open(r, nil)
	}
	rows, ok := r.kept[n.block] // of all batches of the query around it
	if !ok {
		from, err := n.block.open(r, nil)
		if err != nil {
			return nil, err
		}
		if rows, err = r.all(from); err != nil {
			return nil, err
		}
		if r.kept == nil {
			r.kept = map[*block][][]expr.Value{}
		}
		r.kept[n.block] = rows
	}
	return exec.Rows(rows), nil
}

// domain are the domain rows of the query: the number of each, and what the query refers to.
func (n *blockNode) domain(r *run, domain [][]expr.Value) ([][]expr.Value, error) {
	n.input.Begin(r.c)
	out := make([][]expr.Value, len(domain))
	for i, row := range domain {
		in, err := n.input.Run(row, []expr.Value{row[0]})
		if err != nil {
			return nil, err
		}
		out[i] = in
	}
	return out, nil
}

// joinNode joins the rows of another node with those of an inner side: of a table, or of a node.
type joinNode struct {
	left  node
	right node
	leaf  *leaf              // right, if it is a table
	index *catalog.IndexInfo // by which its rows are looked up; nil: all are read
	keys  []lookupKey
	// lateral, not nil: the inner side's rows depend on those of the left.
	lateral *lateralSide
	spec    exec.JoinSpec
}

func (n *joinNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	if n.spec.On != nil {
		n.spec.On.Begin(r.c)
	}
	left, err := n.left.open(r, domain)
	if err != nil {
		return nil, err
	}
	if n.lateral != nil {
		n.lateral.input.Begin(r.c)
		return exec.Join(left, &lateralRows{r, n.lateral}, n.spec, r.memory), nil
	}
	if n.leaf != nil {
		return exec.Join(left, r.lookup(n, domain != nil), n.spec, r.memory), nil
	}
	// They are read when the first row of the left side is there.
	right := &opened{open: func() (exec.Source, error) { return n.right.open(r, domain) }}
	return exec.Join(left, exec.Gathered(right, r.memory), n.spec, r.memory), nil
}

// lookup is the inner side of a join with a table. kept: the join is executed again, and what has been read serves again.
func (r *run) lookup(n *joinNode, kept bool) *lookup {
	if known := r.lookups[n]; known != nil {
		return known
	}
	out := newLookup(r, n.leaf, n.keys)
	if kept {
		if r.lookups == nil {
			r.lookups = map[*joinNode]*lookup{}
		}
		r.lookups[n] = out
	}
	return out
}

// opened is a source that is opened when its first rows are wanted.
type opened struct {
	open func() (exec.Source, error)
	from exec.Source
	err  error
}

func (o *opened) Next(ctx context.Context) ([][]expr.Value, error) {
	if o.from == nil && o.err == nil {
		o.from, o.err = o.open()
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.from.Next(ctx)
}

func (o *opened) Close() {
	if o.from != nil {
		o.from.Close()
	}
}

// valuesNode yields the rows of VALUES.
type valuesNode struct {
	rows  []*expr.Program
	steps *converted
}

func (n *valuesNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	var out [][]expr.Value
	for i, p := range n.rows {
		p.Begin(r.c)
		row, err := p.Run(nil, nil)
		if err != nil {
			return nil, err
		}
		if row, err = n.steps.row(r, i, row); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return exec.Rows(out), nil
}

// roundNode yields the rows that the last round of a recursive CTE made.
type roundNode struct{ cte *bind.CTE }

func (n roundNode) open(r *run, _ [][]expr.Value) (exec.Source, error) {
	return exec.Rows(r.rounds[n.cte]), nil
}

// shared is a common table expression: its rows are computed once.
type shared struct {
	cte     *bind.CTE
	base    *block
	step    *block // nil: it is not recursive
	convert *converted
	types   []expr.Type
	offset  *expr.Program // of a recursive one; nil: 0
	count   *expr.Program // nil: all
}

// recursionMax is cte_max_recursion_depth, if the session has no other.
const recursionMax = 1000

// recursions are the rounds that a recursive CTE may have.
func (r *run) recursions() int {
	if r.c.Session != nil {
		if v, _, ok := r.c.Session.Variable("cte_max_recursion_depth", false); ok {
			if n, err := v.ToInt64(); err == nil {
				return int(n)
			}
		}
	}
	return recursionMax
}

// sharedNode yields the rows of a common table expression.
type sharedNode struct{ of *shared }

func (n sharedNode) open(r *run, _ [][]expr.Value) (exec.Source, error) {
	if known := r.common[n.of.cte]; known != nil {
		return known.Source(), nil
	}
	from, err := n.of.open(r)
	if err != nil {
		return nil, err
	}
	if n.of.cte.Uses == 1 && n.of.step == nil {
		return from, nil
	}
	if r.common == nil {
		r.common = map[*bind.CTE]*exec.Shared{}
	}
	s := exec.NewShared(from, r.memory)
	r.common[n.of.cte], r.order = s, append(r.order, s)
	return s.Source(), nil
}

func (s *shared) open(r *run) (exec.Source, error) {
	from, err := s.base.open(r, nil)
	if err != nil || s.step == nil {
		return from, err
	}
	if r.rounds == nil {
		r.rounds = map[*bind.CTE][][]expr.Value{}
	}
	step := func(ctx context.Context, rows [][]expr.Value) (exec.Source, error) {
		r.rounds[s.cte] = rows
		next, err := s.step.open(r, nil)
		if err != nil {
			return nil, err
		}
		return s.convert.source(r, 1, next), nil
	}
	rows := exec.Recursive(s.convert.source(r, 0, from), step, s.types, s.cte.Distinct, r.recursions(), r.memory)
	if s.count == nil {
		return rows, nil
	}
	offset, count, err := s.limit(r)
	if err != nil {
		rows.Close()
		return nil, err
	}
	return exec.Limit(rows, offset, count), nil
}

// limit is which of all rows a recursive one has: a round that adds none of them is not made.
func (s *shared) limit(r *run) (offset, count uint64, err error) {
	s.count.Begin(r.c)
	if s.offset != nil {
		s.offset.Begin(r.c)
		if offset, err = number(s.offset); err != nil {
			return 0, 0, err
		}
	}
	count, err = number(s.count)
	return offset, count, err
}

// setNode is a set operation.
type setNode struct {
	op          bind.SetOp
	all         bool
	left, right node
	convert     *converted // of all queries of a chain of UNIONs
	leftAt      int        // the left one's number there; -1: its rows are converted
	rightAt     int
	types       []expr.Type // of the columns in which rows differ
}

func (n *setNode) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	left, err := n.left.open(r, domain)
	if err != nil {
		return nil, err
	}
	if n.leftAt >= 0 {
		left = n.convert.source(r, n.leftAt, left)
	}
	right := n.convert.source(r, n.rightAt, &opened{open: func() (exec.Source, error) { return n.right.open(r, domain) }})
	switch n.op {
	case bind.Intersect:
		return exec.Intersect(left, right, n.types, n.all, r.memory), nil
	case bind.Except:
		return exec.Except(left, right, n.types, n.all, r.memory), nil
	}
	out := exec.Concat(left, right)
	if !n.all {
		out = exec.Distinct(out, n.types, r.memory)
	}
	return out, nil
}
