package expr

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Functions that create documents (the manual's 14.17.2), and quote.

var (
	jsonArrayFunction  = &Function{Name: "JSON_ARRAY", Max: -1, Nulls: true, Type: jsonType, Eval: jsonArrayCall}
	jsonObjectFunction = &Function{Name: "JSON_OBJECT", Max: -1, Nulls: true, Type: jsonType, Eval: jsonObjectCall}
	jsonQuote          = &Function{Name: "JSON_QUOTE", Min: 1, Max: 1, Type: jsonTextType, Eval: jsonQuoteCall}
	jsonUnquote        = &Function{Name: "JSON_UNQUOTE", Min: 1, Max: 1, Type: jsonTextType, Eval: jsonUnquoteCall}
	castJSON           = &Function{Name: "CAST_AS_JSON", Min: 1, Max: 1, Type: jsonType, Eval: castJSONCall}
	jsonPretty         = &Function{Name: "JSON_PRETTY", Min: 1, Max: 1, Type: jsonTextType, Eval: jsonPrettyCall}
)

func init() {
	registerNode(func(e *sqlparser.JSONArrayExpr) (node, bool) {
		return node{function: jsonArrayFunction, args: e.Params}, true
	})
	registerNode(func(e *sqlparser.JSONObjectExpr) (node, bool) {
		return node{function: jsonObjectFunction, args: pairs(nil, e.Params)}, true
	})
	registerNode(func(e *sqlparser.JSONQuoteExpr) (node, bool) {
		return node{function: jsonQuote, args: []sqlparser.Expr{e.StringArg}}, true
	})
	registerNode(func(e *sqlparser.JSONUnquoteExpr) (node, bool) {
		return node{function: jsonUnquote, args: []sqlparser.Expr{e.JSONValue}}, true
	})
	registerNode(func(e *sqlparser.JSONPrettyExpr) (node, bool) {
		return node{function: jsonPretty, args: []sqlparser.Expr{e.JSONVal}}, true
	})
}

// pairs appends the keys, or paths, and values of a call to its first arguments.
func pairs(args []sqlparser.Expr, list []*sqlparser.JSONObjectParam) []sqlparser.Expr {
	for _, p := range list {
		args = append(args, p.Key, p.Value)
	}
	return args
}

func jsonArrayCall(c *Call) (Value, error) {
	out := jsonArrayOf(make([]jsonValue, 0, len(c.Args))...)
	for i := range c.Args {
		v, err := c.jsonOf(i)
		if err != nil {
			return Null, err
		}
		out.in.values = append(out.in.values, v)
	}
	return c.json(&out)
}

func jsonObjectCall(c *Call) (Value, error) {
	out := jsonValue{kind: jsonObject, in: &jsonInside{}}
	for i := 0; i+1 < len(c.Args); i += 2 {
		if c.IsNull(i) {
			return Null, newError(3158, "22032", "JSON documents may not contain NULL member names.")
		}
		v, err := c.jsonOf(i + 1)
		if err != nil {
			return Null, err
		}
		out.in.keys, out.in.values = append(out.in.keys, c.Str(i)), append(out.in.values, v)
	}
	out.in.sortMembers()
	return c.json(&out)
}

func jsonQuoteCall(c *Call) (Value, error) {
	if t := c.Args[0].Type(); !sqltypes.IsText(t) && !sqltypes.IsBinary(t) {
		return Null, newError(3064, "HY000", "Incorrect type for argument 1 in function json_quote.")
	}
	if c.isBinary(0) {
		return Null, errJSONBinary()
	}
	b := appendQuoted(nil, c.Str(0))
	if c.TooLong(len(b)) {
		return Null, nil
	}
	return c.Bytes(b), nil
}

// jsonUnquoteCall is JSON_UNQUOTE: a JSON string, or a text in double quotes, without its quotes and escapes.
func jsonUnquoteCall(c *Call) (Value, error) {
	s := c.Str(0)
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return c.Text(s), nil
	}
	v, err := c.document(0)
	if err != nil {
		return Null, err
	}
	return c.Text(v.text), nil
}

// castJSONCall is CAST AS JSON: a text is a document, another value one of a document.
func castJSONCall(c *Call) (Value, error) {
	get := c.jsonOf
	if t := c.Args[0].Type(); sqltypes.IsText(t) && t != sqltypes.Enum && t != sqltypes.Set {
		get = c.document
	}
	v, err := get(0)
	if err != nil {
		return Null, err
	}
	return c.json(&v)
}

func jsonPrettyCall(c *Call) (Value, error) {
	v, err := c.document(0)
	if err != nil {
		return Null, err
	}
	b := v.appendPretty(nil, 0, c.maxPacket())
	if c.TooLong(len(b)) {
		return Null, nil
	}
	return c.Bytes(b), nil
}

// appendPretty writes a value with a line for each element and member, two spaces deeper for each level.
func (v *jsonValue) appendPretty(b []byte, level, most int) []byte {
	if v.in == nil || len(v.in.values) == 0 {
		return v.append(b, most)
	}
	open, shut := byte('['), byte(']')
	if v.kind == jsonObject {
		open, shut = '{', '}'
	}
	b = append(b, open)
	for i := range v.in.values {
		if len(b) > most {
			return b
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendLine(b, level+1)
		if v.kind == jsonObject {
			b = append(appendQuoted(b, v.in.keys[i]), ": "...)
		}
		b = v.in.values[i].appendPretty(b, level+1, most)
	}
	return append(appendLine(b, level), shut)
}

func appendLine(b []byte, level int) []byte {
	b = append(b, '\n')
	for range level {
		b = append(b, "  "...)
	}
	return b
}
