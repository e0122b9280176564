package foreign

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/dialect"
)

// Answers of several sources to parts of one SELECT become one: rows that each source has sorted
// are sorted together, groups are added up. All that is compared here are numbers and times:
// texts have an order of their source's, so a query that needs it is for the engine.

// join makes the client's rows of all sources' rows.
func (p *Plan) join(a *Answer) {
	if p.partial == nil {
		return
	}
	visible := len(a.Fields) - p.partial.Hidden
	if p.partial.Outputs != nil {
		visible = len(p.partial.Outputs)
		p.group(a)
	}
	if len(p.partial.Order) > 0 {
		p.sort(a, visible)
	}
	if skip := min(p.partial.Skip, int64(len(a.Rows))); skip > 0 {
		a.Rows = a.Rows[skip:]
	}
	if most := p.partial.Most; most >= 0 && most < int64(len(a.Rows)) {
		a.Rows = a.Rows[:most]
	}
	if visible < len(a.Fields) {
		a.Fields = a.Fields[:visible]
		for i := range a.Rows {
			a.Rows[i] = a.Rows[i][:visible]
		}
	}
}

func (p *Plan) sort(a *Answer, visible int) {
	slices.SortStableFunc(a.Rows, func(x, y []sqltypes.Value) int {
		for _, o := range p.partial.Order {
			at := o.Column
			if at < 0 {
				at = visible - 1 - at
			}
			c := compare(a.Fields[at].Type, x[at], y[at])
			if o.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// compare compares two values of one type: NULL is the least.
func compare(t querypb.Type, x, y sqltypes.Value) int {
	switch {
	case x.IsNull() && y.IsNull():
		return 0
	case x.IsNull():
		return -1
	case y.IsNull():
		return 1
	case sqltypes.IsIntegral(t), t == sqltypes.Decimal, sqltypes.IsFloat(t):
		a, ok := rat(x)
		b, ok2 := rat(y)
		if ok && ok2 {
			return a.Cmp(b)
		}
	case t == sqltypes.Time:
		return compareTimes(x.ToString(), y.ToString())
	}
	return bytes.Compare(x.Raw(), y.Raw())
}

// compareTimes compares times of day or spans: -838:59:59 to 838:59:59.
func compareTimes(x, y string) int {
	value := func(s string) *big.Rat {
		digits, negative := strings.CutPrefix(s, "-")
		out := new(big.Rat)
		for _, part := range strings.Split(digits, ":") {
			n, _ := new(big.Rat).SetString(part) // nil: it is no time
			if n != nil {
				out.Add(out.Mul(out, big.NewRat(60, 1)), n)
			}
		}
		if negative {
			out.Neg(out)
		}
		return out
	}
	return value(x).Cmp(value(y))
}

// digitsRatMax bounds a number that is reckoned with: no source writes longer ones.
const digitsRatMax = 1000

func rat(v sqltypes.Value) (*big.Rat, bool) {
	text := v.ToString()
	if len(text) > digitsRatMax {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > digitsRatMax || e < -digitsRatMax {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// group adds up groups that several sources gave.
func (p *Plan) group(a *Answer) {
	at := map[string]int{}
	var rows [][]sqltypes.Value
	for _, row := range a.Rows {
		var key strings.Builder
		for _, k := range p.partial.Keys {
			text := canonical(a.Fields[k].Type, row[k])
			key.WriteString(strconv.FormatBool(row[k].IsNull()) + strconv.Itoa(len(text)) + ":" + text)
		}
		i, ok := at[key.String()]
		if !ok {
			at[key.String()] = len(rows)
			rows = append(rows, slices.Clone(row))
			continue
		}
		p.add(rows[i], row, a.Fields)
	}
	fields := make([]*querypb.Field, len(p.partial.Outputs))
	for i, o := range p.partial.Outputs {
		from := a.Fields[o.From]
		f := &querypb.Field{Name: o.Name, OrgName: o.Name, Type: from.Type, Charset: from.Charset, ColumnLength: from.ColumnLength, Decimals: from.Decimals, Flags: from.Flags}
		if o.How == dialect.Average && sqltypes.IsIntegral(f.Type) {
			f.Type = sqltypes.Decimal
		}
		if o.How == dialect.Total && f.Type == sqltypes.Decimal {
			f.ColumnLength = 67
		}
		fields[i] = f
	}
	a.Rows = make([][]sqltypes.Value, len(rows))
	for r, row := range rows {
		out := make([]sqltypes.Value, len(fields))
		for i, o := range p.partial.Outputs {
			out[i] = row[o.From]
			if o.How == dialect.Average {
				out[i] = average(fields[i], row[o.From], row[o.Count])
			}
		}
		a.Rows[r] = out
	}
	a.Fields = fields
}

// canonical is a value as equal ones are written alike.
func canonical(t querypb.Type, v sqltypes.Value) string {
	if v.IsNull() {
		return ""
	}
	if t == sqltypes.Decimal || sqltypes.IsFloat(t) {
		if r, ok := rat(v); ok {
			return r.RatString()
		}
	}
	return v.ToString()
}

// add adds a row of one group to another.
func (p *Plan) add(into, row []sqltypes.Value, fields []*querypb.Field) {
	done := map[int]bool{}
	once := func(c int, f func(x, y sqltypes.Value) sqltypes.Value) {
		switch {
		case done[c] || row[c].IsNull():
		case into[c].IsNull():
			into[c] = row[c]
		default:
			into[c] = f(into[c], row[c])
		}
		done[c] = true
	}
	for _, o := range p.partial.Outputs {
		t := fields[o.From].Type
		switch o.How {
		case dialect.Total:
			once(o.From, func(x, y sqltypes.Value) sqltypes.Value { return sum(t, x, y) })
		case dialect.Average:
			once(o.From, func(x, y sqltypes.Value) sqltypes.Value { return sum(t, x, y) })
			once(o.Count, func(x, y sqltypes.Value) sqltypes.Value { return sum(fields[o.Count].Type, x, y) })
		case dialect.Least, dialect.Most:
			once(o.From, func(x, y sqltypes.Value) sqltypes.Value {
				if (compare(t, x, y) <= 0) == (o.How == dialect.Least) {
					return x
				}
				return y
			})
		}
	}
}

// sum adds two numbers of one type.
func sum(t querypb.Type, x, y sqltypes.Value) sqltypes.Value {
	if sqltypes.IsFloat(t) && t != sqltypes.Decimal {
		a, _ := strconv.ParseFloat(x.ToString(), 64) // a source wrote them
		b, _ := strconv.ParseFloat(y.ToString(), 64)
		return sqltypes.MakeTrusted(t, exponent(strconv.AppendFloat(nil, a+b, 'g', -1, 64)))
	}
	a, ok := rat(x)
	b, ok2 := rat(y)
	if !ok || !ok2 {
		return x
	}
	return sqltypes.MakeTrusted(t, []byte(new(big.Rat).Add(a, b).FloatString(max(scaleOf(x), scaleOf(y)))))
}

func scaleOf(v sqltypes.Value) int {
	_, part, _ := strings.Cut(v.ToString(), ".")
	return len(part)
}

// averageDigits is the number of digits of a quotient that MySQL shows beyond the dividend's.
const averageDigits = 4

func average(f *querypb.Field, total, count sqltypes.Value) sqltypes.Value {
	if total.IsNull() {
		return total
	}
	a, ok := rat(total)
	b, ok2 := rat(count)
	if !ok || !ok2 || b.Sign() == 0 {
		return sqltypes.NULL
	}
	q := new(big.Rat).Quo(a, b)
	if sqltypes.IsFloat(f.Type) && f.Type != sqltypes.Decimal {
		v, _ := q.Float64()
		return sqltypes.MakeTrusted(f.Type, exponent(strconv.AppendFloat(nil, v, 'g', -1, 64)))
	}
	return sqltypes.MakeTrusted(f.Type, []byte(q.FloatString(scaleOf(total)+averageDigits)))
}
