package expr

import (
	"fmt"
	"testing"
	"time"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

func init() {
	byDesign = append(byDesign,
		difference{`(?i)INTERVAL (0|1\.5|12\.345|-0\.5|1\.5e3|'[^']*'|0x6162) (SECOND|MICROSECOND|HOUR_MICROSECOND)`, `^[^.]*(\.\d{6})?$`, "a text has six digits of a fraction that is not 0, or none"},
		difference{`(ADD|SUB)TIME\(`, `^[^.]*(\.\d{6})?$`, "a text has six digits of a fraction that is not 0, or none"},
		difference{`^(ADDDATE|SUBDATE|DATE_ADD|DATE_SUB)\(TIME'|^TIME'-10:11:12' \+`, `^202[45]-`, "a TIME plus days or months is a DATETIME of today"},
		difference{`INTERVAL (18446744073709551615|-9223372036854775808) `, `^NULL$`, "an interval does not wrap at 64 bits"},
		difference{`(EXTRACT|DATE_FORMAT)\(.*TIME'-10:11:12'`, `2024|^1$|^8$`, "a TIME as a date is one of today"},
		difference{`EXTRACT\(WEEK`, `^NULL$`, "MariaDB's week of a zero date is garbage"},
		difference{`(EXTRACT|ADDTIME|SUBTIME|TIMESTAMP)\(.*'(2024-02-30|0000-00-00)'`, ``, "a text of ten characters is a time, never a date, where a time is expected"},
		difference{`^(HOUR|MINUTE|SECOND|MICROSECOND|TIME|TIME_TO_SEC|TIME_FORMAT|ADDTIME|SUBTIME)\(.*\d{18}`, `^NULL$`, "a number over the longest time is no time"},
		difference{`^(MAKETIME|SEC_TO_TIME|TIMEDIFF)\(`, `^-?838:59:59\.0$`, "the longest time has no fraction"},
		difference{`^TIME_TO_SEC\(`, `^-?\d+$`, "the seconds are whole"},
		difference{`^FROM_DAYS\(`, `^0000-00-00$`, "a day before the first year is a zero date"},
		difference{`^FROM_UNIXTIME\((1.5e3|'.*)\)`, `\.000000$`, "a text or double has six digits"},
		difference{`^UNIX_TIMESTAMP\(`, `^0(\.0+)?$`, "what is no time is 0"},
		difference{`^PERIOD_`, `Incorrect arguments`, "what is no period is refused"},
		difference{`^DATE_ADD.*TIMESTAMP'2024-02-29 10:11:12\.5' MICROSECOND|^(PERIOD_ADD|YEARWEEK|WEEK)\(.*TIMESTAMP`, ``, "the fraction of a date with time is rounded where an integer is expected"},
	)
}

// inContext is an expression's value in a context, and the codes of its warnings.
func inContext(c *Context, text string) string { return answered(text, c) }

func TestModesOfDates(t *testing.T) {
	for _, r := range []struct{ mode, text, want string }{
		{"", "DATE('0000-00-00')", "0000-00-00"},
		{"NO_ZERO_DATE", "DATE('0000-00-00')", "NULL [1292]"},
		{"NO_ZERO_DATE", "DATE('2024-00-00')", "2024-00-00"},
		{"NO_ZERO_IN_DATE", "DATE('2024-00-00')", "NULL [1292]"},
		{"NO_ZERO_IN_DATE", "DATE('0000-00-00')", "0000-00-00"},
		{"", "DATE('2024-02-30')", "NULL [1292]"},
		{"STRICT_TRANS_TABLES,ALLOW_INVALID_DATES", "DATE('2024-02-30')", "2024-02-30"},
		{"ALLOW_INVALID_DATES", "TO_DAYS('2024-02-30')", "NULL [1292]"},
		{"", "LAST_DAY('2024-01-00')", "2024-01-31"},
		{"NO_ZERO_IN_DATE", "LAST_DAY('2024-01-00')", "NULL [1292]"},
		{"", "TO_DAYS('0000-00-00')", "NULL [1292]"},
		{"", "YEAR('0000-00-00')", "0"},
		{"", "CAST('0000-00-00' AS DATE)", "0000-00-00"},
		{"NO_ZERO_DATE", "CAST('0000-00-00' AS DATE)", "NULL [1292]"},
		{"", "CAST('2024-00-10' AS DATETIME(2))", "2024-00-10 00:00:00.00"},
		{"ALLOW_INVALID_DATES", "CAST('2024-02-31' AS DATE)", "2024-02-31"},
		{"", "CAST(20240231 AS DATE)", "NULL [1292]"},
		{"", "TIMEDIFF(TIMESTAMP('2024-01-02'), '2024-01-01 00:00:00')", "24:00:00"},
		{"", "TIMESTAMP('2024-01-02') + INTERVAL 1 DAY", "2024-01-03 00:00:00"},
		{"", "DATE'0000-00-00'", "0000-00-00"},
		{"NO_ZERO_DATE", "DATE'0000-00-00'", "error 1525"},
		{"", "TIMESTAMP'2024-00-01 10:00:00.5'", "2024-00-01 10:00:00.5"},
		{"NO_ZERO_IN_DATE", "DATE'2024-00-01'", "error 1525"},
		{"ALLOW_INVALID_DATES", "DATE'2024-02-30'", "2024-02-30"},
		{"", "DATE'2024-02-30'", "error 1525"},
		{"", "TIMESTAMP'2024-02-29 10:00:00+01:00'", "2024-02-29 09:00:00"},
		{"", "DATE'2024-02-29' IN (DATE'0000-00-00', DATE'2024-02-29')", "1"},
		{"", "STR_TO_DATE('00/00/0000', '%m/%d/%Y')", "0000-00-00"},
		{"NO_ZERO_DATE", "STR_TO_DATE('00/00/0000', '%m/%d/%Y')", "NULL [1411]"},
	} {
		c := testContext()
		c.SQLMode = r.mode
		if got := inContext(c, r.text); got != r.want {
			t.Errorf("%q: %s = %s, expected %s", r.mode, r.text, got, r.want)
		}
	}
}

func TestTimesOfTheSessionsZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for text, want := range map[string]string{
		"NOW()":                                 "2024-02-29 11:11:12",
		"NOW(1)":                                "2024-02-29 11:11:12.5",
		"SYSDATE(2)":                            "2024-02-29 11:11:12.50",
		"CURTIME(3)":                            "11:11:12.500",
		"CURDATE()":                             "2024-02-29",
		"UTC_TIMESTAMP(6)":                      "2024-02-29 10:11:12.500000",
		"UTC_TIME()":                            "10:11:12",
		"NOW(7)":                                "error 1426",
		"UNIX_TIMESTAMP('2024-07-01 12:00:00')": "1719828000",
		"FROM_UNIXTIME(1719828000)":             "2024-07-01 12:00:00",
		"UNIX_TIMESTAMP('2024-03-31 02:30:00')": "1711846800", // skipped: the end of the gap
		"UNIX_TIMESTAMP('2024-10-27 02:30:00')": "1729989000", // twice: the first
		"FROM_UNIXTIME(1719828000.25, '%H:%i %f')":                               "12:00 250000",
		"CONVERT_TZ('2024-07-01 12:00:00', 'Europe/Berlin', 'UTC')":              "2024-07-01 10:00:00",
		"CONVERT_TZ('2024-07-01 12:00:00', 'Europe/Berlin', 'America/New_York')": "2024-07-01 06:00:00",
		"CONVERT_TZ('2024-07-01 12:00:00', 'UTC', '../etc/passwd')":              "NULL",
		"TIMESTAMP('2024-07-01 12:00:00+00:00')":                                 "2024-07-01 14:00:00",
		"TIME'10:00:00' + INTERVAL 1 DAY":                                        "2024-03-01 10:00:00",
	} {
		c := testContext()
		c.Zone = berlin
		if got := inContext(c, text); got != want {
			t.Errorf("%s = %s, expected %s", text, got, want)
		}
	}
}

