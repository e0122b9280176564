package store

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/coltype"
	"isochron/sql/expr"
	"isochron/sql/rowcodec"
)

// textOf is a value as text. A double has as many digits as there is room for, in bytes; lost: that is one, of several.
func textOf(v expr.Value, room int64) (_ string, lost bool) {
	s, digits := v.ToString(), 15
	if v.Type() == sqltypes.Float32 {
		digits = 6
	} else if v.Type() == sqltypes.Float64 && s == "-0" {
		return "0", false
	} else if v.Type() != sqltypes.Float64 || int64(len(s)) <= room {
		return s, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s, false
	}
	for ; digits > 0; digits-- {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		s = strings.Replace(text, "e+", "e", 1)
		if short, err := strconv.ParseFloat(text, 64); err == nil { // not rounded beyond the greatest double
			if s = string(format.FormatFloat(short)); int64(len(s)) > room {
				s = withExponent(short)
			}
		}
		if int64(len(s)) <= room {
			break
		}
	}
	return s, digits == 1 && strings.Contains(v.ToString(), ".")
}

// withExponent is a double in the form 1.5e7, as MySQL writes one for which there is no room otherwise.
func withExponent(f float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	sign, exponent := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	if exponent == "" {
		return mantissa
	}
	return mantissa + "e" + strings.TrimPrefix(sign, "+") + exponent
}

func toText(t *Target, c *Column, v expr.Value) (any, error) {
	most, cutAt := c.Type.Characters, cutCharacters
	if c.sql == sqltypes.Text {
		most, cutAt = c.Type.Bytes, cutBytes
	}
	s, err := "", error(nil)
	if set := c.Type.Collation.Charset; set != nil {
		if c.sql == sqltypes.Text {
			cutAt = func(s string, most int64) string { return cutEncoded(set, s, most) }
		}
		s, err = t.encoded(c, set, v, most)
	} else {
		s, err = t.wellFormed(c, v, most)
	}
	if err != nil {
		return nil, err
	}
	cut := cutAt(s, most)
	char := c.sql == sqltypes.Char
	if rest := s[len(cut):]; rest != "" {
		switch {
		case strings.Trim(rest, " ") != "":
			if err := t.tooLong(c); err != nil {
				return nil, err
			}
		case !char:
			t.noted(c)
		}
	}
	if char {
		cut = strings.TrimRight(cut, " ")
	}
	return strings.Clone(cut), nil
}

// wellFormed is a value's text up to the first character that the column cannot hold.
func (t *Target) wellFormed(c *Column, v expr.Value, room int64) (string, error) {
	s, lost := textOf(v, room)
	if lost {
		if err := t.tooLong(c); err != nil {
			return "", err
		}
	}
	most := c.Type.Collation.CharacterBytes
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || size > most {
			return s[:i], t.incorrectString(c, s[i:])
		}
		i += size
	}
	return s, nil
}

// encoded is a value's text with ? in the place of characters that the column's character set does not have. Bytes are in that
// set.
func (t *Target) encoded(c *Column, set coltype.Charset, v expr.Value, room int64) (string, error) {
	s, lost := textOf(v, room)
	if lost {
		if err := t.tooLong(c); err != nil {
			return "", err
		}
	}
	if sqltypes.IsBinary(v.Type()) || isNumberLiteral(v) {
		text, ok := set.Text([]byte(s))
		if !ok {
			return "", t.incorrectString(c, s)
		}
		return text, nil
	}
	for i, r := range s {
		if r >= utf8.RuneSelf && set.Size(r) == 0 {
			return strings.Map(func(r rune) rune {
				if set.Size(r) == 0 {
					return '?'
				}
				return r
			}, s), t.incorrectString(c, s[i:])
		}
	}
	return s, nil
}

// incorrectString reports that a column cannot hold a text that begins so.
func (t *Target) incorrectString(c *Column, bad string) error {
	return t.warn(expr.NewError(1366, "HY000", "Incorrect string value: '%s' for column '%s' at row %d", hexText(bad[:min(len(bad), 6)]), c.Name, t.Row))
}

// hexText shows bytes as MySQL's messages do: those of ASCII as they are.
func hexText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] >= ' ' && s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
			continue
		}
		b.WriteString(`\x` + strings.ToUpper(strconv.FormatUint(uint64(s[i])|0x100, 16)[1:]))
	}
	return b.String()
}

