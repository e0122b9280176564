package rounds

import (
	"context"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/table"
	"isochron/txn"
)

// Reader reads the rows of an access in the statement's transaction.
type Reader interface {
	Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]expr.Value, error)
}

// Execute executes the plan; gctx is for conversions of the key's codec alone.
func (p *Plan) Execute(ctx context.Context, gctx *gms.Context, c *expr.Context, r Reader, m exec.Memory) (exec.Source, error) {
	p.begin(c)
	offset, count, err := p.window()
	if err != nil {
		return nil, err
	}
	from, ordered, decided, err := p.read(ctx, gctx, r, offset, count)
	if err != nil {
		return nil, err
	}
	for _, filter := range []*expr.Program{p.where, p.having} {
		if filter == nil || p.closed {
			continue
		}
		if err := filter.Constants(); err != nil {
			return nil, err
		}
	}
	if p.where != nil && !decided {
		from = exec.Filter(from, p.where)
	}
	if p.Query.Grouped {
		from = exec.Group(c, exec.Project(from, p.input), p.keys, p.aggregates, p.Query.Rollup, m)
	}
	if p.having != nil {
		from = exec.Filter(from, p.having)
	}
	early := p.count != nil && !p.Query.Distinct && (len(p.order) == 0 || ordered)
	if early { // what is not returned is not computed
		from = exec.Limit(from, offset, count)
	}
	if !p.list.Identity() {
		from = exec.Project(from, p.list)
	}
	if p.Query.Distinct {
		from = exec.Distinct(from, p.itemTypes(), m)
	}
	if len(p.order) > 0 && !ordered {
		top := uint64(0)
		if p.count != nil && count <= maxTop && offset <= maxTop {
			top = offset + count
		}
		from = exec.Sort(from, p.order, top, m)
	}
	if p.count != nil && !early {
		from = exec.Limit(from, offset, count)
	}
	return from, nil
}

// maxTop bounds what a sort keeps in a heap rather than in an array.
const maxTop = 100_000

// begin readies the programs.
func (p *Plan) begin(c *expr.Context) {
	for _, program := range []*expr.Program{p.where, p.having, p.input, p.list, p.offset, p.count} {
		if program != nil {
			program.Begin(c)
		}
	}
	quiet := *c // the filter warns
	beginAll(p.conditions, &quiet)
	for _, g := range p.gates {
		g.Begin(c)
	}
}

func beginAll(list []condition, c *expr.Context) {
	for i := range list {
		if list[i].values != nil {
			list[i].values.Begin(c)
		}
		for _, a := range list[i].alternatives {
			beginAll(a, c)
		}
	}
}

func (p *Plan) itemTypes() []expr.Type {
	out := make([]expr.Type, len(p.Query.Items))
	for i := range out {
		out[i] = p.list.Type(i)
	}
	return out
}

// window is which rows of the result are wanted.
func (p *Plan) window() (offset, count uint64, err error) {
	if offset, err = number(p.offset); err != nil {
		return 0, 0, err
	}
	count, err = number(p.count)
	return offset, count, err
}

func number(p *expr.Program) (uint64, error) {
	if p == nil {
		return 0, nil
	}
	out, err := p.Run(nil, nil)
	if err != nil {
		return 0, err
	}
	n, err := out[0].ToUint64()
	if err != nil {
		return 0, expr.NewError(1210, "HY000", "Incorrect arguments to LIMIT")
	}
	return n, nil
}

// read reads the rows, and reports whether they are in the statement's order, and just those of the filter.
func (p *Plan) read(ctx context.Context, gctx *gms.Context, r Reader, offset, count uint64) (from exec.Source, ordered, decided bool, err error) {
	if p.Query.Table == nil {
		return exec.Rows([][]expr.Value{{}}), false, false, nil
	}
	choice, err := p.choose(gctx, offset, count)
	if err != nil || choice == nil {
		return exec.Rows(nil), false, true, err
	}
	rows, err := r.Read(ctx, choice.Access, p.Query.Lock, p.Query.Wait, p.Columns)
	return exec.Rows(rows), choice.Ordered, choice.Decided, err
}

// choose is the access for the present values; nil: no row can match.
func (p *Plan) choose(gctx *gms.Context, offset, count uint64) (*access.Choice, error) {
	w := access.Wanted{Columns: p.Columns, Whole: p.whole, Locking: p.Query.Lock != txn.LockNone}
	closed := false
	for _, g := range p.gates { // all of them, for their warnings
		open, err := g.True(nil)
		if err != nil {
			return nil, err
		}
		closed = closed || !open
	}
	var err error
	if w.Conditions, p.closed, err = present(p.conditions); err != nil {
		return nil, err
	}
	if p.closed = p.closed || closed; p.closed {
		return nil, nil
	}
	if !p.Query.Grouped && !p.Query.Distinct && p.having == nil {
		w.Order = p.plainOrder()
		if p.count != nil && count <= maxTop && offset <= maxTop && (len(w.Order) > 0 || len(p.order) == 0) {
			w.Limit = int(count + offset)
		}
	}
	return access.Choose(gctx, p.Query.Table, w)
}

// plainOrder is the order if all its keys are columns of the table.
func (p *Plan) plainOrder() (out []access.Order) {
	for _, o := range p.Query.Order {
		at, ok := bind.Column(o.Expr)
		if !ok {
			return nil
		}
		out = append(out, access.Order{Column: at, Descending: o.Descending})
	}
	return out
}

// present are conditions with the present values; none: no row fulfils all.
func present(list []condition) (out []access.Condition, none bool, err error) {
	for i := range list {
		c, none, err := list[i].now()
		if err != nil || none {
			return nil, none, err
		}
		out = append(out, c)
	}
	return out, false, nil
}

// now is the condition with the present values; none: no row fulfils it.
func (c *condition) now() (_ access.Condition, none bool, err error) {
	out := access.Condition{Column: c.column, Op: c.op}
	if c.op == access.Either || c.op == access.Rows {
		for i := range c.alternatives {
			list, none, err := present(c.alternatives[i])
			if err != nil {
				return out, false, err
			}
			if !none {
				out.Alternatives = append(out.Alternatives, list)
			}
		}
		return out, len(out.Alternatives) == 0, nil
	}
	if c.values == nil {
		return out, false, nil
	}
	values, err := c.values.Run(nil, make([]expr.Value, 0, c.count))
	if err != nil {
		return out, false, err
	}
	for _, v := range values {
		switch {
		case !v.IsNull():
			out.Values = append(out.Values, v)
		case c.safe:
			out.Op = access.IsNull
			return out, false, nil
		}
	}
	return out, len(out.Values) == 0, nil
}

// unquoted is a text literal without its quotes and escapes.
func unquoted(s string) string {
	if e, err := expr.Environment().Parser().ParseExpr(s); err == nil {
		if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.StrVal {
			return lit.Val
		}
	}
	return strings.Trim(s, "'")
}
