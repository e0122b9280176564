package expr

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"
)

// String functions (the manual's 14.8): letter case, joining, replacing, trimming.

var (
	lower = &Function{Name: "LOWER", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) { return c.fold(lowerCase), nil }}
	upper = &Function{Name: "UPPER", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) { return c.fold(upperCase), nil }}
)

var (
	length     = &Function{Name: "LENGTH", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) { return Int(int64(len(c.Native(0)))), nil }}
	charLength = &Function{Name: "CHAR_LENGTH", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) { return Int(int64(c.measure(0).count(c.Raw(0)))), nil }}
)

func init() {
	register(
		lower, upper, alias("LCASE", lower), alias("UCASE", upper),
		&Function{Name: "CONCAT", Min: 1, Max: -1, Type: likeAll, Eval: func(c *Call) (Value, error) { return c.join(nil, 0), nil }},
		&Function{Name: "CONCAT_WS", Min: 2, Max: -1, Type: likeAll, Ask: concatWS},
		&Function{Name: "REPLACE", Min: 3, Max: 3, Type: likeAll, Eval: replaceAll},
		&Function{Name: "QUOTE", Min: 1, Max: 1, Type: likeFirst, Nulls: true, Eval: quote},
		length, alias("OCTET_LENGTH", length), charLength, alias("CHARACTER_LENGTH", charLength),
		&Function{Name: "BIT_LENGTH", Min: 1, Max: 1, Type: integerType, Eval: func(c *Call) (Value, error) { return Int(8 * int64(len(c.Native(0)))), nil }},
		&Function{Name: "STRCMP", Min: 2, Max: 2, Type: integerType, Convert: asItIs, Eval: func(c *Call) (Value, error) {
			by, a, b := c.comparison(c.Types...), c.Raw(0), c.Raw(1)
			if Pads(by.ID()) {
				a, b = bytes.TrimRight(a, " "), bytes.TrimRight(b, " ")
			}
			return Int(int64(compareInt64(int64(by.Collate(a, b, false)), 0))), nil
		}},
		&Function{Name: "INSTR", Min: 2, Max: 2, Convert: asItIs, Type: integerType, Eval: func(c *Call) (Value, error) { return c.locate(1, 0, 1) }},
		&Function{Name: "SOUNDEX", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) {
			s := c.Raw(0)
			if c.isBinary(0) { // bytes beyond ASCII are no letters
				s = bytes.Map(func(r rune) rune {
					if r >= utf8.RuneSelf {
						return -1
					}
					return r
				}, s)
			}
			return c.Bytes(soundex(s)), nil
		}},
		&Function{Name: "LOAD_FILE", Min: 1, Max: 1, Type: binaryType, Eval: func(*Call) (Value, error) { return Null, nil }}, // as with secure_file_priv = NULL
	)
	registerNode(func(e *sqlparser.LocateExpr) (node, bool) {
		return node{function: locate, args: given(e.SubStr, e.Str, e.Pos)}, true
	})
	registerNode(func(e *sqlparser.TrimFuncExpr) (node, bool) {
		args := []sqlparser.Expr{e.StringArg}
		if e.TrimArg != nil {
			args = append(args, e.TrimArg)
		}
		return node{trim, args, e.Type.ToString()}, true
	})
}

// alias is a function under another name.
func alias(name string, of *Function) *Function {
	f := *of
	f.Name = name
	return &f
}

// fold changes the case of a text; bytes have none.
func (c *Call) fold(change func(rune) rune) Value {
	b := c.Raw(0)
	if c.isBinary(0) {
		return c.Bytes(b)
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size <= 1 {
			out = append(out, b[0])
		} else {
			out = utf8.AppendRune(out, change(r))
		}
		b = b[size:]
	}
	if c.TooLong(len(out)) {
		return Null
	}
	return c.Bytes(out)
}

// MySQL maps a letter to one letter, and not those that Unicode 9 had no mapping for.

func upperCase(r rune) rune {
	if r >= 0x10d0 && r <= 0x10ff { // Georgian has capitals since Unicode 11
		return r
	}
	return unicode.ToUpper(r)
}

func lowerCase(r rune) rune {
	if r >= 0x1c90 && r <= 0x1cbf {
		return r
	}
	return unicode.ToLower(r)
}

// join joins the arguments from the i-th on that are not NULL.
func (c *Call) join(separator []byte, i int) Value {
	size, parts := 0, make([][]byte, 0, len(c.Args))
	for ; i < len(c.Args); i++ {
		if c.IsNull(i) {
			continue
		}
		parts = append(parts, c.Raw(i))
		size += len(c.Raw(i)) + len(separator)
	}
	if c.TooLong(size - len(separator)) {
		return Null
	}
	return c.Bytes(bytes.Join(parts, separator))
}

