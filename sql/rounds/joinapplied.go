package rounds

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// An outer join with a subquery in its condition that refers to both sides. The rows on the left are numbered and kept; an
// inner join finds the pairs that the condition is true of, and the rows on the left are joined with these by their numbers.

// appliesBoth reports whether a subquery of a condition needs both sides of a join.
func (p *planner) appliesBoth(s *side, both []*part) bool {
	return slices.ContainsFunc(both, func(part *part) bool {
		if !refersTo(part.e, bind.OfSubqueries) {
			return false
		}
		left, right := p.row.clone(), s.row.clone()
		return p.applyAll(p.q, left, part.e, &step{}) != nil && p.applyAll(p.q, right, part.e, &step{}) != nil
	})
}

// matchApplied is match for such a join.
func (p *planner) matchApplied(it *item, s *side, both []*part) error {
	numbered := p.row.clone()
	at := len(numbered.types)
	numbered.hide(expr.IntegerType())
	left := &keptNode{}
	pairs := &planner{compiler: p.compiler, b: p.b, q: p.q, row: numbered.clone(), from: left, there: maps.Clone(p.there)}
	var plain, late []*part
	for _, part := range both {
		if refersTo(part.e, bind.OfSubqueries) {
			part.done = false
			late = append(late, part)
		} else {
			plain = append(plain, part)
		}
	}
	inner := *it
	inner.outer = false
	right := s.row.clone()
	if err := pairs.match(&inner, s, plain); err != nil {
		return err
	}
	pairs.arrive(it)
	if err := pairs.filter(late); err != nil {
		return err
	}
	n := &appliedJoin{left: p.from, kept: left, pairs: pairs.from, at: at, width: 1 + len(right.types)}
	n.spec = exec.JoinSpec{Kind: exec.LeftJoin, Width: n.width, Keys: []exec.JoinKey{{Left: at, Right: 0, Type: expr.IntegerType(), RightType: expr.IntegerType()}}}
	numbered.hide(expr.IntegerType())
	numbered.behind(right, true)
	p.from, p.row = n, numbered
	return nil
}

// appliedJoin is the join of the rows on the left with their pairs.
type appliedJoin struct {
	left  node
	kept  *keptNode
	pairs node
	at    int // of the number in a row on the left, and in a pair, before the columns of the right
	width int // of these, with the number
	spec  exec.JoinSpec
}

func (n *appliedJoin) open(r *run, domain [][]expr.Value) (exec.Source, error) {
	from, err := n.left.open(r, domain)
	if err != nil {
		return nil, err
	}
	kept := exec.NewShared(&numbered{Source: from}, r.memory)
	r.order = append(r.order, kept)
	pairs := &opened{open: func() (exec.Source, error) {
		n.kept.rows = kept
		from, err := n.pairs.open(r, domain)
		if err != nil {
			return nil, err
		}
		return &cut{Source: from, from: n.at, width: n.width}, nil
	}}
	return exec.Join(kept.Source(), exec.Gathered(pairs, r.memory), n.spec, r.memory), nil
}

// keptNode yields the numbered rows on the left.
type keptNode struct{ rows *exec.Shared }

func (n *keptNode) open(*run, [][]expr.Value) (exec.Source, error) { return n.rows.Source(), nil }

// numbered puts a number behind each row of a source.
type numbered struct {
	exec.Source
	last int64
}

func (s *numbered) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := s.Source.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	out := make([][]expr.Value, len(rows))
	for i, row := range rows {
		s.last++
		out[i] = append(row[:len(row):len(row)], sqltypes.MakeTrusted(sqltypes.Int64, strconv.AppendInt(nil, s.last, 10)))
	}
	return out, nil
}

// cut are some columns of the rows of a source.
type cut struct {
	exec.Source
	from, width int
}

func (s *cut) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := s.Source.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	out := make([][]expr.Value, len(rows))
	for i, row := range rows {
		out[i] = row[s.from : s.from+s.width : s.from+s.width]
	}
	return out, nil
}
