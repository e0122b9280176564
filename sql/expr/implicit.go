package expr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Implicit conversions of text to numbers. The engine converts without a word; MySQL warns of what is cut off (1292). So
// a text where a number is needed becomes a slot, computed by number.

// number is a text as a double.
var number = &Function{Name: "\x00NUMBER", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) { return Double(c.Float(0)), nil }}

// comparedNumber is a text that is compared with numbers.
var comparedNumber = &Function{Name: "\x00COMPARED", Min: 1, Max: 1, Type: doubleType, Eval: number.Eval}

// bitNumber is a BIT as a number.
var bitNumber = &Function{Name: "\x00BIT", Min: 1, Max: 1, Type: func(args []Type, _ *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Uint64, collations.CollationBinaryID, args[0].Nullable(), 0, 0, nil)
}, Eval: func(c *Call) (Value, error) {
	n := uint64(0)
	for _, b := range c.Args[0].Raw() {
		n = n<<8 | uint64(b)
	}
	return sqltypes.NewUint64(n), nil
}}

// bits is a text as the 64 bits of a whole number, to which it is rounded; count is one that a shift is by.
var (
	bits  = &Function{Name: "\x00BITS", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.roundedBits(0)), nil }}
	count = &Function{Name: "\x00COUNT", Min: 1, Max: 1, Type: unsignedType, Eval: func(c *Call) (Value, error) { return Uint(c.Bits(0)), nil }}
)

// numeric replaces the texts of an expression that needs numbers; nil: there are none.
func (b *compiler) numeric(e sqlparser.Expr) (sqlparser.Expr, error) {
	if out, err := b.typed(e); out != nil || err != nil {
		return out, err
	}
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		to, ok := operands[e.Operator]
		if !ok {
			return nil, nil
		}
		second, left, right := to, b.isText(e.Left), b.isText(e.Right)
		if to == bits { // of two binary texts the bits of their bytes
			left, right = left && !sqltypes.IsBinary(b.kind(e.Left)), right && !sqltypes.IsBinary(b.kind(e.Right))
		}
		if e.Operator == sqlparser.ShiftLeftOp || e.Operator == sqlparser.ShiftRightOp {
			second = count
		}
		return b.sidesTo(e.Left, e.Right, to, second, left, right, func(l, r sqlparser.Expr) sqlparser.Expr {
			return &sqlparser.BinaryExpr{Operator: e.Operator, Left: l, Right: r}
		})
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok && b.isNumber(e.Left) {
			out, changed, err := b.asNumbers(list...)
			return orNil(&sqlparser.ComparisonExpr{Operator: e.Operator, Left: e.Left, Right: sqlparser.ValTuple(out)}, changed), err
		} else if ok && b.isText(e.Left) {
			return b.amongMixed(e, list)
		}
		if _, plain := comparisons[e.Operator]; plain {
			l, r := b.isText(e.Left), b.isText(e.Right)
			return b.sides(e.Left, e.Right, comparedNumber, l && b.isNumber(e.Right), r && b.isNumber(e.Left), func(l, r sqlparser.Expr) sqlparser.Expr {
				return &sqlparser.ComparisonExpr{Operator: e.Operator, Left: l, Right: r}
			})
		}
	case *sqlparser.BetweenExpr:
		if !b.isNumber(e.Left) && (!b.isText(e.Left) || !b.isNumber(e.From) && !b.isNumber(e.To)) {
			return nil, nil
		}
		out, changed, err := b.asNumbers(e.Left, e.From, e.To)
		if !changed || err != nil {
			return nil, err
		}
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: out[0], From: out[1], To: out[2]}, nil
	case *sqlparser.UnaryExpr:
		to := map[sqlparser.UnaryExprOperator]*Function{sqlparser.UMinusOp: number, sqlparser.BangOp: number, sqlparser.TildaOp: bits}[e.Operator]
		if to != nil && b.isText(e.Expr) && (to != bits || !sqltypes.IsBinary(b.kind(e.Expr))) {
			inner, err := b.as(to, e.Expr)
			return &sqlparser.UnaryExpr{Operator: e.Operator, Expr: inner}, err
		}
	case *sqlparser.NotExpr:
		if b.isText(e.Expr) {
			inner, err := b.as(number, e.Expr)
			return &sqlparser.NotExpr{Expr: inner}, err
		}
	case *sqlparser.IsExpr:
		if e.Right != sqlparser.IsNullOp && e.Right != sqlparser.IsNotNullOp && b.isText(e.Left) {
			inner, err := b.as(number, e.Left)
			return &sqlparser.IsExpr{Left: inner, Right: e.Right}, err
		}
	case *sqlparser.XorExpr:
		return b.sides(e.Left, e.Right, number, b.isText(e.Left), b.isText(e.Right), func(l, r sqlparser.Expr) sqlparser.Expr { return &sqlparser.XorExpr{Left: l, Right: r} })
	}
	return nil, nil
}

