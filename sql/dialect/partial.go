package dialect

import (
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
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
	w := &partialWriter{p: &p, sel: sel, out: &c, texts: s.texts}
	if grouped(sel) {
		ok = w.groups()
	} else {
		ok = w.rows()
	}
	if !ok {
		return p, false
	}
	made := *s
	made.parsed, made.Text = s.with(sel, &c), ""
	p.Statement = &made
	return p, true
}

// divisible reports whether a query is one over one table, of which each row counts for itself.
func divisible(s *sqlparser.Select) bool {
	if s.With != nil || s.Having != nil || len(s.Windows) > 0 || s.Into != nil || s.Distinct || s.SQLCalcFoundRows || s.GroupBy != nil && s.GroupBy.WithRollup || len(s.From) != 1 {
		return false
	}
	t, ok := s.From[0].(*sqlparser.AliasedTableExpr)
	if !ok || windowed(s) {
		return false
	}
	n, ok := t.Expr.(sqlparser.TableName)
	return ok && !isDual(n)
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
	texts    itemTexts
}

// rows is for a query that does not group: each source gives its first rows, with what they are
// sorted by.
func (w *partialWriter) rows() bool {
	w.out.SelectExprs = &sqlparser.SelectExprs{Exprs: slices.Clone(w.sel.SelectExprs.Exprs)}
	for _, o := range w.sel.OrderBy {
		x, _ := w.meant(o.Expr)
		c, ok := x.(*sqlparser.ColName)
		if !ok {
			return false
		}
		w.p.Exact = append(w.p.Exact, c.Name.String())
		w.p.Hidden++
		w.p.Order = append(w.p.Order, Ordering{-w.p.Hidden, o.Direction == sqlparser.DescOrder})
		w.out.AddSelectExpr(&sqlparser.AliasedExpr{Expr: c, As: sqlparser.NewIdentifierCI("isochron_o" + strconv.Itoa(w.p.Hidden))})
	}
	if w.p.Most >= 0 {
		w.out.Limit = limitTo(w.p.Skip + w.p.Most)
	}
	return true
}

// meant returns the expression that a name or a number in ORDER BY represents, and the index of its
// output, -1 if none.
func (w *partialWriter) meant(x sqlparser.Expr) (sqlparser.Expr, int) {
	if v, ok := x.(*sqlparser.Literal); ok && v.Type == sqlparser.IntVal {
		n, err := strconv.Atoi(v.Val)
		for _, e := range w.sel.SelectExprs.Exprs {
			if _, star := e.(*sqlparser.StarExpr); star {
				return nil, -1 // how many columns it is is not known here
			}
		}
		if err != nil || n < 1 || n > len(w.sel.SelectExprs.Exprs) {
			return nil, -1
		}
		if a, ok := w.sel.SelectExprs.Exprs[n-1].(*sqlparser.AliasedExpr); ok {
			return a.Expr, n - 1
		}
		return nil, -1
	}
	c, ok := x.(*sqlparser.ColName)
	if !ok {
		return x, w.output(x)
	}
	for i, e := range w.sel.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && c.Qualifier.IsEmpty() && a.As.Equal(c.Name) && !a.As.IsEmpty() {
			return a.Expr, i
		}
	}
	return c, w.output(c)
}

// output is the place of an expression among those selected, -1 if it is not among them.
func (w *partialWriter) output(x sqlparser.Expr) int {
	text := textOf(x)
	for i, e := range w.sel.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && strings.EqualFold(textOf(a.Expr), text) {
			return i
		}
	}
	return -1
}

// groups is for a query that groups: each source returns its groups, with the values needed to add
// them up.
func (w *partialWriter) groups() bool {
	w.out.SelectExprs, w.out.OrderBy, w.out.Limit = &sqlparser.SelectExprs{}, nil, nil
	keys := map[string]int{}
	for _, g := range groupKeys(w.sel) {
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
	for i, e := range w.sel.SelectExprs.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		o := Output{Name: nameOfOutput(a, w.texts.of(w.sel, i)), How: TheSame}
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
		w.p.Order = append(w.p.Order, Ordering{i, o.Direction == sqlparser.DescOrder})
	}
	return true
}

func (w *partialWriter) isColumn(i int, c *sqlparser.ColName) bool {
	a, ok := w.sel.SelectExprs.Exprs[i].(*sqlparser.AliasedExpr)
	if !ok {
		return false
	}
	column, ok := a.Expr.(*sqlparser.ColName)
	return ok && strings.EqualFold(column.Name.String(), c.Name.String())
}

// ask adds a column to the request to the sources.
func (w *partialWriter) ask(x sqlparser.Expr) int {
	n := w.out.SelectExprs
	n.Exprs = append(n.Exprs, &sqlparser.AliasedExpr{Expr: x, As: sqlparser.NewIdentifierCI("isochron_p" + strconv.Itoa(len(n.Exprs)))})
	return len(n.Exprs) - 1
}

func (w *partialWriter) aggregate(x sqlparser.Expr, o *Output) bool {
	f, ok := callOf(x)
	if !ok || f.distinct || f.over != nil || len(f.args) != 1 && !f.star {
		return false
	}
	switch f.name {
	case "count", "sum":
		o.How = Total
	case "min", "max":
		c, ok := f.args[0].(*sqlparser.ColName)
		if !ok {
			return false
		}
		w.p.Exact = append(w.p.Exact, c.Name.String())
		o.How = Joining(f.name)
	case "avg":
		o.How = Average
		o.From, o.Count = w.ask(&sqlparser.Sum{Arg: f.args[0]}), w.ask(&sqlparser.Count{Args: f.args})
		return true
	default:
		return false
	}
	o.From = w.ask(x)
	return true
}

// nameOfOutput is MySQL's name of a column of an answer; text is its expression as the client wrote it.
func nameOfOutput(a *sqlparser.AliasedExpr, text string) string {
	if !a.As.IsEmpty() {
		return a.As.String()
	}
	if c, ok := a.Expr.(*sqlparser.ColName); ok {
		return c.Name.String()
	}
	if text != "" {
		return text
	}
	return textOf(a.Expr)
}
