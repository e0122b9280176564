package expr

import (
	"bytes"
	"math"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// String functions that cut, pad and repeat.

var (
	substring = &Function{Name: "SUBSTRING", Min: 2, Max: 3, Convert: toInteger, Type: likeFirst, Eval: evalSubstring}
	insert    = &Function{Name: "INSERT", Min: 4, Max: 4, Convert: func(c *Call, i int) {
		if i < 3 {
			toInteger(c, i)
		}
	}, Type: func(args []Type, c *Context) Type { return likeAll([]Type{args[0], args[3]}, c) }, Eval: evalInsert}
)

func init() {
	register(
		&Function{Name: "LEFT", Min: 2, Max: 2, Convert: toInteger, Type: likeFirst, Eval: left},
		&Function{Name: "RIGHT", Min: 2, Max: 2, Convert: toInteger, Type: likeFirst, Eval: right},
		&Function{Name: "LPAD", Min: 3, Max: 3, Convert: toLength, Type: padType, Eval: func(c *Call) (Value, error) { return c.pad(true), nil }},
		&Function{Name: "RPAD", Min: 3, Max: 3, Convert: toLength, Type: padType, Eval: func(c *Call) (Value, error) { return c.pad(false), nil }},
		&Function{Name: "REPEAT", Min: 2, Max: 2, Convert: toInteger, Type: likeFirst, Eval: repeat},
		&Function{Name: "SPACE", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.repeated([]byte(" "), 0), nil }},
		&Function{Name: "SUBSTRING_INDEX", Min: 3, Max: 3, Convert: toCount, Type: func(args []Type, c *Context) Type { return likeAll(args[:2], c) }, Eval: substringIndex},
	)
	registerNode(func(e *sqlparser.SubstrExpr) (node, bool) {
		args := []sqlparser.Expr{e.Name, e.From}
		if e.To != nil {
			args = append(args, e.To)
		}
		return node{substring, args, ""}, true
	})
	registerNode(func(e *sqlparser.InsertExpr) (node, bool) {
		return node{insert, []sqlparser.Expr{e.Str, e.Pos, e.Len, e.NewStr}, ""}, true
	})
}

// maxCount is the largest number of characters that a function takes.
const maxCount = math.MaxInt32

func left(c *Call) (Value, error) {
	s, n := c.Raw(0), min(c.Integer(1), maxCount)
	return c.Bytes(s[:c.measure(0).offset(s, int(n))]), nil
}

func right(c *Call) (Value, error) {
	s, n := c.Raw(0), c.Integer(1)
	m := c.measure(0)
	count := int64(m.count(s))
	if n <= 0 {
		return c.Text(""), nil
	}
	return c.Bytes(s[m.offset(s, int(max(0, count-n))):]), nil
}

// evalSubstring is SUBSTRING: a position below 0 counts from the end.
func evalSubstring(c *Call) (Value, error) {
	s, at, n := c.Raw(0), c.Integer(1), int64(maxCount)
	if len(c.Args) == 3 {
		n = min(c.Integer(2), maxCount)
	}
	m := c.measure(0)
	count := int64(m.count(s))
	if at < 0 {
		at += count + 1
	}
	if n <= 0 || at < 1 || at > count {
		return c.Text(""), nil
	}
	s = s[m.offset(s, int(at-1)):]
	return c.Bytes(s[:m.offset(s, int(n))]), nil
}

func evalInsert(c *Call) (Value, error) {
	s, at, n, with := c.Raw(0), c.Integer(1), c.Integer(2), c.Raw(3)
	size := int64(len(s))
	if at < 1 || at > size {
		return c.Bytes(s), nil
	}
	if n < 0 || n > size {
		n = size
	}
	m := c.measure(0)
	from := m.offset(s, int(at-1))
	if from == len(s) {
		return c.Bytes(s), nil
	}
	to := from + m.offset(s[from:], int(n))
	if c.TooLong(from + len(with) + len(s) - to) {
		return Null, nil
	}
	return c.Bytes(bytes.Join([][]byte{s[:from], with, s[to:]}, nil)), nil
}

// padType is the text type of the text and of what fills it.
func padType(args []Type, c *Context) Type { return likeAll([]Type{args[0], args[2]}, c) }

// pad fills a text to a number of characters, or cuts it.
func (c *Call) pad(atLeft bool) Value {
	s, n, with := c.Raw(0), c.Integer(1), c.Raw(2)
	if n < 0 {
		return Null
	}
	m := measure{c.isBinary(0) || c.isBinary(2)}
	have := int64(m.count(s))
	if n <= have {
		return c.Bytes(s[:m.offset(s, int(n))])
	}
	width := int64(1)
	if !m.bytes {
		width = 4 // bytes that a character may have
	}
	if c.TooLong(int(min(n, maxCount) * width)) {
		return Null
	}
	if len(with) == 0 {
		return Null
	}
	missing := int(n - have)
	per := m.count(with)
	fill := bytes.Repeat(with, missing/per)
	fill = append(fill, with[:m.offset(with, missing%per)]...)
	if atLeft {
		return c.Bytes(append(fill, s...))
	}
	return c.Bytes(bytes.Join([][]byte{s, fill}, nil))
}

func repeat(c *Call) (Value, error) { return c.repeated(c.Raw(0), 1), nil }

// repeated repeats a text as often as the i-th argument.
func (c *Call) repeated(s []byte, i int) Value {
	n := min(c.Integer(i), maxCount)
	if n <= 0 || len(s) == 0 {
		return c.Text("")
	}
	if c.TooLong(len(s) * int(n)) {
		return Null
	}
	return c.Bytes(bytes.Repeat(s, int(n)))
}

// substringIndex is what is before the n-th delimiter, or behind it if n counts from the end.
func substringIndex(c *Call) (Value, error) {
	s, delimiter, n := c.Raw(0), c.Raw(1), int64(int32(c.Integer(2))) // cut to 32 bits, as there
	if len(s) == 0 || len(delimiter) == 0 || n == 0 {
		return c.Text(""), nil
	}
	if n < 0 {
		if n += int64(bytes.Count(s, delimiter)) + 1; n <= 0 {
			return c.Bytes(s), nil
		}
		_, behind := nthIndex(s, delimiter, n)
		return c.Bytes(s[behind:]), nil
	}
	before, _ := nthIndex(s, delimiter, n)
	return c.Bytes(s[:before]), nil
}

// nthIndex is where the n-th delimiter begins and ends; len(s) if there are fewer.
func nthIndex(s, delimiter []byte, n int64) (from, to int) {
	for ; n > 0; n-- {
		i := bytes.Index(s[to:], delimiter)
		if i < 0 {
			return len(s), len(s)
		}
		from = to + i
		to = from + len(delimiter)
	}
	return from, to
}

// isText reports whether a type is text or bytes: its values compare as such.
func isText(t sqltypes.Type) bool { return sqltypes.IsText(t) || sqltypes.IsBinary(t) }
