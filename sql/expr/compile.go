package expr

import (
	"errors"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// compiler makes a Program of trees.
type compiler struct {
	p       *Program
	columns Columns
	args    int    // scratch that the steps need so far
	guard   *guard // around what is being compiled, the innermost
	whole   bool   // what is replaced next is all of an expression of the engine
	depth   int
	lazily  bool // literals that are compared are converted only where they are compared
	first   operand
	guesses int // it is for the type of another expression, which is for that of another, so often
}

// operand is the left one of an expression that computes the right one if the left one is not NULL: it is converted outside
// of that guard.
type operand struct {
	expr  sqlparser.Expr
	guard *guard
}

// slotName is the qualifier of columns that stand for slots; no table can have it.
const slotName = "\x00slot"

// compile compiles an expression: calls of our functions become steps, the rest is the engine's.
func (b *compiler) compile(e sqlparser.Expr) (value, error) { return b.compiled(e, false) }

// compiled compiles an expression; exact: a quotient keeps the digits that MySQL computes with, more than its type has.
func (b *compiler) compiled(e sqlparser.Expr, exact bool) (value, error) {
	if b.depth++; b.depth > MaxDepth {
		return value{}, newError(1436, "HY000", "an expression is nested more than %d deep", MaxDepth)
	}
	defer func() { b.depth-- }()
	literal := true
	b.whole = true
	rewritten, err := b.replace(e, &literal)
	if err != nil {
		return value{}, err
	}
	v, err := b.translate(rewritten, literal)
	if exact && err == nil && v.at < 0 && sqltypes.IsDecimal(v.typ.Type()) && divides(rewritten) {
		v, err = b.exactly(rewritten, v)
	}
	v.bits = isBits(rewritten)
	var missing *Unsupported
	if errors.As(err, &missing) {
		err = &Unsupported{sqlparser.String(e)}
	}
	return v, err
}

// divides reports whether an expression of the engine has a quotient.
func divides(e sqlparser.Expr) (does bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if o, ok := n.(*sqlparser.BinaryExpr); ok && o.Operator == sqlparser.DivOp {
			does = true
		}
		return !does, nil
	}, e)
	return does
}

// quotientDigits: MySQL computes a quotient to a multiple of so many decimals.
const quotientDigits = 9

// exactly is an expression with the decimals that MySQL computes with; its type stays.
func (b *compiler) exactly(e sqlparser.Expr, v value) (value, error) {
	digits := (v.typ.Scale() + quotientDigits - 1) / quotientDigits * quotientDigits
	if digits <= v.typ.Scale() || digits > decimalDigits {
		return v, nil
	}
	zero := sqlparser.NewDecimalLiteral("0." + strings.Repeat("0", int(digits)))
	out, err := b.translate(&sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: e, Right: zero}, v.literal)
	if err != nil {
		return v, err
	}
	b.p.exact = true
	out.typ = v.typ
	return out, nil
}

// decimalDigits are the most decimals of a DECIMAL.
const decimalDigits = 30

// translate compiles an expression in which calls of ours are slots.
func (b *compiler) translate(rewritten sqlparser.Expr, literal bool) (value, error) {
	if at, ok := b.direct(rewritten); ok {
		return value{at: at, typ: b.typeAt(at), literal: literal}, nil
	}
	collation, one := b.collation(rewritten)
	if !one {
		if out := b.byBinary(rewritten); out != nil {
			return b.translate(out, literal)
		}
		return b.divided(rewritten, literal)
	}
	tree, err := evalengine.Translate(rewritten, b.config(collation))
	if err != nil {
		if unsupported(err) {
			return value{}, &Unsupported{sqlparser.String(rewritten)}
		}
		return value{}, converted(err)
	}
	typ, err := newEngine(b.p.context).TypeOf(tree)
	if err != nil {
		return value{}, converted(err)
	}
	if sqltypes.IsFloat(typ.Type()) { // the engine gives a double the scale of a decimal beside it
		typ = evalengine.NewTypeEx(typ.Type(), typ.Collation(), typ.Nullable(), typ.Size(), b.decimalsOf(rewritten), nil)
	}
	typ = b.mended(rewritten, typ)
	v := value{at: -1, tree: tree, typ: typ, literal: literal}
	if sum, ok := rewritten.(*sqlparser.BinaryExpr); ok && sqltypes.IsFloat(typ.Type()) {
		v.text = sqlparser.String(sum)
	}
	if a, ok := rewritten.(*sqlparser.Argument); ok && (sqltypes.IsIntegral(a.Type) || a.Type == sqltypes.VarChar) {
		v.param = a.Name
	}
	return v, nil
}

