package plan

import (
	"errors"
	"slices"
	"strconv"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/coltype"
	"isochron/sql/legacy"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/rowcodec"
	"isochron/sql/table"
)

// Prepared is a round plan that is executed again and again with other values.
// Its parameters are literals of the analysed tree: setting them binds the tree,
// and Bind works out from the filter which keys that asks for. It belongs to one
// session, which executes one statement at a time.
type Prepared struct {
	Root gms.Node
	Plan *RoundPlan
	// Strict: a parameter is part of arithmetic, whose type follows from the parameter's.
	Strict bool

	params map[string]*expression.Literal
	slots  map[string][]*expression.Literal // the positions of each parameter in the tree
	// literals are all others of the tree, in order. The engine may have brought a
	// parameter to the type of the column that it is compared with.
	literals []*expression.Literal
	baked    map[*expression.Literal]bool // those whose value the plan has taken in
	given    []*expression.Literal        // of params: values for an AUTO_INCREMENT column
	whole    bool                         // no key is asked for: the whole table is read
	shape    table.Access
}

// errUnfit: these values are for the engine.
var errUnfit = errors.New("the values do not fit the prepared plan")

// Analyse analyses the statement with these literals in the place of its
// parameters.
type Analyse func(params map[string]*expression.Literal) (gms.Node, error)

// Prepare makes a prepared plan for values like these, or gives nil. own reports
// whether an expression of the caller's keeps nothing from one execution to the
// next; those of the engine are known here.
func Prepare(ctx *gms.Context, values map[string]*expression.Literal, analyse Analyse, own func(gms.Expression) bool) *Prepared {
	p := &Prepared{params: copied(values), slots: map[string][]*expression.Literal{}}
	var err error
	if p.Root, err = analyse(p.params); err != nil {
		return nil
	}
	unhashed(ctx, p.Root)
	p.Plan = Compile(ctx, p.Root)
	if p.Plan == nil || p.Plan.ForeignKeys || p.Plan.Insert != nil && p.Plan.Insert.Owners {
		return nil
	}
	if r := p.Plan.Read; r != nil && r.Table.Skips() {
		return nil // it is carried out in two steps
	}
	if !p.looksThrough(ctx, own) || !p.find(ctx, values, analyse) || !p.givesNumbers() {
		return nil
	}
	if r := p.Plan.Read; r != nil {
		p.shape = *r.Access
		p.whole = r.Access.Same(table.All(r.Table.Descriptor()))
		got, err := p.access(ctx)
		if err != nil || !got.Same(r.Access) {
			return nil
		}
	}
	return p
}

// looksThrough reports whether every expression of the tree is known to keep
// nothing between executions, and every parameter was found in it where it may
// change: not in a limit, which the plan has taken in.
func (p *Prepared) looksThrough(ctx *gms.Context, own func(gms.Expression) bool) bool {
	found := map[gms.Expression]bool{}
	p.literals, p.baked = nil, map[*expression.Literal]bool{}
	ok := true
	look := func(_ *gms.Context, n gms.Node, e gms.Expression) bool {
		if e == nil {
			return true
		}
		if !constantFree(e) && !own(e) {
			ok = false
		}
		p.Strict = p.Strict || isArithmetic(e) && p.holdsParam(ctx, e)
		lit, isLiteral := e.(*expression.Literal)
		if !isLiteral {
			return ok
		}
		fixed := p.takesIn(n)
		if !p.isParam(e) {
			p.literals = append(p.literals, lit)
			p.baked[lit] = fixed
			return ok
		}
		found[e] = true
		ok = ok && !fixed
		return ok
	}
	transform.InspectExpressionsWithNode(ctx, p.Root, look)
	if i := p.Plan.Insert; i != nil {
		if i.Node.Ignore || i.Node.OnDupExprs.HasUpdates() || !isValues(i.Node.Source) {
			return false
		}
		transform.InspectExpressionsWithNode(ctx, i.Node.Source, look)
		p.noteGiven(i.Node.Source)
	}
	for name, lit := range p.params { // order: into a map
		if found[lit] {
			p.slots[name] = append(p.slots[name], lit)
		}
	}
	return ok
}

