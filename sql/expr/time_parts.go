package expr

import "vitess.io/vitess/go/sqltypes"

// Functions that return a part of a date or time (the manual's 14.7).

var (
	monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
)

func init() {
	days := datePart("DAYOFMONTH", func(t *temporal) int { return t.day })
	register(
		datePart("YEAR", func(t *temporal) int { return t.year }),
		datePart("MONTH", func(t *temporal) int { return t.month }),
		datePart("QUARTER", func(t *temporal) int { return (t.month + 2) / 3 }),
		days, alias("DAY", days),
		dayPart("DAYOFWEEK", func(t *temporal) int { return (weekday(t.dayNumber())+1)%7 + 1 }),
		dayPart("WEEKDAY", func(t *temporal) int { return weekday(t.dayNumber()) }),
		dayPart("DAYOFYEAR", (*temporal).yearDay),
		dayPart("TO_DAYS", (*temporal).dayNumber),
		dayPart("TO_SECONDS", func(t *temporal) int { return int(t.micros() / microsPerSecond) }),
		dayPart("WEEKOFYEAR", func(t *temporal) int { _, week := weekOf(t, 3); return week }),
		timePart("HOUR", func(t *temporal) int { return t.hour }),
		timePart("MINUTE", func(t *temporal) int { return t.minute }),
		timePart("SECOND", func(t *temporal) int { return t.second }),
		timePart("MICROSECOND", func(t *temporal) int { return t.micro }),
		timePart("TIME_TO_SEC", func(t *temporal) int { return int(t.clock() / microsPerSecond) }),
		&Function{Name: "WEEK", Min: 1, Max: 2, Type: integerType, Ask: func(c *Call, need func(i int) error) (Value, error) {
			return c.week(need, 0, func(_, week int) int { return week })
		}},
		&Function{Name: "YEARWEEK", Min: 1, Max: 2, Type: integerType, Ask: func(c *Call, need func(i int) error) (Value, error) {
			return c.week(need, 2, func(year, week int) int { return year*100 + week })
		}},
		&Function{Name: "MONTHNAME", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) {
			if p, ok := c.date(0, c.partRules()); ok && p.month > 0 {
				return c.Text(monthNames[p.month-1]), nil
			}
			return Null, nil
		}},
		&Function{Name: "DAYNAME", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) {
			if p, ok := c.date(0, realRules); ok {
				return c.Text(dayNames[weekday(p.dayNumber())]), nil
			}
			return Null, nil
		}},
		&Function{Name: "DATE", Min: 1, Max: 1, Type: dateType, Eval: func(c *Call) (Value, error) {
			if p, ok := c.date(0, c.storedRules()); ok {
				return c.temporalValue(p.temporal, 0), nil
			}
			return Null, nil
		}},
		&Function{Name: "TIME", Min: 1, Max: 1, Typed: func(args []Known, c *Context) Type {
			return temporalType(sqltypes.Time, args[0].timeDigits(c))
		}, Eval: func(c *Call) (Value, error) {
			if p, ok := c.time(0); ok {
				return c.temporalValue(p.temporal, p.digits), nil
			}
			return Null, nil
		}},
		&Function{Name: "LAST_DAY", Min: 1, Max: 1, Type: dateType, Eval: func(c *Call) (Value, error) {
			p, ok := c.date(0, c.storedRules())
			if !ok || p.month == 0 {
				return Null, nil
			}
			p.day = daysIn(p.year, p.month)
			return c.temporalValue(p.temporal, 0), nil
		}},
	)
}

// datePart is a function of a date whose parts may be 0.
func datePart(name string, part func(*temporal) int) *Function {
	return &Function{Name: name, Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
		if p, ok := c.date(0, c.partRules()); ok {
			return Int(int64(part(&p.temporal))), nil
		}
		return Null, nil
	}}
}

// dayPart is a function of a day of the calendar.
func dayPart(name string, part func(*temporal) int) *Function {
	return &Function{Name: name, Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
		if p, ok := c.date(0, realRules); ok {
			p.kind = aDateTime
			return Int(int64(part(&p.temporal))), nil
		}
		return Null, nil
	}}
}

// timePart is a function of a time.
func timePart(name string, part func(*temporal) int) *Function {
	return &Function{Name: name, Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) {
		if p, ok := c.time(0); ok {
			return Int(int64(part(&p.temporal))), nil
		}
		return Null, nil
	}}
}

func timeLike(args []Type, _ *Context) Type { return temporalType(sqltypes.Time, digitsOf(args[0])) }

// week is WEEK or YEARWEEK: with is added to the mode.
func (c *Call) week(need func(i int) error, with int, result func(year, week int) int) (Value, error) {
	if err := need(0); err != nil || c.IsNull(0) {
		return Null, err
	}
	p, ok := c.date(0, realRules)
	if !ok {
		return Null, nil
	}
	mode := 0
	if len(c.Args) > 1 {
		if err := need(1); err != nil {
			return Null, err
		}
		if !c.IsNull(1) { // a mode of NULL is 0
			mode = int(c.Integer(1) & 7)
		}
	}
	return Int(int64(result(weekOf(&p.temporal, mode|with)))), nil
}

// weekOf is the week of a date, and the year that the week is of, by a mode of WEEK: bit 0: weeks begin on Monday, not
// Sunday; bit 1: weeks count from 1, and days before the first are in the last week of the year before; bit 2 and bit 0
// differ: the first week has four days or more in the year, else it begins in the year.
func weekOf(t *temporal, mode int) (year, week int) {
	monday, ofYear, fourDays := mode&1 != 0, mode&2 != 0, mode&1 != mode>>2&1
	first := func(year int) int { // the day that week 1 begins on
		n := dayNumber(year, 1, 1)
		after := weekday(n)
		if !monday {
			after = (after + 1) % 7
		}
		switch {
		case fourDays && after <= 3, after == 0:
			return n - after
		}
		return n + 7 - after
	}
	n, year := t.dayNumber(), t.year
	switch {
	case n < first(year):
		if !ofYear {
			return year, 0
		}
		year--
	case ofYear && n >= first(year+1):
		year++
	}
	return year, (n-first(year))/7 + 1
}