// replace returns the tree with a slot in the place of each call of ours, and notes whether it depends on a row.
func (b *compiler) replace(root sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	var failed error
	depth := 0
	whole := b.whole
	b.whole = false
	pre := func(n, _ sqlparser.SQLNode) bool {
		if depth++; failed == nil && depth+b.depth > MaxDepth {
			failed = newError(1436, "HY000", "an expression is nested more than %d deep", MaxDepth)
		}
		if failed != nil {
			return false
		}
		e, ok := n.(sqlparser.Expr)
		if !ok {
			return true
		}
		if _, mine, _ := recognise(e); mine {
			return false // its arguments are compiled by themselves
		}
		if _, chars := e.(*sqlparser.CharExpr); chars {
			return false
		}
		return !isConditional(e) // its parts are rewritten by themselves
	}
	post := func(c *sqlparser.CopyOnWriteCursor) {
		depth--
		if failed != nil {
			return
		}
		e, ok := c.Node().(sqlparser.Expr)
		if !ok {
			return
		}
		switch e := e.(type) {
		case *sqlparser.ColName:
			*literal = *literal && b.constant(e)
			if b.kind(e) == sqltypes.Bit && (depth > 0 || !whole) { // the engine has no such type
				var n sqlparser.Expr
				if n, failed = b.slot(e, node{function: bitNumber, args: []sqlparser.Expr{e}}, literal); failed == nil {
					c.Replace(n)
				}
				return
			}
		case *sqlparser.Argument:
			if e.Type == sqltypes.Decimal && e.Scale > 0 && (depth > 0 || !whole) { // the engine knows no digits of it
				var n sqlparser.Expr
				if n, failed = b.slot(e, node{function: parameter, args: []sqlparser.Expr{e}}, literal); failed == nil {
					c.Replace(n)
				}
				return
			}
		case *sqlparser.Subquery, *sqlparser.ExistsExpr:
			failed = &Unsupported{sqlparser.String(e)}
			return
		}
		if failed = b.mixedPattern(e); failed != nil {
			return
		}
		var out sqlparser.Expr
		out, failed = b.replaced(e, literal, depth)
		if out != nil {
			e = out
		}
		if (isIn(e) || isRegexp(e)) && failed == nil && (depth > 0 || !whole) {
			out, failed = b.slot(e, node{function: same, args: []sqlparser.Expr{e}}, literal)
		}
		if failed == nil && out != nil {
			c.Replace(out)
		}
	}
	out := sqlparser.CopyOnRewrite(root, pre, post, nil)
	if failed != nil {
		return nil, failed
	}
	return out.(sqlparser.Expr), nil
}

// isIn reports whether an expression is IN or NOT IN. As a part of another the engine would compute with it in place, and
// so change the one value that it has for all that is true or false in the process.
func isIn(e sqlparser.Expr) bool {
	c, ok := e.(*sqlparser.ComparisonExpr)
	return ok && (c.Operator == sqlparser.InOp || c.Operator == sqlparser.NotInOp)
}

// isRegexp reports whether an expression is REGEXP. As a part of another its error would be one of the engine.
func isRegexp(e sqlparser.Expr) bool {
	c, ok := e.(*sqlparser.ComparisonExpr)
	return ok && (c.Operator == sqlparser.RegexpOp || c.Operator == sqlparser.NotRegexpOp)
}

