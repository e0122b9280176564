package expr

import (
	"bytes"

	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/vt/sqlparser"
)

// String functions (the manual's 14.8).

var (
	lower = &Function{Name: "LOWER", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) { return c.fold(bytes.ToLower), nil }}
	upper = &Function{Name: "UPPER", Min: 1, Max: 1, Type: likeFirst, Eval: func(c *Call) (Value, error) { return c.fold(bytes.ToUpper), nil }}
)

func init() {
	register(lower, upper, alias("LCASE", lower), alias("UCASE", upper), &Function{Name: "FIND_IN_SET", Min: 2, Max: 2, Type: integerType, Eval: findInSet})
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
func (c *Call) fold(change func([]byte) []byte) Value {
	if c.isBinary(0) {
		return c.Bytes(c.Raw(0))
	}
	return c.Bytes(change(c.Raw(0)))
}

// isBinary reports whether the i-th argument are bytes without a character set.
func (c *Call) isBinary(i int) bool {
	t := c.Types[i]
	return t.Collation() == 63 && c.Args[i].IsQuoted() && !c.Args[i].IsDateTime()
}

// trim is TRIM: Option is LEADING, TRAILING, BOTH or "".
var trim = &Function{Name: "TRIM", Min: 1, Max: 2, Type: likeFirst, Eval: func(c *Call) (Value, error) {
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

// findInSet is FIND_IN_SET: the position of a text in a list parted by commas, by the collation; 0: not in it.
func findInSet(c *Call) (Value, error) {
	needle, list := c.Raw(0), c.Raw(1)
	if bytes.IndexByte(needle, ',') >= 0 || len(list) == 0 {
		return Int(0), nil
	}
	collation := colldata.Lookup(c.Collation)
	for i := int64(1); ; i++ {
		item, rest, more := bytes.Cut(list, []byte(","))
		if collation.Collate(item, needle, false) == 0 {
			return Int(i), nil
		}
		if !more {
			return Int(0), nil
		}
		list = rest
	}
}
