package expr

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// The statement's time, and times since 1970: NOW, UTC_TIMESTAMP, UNIX_TIMESTAMP, FROM_UNIXTIME, CONVERT_TZ.

// clocks are the functions of the current time by name in lower case, and by digits of the fraction.
var clocks = map[string]*[7]*Function{}

func init() {
	for _, name := range []string{"now", "current_timestamp", "localtime", "localtimestamp", "sysdate"} {
		clocks[name] = clock(name, sqltypes.Datetime, false)
	}
	for _, name := range []string{"curtime", "current_time"} {
		clocks[name] = clock(name, sqltypes.Time, false)
	}
	clocks["utc_timestamp"] = clock("utc_timestamp", sqltypes.Datetime, true)
	clocks["utc_time"] = clock("utc_time", sqltypes.Time, true)
	registerNode(func(e *sqlparser.CurTimeFuncExpr) (node, bool) {
		list := clocks[e.Name.Lowered()]
		if list == nil {
			return node{}, false
		}
		if e.Fsp < 0 || e.Fsp > 6 {
			return node{function: tooPrecise, option: fmt.Sprintf("%d specified for '%s'", e.Fsp, e.Name.Lowered())}, true
		}
		return node{function: list[e.Fsp]}, true
	})
	register(
		today("CURDATE", false), today("CURRENT_DATE", false), today("UTC_DATE", true),
		&Function{Name: "UNIX_TIMESTAMP", Max: 1, Typed: unixType, Eval: unixTimestamp},
		&Function{Name: "FROM_UNIXTIME", Min: 1, Max: 2, Type: fromUnixType, Ask: fromUnixTime},
		&Function{Name: "CONVERT_TZ", Min: 3, Max: 3, Typed: func(args []Known, c *Context) Type {
			return temporalType(sqltypes.Datetime, args[0].dateDigits(c))
		}, Ask: convertZone},
	)
}

// tooPrecise stands for a function of the time with more than 6 digits.
var tooPrecise = &Function{Name: "NOW", Type: integerType, Eval: func(c *Call) (Value, error) {
	return Null, newError(1426, "42000", "Too-big precision %s. Maximum is 6.", c.Option)
}}

// clock is a function of the current time with each number of digits.
func clock(name string, typ sqltypes.Type, utc bool) *[7]*Function {
	var list [7]*Function
	for digits := range list {
		list[digits] = &Function{
			Name: strings.ToUpper(name), Type: func([]Type, *Context) Type { return temporalType(typ, digits) },
			Eval: func(c *Call) (Value, error) { return c.temporalValue(c.current(utc), digits), nil },
		}
	}
	return &list
}

func today(name string, utc bool) *Function {
	return &Function{Name: name, Type: dateType, Eval: func(c *Call) (Value, error) { return c.temporalValue(c.current(utc), 0), nil }}
}

// current is the statement's time, in the session's zone or in UTC.
func (c *Context) current(utc bool) temporal {
	if utc {
		return ofGo(c.Now.UTC())
	}
	return ofGo(c.Now.In(c.zone()))
}

// lastUnix is the end of the times that are counted since 1970, 3001-01-19 03:14:08 in UTC.
const lastUnix = 32536771200

func unixType(args []Known, c *Context) Type {
	digits := mostDigits(c, Known.dateDigits, args...)
	if digits == 0 {
		return integerType(nil, nil)
	}
	return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, int32(11+digits), int32(digits), nil)
}

// unixTimestamp is UNIX_TIMESTAMP: 0 for what is no time, or not between 1970 and 3001.
func unixTimestamp(c *Call) (Value, error) {
	if len(c.Args) == 0 {
		return Int(c.Now.Unix()), nil
	}
	p, ok := c.date(0, 0)
	seconds, micro := int64(0), 0
	if ok && p.month > 0 && p.day > 0 {
		at := p.inZone(c.zone())
		if seconds = at.Unix(); seconds < 0 || seconds >= lastUnix {
			seconds = 0
		} else {
			micro = p.micro
		}
	}
	if c.Out.Type() != sqltypes.Decimal {
		return Int(seconds), nil
	}
	digits := p.digits
	b := appendPadded(nil, int(seconds), 1)
	if digits > 0 {
		b = appendPadded(append(b, '.'), micro/pow10(6-digits), digits)
	}
	return sqltypes.MakeTrusted(sqltypes.Decimal, b), nil
}

func fromUnixType(args []Type, c *Context) Type {
	if len(args) == 2 {
		return textType(nil, c)
	}
	return temporalType(sqltypes.Datetime, digitsOf(args[0]))
}

func fromUnixTime(c *Call, need func(i int) error) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	v := c.numeric(0)
	text := v.ToString()
	if !sqltypes.IsNumber(v.Type()) {
		text = c.exact(0).String()
	}
	seconds, micro, _, negative, ok := split(text)
	if !ok || seconds >= lastUnix || negative && seconds > 1<<31 {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect unixtime value: '%s'", shorten(v.ToString())))
		return Null, nil
	}
	if negative && (seconds != 0 || micro != 0) {
		return Null, nil
	}
	t := ofGo(time.Unix(seconds, int64(micro)*1000).In(c.zone()))
	if len(c.Args) == 2 {
		return c.formatted(&t, need)
	}
	return c.temporalValue(t, c.wholeBits(0)), nil
}

// convertZone is CONVERT_TZ: NULL if a zone is unknown; a time outside the years 1970 to 3001 is returned as it is.
func convertZone(c *Call, need func(i int) error) (Value, error) {
	var zones [2]*time.Location
	for i := range zones {
		if err := need(i + 1); err != nil {
			return Null, err
		}
		if !c.IsNull(i + 1) {
			zones[i] = zoneOf(c.Str(i + 1))
		}
	}
	if zones[0] == nil || zones[1] == nil {
		if c.Constant[0] && isText(c.Types[0].Type()) {
			return Null, need(0) // for the digits of the type
		}
		return Null, nil
	}
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	p, ok := c.date(0, realRules)
	if !ok {
		return Null, nil
	}
	if at := p.inZone(zones[0]); at.Unix() > 0 && at.Unix() < lastUnix {
		p.temporal = ofGo(at.In(zones[1]))
	}
	return c.temporalValue(p.temporal, p.digits), nil
}

// zones keeps the zones that were loaded by name: there are some hundreds.
var zones sync.Map

// zoneOf is the zone of a name or offset; nil: there is none.
func zoneOf(name string) *time.Location {
	if minutes, ok := parseOffset(name); ok {
		return time.FixedZone("", minutes*60)
	}
	if strings.EqualFold(name, "SYSTEM") {
		return time.Local
	}
	if name == "" || len(name) > 64 || name == "Local" {
		return nil
	}
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location)
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	zones.Store(name, z)
	return z
}