func TestTypesOfSumsOfDates(t *testing.T) {
	for text, want := range map[string]string{
		"DATE'2024-01-31' + INTERVAL 1 DAY":                 "DATE 0",
		"DATE'2024-01-31' + INTERVAL 1 HOUR":                "DATETIME 0",
		"DATE'2024-01-31' + INTERVAL 1.5 SECOND":            "DATETIME 1",
		"DATE'2024-01-31' + INTERVAL 1 MICROSECOND":         "DATETIME 6",
		"TIMESTAMP'2024-01-31 00:00:00.5' + INTERVAL 1 DAY": "DATETIME 1",
		"TIME'10:00:00' + INTERVAL 1 HOUR":                  "TIME 0",
		"TIME'10:00:00' + INTERVAL 1 DAY":                   "DATETIME 0",
		"'2024-01-31' + INTERVAL 1 DAY":                     "VARCHAR 0",
		"20240131 + INTERVAL 1 DAY":                         "VARCHAR 0",
		"ADDTIME(DATE'2024-01-31', '1:00:00')":              "DATETIME 0",
		"ADDTIME('2024-01-31', '1:00:00')":                  "VARCHAR 0",
		"TIMEDIFF(TIME'10:00:00.25', TIME'09:00:00')":       "TIME 2",
		"STR_TO_DATE('1', '%d')":                            "DATE 0",
		"STR_TO_DATE('1', '%H')":                            "TIME 0",
		"STR_TO_DATE('1', '%s.%f')":                         "TIME 6",
		"STR_TO_DATE('1', '%d %H')":                         "DATETIME 0",
		"STR_TO_DATE('1', CONCAT('%d'))":                    "DATE 0",
		"STR_TO_DATE('1', UUID())":                          "DATETIME 6",
		"NOW(3)":                                            "DATETIME 3",
	} {
		e, err := environment.Parser().ParseExpr(text)
		if err != nil {
			t.Fatal(text, err)
		}
		p, err := Compile(testContext(), Columns{}, e)
		if err != nil {
			t.Fatal(text, err)
		}
		typ := p.Type(0)
		if got := fmt.Sprint(typ.Type(), " ", typ.Size()); got != want {
			t.Errorf("%s is %s, expected %s", text, got, want)
		}
	}
}

