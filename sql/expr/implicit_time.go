package expr

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Implicit conversions beside dates and times.

// century is a number beside a YEAR: 24 is 2024, 99 is 1999.
var century = &Function{Name: "\x00CENTURY", Min: 1, Max: 1, Type: doubleType, Eval: func(c *Call) (Value, error) {
	n := c.Float(0)
	switch whole := math.Round(n); {
	case whole == 0 && c.isYearText(0):
		n = 2000
	case whole >= 1 && whole <= 69:
		n = whole + 2000
	case whole >= 70 && whole <= 99:
		n = whole + 1900
	}
	return Double(n), nil
}}

// isYearText reports whether an argument is a text of up to three digits, so a year of this century if it is 0.
func (c *Call) isYearText(i int) bool {
	s := c.Str(i)
	return isText(c.Args[i].Type()) && s != "" && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// moment, instant (of a text) and span are constants beside a column of that type, which are compared as values of it.
var (
	moment = &Function{Name: "\x00DATETIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Datetime, 6) }, Eval: func(c *Call) (Value, error) {
		quiet := *c
		quiet.Context = &Context{Now: c.Now, Zone: c.Zone, SQLMode: c.SQLMode}
		p, ok := quiet.date(0, c.storedRules()&^zeroParts|invalidDays)
		n := c.Float(0)
		if n == 0 {
			return c.Bytes([]byte(zeroMoment)), nil
		}
		if !ok || n < 101 {
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
		p, ok := parseDateTime(c.plain(0), zeroParts|invalidDays) // any day is beside dates where it is
		if ok = ok && p.atOffset(c.zone()); !ok || p.cut {
			c.Warn(1292, fmt.Sprintf("Truncated incorrect datetime value: '%s'", shorten(c.Str(0))))
		}
		if !ok {
			return c.Bytes([]byte(zeroMoment)), nil // what is no date is beside dates as none
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
		p, ok := c.time(0)
		if (!ok || p.over) && !c.Args[0].IsQuoted() {
			if n := c.Float(0); math.Abs(n) >= 8_390_000 { // beyond every time
				return c.Bytes([]byte(beyondTimes(n))), nil
			}
		}
		if !ok {
			return c.temporalValue(temporal{kind: aTime}, 6), nil // as MariaDB: what is no time is none, after a warning
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
)

// asDateTime and asTime are values beside a date or time that is no column; what is none is that of 0.
var (
	asDateTime = &Function{Name: "\x00DATETIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Datetime, 6) }, Eval: func(c *Call) (Value, error) {
		reading := *c
		if sqltypes.IsNumber(c.Args[0].Type()) && c.Strict { // MySQL compares numbers, of which none is refused
			reading.Context = &Context{Now: c.Now, Zone: c.Zone, SQLMode: c.SQLMode}
		}
		p, ok := reading.date(0, zeroParts|invalidDays)
		switch {
		case !ok || p.zeroDate():
			return c.Bytes([]byte(zeroMoment)), nil
		case !dateRules(0).accepts(&p.temporal): // between two dates
			return c.Bytes([]byte(beyondDates(float64(p.year*10_000 + p.month*100 + p.day)))), nil
		}
		return c.temporalValue(p.temporal, 6), nil
	}}
	asTime = &Function{Name: "\x00TIME", Min: 1, Max: 1, Type: func([]Type, *Context) Type { return temporalType(sqltypes.Time, 6) }, Eval: func(c *Call) (Value, error) {
		p, ok := c.time(0)
		switch {
		case !ok:
			p.temporal = temporal{kind: aTime}
		case p.cut && p.hour == maxHour && p.minute == 59 && p.second == 59 && !isTemporal(c.Args[0]):
			return c.Bytes([]byte(beyondTimes(c.Float(0)))), nil // it was longer
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

// zeroMoment is the zero date; beforeDates is a text that is less than every date.
const (
	zeroMoment  = "0000-00-00 00:00:00.000000"
	beforeDates = "-000-00-00 00:00:00.000000"
)

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
	case n < 0:
		return beforeDates
	case day < 101: // more than the zero date
		return "0000-01-01 00:00:00.000000"
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
		switch {
		case isBits(c) && isMoment(k):
			return instant
		case isBits(c) && k == sqltypes.Time:
			return span
		}
	case *sqlparser.Argument, sqlparser.BoolVal:
	case *sqlparser.ColName:
		if b.constant(c) {
			break // a slot, as of a variable, may be one
		}
		if k == sqltypes.Time && b.isText(c) {
			return span
		} else if (b.kind(c) == sqltypes.Time || b.isText(c)) && isMoment(k) {
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
	case sqltypes.Int64, sqltypes.Uint64:
		if ofRow(value) && b.isText(constant) {
			return exactNumber
		}
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
			if b.decides(end, e.Left) {
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

// decides reports whether an end of BETWEEN, or an item of IN, makes dates or times of what is compared with it.
func (b *compiler) decides(item, value sqlparser.Expr) bool {
	switch b.beside(item, value) {
	case asDateTime, asTime:
		return true
	case instant:
		return b.isText(value)
	}
	return false
}

// typedIn is IN with dates or times on either side.
func (b *compiler) typedIn(e *sqlparser.ComparisonExpr, list sqlparser.ValTuple) (sqlparser.Expr, error) {
	if !slices.ContainsFunc(list, func(item sqlparser.Expr) bool { return b.decides(item, e.Left) }) {
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

// moments are comparisons of two dates, or dates with time, by their texts: the engine takes the zero date for the present day.
var moments = map[sqlparser.ComparisonExprOperator]*Function{
	sqlparser.EqualOp:         momentsBy("=", func(by int) bool { return by == 0 }),
	sqlparser.NotEqualOp:      momentsBy("<>", func(by int) bool { return by != 0 }),
	sqlparser.LessThanOp:      momentsBy("<", func(by int) bool { return by < 0 }),
	sqlparser.LessEqualOp:     momentsBy("<=", func(by int) bool { return by <= 0 }),
	sqlparser.GreaterThanOp:   momentsBy(">", func(by int) bool { return by > 0 }),
	sqlparser.GreaterEqualOp:  momentsBy(">=", func(by int) bool { return by >= 0 }),
	sqlparser.NullSafeEqualOp: sameMoment,
}

func momentsBy(name string, is func(by int) bool) *Function {
	return &Function{Name: name, Min: 2, Max: 2, Type: integerType, Convert: asItIs, Eval: func(c *Call) (Value, error) {
		return Bool(is(compareMoments(c.Args[0].Raw(), c.Args[1].Raw()))), nil
	}}
}

var sameMoment = &Function{Name: "<=>", Min: 2, Max: 2, Type: integerType, Nulls: true, Eval: func(c *Call) (Value, error) {
	if c.IsNull(0) || c.IsNull(1) {
		return Bool(c.IsNull(0) && c.IsNull(1)), nil
	}
	return Bool(compareMoments(c.Args[0].Raw(), c.Args[1].Raw()) == 0), nil
}}

// amongMoments is BETWEEN of dates; NULL at an end leaves it open.
var amongMoments = &Function{Name: "BETWEEN", Min: 3, Max: 3, Type: integerType, Nulls: true, Eval: func(c *Call) (Value, error) {
	if c.IsNull(0) || c.IsNull(1) && c.IsNull(2) {
		return Null, nil
	}
	from := c.IsNull(1) || compareMoments(c.Args[1].Raw(), c.Args[0].Raw()) <= 0
	to := c.IsNull(2) || compareMoments(c.Args[0].Raw(), c.Args[2].Raw()) <= 0
	if (c.IsNull(1) || c.IsNull(2)) && from && to {
		return Null, nil
	}
	return Bool(from && to), nil
}}

// anyMoment is IN of dates.
var anyMoment = &Function{Name: "IN", Min: 2, Max: -1, Type: integerType, Nulls: true, Eval: func(c *Call) (Value, error) {
	if c.IsNull(0) {
		return Null, nil
	}
	unknown := false
	for i := 1; i < len(c.Args); i++ {
		if c.IsNull(i) {
			unknown = true
		} else if compareMoments(c.Args[0].Raw(), c.Args[i].Raw()) == 0 {
			return Bool(true), nil
		}
	}
	if unknown {
		return Null, nil
	}
	return Bool(false), nil
}}

// compareMoments compares the texts of two dates, of which one may have a time where the other has none.
func compareMoments(a, b []byte) int {
	n := min(len(a), len(b))
	if by := bytes.Compare(a[:n], b[:n]); by != 0 {
		return by
	}
	hasTime := func(rest []byte) int { return b2i(bytes.ContainsAny(rest, "123456789")) }
	return hasTime(a[n:]) - hasTime(b[n:])
}

// moments is a comparison of dates by their texts; nil: it compares others.
func (b *compiler) moments(e sqlparser.Expr) (sqlparser.Expr, error) {
	dates := func(list ...sqlparser.Expr) bool {
		return !slices.ContainsFunc(list, func(v sqlparser.Expr) bool {
			_, null := v.(*sqlparser.NullVal)
			return !null && !isMoment(b.kind(v))
		})
	}
	var n node
	not := false
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		if f := moments[e.Operator]; f != nil && dates(e.Left, e.Right) {
			n = node{function: f, args: []sqlparser.Expr{e.Left, e.Right}}
		}
		if list, ok := e.Right.(sqlparser.ValTuple); ok && isIn(e) && dates(e.Left) && dates(list...) {
			n, not = node{function: anyMoment, args: append([]sqlparser.Expr{e.Left}, list...)}, e.Operator == sqlparser.NotInOp
		}
	case *sqlparser.BetweenExpr:
		if dates(e.Left, e.From, e.To) {
			n, not = node{function: amongMoments, args: []sqlparser.Expr{e.Left, e.From, e.To}}, !e.IsBetween
		}
	}
	if n.function == nil {
		return nil, nil
	}
	at, _, err := b.step(e, n)
	if err != nil {
		return nil, err
	}
	if not {
		return &sqlparser.NotExpr{Expr: slot(at)}, nil
	}
	return slot(at), nil
}

// isMoment reports whether values of a type are dates, or dates with time.
func isMoment(k sqltypes.Type) bool {
	return k == sqltypes.Date || k == sqltypes.Datetime || k == sqltypes.Timestamp
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