func cutCharacters(s string, most int64) string {
	if int64(len(s)) <= most {
		return s
	}
	n := int64(0)
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

// cutBytes cuts a text at the end of a character.
func cutBytes(s string, most int64) string {
	if int64(len(s)) <= most {
		return s
	}
	s = s[:most]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// cutEncoded cuts a text at so many bytes in a character set.
func cutEncoded(set coltype.Charset, s string, most int64) string {
	n := int64(0)
	for i, r := range s {
		if n += int64(set.Size(r)); n > most {
			return s[:i]
		}
	}
	return s
}

func toBytes(t *Target, c *Column, v expr.Value) (any, error) {
	most := c.Type.Bytes
	s, lost := textOf(v, most)
	if lost || int64(len(s)) > most {
		s = s[:min(int64(len(s)), most)]
		if err := t.tooLong(c); err != nil {
			return nil, err
		}
	}
	b := []byte(s)
	if c.sql == sqltypes.Binary {
		b = append(b, make([]byte, int(most)-len(b))...)
	}
	return b, nil
}

func toBit(t *Target, c *Column, v expr.Value) (any, error) {
	_, most := c.Type.Limits()
	var n uint64
	over := false
	switch k := v.Type(); {
	case sqltypes.IsSigned(k):
		signed, err := v.ToInt64()
		if err != nil {
			return nil, err
		}
		n = uint64(signed)
	case sqltypes.IsDecimal(k), sqltypes.IsUnsigned(k):
		negative, magnitude, tooMuch, _, err := whole(v)
		if err != nil {
			return nil, err
		}
		if negative && magnitude > 0 {
			return uint64(0), t.outOfRange(c)
		}
		if tooMuch {
			return most, t.outOfRange(c)
		}
		n = magnitude
	case sqltypes.IsFloat(k):
		negative, magnitude, tooMuch := wholeFloat(truncatedFloat(v))
		n, over = magnitude, tooMuch || negative && magnitude > 0
	default:
		n, over = bytesNumber(v.Raw())
	}
	if over || n > most {
		if t.Strict {
			return nil, expr.NewError(1406, "22001", "Data too long for column '%s' at row %d", c.Name, t.Row)
		}
		return most, t.outOfRange(c)
	}
	return n, nil
}

// member is the number of a text among members, from 1; 0: it is none.
func member(c *Column, s string) int {
	s = strings.TrimRight(s, " ")
	for i, m := range c.Type.Members {
		if m = strings.TrimRight(m, " "); m == s || rowcodec.Alike(c.Type.Collation, m, s) {
			return i + 1
		}
	}
	return 0
}

// isCount reports whether a value is a number to a list of members, and which, as 64 bits. ok: it is a BIGINT.
func isCount(v expr.Value) (n int64, is, ok bool) {
	switch k := v.Type(); {
	case k == sqltypes.Bit:
		u, over := bytesNumber(v.Raw())
		return int64(u), true, !over && u <= math.MaxInt64
	case sqltypes.IsSigned(k):
		n, err := v.ToInt64()
		return n, true, err == nil
	case sqltypes.IsUnsigned(k):
		u, err := v.ToUint64()
		return int64(u), true, err == nil && u <= math.MaxInt64
	case sqltypes.IsNumber(k):
		f, err := strconv.ParseFloat(v.ToString(), 64)
		if err == nil && math.Abs(f) < 1<<63 {
			return int64(f), true, true
		}
		return math.MinInt64, true, false
	}
	return 0, false, false
}

func toEnum(t *Target, c *Column, v expr.Value) (any, error) {
	members := c.Type.Members
	if n, is, ok := isCount(v); is {
		if ok && n > 0 && n <= int64(len(members)) {
			return uint16(n), nil
		}
		return uint16(0), t.truncated(c)
	}
	s := v.ToString()
	if n := member(c, s); n > 0 {
		return uint16(n), nil
	}
	if n, err := strconv.ParseUint(s, 10, 16); err == nil && n > 0 && n <= uint64(len(members)) {
		return uint16(n), nil
	}
	return uint16(0), t.truncated(c)
}

func toSet(t *Target, c *Column, v expr.Value) (any, error) {
	members := c.Type.Members
	all := uint64(math.MaxUint64)
	if len(members) < 64 {
		all = 1<<len(members) - 1
	}
	if n, is, ok := isCount(v); is {
		if !ok {
			return uint64(n) & all, t.truncated(c)
		}
		return bitsOf(t, c, uint64(n), all)
	}
	s := v.ToString()
	bits, known := uint64(0), true
	for one := range strings.SplitSeq(s, ",") {
		if s == "" {
			break
		}
		n := member(c, one)
		if n == 0 {
			known = false
			continue
		}
		bits |= 1 << (n - 1)
	}
	if known {
		return bits, nil
	}
	if bits == 0 {
		digits := strings.TrimPrefix(s, "+")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return bitsOf(t, c, uint64(n), all)
		}
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
			return bitsOf(t, c, n, all)
		}
	}
	return bits, t.truncated(c)
}

func bitsOf(t *Target, c *Column, n, all uint64) (any, error) {
	if n > all {
		return n & all, t.truncated(c)
	}
	return n, nil
}

// toJSON takes texts and JSON values: bytes and numbers are none, whatever they read.
func toJSON(_ *Target, c *Column, v expr.Value) (any, error) {
	what, at := "not a JSON text, may need CAST", 0
	switch k := v.Type(); {
	case isNumberLiteral(v), sqltypes.IsBinary(k):
		return nil, expr.NewError(3144, "22032", "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
	case sqltypes.IsText(k), k == sqltypes.TypeJSON, k == sqltypes.Enum, k == sqltypes.Set:
		var doc []byte
		if doc, what, at = expr.StoredJSON(v.ToString()); what == "" {
			return coltype.JSON(doc), nil
		}
	}
	return nil, expr.NewError(3140, "22032", "Invalid JSON text: \"%s\" at position %d in value for column '%s'.", what, at, c.Name)
}
