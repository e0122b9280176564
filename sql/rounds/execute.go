package rounds

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/bind"
	"isochron/sql/exec"
	"isochron/sql/expr"
)

// open executes the block; domain are the rows of the query around it, if it is lateral.
func (b *block) open(r *run, domain [][]expr.Value) (from exec.Source, err error) {
	b.begin(r.c)
	offset, count, err := b.window()
	if err != nil {
		return nil, err
	}
	from, ordered, decided, err := b.read(r, domain, offset, count)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			from.Close()
			from = nil
		}
	}()
	if err := b.constants(); err != nil {
		return from, err
	}
	if b.leaf != nil && b.leaf.where != nil && !decided {
		from = exec.Filter(from, b.leaf.where)
	}
	for _, s := range b.late {
		from = exec.Filter(s.extend(r, from), s.program)
	}
	if b.query.Grouped {
		from = b.grouped(r, from, domain)
	}
	if b.having != nil {
		from = exec.Filter(b.having.extend(r, from), b.having.program)
	}
	for _, w := range b.windows {
		from = w.open(r, from)
	}
	early := b.count != nil && !b.query.CountAll && !b.lateral && !b.query.Distinct && (len(b.order) == 0 || ordered)
	if !early && b.first != nil && !b.query.CountAll && count <= maxTop && offset <= maxTop && offset+count > 0 {
		from, early, ordered = exec.Sort(from, b.first, offset+count, r.memory), true, true
	}
	if b.first != nil && b.count == nil && !ordered {
		from, ordered = exec.Sort(from, b.first, 0, r.memory), true
	}
	if early { // what is not returned is not computed
		from = exec.Limit(from, offset, count)
	}
	if from = b.list.extend(r, from); !b.list.program.Identity() {
		from = exec.Project(from, b.list.program)
	}
	switch {
	case b.query.Distinct && !ordered && b.ordersAll():
		from, ordered = exec.SortDistinct(from, b.order, r.memory), true
	case b.query.Distinct:
		from = exec.Distinct(from, b.distinct(), r.memory)
	}
	return b.ordered(r, from, ordered, early, offset, count), nil
}

// ordersAll reports whether rows that differ in the list differ in the order.
func (b *block) ordersAll() bool {
	if b.lateral {
		return false
	}
	for i := range b.query.Items {
		if !slices.ContainsFunc(b.order, func(k exec.Key) bool { return k.At == b.base()+i }) {
			return false
		}
	}
	return true
}

// distinct are the types of the columns in which rows differ.
func (b *block) distinct() []expr.Type {
	if b.lateral {
		return append([]expr.Type{expr.IntegerType()}, b.types()...)
	}
	return b.types()
}

// ordered sorts and limits the result.
func (b *block) ordered(r *run, from exec.Source, ordered, early bool, offset, count uint64) exec.Source {
	keys := b.order
	if b.lateral && b.count != nil {
		keys = append([]exec.Key{{At: 0, Type: expr.IntegerType()}}, keys...)
	}
	if len(keys) > 0 && !ordered {
		top := uint64(0)
		if b.count != nil && !b.query.CountAll && !b.lateral && count <= maxTop && offset <= maxTop {
			top = offset + count
		}
		if b.count == nil || count > 0 || b.lateral { // no order of no rows
			from = exec.Sort(from, keys, top, r.memory)
		}
	}
	switch {
	case b.count == nil || early:
		return from
	case b.lateral:
		return exec.LimitEach(from, offset, count)
	case b.query.CountAll:
		return &counted{from: from, offset: offset, count: count, of: b}
	}
	return exec.Limit(from, offset, count)
}

// maxTop bounds what a sort keeps in a heap rather than in an array.
const maxTop = 100_000

// grouped groups the rows.
func (b *block) grouped(r *run, from exec.Source, domain [][]expr.Value) exec.Source {
	from = exec.Project(b.input.extend(r, from), b.input.program)
	from = exec.Group(r.c, from, b.keys, b.groups, b.query.Rollup, r.memory)
	if !b.lateral {
		return from
	}
	base := len(b.keys) - len(b.query.Keys)
	switch {
	case b.query.Rollup:
		return &rolledUpTo{from: from, most: int64(len(b.query.Keys)), at: len(b.keys) + len(b.groups)}
	case len(b.query.Keys) == 0:
		none := exec.Group(r.c, exec.Rows(nil), nil, b.groups, false, nil)
		return &filled{from: from, none: none, domain: domain, base: base}
	}
	return from
}

