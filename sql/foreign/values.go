package foreign

import (
	"bytes"
	"encoding/hex"
	"strings"
	"time"

	"isochron/sql/dialect"
)

// Form gives MySQL's text of a value of a column from the text that its source wrote; nil: they are
// the same. Zone is the client's session's.
func Form(of dialect.Dialect, text string, zone *time.Location) func([]byte) []byte {
	if of == dialect.MySQL {
		return nil
	}
	w := read(text)
	if w.array {
		return nil
	}
	switch w.base {
	case "boolean":
		return truth
	case "bytea":
		return unhex
	case "timestamp":
		if w.zone {
			return func(v []byte) []byte { return zoned(v, zone, digits(w)) }
		}
		return func(v []byte) []byte { return padded(v, digits(w)) }
	case "time":
		if !w.zone {
			return func(v []byte) []byte { return padded(v, digits(w)) }
		}
	case "real", "double precision":
		return exponent
	case "character":
		return func(v []byte) []byte { return bytes.TrimRight(v, " ") }
	}
	return nil
}

// digits returns the digits of a second that a PostgreSQL's type has: all, unless it specifies the
// number.
func digits(w word) int {
	if w.first < 0 {
		return fractionMax
	}
	return w.first
}

func truth(v []byte) []byte {
	switch string(v) {
	case "t":
		return []byte("1")
	case "f":
		return []byte("0")
	}
	return v
}

// unhex reads \x6162.
func unhex(v []byte) []byte {
	digits, ok := bytes.CutPrefix(v, []byte(`\x`))
	if !ok {
		return v
	}
	out := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(out, digits); err != nil {
		return v
	}
	return out
}

// padded writes the fraction of a second with as many digits as MySQL does.
func padded(v []byte, digits int) []byte {
	if len(v) == 0 || v[0] < '0' || v[0] > '9' {
		return v // infinity
	}
	whole, part, _ := strings.Cut(string(v), ".")
	if digits == 0 {
		return []byte(whole)
	}
	if len(part) > digits {
		part = part[:digits]
	}
	return []byte(whole + "." + part + strings.Repeat("0", digits-len(part)))
}

// zoned converts a time with a zone to the client's zone.
func zoned(v []byte, zone *time.Location, digits int) []byte {
	for _, layout := range []string{"2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999-07:00", "2006-01-02 15:04:05.999999-07:00:00"} {
		if t, err := time.Parse(layout, string(v)); err == nil {
			return padded([]byte(t.In(zone).Format("2006-01-02 15:04:05.999999")), digits)
		}
	}
	return v
}

// exponent writes 1e20, where PostgreSQL writes 1e+20.
func exponent(v []byte) []byte { return bytes.Replace(v, []byte("e+"), []byte("e"), 1) }
