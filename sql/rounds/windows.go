package rounds

import (
	"context"
	"slices"

	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// windowPass computes the functions over windows of one partition and order.
type windowPass struct {
	input  *step // what they are computed from, which is put behind the row
	window exec.Window
}

// windows compiles the functions over windows, whose values are put behind the row.
func (k *compiler) windows(b *block, row *layout) error {
	var specs []string
	of := map[string][]int{}
	for i, w := range b.query.Windows {
		spec := w.GetOverClause().WindowSpec
		if spec == nil {
			return &expr.Unsupported{What: "this window"}
		}
		text := sqlparser.String(&sqlparser.WindowSpecification{PartitionClause: spec.PartitionClause, OrderClause: spec.OrderClause})
		if of[text] == nil {
			specs = append(specs, text)
		}
		of[text] = append(of[text], i)
	}
	for _, text := range specs {
		if err := k.windowPass(b, row, of[text]); err != nil {
			return err
		}
	}
	return nil
}

// windowPass compiles the functions over windows with the numbers.
func (k *compiler) windowPass(b *block, row *layout, numbers []int) (err error) {
	c := &windowCompiler{}
	spec := b.query.Windows[numbers[0]].GetOverClause().WindowSpec
	pass := &windowPass{}
	if b.lateral {
		pass.window.Partition = append(pass.window.Partition, exec.Key{At: c.add(bind.OuterAt(-1))})
	}
	for _, e := range spec.PartitionClause {
		pass.window.Partition = append(pass.window.Partition, exec.Key{At: c.add(e)})
	}
	for _, o := range spec.OrderClause {
		pass.window.Order = append(pass.window.Order, exec.Key{At: c.add(o.Expr), Descending: o.Direction == sqlparser.DescOrder})
	}
	for _, n := range numbers {
		f, err := c.function(b.query.Windows[n])
		if err != nil {
			return err
		}
		pass.window.Functions = append(pass.window.Functions, f)
	}
	if pass.input, err = k.step(b.query, row, c.list...); err != nil {
		return err
	}
	first, program := len(row.types), pass.input.program
	for i := range c.list {
		row.hide(program.Type(i))
	}
	place := func(keys []exec.Key) {
		for i := range keys {
			keys[i].Type = program.Type(keys[i].At)
			keys[i].At += first
		}
	}
	place(pass.window.Partition)
	place(pass.window.Order)
	for i, n := range numbers {
		f := &pass.window.Functions[i]
		for j, at := range f.Args {
			f.Types = append(f.Types, expr.NullType())
			if at >= 0 {
				f.Types[j], f.Args[j] = program.Type(at), at+first
			}
		}
		f.Aggregate.Args, f.Aggregate.Types = f.Args, f.Types
		for _, bound := range []*exec.Bound{&f.Frame.From, &f.Frame.To} {
			switch {
			case bound.Kind != exec.Preceding && bound.Kind != exec.Following:
			case f.Frame.Unit == exec.ByRows:
				bound.Rows += first
			default:
				bound.Type = program.Type(bound.At)
				bound.At += first
			}
		}
		row.add(bind.Ref{Row: bind.OfWindows, At: n}, f.Type(k.c))
	}
	b.windows = append(b.windows, pass)
	return nil
}

// windowCompiler gathers the expressions of windows.
type windowCompiler struct{ list []sqlparser.Expr }

// add adds an expression and returns its number.
func (c *windowCompiler) add(e sqlparser.Expr) int {
	for i, o := range c.list {
		if sqlparser.Equals.Expr(o, e) {
			return i
		}
	}
	c.list = append(c.list, e)
	return len(c.list) - 1
}

// function is a function over a window; positions are numbers of expressions.
func (c *windowCompiler) function(w sqlparser.WindowFunc) (f exec.WindowFunction, err error) {
	one := sqlparser.NewIntLiteral("1")
	switch w := w.(type) {
	case *sqlparser.ArgumentLessWindowExpr:
		f.Kind = map[sqlparser.ArgumentLessWindowExprType]exec.WindowKind{
			sqlparser.CumeDistExprType: exec.CumeDist, sqlparser.DenseRankExprType: exec.DenseRank, sqlparser.PercentRankExprType: exec.PercentRank,
			sqlparser.RankExprType: exec.Rank, sqlparser.RowNumberExprType: exec.RowNumber,
		}[w.Type]
	case *sqlparser.FirstOrLastValueExpr:
		f.Kind = exec.FirstValue
		if w.Type == sqlparser.LastValueExprType {
			f.Kind = exec.LastValue
		}
		f.Args, err = []int{c.add(w.Expr)}, ignoresNulls(w.NullTreatmentClause)
	case *sqlparser.NtileExpr:
		f.Kind, f.Args = exec.Ntile, []int{c.add(w.N)}
	case *sqlparser.NTHValueExpr:
		f.Kind, f.Args, err = exec.NthValue, []int{c.add(w.Expr), c.add(w.N)}, ignoresNulls(w.NullTreatmentClause)
		if from := w.FromFirstLastClause; from != nil && from.Type == sqlparser.FromLastType {
			err = expr.NewError(1235, "42000", "This version of MySQL doesn't yet support 'FROM LAST'")
		}
	case *sqlparser.LagLeadExpr:
		f.Kind, err = exec.Lag, ignoresNulls(w.NullTreatmentClause)
		if w.Type == sqlparser.LeadExprType {
			f.Kind = exec.Lead
		}
		value := w.Expr
		if w.Default != nil { // both have the type that they have in common
			value = either(value, w.Default, true)
		}
		f.Args = []int{c.add(value), -1, -1}
		if w.N != nil {
			f.Args[1] = c.add(w.N)
		} else {
			f.Args[1] = c.add(one)
		}
		if w.Default != nil {
			f.Args[2] = c.add(either(w.Expr, w.Default, false))
		}
	default:
		f.Kind = exec.OfAggregate
		a, ok := w.(sqlparser.AggrFunc)
		if !ok {
			return f, &expr.Unsupported{What: sqlparser.String(w)}
		}
		if f.Aggregate, ok = aggregateOf(a); !ok || f.Aggregate.Distinct {
			return f, &expr.Unsupported{What: sqlparser.String(w)}
		}
		if f.Aggregate.Kind != exec.CountRows {
			for _, arg := range a.GetArgs() {
				f.Args = append(f.Args, c.add(arg))
			}
		}
	}
	if err == nil {
		f.Frame, err = c.frame(w.GetOverClause().WindowSpec)
	}
	return f, err
}

// either is the first of two expressions, or the second, with the type of both.
func either(a, b sqlparser.Expr, first bool) sqlparser.Expr {
	return &sqlparser.CaseExpr{Whens: []*sqlparser.When{{Cond: sqlparser.BoolVal(first), Val: a}}, Else: b}
}

func ignoresNulls(n *sqlparser.NullTreatmentClause) error {
	if n != nil && n.Type == sqlparser.IgnoreNullsType {
		return expr.NewError(1235, "42000", "This version of MySQL doesn't yet support 'IGNORE NULLS'")
	}
	return nil
}

// frame is a window's frame: by default the rows up to those that are equal in the order, or all.
func (c *windowCompiler) frame(w *sqlparser.WindowSpecification) (f exec.Frame, err error) {
	f.Unit, f.From.Kind, f.To.Kind = exec.ByRange, exec.UnboundedPreceding, exec.CurrentRow
	clause := w.FrameClause
	switch {
	case clause == nil && len(w.OrderClause) == 0:
		f.To.Kind = exec.UnboundedFollowing
		return f, nil
	case clause == nil:
		return f, nil
	}
	if clause.Unit == sqlparser.FrameRowsType {
		f.Unit = exec.ByRows
	}
	if f.From, err = c.bound(w, f.Unit, clause.Start); err != nil {
		return f, err
	}
	if clause.End != nil {
		f.To, err = c.bound(w, f.Unit, clause.End)
	}
	switch {
	case err != nil:
	case f.From.Kind == exec.UnboundedFollowing:
		err = expr.NewError(3584, "HY000", "Window '<unnamed window>': frame start cannot be UNBOUNDED FOLLOWING.")
	case f.To.Kind == exec.UnboundedPreceding:
		err = expr.NewError(3585, "HY000", "Window '<unnamed window>': frame end cannot be UNBOUNDED PRECEDING.")
	case f.From.Kind > f.To.Kind:
		err = expr.NewError(3586, "HY000", "Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type")
	}
	return f, err
}

// bound is one end of a frame. That of a range is the value that the order's key must reach.
func (c *windowCompiler) bound(w *sqlparser.WindowSpecification, unit exec.FrameUnit, p *sqlparser.FramePoint) (b exec.Bound, err error) {
	switch p.Type {
	case sqlparser.CurrentRowType:
		b.Kind = exec.CurrentRow
	case sqlparser.UnboundedPrecedingType:
		b.Kind = exec.UnboundedPreceding
	case sqlparser.UnboundedFollowingType:
		b.Kind = exec.UnboundedFollowing
	case sqlparser.ExprPrecedingType:
		b.Kind = exec.Preceding
	case sqlparser.ExprFollowingType:
		b.Kind = exec.Following
	}
	if p.Expr == nil {
		return b, nil
	}
	if unit == exec.ByRows {
		b.Rows = c.add(p.Expr)
		return b, nil
	}
	if len(w.OrderClause) != 1 {
		return b, expr.NewError(3587, "HY000", "Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
	}
	o := w.OrderClause[0]
	down := (b.Kind == exec.Preceding) != (o.Direction == sqlparser.DescOrder)
	b.At = c.add(moved(o.Expr, p, down))
	return b, nil
}

// moved is a key moved by a frame's distance: down, or up.
func moved(key sqlparser.Expr, p *sqlparser.FramePoint, down bool) sqlparser.Expr {
	if p.Unit != datetime.IntervalNone {
		syntax := sqlparser.IntervalDateExprDateAdd
		if down {
			syntax = sqlparser.IntervalDateExprDateSub
		}
		return &sqlparser.IntervalDateExpr{Syntax: syntax, Date: key, Interval: p.Expr, Unit: p.Unit}
	}
	op := sqlparser.PlusOp
	if down {
		op = sqlparser.MinusOp
	}
	exact := &sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: key, Right: sqlparser.NewDecimalLiteral("0.0")} // an unsigned key may come below 0
	return &sqlparser.BinaryExpr{Operator: op, Left: exact, Right: p.Expr}
}

func (w *windowPass) begin(c *expr.Context) { w.input.begin(c) }

func (w *windowPass) open(r *run, from exec.Source) exec.Source {
	from = &computed{from: w.input.extend(r, from), program: w.input.program}
	if keys := append(slices.Clone(w.window.Partition), w.window.Order...); len(keys) > 0 {
		from = exec.Sort(from, keys, 0, r.memory)
	}
	return exec.Windowed(r.c, from, w.window, r.memory)
}

// computed puts the values of a program behind each row.
type computed struct {
	from    exec.Source
	program *expr.Program
	out     [][]expr.Value
}

func (s *computed) Next(ctx context.Context) ([][]expr.Value, error) {
	rows, err := s.from.Next(ctx)
	if err != nil || rows == nil {
		return nil, err
	}
	s.out = s.out[:0]
	for _, row := range rows {
		longer, err := s.program.Run(row, append(make([]expr.Value, 0, len(row)+8), row...))
		if err != nil {
			return nil, err
		}
		s.out = append(s.out, longer)
	}
	return s.out, nil
}

func (s *computed) Close() { s.from.Close() }
