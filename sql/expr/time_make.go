package expr

import (
	"fmt"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
)

// Functions that make dates and times of numbers.

func init() {
	register(
		&Function{Name: "FROM_DAYS", Min: 1, Max: 1, Type: dateType, Eval: func(c *Call) (Value, error) {
			t := temporal{kind: aDate} // a number without a date is 0000-00-00
			n := c.Integer(0)
			if n == 0 && c.mode("NO_ZERO_DATE") {
				return Null, nil
			}
			if n >= firstDay && n <= lastDay {
				t.year, t.month, t.day, _ = dateOfDay(int(n))
			}
			return c.temporalValue(t, 0), nil
		}},
		&Function{Name: "MAKEDATE", Min: 2, Max: 2, Convert: toIntegers, Type: dateType, Eval: makeDate},
		&Function{Name: "MAKETIME", Numbers: true, Min: 3, Max: 3, Convert: func(c *Call, i int) {
			if i < 2 {
				c.Integer(i)
			} else {
				c.exact(i)
			}
		}, Type: func(args []Type, _ *Context) Type {
			return temporalType(sqltypes.Time, digitsOf(args[2]))
		}, Eval: makeTime},
		&Function{Name: "SEC_TO_TIME", Numbers: true, Min: 1, Max: 1, Type: timeLike, Eval: func(c *Call) (Value, error) {
			d := c.exact(0)
			if bound := decimal.NewFromInt(2 * maxTime); d.Cmp(bound) > 0 || d.Cmp(bound.Neg()) < 0 {
				d = bound.Mul(decimal.NewFromInt(int64(d.Sign())))
			}
			digits := c.wholeBits(0)
			micros, _ := d.Round(int32(digits)).Mul(decimal.NewFromInt(microsPerSecond)).Int64()
			return c.cutTime(micros, digits), nil
		}},
	)
}

// wholeBits are the digits of the fraction of a result that has those of the i-th argument: a literal 0x61 has none.
func (c *Call) wholeBits(i int) int {
	if i < len(c.Number) && c.Number[i] {
		return 0
	}
	return int(c.Out.Size())
}

// cutTime is the time of microseconds, with a warning if it is cut at the longest.
func (c *Call) cutTime(micros int64, digits int) Value {
	t, cut := timeOf(micros)
	if cut {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect time value: '%s'", t.text(0)))
	}
	return c.temporalValue(t, digits)
}

// makeDate is MAKEDATE: the day of a year.
func makeDate(c *Call) (Value, error) {
	year, day := c.Integer(0), c.Integer(1)
	if year < 0 || year > 9999 || day <= 0 || day > lastDay {
		return Null, nil
	}
	var ok bool
	t := temporal{kind: aDate}
	if t.year, t.month, t.day, ok = dateOfDay(dayNumber(fullYear(int(year)), 1, 1) + int(day) - 1); !ok {
		return Null, nil
	}
	return c.temporalValue(t, 0), nil
}

// makeTime is MAKETIME: the minutes and seconds are less than 60.
func makeTime(c *Call) (Value, error) {
	hour, minute, second := c.Integer(0), c.Integer(1), c.exact(2)
	if second.Sign() < 0 && second.Cmp(decimal.NewFromInt(-60)) > 0 {
		return Null, nil
	}
	if second.CmpAbs(decimal.NewFromInt(60)) >= 0 {
		c.Warn(1292, fmt.Sprintf("Truncated incorrect seconds value: '%s'", shorten(c.Str(2))))
		return Null, nil
	}
	if minute < 0 || minute > 59 {
		return Null, nil
	}
	digits := int(c.Out.Size())
	micros, _ := second.Round(int32(digits)).Mul(decimal.NewFromInt(microsPerSecond)).Int64()
	hours := max(-2*maxHour, min(hour, 2*maxHour))
	micros += minute * microsPerMinute
	if hours < 0 {
		micros = -micros
	}
	return c.cutTime(hours*microsPerHour+micros, digits), nil
}
