package dialect

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Partial is a SELECT over one table as each of several sources is asked, so that the answers can
// be made one: sorted rows that are merged, or groups that are added up.
type Partial struct {
	Statement *Statement
	// Outputs are the columns of the client's answer of a statement that groups; nil: it does
	// not, and they are those of each source's answer but for the last Hidden.
	Outputs []Output
	Hidden  int
	// Keys are the columns of the sources' answers that make a group.
	Keys []int
	// Order is by columns of the sources' answers, or of Outputs.
	Order []Ordering
	// Skip and Most are the client's LIMIT; Most < 0: all.
	Skip, Most int64
	// Exact are the columns of the table whose values are compared by the merging gateway.
	Exact []string
}

// Output is a column of an answer that was put together.
type Output struct {
	Name  string
	How   Joining
	From  int // the column of a source's answer
	Count int // of Average: the column of the count
}

// Joining is the way in which values of several answers become one.
type Joining string

// The ways.
const (
	TheSame Joining = "same" // it is one of the group's keys
	Total   Joining = "sum"
	Least   Joining = "min"
	Most    Joining = "max"
	Average Joining = "avg"
)

// Ordering is a column by which to sort. Column < 0 counts from behind the visible ones: -1 is the
// first hidden column.
type Ordering struct {
	Column     int
	Descending bool
}

// Partial returns the statements that ask several sources for parts of a SELECT's answer; ok is
// false if the parts could not be put together. number gives the values of placeholders in LIMIT.
func (s *Statement) Partial(number func(place int) (int64, bool)) (p Partial, ok bool) {
	sel, is := s.stmt.(*sqlparser.Select)
	if !is || !divisible(sel) || s.Blocks() != 1 {
		return p, false
	}
	p.Most = -1
	if !p.limit(sel.Limit, number) {
		return p, false
	}
	c := *sel
	w := &partialWriter{p: &p, sel: sel, out: &c}
	if grouped(sel) {
		ok = w.groups()
	} else {
		ok = w.rows()
	}
	if !ok {
		return p, false
	}
	made := *s
	made.stmt, made.Text = &c, ""
	p.Statement = &made
	return p, true
}

// divisible reports whether a query is one over one table, of which each row counts for itself.
func divisible(s *sqlparser.Select) bool {
	if s.With != nil || s.Having != nil || len(s.Window) > 0 || s.Into != nil || s.QueryOpts.Distinct || s.QueryOpts.SQLCalcFoundRows || len(s.QueryOpts.DistinctOn) > 0 || len(s.From) != 1 {
		return false
	}
	t, ok := s.From[0].(*sqlparser.AliasedTableExpr)
	if !ok || t.AsOf != nil || windowed(s) {
		return false
	}
	_, ok = t.Expr.(sqlparser.TableName)
	return ok
}

// limit reads LIMIT.
func (p *Partial) limit(l *sqlparser.Limit, number func(int) (int64, bool)) bool {
	if l == nil {
		return true
	}
	read := func(x sqlparser.Expr, into *int64) bool {
		v, ok := valueOf(x)
		switch {
		case !ok || v.Null:
			return false
		case v.Arg >= 0:
			n, ok := number(v.Arg)
			*into = n
			return ok && n >= 0
		}
		n, err := strconv.ParseInt(v.Text, 10, 62)
		*into = n
		return err == nil && n >= 0
	}
	if l.Offset != nil && !read(l.Offset, &p.Skip) {
		return false
	}
	return l.Rowcount == nil || read(l.Rowcount, &p.Most)
}

// partialWriter makes the statement for the sources.
type partialWriter struct {
	p        *Partial
	sel, out *sqlparser.Select
}

// rows is for a query that does not group: each source gives its first rows, with what they are
// sorted by.
func (w *partialWriter) rows() bool {
	w.out.SelectExprs = append(sqlparser.SelectExprs(nil), w.sel.SelectExprs...)
	for _, o := range w.sel.OrderBy {
		x, _ := w.meant(o.Expr)
		c, ok := x.(*sqlparser.ColName)
		if !ok {
			return false
		}
		w.p.Exact = append(w.p.Exact, c.Name.String())
		w.p.Hidden++
		w.p.Order = append(w.p.Order, Ordering{-w.p.Hidden, o.Direction == sqlparser.DescScr})
		w.out.SelectExprs = append(w.out.SelectExprs, &sqlparser.AliasedExpr{Expr: c, InputExpression: sqlparser.String(c), As: sqlparser.NewColIdent("isochron_o" + strconv.Itoa(w.p.Hidden))})
	}
	if w.p.Most >= 0 {
		all := strconv.FormatInt(w.p.Skip+w.p.Most, 10)
		w.out.Limit = &sqlparser.Limit{Rowcount: sqlparser.NewIntVal([]byte(all))}
	}
	return true
}