// replaced is what stands for an expression: the slot of a call of ours, a conditional with its parts replaced, a division
// whose divisor is checked. nil: it stays as it is.
func (b *compiler) replaced(e sqlparser.Expr, literal *bool, depth int) (sqlparser.Expr, error) {
	n, mine, err := recognise(e)
	if err != nil {
		return nil, err
	}
	if mine {
		return b.slot(e, n, literal)
	}
	if f, ok := e.(*sqlparser.FuncExpr); ok && b.mixesTimes(f) {
		return b.slot(e, node{function: extremes[f.Name.Lowered()], args: f.Exprs}, literal)
	}
	if c, ok := e.(*sqlparser.ComparisonExpr); ok {
		out, err := b.rowComparison(c, literal)
		if err != nil {
			return nil, err
		}
		if out != nil {
			b.depth += depth
			defer func() { b.depth -= depth }()
			return b.replace(out, literal)
		}
	}
	if c, ok := e.(*sqlparser.CharExpr); ok && c.Charset != "" {
		at, err := b.slot(c, node{function: char, args: c.Exprs}, literal)
		if err != nil || !strings.EqualFold(c.Charset, "utf8mb4") {
			return &sqlparser.ConvertUsingExpr{Expr: at, Type: c.Charset}, err
		}
		return b.slot(c, node{function: usingUTF8, args: []sqlparser.Expr{at}}, literal)
	}
	if c, ok := e.(*sqlparser.CollateExpr); ok && c.Collation != "binary" && (isBits(c.Expr) || sqltypes.IsBinary(b.kind(c.Expr)) || b.bitColumn(c.Expr) != nil) {
		return nil, newError(1253, "42000", "COLLATION '%s' is not valid for CHARACTER SET 'binary'", c.Collation)
	}
	if c, ok := e.(*sqlparser.CollateExpr); ok {
		if f, ok := c.Expr.(*sqlparser.FuncExpr); ok && (f.Name.EqualString("charset") || f.Name.EqualString("collation")) && !strings.HasPrefix(c.Collation, "utf8mb3_") {
			return nil, newError(1253, "42000", "COLLATION '%s' is not valid for CHARACTER SET 'utf8mb3'", c.Collation)
		}
		if k := b.kind(c.Expr); sqltypes.IsFloat(k) || ofRow(c.Expr) && (sqltypes.IsIntegral(k) || k == sqltypes.Year) { // as MySQL writes it
			at, err := b.slot(c.Expr, node{function: castChar(-1, false, false), args: []sqlparser.Expr{c.Expr}}, literal)
			return &sqlparser.CollateExpr{Expr: at, Collation: c.Collation}, err
		}
		if inner, mixed := c.Expr.(*sqlparser.CaseExpr); mixed { // the engine takes texts beside numbers for bytes
			at, err := b.slot(inner, node{function: same, args: []sqlparser.Expr{inner}}, literal)
			return &sqlparser.CollateExpr{Expr: at, Collation: c.Collation}, err
		}
	}
	if isConditional(e) {
		b.depth += depth
		defer func() { b.depth -= depth }()
		out, err := b.conditional(e, literal)
		if err != nil {
			return nil, err
		}
		switch e.(type) {
		case *sqlparser.ComparisonExpr, *sqlparser.BinaryExpr, *sqlparser.BetweenExpr:
			return out, nil // converted
		}
		if out, err = b.choice(out); err != nil {
			return nil, err
		}
		if converted, err := b.numeric(out); converted != nil || err != nil {
			return converted, err
		}
		return out, nil
	}
	return b.plain(e, literal)
}

// plain is what stands for an expression that computes all of its parts, which have been replaced; nil: it stays as it is.
func (b *compiler) plain(e sqlparser.Expr, literal *bool) (sqlparser.Expr, error) {
	converted, err := b.numeric(e)
	if err != nil {
		return nil, err
	}
	if converted == nil {
		if converted, err = b.compared(e); err != nil {
			return nil, err
		}
	}
	if converted == nil {
		if converted, err = b.padded(e); err != nil {
			return nil, err
		}
	}
	if converted != nil {
		e = converted
	}
	if out, err := b.repeated(e, literal); out != nil || err != nil {
		return out, err
	}
	if out, err := b.division(e, literal); out != nil || err != nil {
		return out, err
	}
	return converted, nil
}

// collation is the one that literals of an expression take: that of its columns, for the engine compares a column and a
// literal of two collations by either, where MySQL does by the column's. one is false if the columns have several.
func (b *compiler) collation(e sqlparser.Expr) (of collations.ID, one bool) {
	of, one = b.p.context.Collation, true
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, explicit := n.(*sqlparser.CollateExpr); explicit {
			return false, nil
		}
		if is, ok := n.(*sqlparser.IsExpr); ok {
			if _, column := is.Left.(*sqlparser.ColName); column {
				return false, nil // it compares no texts
			}
		}
		name, ok := n.(*sqlparser.ColName)
		if !ok {
			return one, nil
		}
		at, err := b.find(name)
		if err != nil {
			return one, nil
		}
		t := b.typeAt(at)
		if !hasNames(t) || b.coercible(at) {
			return one, nil
		}
		one = one && (!found || of == t.Collation())
		of, found = t.Collation(), true
		return one, nil
	}, e)
	return of, one
}

// coercible reports whether a position of the row is a slot, or a column, whose text, as that of a literal, takes the collation
// of what it is compared with.
func (b *compiler) coercible(at int) bool {
	n := len(b.columns.Types)
	if at < n {
		return b.columns.Yields != nil && b.columns.Yields(at)
	}
	return b.p.steps[at-n].once || !b.p.steps[at-n].column
}