// operands are what operators convert texts to.
var operands = map[sqlparser.BinaryExprOperator]*Function{
	sqlparser.PlusOp: number, sqlparser.MinusOp: number, sqlparser.MultOp: number, sqlparser.DivOp: number, sqlparser.IntDivOp: number,
	sqlparser.BitAndOp: bits, sqlparser.BitOrOp: bits, sqlparser.BitXorOp: bits, sqlparser.ShiftLeftOp: bits, sqlparser.ShiftRightOp: bits,
}

// condition is an expression that is asked for its truth: a text is a number.
func (b *compiler) condition(e sqlparser.Expr) (sqlparser.Expr, error) {
	if !b.isText(e) && !isBits(e) {
		return e, nil
	}
	return b.as(number, e)
}

// comparisons are those of two values.
var comparisons = map[sqlparser.ComparisonExprOperator]struct{}{
	sqlparser.EqualOp: {}, sqlparser.NotEqualOp: {}, sqlparser.NullSafeEqualOp: {}, sqlparser.LessThanOp: {},
	sqlparser.LessEqualOp: {}, sqlparser.GreaterThanOp: {}, sqlparser.GreaterEqualOp: {},
}

// sides replaces one or both sides; nil: neither.
func (b *compiler) sides(l, r sqlparser.Expr, to *Function, left, right bool, with func(l, r sqlparser.Expr) sqlparser.Expr) (sqlparser.Expr, error) {
	return b.sidesTo(l, r, to, to, left, right, with)
}

// sidesTo is sides by a function for each.
func (b *compiler) sidesTo(l, r sqlparser.Expr, to, second *Function, left, right bool, with func(l, r sqlparser.Expr) sqlparser.Expr) (_ sqlparser.Expr, err error) {
	if !left && !right {
		return nil, nil
	}
	if left {
		if l, err = b.as(to, l); err != nil {
			return nil, err
		}
	}
	if right {
		if r, err = b.as(second, r); err != nil {
			return nil, err
		}
	}
	return with(l, r), nil
}

// asNumbers replaces the texts of a list.
func (b *compiler) asNumbers(list ...sqlparser.Expr) (out []sqlparser.Expr, changed bool, err error) {
	for _, e := range list {
		if b.isText(e) {
			if e, err = b.as(comparedNumber, e); err != nil {
				return nil, false, err
			}
			changed = true
		}
		out = append(out, e)
	}
	return out, changed, nil
}