func TestDaysOfTheCalendar(t *testing.T) {
	year, month, day := 1, 1, 0
	for n := firstDay; n <= lastDay; n++ {
		if day++; day > daysIn(year, month) {
			day = 1
			if month++; month > 12 {
				month = 1
				year++
			}
		}
		if n%101 != 0 && year%100 != 0 { // each day of the years that end centuries
			continue
		}
		y, m, d, ok := dateOfDay(n)
		if !ok || y != year || m != month || d != day || dayNumber(y, m, d) != n {
			t.Fatalf("day %d is %d-%d-%d, %v, and the other way %d; expected %d-%d-%d", n, y, m, d, ok, dayNumber(y, m, d), year, month, day)
		}
	}
	if year != 9999 || month != 12 || day != 31 {
		t.Fatal(year, month, day)
	}
	for _, n := range []int{firstDay - 1, lastDay + 1, -1} {
		if _, _, _, ok := dateOfDay(n); ok {
			t.Errorf("day %d has a date", n)
		}
	}
}

func TestDigitsOfColumns(t *testing.T) {
	for _, r := range []struct {
		typ               Type
		value, text, want string
	}{
		{temporalType(sqltypes.Time, 2), "10:11:12.25", "ADDTIME(c, '1:00')", "11:11:12.25"},
		{temporalType(sqltypes.Time, 2), "10:11:12.25", "c + INTERVAL 1 SECOND", "10:11:13.25"},
		{temporalType(sqltypes.Time, 2), "-10:11:12.25", "TIMEDIFF(c, c)", "00:00:00.00"},
		{temporalType(sqltypes.Datetime, 3), "2024-02-29 10:11:12.500", "TIME(c)", "10:11:12.500"},
		{temporalType(sqltypes.Datetime, 0), "2024-02-29 10:11:12", "c + INTERVAL '1' SECOND", "2024-02-29 10:11:13.000000"},
		{textType(nil, testContext()), "10:11:12", "TIME(c)", "10:11:12.000000"},
		{textType(nil, testContext()), "2024-02-29", "UNIX_TIMESTAMP(c)", "1709164800.000000"},
		{textType(nil, testContext()), "2024-02-29", "c + INTERVAL 1 SECOND", "2024-02-29 00:00:01"},
		{temporalType(sqltypes.Decimal, 2), "20240229101112.25", "TIMESTAMP(c)", "2024-02-29 10:11:12.25"},
	} {
		c := testContext()
		e, err := environment.Parser().ParseExpr(r.text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(c, Columns{Types: []Type{r.typ}, Find: func(*sqlparser.ColName) (int, error) { return 0, nil }}, e)
		if err != nil {
			t.Fatal(err)
		}
		p.Begin(c)
		out, err := p.Run([]Value{sqltypes.MakeTrusted(r.typ.Type(), []byte(r.value))}, nil)
		if err != nil || out[0].ToString() != r.want {
			t.Errorf("%s of %v %s = %v, %v, expected %s", r.text, r.typ.Type(), r.value, out, err, r.want)
		}
	}
}