// divided compiles a logical expression whose columns have several collations: each side by itself.
func (b *compiler) divided(e sqlparser.Expr, literal bool) (value, error) {
	sides := func(l, r sqlparser.Expr) (a, c sqlparser.Expr, err error) {
		if a, err = b.side(l); err == nil {
			c, err = b.side(r)
		}
		return a, c, err
	}
	var err error
	switch n := e.(type) {
	case *sqlparser.AndExpr:
		and := &sqlparser.AndExpr{}
		and.Left, and.Right, err = sides(n.Left, n.Right)
		e = and
	case *sqlparser.OrExpr:
		or := &sqlparser.OrExpr{}
		or.Left, or.Right, err = sides(n.Left, n.Right)
		e = or
	case *sqlparser.XorExpr:
		xor := &sqlparser.XorExpr{}
		xor.Left, xor.Right, err = sides(n.Left, n.Right)
		e = xor
	case *sqlparser.NotExpr:
		not := &sqlparser.NotExpr{}
		not.Expr, err = b.side(n.Expr)
		e = not
	default:
		if c, ok := e.(*sqlparser.ComparisonExpr); ok {
			if err := b.mixed(c.Operator.ToString(), c.Left, c.Right); err != nil {
				return value{}, err
			}
		}
		return value{}, &Unsupported{"texts of several collations"}
	}
	if err != nil {
		return value{}, err
	}
	v, err := b.compile(e)
	v.literal = v.literal && literal
	return v, err
}

// truth is a side of a logical expression as a slot: true, false or NULL.
var truth = &Function{Name: "\x00TRUTH", Min: 1, Max: 1, Nulls: true, Type: integerType, Eval: func(c *Call) (Value, error) {
	if c.IsNull(0) {
		return Null, nil
	}
	return Bool(Truth(c.Args[0], c.Context)), nil
}}

func (b *compiler) side(e sqlparser.Expr) (sqlparser.Expr, error) {
	at, _, err := b.step(e, node{function: truth, args: []sqlparser.Expr{e}})
	if err != nil {
		return nil, err
	}
	return slot(at), nil
}

// slot is the name of a position behind the columns.
func slot(at int) *sqlparser.ColName {
	return sqlparser.NewColNameWithQualifier(fmt.Sprint(at), sqlparser.TableName{Name: sqlparser.NewIdentifierCS(slotName)})
}

// direct is the position in the row of an expression that is just a column or slot.
func (b *compiler) direct(e sqlparser.Expr) (int, bool) {
	c, ok := e.(*sqlparser.ColName)
	if !ok {
		return 0, false
	}
	at, err := b.find(c)
	return at, err == nil
}

func (b *compiler) find(c *sqlparser.ColName) (int, error) {
	if c.Qualifier.Name.String() == slotName {
		at := 0
		_, err := fmt.Sscan(c.Name.String(), &at)
		return at, err
	}
	if b.columns.Find == nil {
		return 0, newError(1054, "42S22", "Unknown column '%s' in 'field list'", sqlparser.String(c))
	}
	return b.columns.Find(c)
}

func (b *compiler) typeAt(at int) Type {
	if n := len(b.columns.Types); at >= n {
		return b.p.slots[at-n]
	}
	return b.columns.Types[at]
}

func (b *compiler) config(collation collations.ID) *evalengine.Config {
	c := b.p.context
	return &evalengine.Config{
		Collation: collation, Environment: environment, SQLMode: evalengine.ParseSQLMode(c.SQLMode),
		ResolveColumn: b.find,
		ResolveType: func(e sqlparser.Expr) (Type, bool) {
			name, ok := e.(*sqlparser.ColName)
			if !ok {
				return Type{}, false
			}
			at, err := b.find(name)
			if err != nil {
				return Type{}, false
			}
			t := b.typeAt(at)
			if isNullText(t) {
				return textType(nil, c), true
			}
			if b.coercible(at) && sqltypes.IsText(t.Type()) && t.Collation() == c.Collation {
				t = evalengine.NewTypeEx(t.Type(), collation, t.Nullable(), t.Size(), t.Scale(), nil) // coercible, as a literal
			}
			return t, true
		},
		NoConstantFolding: true, // its environment is another than the session's
	}
}

// NullType is the type of NULL.
func NullType() Type {
	return evalengine.NewTypeEx(sqltypes.Null, collations.CollationBinaryID, true, 0, 0, nil)
}