// amongMixed is IN of a text and a list with numbers, each of which is compared in its own way: the text is compared as a
// number with the numbers.
func (b *compiler) amongMixed(e *sqlparser.ComparisonExpr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	var numbers, others sqlparser.ValTuple
	for _, v := range list {
		if b.isNumber(v) {
			numbers = append(numbers, v)
		} else {
			others = append(others, v)
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	left, err := b.as(comparedNumber, e.Left)
	if err != nil {
		return nil, err
	}
	among, err := b.among(left, numbers)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		texts, err := b.among(e.Left, others)
		if err != nil {
			return nil, err
		}
		among = &sqlparser.OrExpr{Left: texts, Right: among}
	}
	if e.Operator == sqlparser.NotInOp {
		return &sqlparser.NotExpr{Expr: among}, nil
	}
	return among, nil
}

// among is IN as a slot.
func (b *compiler) among(value sqlparser.Expr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	in := &sqlparser.ComparisonExpr{Operator: sqlparser.InOp, Left: value, Right: list}
	at, _, err := b.step(in, node{function: same, args: []sqlparser.Expr{in}})
	return slot(at), err
}

// as is a slot with an expression that a function converts.
func (b *compiler) as(f *Function, e sqlparser.Expr) (sqlparser.Expr, error) {
	if k := b.kind(e); k == sqltypes.Enum || k == sqltypes.Set {
		f = memberNumber
	}
	at, _, err := b.step(e, node{function: f, args: []sqlparser.Expr{e}})
	if err != nil {
		return nil, err
	}
	return slot(at), nil
}

func (b *compiler) isText(e sqlparser.Expr) bool {
	k := b.kind(e)
	return sqltypes.IsText(k) || sqltypes.IsBinary(k) || k == sqltypes.Enum || k == sqltypes.Set
}

func (b *compiler) isNumber(e sqlparser.Expr) bool {
	t := b.kind(e)
	return (sqltypes.IsIntegral(t) || sqltypes.IsFloat(t) || sqltypes.IsDecimal(t)) && t != sqltypes.Year
}

// kind is the type of an expression in which calls of ours are slots; Null if the engine does not compute it.
func (b *compiler) kind(e sqlparser.Expr) sqltypes.Type {
	switch e := e.(type) {
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.StrVal:
			return sqltypes.VarChar
		case sqlparser.IntVal:
			return sqltypes.Int64
		case sqlparser.DecimalVal:
			return sqltypes.Decimal
		case sqlparser.FloatVal:
			return sqltypes.Float64
		case sqlparser.DateVal:
			return sqltypes.Date
		case sqlparser.TimeVal:
			return sqltypes.Time
		case sqlparser.TimestampVal:
			return sqltypes.Datetime
		}
		return sqltypes.Null
	case *sqlparser.Argument:
		return e.Type
	case *sqlparser.ColName:
		at, err := b.find(e)
		if err != nil {
			return sqltypes.Null
		}
		t := b.typeAt(at)
		return t.Type()
	case sqlparser.BoolVal, *sqlparser.ComparisonExpr, *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr, *sqlparser.NotExpr, *sqlparser.IsExpr, *sqlparser.BetweenExpr:
		return sqltypes.Int64
	case *sqlparser.NullVal, sqlparser.ValTuple, *sqlparser.Subquery:
		return sqltypes.Null
	}
	tree, err := evalengine.Translate(e, b.config(b.p.context.Collation))
	if err != nil {
		return sqltypes.Null
	}
	t, err := newEngine(b.p.context).TypeOf(tree)
	if err != nil {
		return sqltypes.Null
	}
	return t.Type()
}

// century is a number beside a YEAR: 24 is 2024, 99 is 1999.
var century = &Function{Name: "\x00CENTURY", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) {
	n := c.Float(0)
	switch whole := math.Round(n); {
	case whole >= 1 && whole <= 69:
		n = whole + 2000
	case whole >= 70 && whole <= 99:
		n = whole + 1900
	}
	return Double(n), nil
}}

