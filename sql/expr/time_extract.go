package expr

import (
	"vitess.io/vitess/go/mysql/datetime"
	"vitess.io/vitess/go/vt/sqlparser"
)

// EXTRACT.

var extracts = map[datetime.IntervalType]*Function{}

func init() {
	for t, u := range intervalUnits {
		extracts[t] = &Function{Name: "EXTRACT", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) { return c.extract(u), nil }}
	}
	registerNode(func(e *sqlparser.ExtractFuncExpr) (node, bool) {
		f := extracts[e.IntervalType]
		return node{function: f, args: []sqlparser.Expr{e.Expr}}, f != nil
	})
}

func (c *Call) extract(u *intervalUnit) Value {
	if !u.clock {
		return c.extractDate(u)
	}
	p, ok := c.clock(0)
	if !ok || p.over {
		return Null
	}
	n := extractClock(&p.temporal, u)
	if p.negative {
		n = -n
	}
	return Int(n)
}

func (c *Call) extractDate(u *intervalUnit) Value {
	rules := c.partRules()
	if u.name == "WEEK" {
		rules = realRules
	}
	p, ok := c.date(0, rules)
	if !ok {
		return Null
	}
	switch u.name {
	case "YEAR":
		return Int(int64(p.year))
	case "QUARTER":
		return Int(int64((p.month + 2) / 3))
	case "MONTH":
		return Int(int64(p.month))
	case "YEAR_MONTH":
		return Int(int64(p.year*100 + p.month))
	case "WEEK":
		_, week := weekOf(&p.temporal, 0)
		return Int(int64(week))
	}
	return Int(int64(p.day))
}

// extractClock writes the fields of a unit behind one another, two digits each, six of a fraction.
func extractClock(t *temporal, u *intervalUnit) (n int64) {
	for _, field := range u.fields {
		switch field {
		case microsPerDay:
			n = int64(t.day)
		case microsPerHour:
			n = n*100 + int64(t.hour)
		case microsPerMinute:
			n = n*100 + int64(t.minute)
		case microsPerSecond:
			n = n*100 + int64(t.second)
		default:
			n = n*1_000_000 + int64(t.micro)
		}
	}
	return n
}