// noteGiven finds the parameters that stand for the AUTO_INCREMENT column, whose
// insertion differs for NULL and 0.
func (p *Prepared) noteGiven(source gms.Node) {
	project, ok := source.(*gmsplan.Project)
	if !ok {
		return
	}
	values, ok := project.Child.(*gmsplan.Values)
	if !ok {
		return
	}
	for _, e := range project.Projections {
		auto, ok := e.(*expression.AutoIncrement)
		if !ok {
			continue
		}
		field, ok := auto.Child.(*expression.GetField)
		if !ok {
			continue
		}
		for _, tuple := range values.ExpressionTuples {
			if lit, ok := tuple[field.Index()].(*expression.Literal); ok && p.isParam(lit) {
				p.given = append(p.given, lit)
			}
		}
	}
}

// givesNumbers reports whether no such parameter asks for a generated value.
func (p *Prepared) givesNumbers() bool {
	return !slices.ContainsFunc(p.given, func(lit *expression.Literal) bool { return !rowcodec.IsPositive(lit.Val) })
}

// takesIn reports whether the plan, or the description of its rows, depends on
// the literals of a node. A projection that only brings the rows of an insertion
// into the order of the table is none.
func (p *Prepared) takesIn(n gms.Node) bool {
	switch n := n.(type) {
	case *gmsplan.Limit, *gmsplan.Offset, *gmsplan.TopN, *gmsplan.GroupBy, *gmsplan.Sort, *gmsplan.Having:
		return true
	case *gmsplan.Project:
		return p.Plan.Insert == nil || !isValues(n)
	}
	return false
}

func (p *Prepared) isParam(e gms.Expression) bool {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	for _, param := range p.params { // order: any will do
		if param == lit {
			return true
		}
	}
	return false
}

func (p *Prepared) holdsParam(ctx *gms.Context, e gms.Expression) bool {
	held := false
	transform.InspectExpr(ctx, e, func(_ *gms.Context, e gms.Expression) bool {
		held = held || p.isParam(e)
		return held
	})
	return held
}

func isArithmetic(e gms.Expression) bool {
	switch e.(type) {
	case *expression.Arithmetic, *expression.Div, *expression.IntDiv, *expression.Mod, *expression.UnaryMinus:
		return true
	}
	return false
}

// constantFree are the expressions of the engine that keep nothing between
// executions and work out nothing in advance.
func constantFree(e gms.Expression) bool {
	switch e.(type) {
	case *expression.GetField, *expression.Literal, *expression.Equals, *expression.GreaterThan, *expression.GreaterThanOrEqual,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.Between, *expression.And, *expression.Or, *expression.Not,
		*expression.IsNull, *expression.Arithmetic, *expression.SetField, *expression.Alias, *expression.AutoIncrement,
		*gms.ColumnDefaultValue, *expression.Wrapper, *expression.InTuple, expression.Tuple, *aggregation.Count, *aggregation.Sum, *aggregation.Min, *aggregation.Max, *aggregation.Avg:
		return true
	}
	return false
}

// ParamName is the wire library's name of a parameter, the first being number 0.
func ParamName(i int) string { return "v" + strconv.Itoa(i+1) }

// Set gives a parameter its value; false means that the value does not fit.
func (p *Prepared) Set(ctx *gms.Context, name string, value *expression.Literal) bool {
	for _, slot := range p.slots[name] {
		if slot == p.params[name] {
			*slot = *value
			continue
		}
		v, err := comparable(ctx, slot.Typ, value)
		if err != nil {
			return false
		}
		*slot = *expression.NewLiteral(v, slot.Typ)
	}
	return true
}

// Bind readies the plan for the values that are set; false means that this
// execution is for the engine.
func (p *Prepared) Bind(ctx *gms.Context) bool {
	if !p.givesNumbers() {
		return false
	}
	if p.Plan.Read == nil {
		return true
	}
	a, err := p.access(ctx)
	if err != nil {
		return false
	}
	p.Plan.Read.Access = a
	return true
}

// access returns the access for the present values. The filter is evaluated on every row all the same, so it may be
// larger than they require, never smaller.
func (p *Prepared) access(ctx *gms.Context) (*table.Access, error) {
	r := p.Plan.Read
	var a *table.Access
	switch {
	case p.whole:
		a = table.All(r.Table.Descriptor())
	default:
		bounds, err := p.bounds(ctx)
		if err != nil {
			return nil, err
		}
		if a, err = enginetable.ForEngineRange(ctx, r.Table.Descriptor(), p.shape.Index, bounds); err != nil {
			return nil, err
		}
	}
	a.Reverse, a.Limit = p.shape.Reverse, p.shape.Limit
	return a, nil
}