// moment, instant (of a text) and span are constants beside a column of that type, which are compared as values of it.
var (
	moment = &Function{Name: "\x00DATETIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Datetime, 6) }, Eval: func(c *Call) (Value, error) {
		quiet := *c
		quiet.Context = &Context{Now: c.Now, Zone: c.Zone, SQLMode: c.SQLMode}
		p, ok := quiet.date(0, c.storedRules()&^zeroParts)
		if n := c.Float(0); !ok || n != 0 && n < 101 {
			if n < 0 || n >= 1 {
				c.Warn(1292, fmt.Sprintf("Truncated incorrect datetime value: '%s'", shorten(c.Str(0))))
			}
			return c.Bytes([]byte(beyondDates(n))), nil
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
	instant = &Function{Name: "\x00MOMENT", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Datetime, 6) }, Eval: func(c *Call) (Value, error) {
		if v := c.Args[0]; v.Type() == sqltypes.Time { // of the present day
			p, ok := c.today(v)
			if !ok {
				return Null, nil
			}
			return c.temporalValue(p.temporal, 6), nil
		}
		p, ok := parseDateTime(c.plain(0), zeroParts)
		if ok = ok && p.atOffset(c.zone()); !ok || p.cut {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect datetime value: '%s'", shorten(c.Str(0))))
		}
		if !ok {
			return c.Bytes([]byte("0000-00-00 00:00:00.000000")), nil // what is no date is beside dates as none
		}
		if p.kind = aDateTime; !p.zeroDate() && (p.month == 0 || p.day == 0) { // between two dates
			return c.Bytes([]byte(beyondDates(float64(p.year*10_000 + p.month*100 + p.day)))), nil
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
	span = &Function{Name: "\x00TIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Time, 6) }, Eval: func(c *Call) (Value, error) {
		if strings.TrimSpace(c.Str(0)) == "" {
			if sqltypes.IsText(c.Args[0].Type()) {
				c.Warn(1292, fmt.Sprintf("Truncated incorrect time value: '%s'", shorten(c.Str(0))))
			}
			return c.temporalValue(temporal{kind: aTime}, 6), nil
		}
		if !c.Args[0].IsQuoted() {
			if n := c.Float(0); math.Abs(n) >= 8_390_000 { // beyond every time
				c.Warn(1292, fmt.Sprintf("Truncated incorrect time value: '%s'", shorten(c.Str(0))))
				return c.Bytes([]byte(beyondTimes(n))), nil
			}
		}
		p, ok := c.time(0)
		if !ok {
			return c.temporalValue(temporal{kind: aTime}, 6), nil // as MariaDB: what is no time is none, after a warning
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
)

// asDateTime and asTime are values beside a date or time that is no column; what is none is that of 0.
var (
	asDateTime = &Function{Name: "\x00DATETIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Datetime, 6) }, Eval: func(c *Call) (Value, error) {
		p, ok := c.date(0, c.storedRules()&^noZeroDate)
		if !ok || p.zeroDate() {
			p.temporal = temporal{month: 1, day: 1} // no date is less; the engine has none of month 0
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
	asTime = &Function{Name: "\x00TIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Time, 6) }, Eval: func(c *Call) (Value, error) {
		p, ok := c.time(0)
		if !ok {
			p.temporal = temporal{kind: aTime}
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
)

// beyondTimes is more than every time, or less.
func beyondTimes(n float64) string {
	if n < 0 {
		return "-838:59:59.999999"
	}
	return "838:59:59.999999"
}

// beyondDates is the last time before a number that is no date, or the first date: dates are beside it as their numbers are
// beside it.
func beyondDates(n float64) string {
	if n >= 1e8 {
		n = math.Floor(n / 1e6) // with a time
	}
	day := int64(min(n, 99_999_999))
	year, month := day/10_000, day/100%100
	if day%100 == 0 && month > 0 {
		month--
	}
	switch {
	case day < 101:
		return "0000-01-01 00:00:00.000000"
	case day < 700_000:
		year += 2000
	case day < 1_000_000:
		year += 1900
	}
	switch {
	case year > 9999:
		year, month = 9999, 12
	case month == 0:
		year, month = year-1, 12
	}
	month = min(month, 12)
	return fmt.Sprintf("%04d-%02d-%02d 23:59:59.999999", year, month, daysIn(int(year), int(month)))
}

// ofRow reports whether an expression is a column of the row, not a slot.
func ofRow(e sqlparser.Expr) bool {
	c, ok := e.(*sqlparser.ColName)
	return ok && c.Qualifier.Name.String() != slotName
}

// beside is the conversion of a constant that is compared with a value of another type; nil: the engine's is MySQL's.
func (b *compiler) beside(value, constant sqlparser.Expr) *Function {
	other := b.isNumber(constant) || b.isText(constant) || sqltypes.IsBinary(b.kind(constant))
	if other && !ofRow(value) && !ofRow(constant) {
		switch b.kind(value) {
		case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp:
			return asDateTime
		case sqltypes.Time:
			return asTime
		}
	}
	k := b.kind(value)
	switch c := constant.(type) {
	case *sqlparser.Literal:
		if isBits(c) && (k == sqltypes.Date || k == sqltypes.Datetime || k == sqltypes.Timestamp) {
			return instant
		}
	case *sqlparser.Argument, sqlparser.BoolVal:
	case *sqlparser.ColName:
		if b.constant(c) {
			break // a slot, as of a variable, may be one
		}
		if t := b.kind(c); k == sqltypes.Time && (sqltypes.IsText(t) || sqltypes.IsBinary(t)) {
			return span
		} else if (b.isNumber(c) || t == sqltypes.Time || sqltypes.IsText(t) || sqltypes.IsBinary(t)) && (k == sqltypes.Date || k == sqltypes.Datetime || k == sqltypes.Timestamp) {
			break
		}
		return nil
	case *sqlparser.UnaryExpr:
		if _, ok := c.Expr.(*sqlparser.Literal); !ok {
			return nil
		}
	default:
		return nil
	}
	switch k {
	case sqltypes.Year:
		if b.isNumber(constant) || b.isText(constant) {
			return century
		}
	case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp:
		if b.isNumber(constant) {
			return moment
		}
		if b.isText(constant) || b.kind(constant) == sqltypes.Time {
			return instant
		}
	case sqltypes.Time:
		if b.isNumber(constant) || b.isText(constant) || sqltypes.IsBinary(b.kind(constant)) {
			return span
		}
	}
	return nil
}

// typed replaces constants that are compared with a YEAR, date or time; nil: there are none.
func (b *compiler) typed(e sqlparser.Expr) (sqlparser.Expr, error) {
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		out, changed := *e, false
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			return b.typedIn(e, list)
		}
		if _, plain := comparisons[e.Operator]; !plain {
			return nil, nil
		}
		right, r, err := b.oneTyped(e.Left, e.Right)
		if err != nil {
			return nil, err
		}
		left, l, err := b.oneTyped(e.Right, e.Left)
		out.Left, out.Right, changed = left, right, l || r
		return orNil(&out, changed), err
	case *sqlparser.BetweenExpr:
		for _, end := range []sqlparser.Expr{e.From, e.To} {
			if f := b.beside(end, e.Left); f == asDateTime || f == asTime {
				list, _, err := b.allTyped(end, e.Left, e.From, e.To)
				return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: list[0], From: list[1], To: list[2]}, err
			}
		}
		ends, changed, err := b.allTyped(e.Left, e.From, e.To)
		if !changed || err != nil {
			return nil, err
		}
		return &sqlparser.BetweenExpr{IsBetween: e.IsBetween, Left: e.Left, From: ends[0], To: ends[1]}, nil
	}
	return nil, nil
}

// typedIn is IN with dates or times on either side.
func (b *compiler) typedIn(e *sqlparser.ComparisonExpr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	times := func(item sqlparser.Expr) bool {
		f := b.beside(item, e.Left)
		return f == asDateTime || f == asTime
	}
	if !slices.ContainsFunc(list, times) {
		right, changed, err := b.allTyped(e.Left, list...)
		return orNil(&sqlparser.ComparisonExpr{Operator: e.Operator, Left: e.Left, Right: sqlparser.ValTuple(right)}, changed), err
	}
	var out sqlparser.Expr
	for _, item := range list {
		one, err := b.equals(e.Left, item)
		if err != nil {
			return nil, err
		}
		out = orWith(out, one)
	}
	if e.Operator == sqlparser.NotInOp {
		out = &sqlparser.NotExpr{Expr: out}
	}
	return out, nil
}

func orNil(e sqlparser.Expr, changed bool) sqlparser.Expr {
	if !changed {
		return nil
	}
	return e
}

func (b *compiler) allTyped(value sqlparser.Expr, list ...sqlparser.Expr) (out []sqlparser.Expr, changed bool, err error) {
	for _, e := range list {
		e, one, err := b.oneTyped(value, e)
		if err != nil {
			return nil, false, err
		}
		out, changed = append(out, e), changed || one
	}
	return out, changed, nil
}

func (b *compiler) oneTyped(value, constant sqlparser.Expr) (_ sqlparser.Expr, changed bool, err error) {
	f := b.beside(value, constant)
	if f == nil {
		return constant, false, nil
	}
	at, _, err := b.step(constant, node{function: f, args: []sqlparser.Expr{constant}})
	return slot(at), true, err
}

// mixesTimes reports whether an expression is GREATEST or LEAST of dates or times beside other types: the engine compares
// them as texts.
func (b *compiler) mixesTimes(f *sqlparser.FuncExpr) bool {
	if !f.Name.EqualString("greatest") && !f.Name.EqualString("least") {
		return false
	}
	times, kinds := false, map[sqltypes.Type]bool{}
	for _, a := range f.Exprs {
		k := b.kind(a)
		times, kinds[k] = times || sqltypes.IsDateOrTime(k), true
	}
	return times && len(kinds) > 1
}