func concatWS(c *Call, need func(i int) error) (Value, error) {
	for i := range c.Args {
		if err := need(i); err != nil || c.IsNull(0) {
			return Null, err
		}
	}
	return c.join(c.Raw(0), 1), nil
}

// replaceAll is REPLACE, which knows no collation.
func replaceAll(c *Call) (Value, error) {
	s, from, to := c.Raw(0), c.Raw(1), c.Raw(2)
	if len(from) == 0 {
		return c.Bytes(s), nil
	}
	if c.TooLong(len(s) + bytes.Count(s, from)*(len(to)-len(from))) {
		return Null, nil
	}
	return c.Bytes(bytes.ReplaceAll(s, from, to)), nil
}

var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`, "\x1a", `\Z`)

// quote is QUOTE: a literal of the text; that of NULL is the word.
func quote(c *Call) (Value, error) {
	if c.IsNull(0) {
		return c.Text("NULL"), nil
	}
	s := c.Str(0)
	special := 2
	for i := range len(s) {
		if strings.IndexByte("\\'\x00\x1a", s[i]) >= 0 {
			special++
		}
	}
	if c.TooLong(len(s) + special) {
		return Null, nil
	}
	return c.Text("'" + quoted.Replace(s) + "'"), nil
}

// soundex is the code of a word: its first letter and the numbers of the consonants behind it, at least three. All
// letters beyond ASCII are vowels.
func soundex(s []byte) []byte {
	var out []byte
	last := byte(0)
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		s = s[size:]
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		if (r < 'A' || r > 'Z') && r < 0xc0 {
			continue
		}
		code := byte('0')
		if r <= 'Z' {
			code = "01230120022455012623010202"[r-'A']
		}
		switch {
		case out == nil:
			out = utf8.AppendRune(out, r)
			last = code
		case code != '0' && code != last:
			out = append(out, code)
			last = code
		}
	}
	if out == nil {
		return nil
	}
	for utf8.RuneCount(out) < 4 {
		out = append(out, '0')
	}
	return out
}

// trim is TRIM: Option is leading, trailing, both or "".
var trim = &Function{Name: "TRIM", Min: 1, Max: 2, Type: likeAll, Eval: func(c *Call) (Value, error) {
	s, cut := c.Raw(0), []byte(" ")
	if len(c.Args) == 2 {
		cut = c.Raw(1)
	}
	if len(cut) == 0 {
		return c.Bytes(s), nil
	}
	for c.Option != "trailing" && bytes.HasPrefix(s, cut) {
		s = s[len(cut):]
	}
	for c.Option != "leading" && bytes.HasSuffix(s, cut) {
		s = s[:len(s)-len(cut)]
	}
	return c.Bytes(s), nil
}}

// locate is LOCATE and POSITION: of a text in another, from a position on.
var locate = &Function{Name: "LOCATE", Min: 2, Max: 3, Convert: asItIs, Type: integerType, Eval: func(c *Call) (Value, error) {
	if len(c.Args) == 3 {
		return c.locate(0, 1, c.Integer(2))
	}
	return c.locate(0, 1, 1)
}}

// locate is the position of a text in another, in characters from 1; 0: it is not in it. As there, what is compared has
// as many bytes as the text that is sought.
func (c *Call) locate(sought, in int, from int64) (Value, error) {
	needle, s := c.Raw(sought), c.Raw(in)
	m := measure{c.isBinary(sought) || c.isBinary(in)}
	if from < 1 || from > int64(len(s))+1 {
		return Int(0), nil
	}
	at := m.offset(s, int(from-1))
	if at == len(s) && from-1 > int64(m.count(s)) {
		return Int(0), nil
	}
	by := c.comparison(c.Types[sought], c.Types[in])
	for n := from; at+len(needle) <= len(s); n++ {
		if int64(n)*int64(len(needle))>>20 != int64(n-1)*int64(len(needle))>>20 && c.ended() {
			return Null, newError(1317, "70100", "Query execution was interrupted")
		}
		end := at + len(needle)
		if whole := m.bytes || end == len(s) || utf8.RuneStart(s[end]); whole && by.Collate(s[at:end], needle, false) == 0 {
			return Int(n), nil
		}
		next := m.offset(s[at:], 1)
		if next == 0 {
			break
		}
		at += next
	}
	return Int(0), nil
}