// begin readies the programs.
func (b *block) begin(c *expr.Context) {
	if b.leaf != nil {
		b.leaf.begin(c)
	}
	for _, s := range append([]*step{b.input, b.having, b.list}, b.late...) {
		s.begin(c)
	}
	for _, w := range b.windows {
		w.begin(c)
	}
	for _, program := range []*expr.Program{b.offset, b.count} {
		if program != nil {
			program.Begin(c)
		}
	}
}

func (s *step) begin(c *expr.Context) {
	if s == nil {
		return
	}
	if s.program != nil { // a step of subqueries alone has none
		s.program.Begin(c)
	}
	for _, a := range s.subqueries {
		a.begin(c)
	}
}

// ofGroups reports whether an expression has aggregates: a constant beside one is converted with the first group.
func (b *block) ofGroups(e sqlparser.Expr) (has bool) {
	bind.Refs(e, func(r bind.Ref) { has = has || r.Row == bind.OfGroups && r.At >= len(b.query.Keys) })
	return has
}

// constants computes the constants of the filters, for their warnings.
func (b *block) constants() error {
	if b.leaf != nil && b.leaf.where != nil && !b.leaf.closed {
		if err := b.leaf.where.Constants(); err != nil {
			return err
		}
	}
	if b.having != nil && !b.ofGroups(b.query.Having) && (b.leaf == nil || !b.leaf.closed) {
		return b.having.program.Constants()
	}
	return nil
}

// window is which rows of the result are wanted.
func (b *block) window() (offset, count uint64, err error) {
	if offset, err = number(b.offset); err != nil {
		return 0, 0, err
	}
	count, err = number(b.count)
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
	if out[0].IsNull() { // of a parameter
		return 0, nil
	}
	n, err := out[0].ToUint64()
	if err != nil {
		return 0, expr.NewError(1210, "HY000", "Incorrect arguments to LIMIT")
	}
	return n, nil
}

// read reads the rows, and reports whether they are in the statement's order, and just those of the filter.
func (b *block) read(r *run, domain [][]expr.Value, offset, count uint64) (from exec.Source, ordered, decided bool, err error) {
	switch {
	case b.leaf != nil:
	case b.from != nil:
		from, err = b.from.open(r, domain)
		return from, false, false, err
	default:
		return exec.Rows([][]expr.Value{{}}), false, false, nil
	}
	choice, err := b.choose(r, offset, count)
	if err != nil || choice == nil {
		return exec.Rows(nil), false, true, err
	}
	if begun := r.first[b.leaf]; begun != nil {
		choice = begun.choice
	}
	from, err = b.leaf.rows(r, choice)
	return from, choice.Ordered, choice.Decided, err
}

// choose is the access for the present values; nil: no row can match.
func (b *block) choose(r *run, offset, count uint64) (*access.Choice, error) {
	w, err := b.leaf.wanted(r)
	if err != nil || b.leaf.closed {
		return nil, err
	}
	if !b.query.Grouped && !b.query.Distinct && b.having == nil && len(b.windows) == 0 {
		w.Order = b.plain
		if b.count != nil && !b.query.CountAll && len(b.late) == 0 && count <= maxTop && offset <= maxTop && (len(w.Order) > 0 || len(b.order) == 0) {
			w.Limit = int(count + offset)
		}
	}
	return access.Choose(r.now, b.leaf.source.Table, w)
}

// present are conditions with the present values; none: no row fulfils all.
func present(r *run, list []condition) (out []access.Condition, none bool, err error) {
	for i := range list {
		if list[i].subquery != nil && r.reader == nil {
			continue // nothing is read
		}
		c, none, err := list[i].now(r)
		if err != nil || none {
			return nil, none, err
		}
		out = append(out, c)
	}
	return out, false, nil
}

// now is the condition with the present values; none: no row fulfils it.
func (c *condition) now(r *run) (_ access.Condition, none bool, err error) {
	out := access.Condition{Column: c.column, Op: c.op}
	if c.op == access.Either || c.op == access.Rows {
		for i := range c.alternatives {
			list, none, err := present(r, c.alternatives[i])
			if err != nil {
				return out, false, err
			}
			if !none {
				out.Alternatives = append(out.Alternatives, list)
			}
		}
		return out, len(out.Alternatives) == 0, nil
	}
	var values []expr.Value
	switch {
	case c.subquery != nil:
		values, err = c.subquery.column(r)
	case c.values == nil:
		return out, false, nil
	default:
		values, err = c.values.Run(nil, make([]expr.Value, 0, c.count))
	}
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
