package sql

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"google.golang.org/protobuf/proto"
)

// The wire library writes the dates and times of an execution as texts whose numbers are
// not padded: a microsecond is "0:0:0.1", which reads as a tenth of a second. The text
// still has every number of the packet, so each is given its digits here, before anything
// reads it.

// codeWrongDateTime is MySQL's number for a date or time that is none.
const codeWrongDateTime = 1292

// Digits of the numbers in a date or time.
const (
	yearDigits     = 4
	partDigits     = 2
	fractionDigits = 6
)

// padTimes pads the dates and times among the values of an execution.
func padTimes(p *mysql.PrepareData) error {
	for i, sent := range p.ParamsType {
		t, first := querypb.Type(sent), partDigits
		switch {
		case isDated(t):
			first = yearDigits
		case t != sqltypes.Time:
			continue
		}
		v := p.BindVars[fmt.Sprintf("v%d", i+1)]
		if v == nil || v.Type != sqltypes.VarChar {
			continue // NULL, or bytes that were sent ahead
		}
		if string(v.Value) == " " { // the library's text of a packet without numbers
			v.Value = []byte("0-0-0 0:0:0")
		}
		padded, ok := padNumbers(v.Value, first)
		if !ok {
			return mysql.NewSQLError(codeWrongDateTime, "22007", "Incorrect %s value: '%s' for parameter %d", kindOfTime(t), v.Value, i+1)
		}
		v.Value = padded
	}
	return nil
}

func kindOfTime(t querypb.Type) string {
	switch t {
	case sqltypes.Time:
		return "time"
	case sqltypes.Date:
		return "date"
	}
	return "datetime"
}

// padNumbers writes the first number of a text with that many digits, what stands behind a
// point with six, and the others with two. ok is false if one of those has more.
func padNumbers(text []byte, first int) (padded []byte, ok bool) {
	digits := first
	for len(text) > 0 {
		n := bytes.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			padded = append(padded, bytes.Repeat([]byte{'0'}, max(0, digits-n))...)
			padded = append(padded, text[:n]...)
			if n > digits && digits != first { // a time may have any number of hours
				return nil, false
			}
			digits, text = partDigits, text[n:]
			continue
		}
		if text[0] == '.' {
			digits = fractionDigits
		}
		padded, text = append(padded, text[0]), text[1:]
	}
	return padded, true
}

// padYears pads the years before 1000 of a result: the engine writes them with fewer digits
// than the wire library reads, which ends the connection.
func padYears(r *sqltypes.Result) {
	for i, f := range r.Fields {
		if !isDated(f.Type) {
			continue
		}
		for _, row := range r.Rows {
			if b := row[i].Raw(); isDated(row[i].Type()) && bytes.IndexByte(b, '-') < yearDigits {
				if padded, ok := padNumbers(b, yearDigits); ok {
					row[i] = sqltypes.MakeTrusted(row[i].Type(), padded)
				}
			}
		}
	}
}

// nameFractions has the fields of times say that they have fractions, which the engine leaves out:
// clients of the binary protocol write as many digits as the field says.
func nameFractions(r *sqltypes.Result) {
	for i, f := range r.Fields {
		if f.Type != sqltypes.Time || f.Decimals != 0 {
			continue
		}
		for _, row := range r.Rows {
			if bytes.IndexByte(row[i].Raw(), '.') >= 0 {
				named := proto.Clone(f).(*querypb.Field) // f may be of a plan that sessions share
				named.Decimals = fractionDigits
				r.Fields = slices.Clone(r.Fields)
				r.Fields[i] = named
				break
			}
		}
	}
}

// isDated reports whether values of the type begin with a year.
func isDated(t querypb.Type) bool {
	return t == sqltypes.Date || t == sqltypes.Datetime || t == sqltypes.Timestamp
}