// meant returns the expression that a name or a number in ORDER BY represents, and the index of its
// output, -1 if none.
func (w *partialWriter) meant(x sqlparser.Expr) (sqlparser.Expr, int) {
	if v, ok := x.(*sqlparser.SQLVal); ok && v.Type == sqlparser.IntVal {
		n, err := strconv.Atoi(string(v.Val))
		for _, e := range w.sel.SelectExprs {
			if _, star := e.(*sqlparser.StarExpr); star {
				return nil, -1 // how many columns it is is not known here
			}
		}
		if err != nil || n < 1 || n > len(w.sel.SelectExprs) {
			return nil, -1
		}
		if a, ok := w.sel.SelectExprs[n-1].(*sqlparser.AliasedExpr); ok {
			return a.Expr, n - 1
		}
		return nil, -1
	}
	c, ok := x.(*sqlparser.ColName)
	if !ok {
		return x, w.output(x)
	}
	for i, e := range w.sel.SelectExprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && c.Qualifier.IsEmpty() && a.As.EqualString(c.Name.String()) && !a.As.IsEmpty() {
			return a.Expr, i
		}
	}
	return c, w.output(c)
}

// output is the place of an expression among those selected, -1 if it is not among them.
func (w *partialWriter) output(x sqlparser.Expr) int {
	text := sqlparser.String(x)
	for i, e := range w.sel.SelectExprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && strings.EqualFold(sqlparser.String(a.Expr), text) {
			return i
		}
	}
	return -1
}

// groups is for a query that groups: each source returns its groups, with the values needed to add
// them up.
func (w *partialWriter) groups() bool {
	w.out.SelectExprs, w.out.OrderBy, w.out.Limit = nil, nil, nil
	keys := map[string]int{}
	for _, g := range w.sel.GroupBy {
		c, ok := g.(*sqlparser.ColName)
		if !ok {
			return false
		}
		if _, i := w.meant(c); i >= 0 && !w.isColumn(i, c) {
			return false // it names an output that is reckoned
		}
		w.p.Exact = append(w.p.Exact, c.Name.String())
		keys[fold(c.Name.String())] = w.ask(c)
		w.p.Keys = append(w.p.Keys, keys[fold(c.Name.String())])
	}
	for _, e := range w.sel.SelectExprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		o := Output{Name: nameOfOutput(a), How: TheSame}
		if c, ok := a.Expr.(*sqlparser.ColName); ok {
			if o.From, ok = keys[fold(c.Name.String())]; !ok {
				return false
			}
		} else if !w.aggregate(a.Expr, &o) {
			return false
		}
		w.p.Outputs = append(w.p.Outputs, o)
	}
	for _, o := range w.sel.OrderBy {
		_, i := w.meant(o.Expr)
		if i < 0 {
			return false
		}
		w.p.Order = append(w.p.Order, Ordering{i, o.Direction == sqlparser.DescScr})
	}
	return true
}

func (w *partialWriter) isColumn(i int, c *sqlparser.ColName) bool {
	a, ok := w.sel.SelectExprs[i].(*sqlparser.AliasedExpr)
	if !ok {
		return false
	}
	column, ok := a.Expr.(*sqlparser.ColName)
	return ok && strings.EqualFold(column.Name.String(), c.Name.String())
}

// ask adds a column to the request to the sources.
func (w *partialWriter) ask(x sqlparser.Expr) int {
	n := len(w.out.SelectExprs)
	w.out.SelectExprs = append(w.out.SelectExprs, &sqlparser.AliasedExpr{Expr: x, InputExpression: sqlparser.String(x), As: sqlparser.NewColIdent("isochron_p" + strconv.Itoa(n))})
	return n
}

func (w *partialWriter) aggregate(x sqlparser.Expr, o *Output) bool {
	f, ok := x.(*sqlparser.FuncExpr)
	if !ok || f.Distinct || f.Over != nil || len(f.Exprs) != 1 {
		return false
	}
	switch f.Name.Lowered() {
	case "count", "sum":
		o.How = Total
	case "min", "max":
		a, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		c, ok := a.Expr.(*sqlparser.ColName)
		if !ok {
			return false
		}
		w.p.Exact = append(w.p.Exact, c.Name.String())
		o.How = Joining(f.Name.Lowered())
	case "avg":
		o.How = Average
		sum, count := *f, *f
		sum.Name, count.Name = sqlparser.NewColIdent("sum"), sqlparser.NewColIdent("count")
		o.From, o.Count = w.ask(&sum), w.ask(&count)
		return true
	default:
		return false
	}
	o.From = w.ask(f)
	return true
}

// nameOfOutput is MySQL's name of a column of an answer.
func nameOfOutput(a *sqlparser.AliasedExpr) string {
	if !a.As.IsEmpty() {
		return a.As.String()
	}
	if c, ok := a.Expr.(*sqlparser.ColName); ok {
		return c.Name.String()
	}
	if a.InputExpression != "" {
		return strings.TrimSpace(a.InputExpression)
	}
	return sqlparser.String(a.Expr)
}