// bounds are those of the first columns of the index: one value each, and then
// a range of one column.
func (p *Prepared) bounds(ctx *gms.Context) (gms.MySQLRange, error) {
	r := p.Plan.Read
	if r.Filter == nil || p.shape.Index.HasPrefixes() {
		return nil, errUnfit
	}
	parts := expression.SplitConjunction(ctx, r.Filter)
	var out gms.MySQLRange
	for _, pos := range p.shape.Index.Columns {
		b := bound{r: r, pos: pos, col: r.Table.Descriptor().Schema.Schema[pos]}
		for _, part := range parts {
			if err := b.take(ctx, part); err != nil {
				return nil, err
			}
		}
		if b.low == nil && b.high == nil {
			break
		}
		if b.low == nil {
			b.low = gms.AboveNull{}
		}
		if b.high == nil {
			b.high = gms.AboveAll{}
		}
		out = append(out, gms.MySQLRangeColumnExpr{LowerBound: b.low, UpperBound: b.high, Typ: b.col.Type})
		if !b.single {
			break
		}
	}
	if len(out) == 0 {
		return nil, errUnfit
	}
	return out, nil
}

// bound is a filter's condition on one column.
type bound struct {
	r         *Read
	pos       int
	col       *gms.Column
	low, high gms.MySQLRangeCut
	single    bool
}

func (b *bound) take(ctx *gms.Context, part gms.Expression) error {
	if b.single {
		return nil
	}
	if e, ok := part.(*expression.Between); ok {
		if !b.isColumn(e.Val) {
			return nil
		}
		low, err := b.value(ctx, e.Lower)
		if err != nil {
			return err
		}
		high, err := b.value(ctx, e.Upper)
		b.low, b.high = gms.Below{Key: low, Typ: b.col.Type}, gms.Above{Key: high, Typ: b.col.Type}
		return err
	}
	if !slices.ContainsFunc(part.Children(), b.isColumn) || len(part.Children()) != 2 {
		return nil
	}
	operand := part.Children()[1]
	turned := b.isColumn(operand)
	if turned {
		operand = part.Children()[0]
	}
	if _, ok := operand.(*expression.Literal); !ok {
		return nil
	}
	return b.compare(ctx, part, operand, turned)
}

// compare takes in a comparison; turned: the column is on its right side.
func (b *bound) compare(ctx *gms.Context, part, operand gms.Expression, turned bool) error {
	below, above := gms.Below{Typ: b.col.Type}, gms.Above{Typ: b.col.Type}
	v, err := b.value(ctx, operand)
	if err != nil {
		return err
	}
	below.Key, above.Key = v, v
	switch part.(type) {
	case *expression.Equals:
		b.low, b.high, b.single = below, above, true
		return nil
	case *expression.GreaterThan:
		if turned {
			b.high = below
		} else {
			b.low = above
		}
	case *expression.GreaterThanOrEqual:
		if turned {
			b.high = above
		} else {
			b.low = below
		}
	case *expression.LessThan:
		if turned {
			b.low = above
		} else {
			b.high = below
		}
	case *expression.LessThanOrEqual:
		if turned {
			b.low = below
		} else {
			b.high = above
		}
	}
	return nil
}

func (b *bound) isColumn(e gms.Expression) bool {
	field, ok := e.(*expression.GetField)
	return ok && b.r.position(field.Name()) == b.pos
}

// value is a constant as the column has it. Only where a column and a constant
// are of one family, and the constant within the column's range, is a comparison
// of values a comparison of keys.
func (b *bound) value(ctx *gms.Context, e gms.Expression) (any, error) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return nil, errUnfit
	}
	return comparable(ctx, b.col.Type, lit)
}

// comparable is a constant in the type of the column that it is compared with.
func comparable(ctx *gms.Context, t gms.Type, lit *expression.Literal) (any, error) {
	ok := false
	switch legacy.TypeOf(t).Kind {
	case coltype.KindInt, coltype.KindUint:
		ok = rowcodec.IsInteger(lit.Val)
	case coltype.KindText:
		_, ok = lit.Val.(string)
	}
	if !ok {
		return nil, errUnfit
	}
	v, inRange, err := t.Convert(ctx, lit.Val)
	if err != nil || inRange != gms.InRange {
		return nil, errUnfit
	}
	return v, nil
}
