package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/mysql/format"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// JSON_VALUE.

// jsonReturning is the type that JSON_VALUE returns, and what it returns where there is no value, or none of that type.
type jsonReturning struct {
	name             string // of the type, in upper case
	length, scale    int    // -1: not given
	onEmpty, onError jsonResponse
}

// jsonResponse is NULL, an error, or a default: the argument at a place.
type jsonResponse struct {
	fail bool
	at   int // 0: there is no default
}

func init() {
	registerNode(func(e *sqlparser.JSONValueExpr) (node, bool) {
		args := []sqlparser.Expr{e.JSONDoc, e.Path}
		r := &jsonReturning{name: "CHAR", length: 512, scale: -1}
		r.onEmpty, args = jsonResponseOf(e.EmptyOnResponse, args)
		r.onError, args = jsonResponseOf(e.ErrorOnResponse, args)
		if t := e.ReturningType; t != nil {
			r.name, r.length = strings.ToUpper(t.Type), -1
			if t.Length != nil {
				r.length = *t.Length
			}
			if t.Scale != nil {
				r.scale = *t.Scale
			}
		}
		typ := r.typ()
		return node{function: &Function{
			Name: "JSON_VALUE", Min: 2, Max: 4, Nulls: true, Type: func([]Type, *Context) Type { return typ },
			Eval: func(c *Call) (Value, error) { return c.jsonValue(r) },
		}, args: args}, true
	})
}

func jsonResponseOf(r *sqlparser.JtOnResponse, args []sqlparser.Expr) (jsonResponse, []sqlparser.Expr) {
	switch {
	case r == nil || r.ResponseType == sqlparser.NullJSONType:
		return jsonResponse{}, args
	case r.ResponseType == sqlparser.ErrorJSONType:
		return jsonResponse{fail: true}, args
	}
	return jsonResponse{at: len(args)}, append(args, r.Expr)
}

// typ is the type of the result.
func (r *jsonReturning) typ() Type {
	switch r.name {
	case "SIGNED", "SIGNED INTEGER":
		return integerType(nil, nil)
	case "UNSIGNED", "UNSIGNED INTEGER":
		return unsignedType(nil, nil)
	case "DOUBLE", "REAL", "FLOAT":
		return doubleType(nil, nil)
	case "DECIMAL":
		precision, scale := r.precision()
		return evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, int32(precision), int32(scale), nil)
	case "DATE":
		return dateType(nil, nil)
	case "DATETIME":
		return temporalType(sqltypes.Datetime, r.digits())
	case "TIME":
		return temporalType(sqltypes.Time, r.digits())
	case "YEAR":
		return evalengine.NewTypeEx(sqltypes.Year, collations.CollationBinaryID, true, 0, 0, nil)
	case "JSON":
		return jsonType(nil, nil)
	case "BINARY":
		return binaryType(nil, nil)
	}
	return evalengine.NewTypeEx(sqltypes.VarChar, collations.CollationUtf8mb4BinID, true, int32(max(0, r.length)), 0, nil)
}

func (r *jsonReturning) precision() (precision, scale int) {
	precision, scale = 10, 0
	if r.length > 0 {
		precision = min(r.length, 65)
	}
	if r.scale > 0 {
		scale = min(r.scale, 30, precision)
	}
	return precision, scale
}

func (r *jsonReturning) digits() int { return max(0, min(6, r.length)) }

// jsonValue is JSON_VALUE: the value at a path as another type.
func (c *Call) jsonValue(r *jsonReturning) (Value, error) {
	if c.IsNull(0) || c.IsNull(1) {
		return Null, nil
	}
	doc, err := c.document(0)
	if err != nil {
		if c.Args[0].IsText() {
			return c.respond(r, r.onError, err)
		}
		return Null, err
	}
	p, err := c.path(1, false)
	if err != nil {
		return Null, err
	}
	found := p.matches(&doc)
	switch {
	case len(found) == 0:
		return c.respond(r, r.onEmpty, newError(3966, "22035", "No value was found by 'json_value' on the specified path."))
	case len(found) > 1:
		return c.respond(r, r.onError, newError(3967, "22034", "More than one value was found by 'json_value' on the specified path."))
	case found[0].kind == jsonNull:
		return Null, nil
	}
	v, ok := c.jsonAs(r, found[0])
	if !ok {
		return c.respond(r, r.onError, newError(3156, "22018", "Invalid JSON value for CAST to %s from column json_value at row 1", r.name))
	}
	return v, nil
}

// respond returns what the call has for a failure.
func (c *Call) respond(r *jsonReturning, to jsonResponse, err error) (Value, error) {
	if to.fail {
		return Null, err
	}
	if to.at == 0 || c.IsNull(to.at) {
		return Null, nil
	}
	v, err := c.jsonOf(to.at)
	if err != nil {
		return Null, err
	}
	if r.name == "JSON" {
		v2, fault := parseJSON(c.Str(to.at))
		if fault != nil {
			return Null, newError(3141, "22032", "Invalid JSON text in argument 1 to function json_value: \"%s\" at position %d.", fault.what, fault.at)
		}
		v = v2
	}
	out, ok := c.jsonAs(r, &v)
	if !ok {
		return Null, newError(1067, "42000", "Invalid default value for 'json_value'")
	}
	return out, nil
}

// jsonAs is a value of a document as the type of the call; false: it is none.
func (c *Call) jsonAs(r *jsonReturning, v *jsonValue) (Value, bool) {
	switch r.name {
	case "JSON":
		out, err := c.json(v)
		return out, err == nil
	case "SIGNED", "SIGNED INTEGER", "UNSIGNED", "UNSIGNED INTEGER", "DECIMAL", "DOUBLE", "REAL", "FLOAT", "YEAR":
		return c.jsonAsNumber(r, v)
	case "DATE", "DATETIME", "TIME":
		return c.jsonAsTemporal(r, v)
	}
	s := v.text
	if v.isContainer() {
		s = string(v.append(nil, c.maxPacket()))
	}
	if c.TooLong(len(s)) {
		return Null, true
	}
	if r.length >= 0 && utf8.RuneCountInString(s) > r.length {
		return Null, false
	}
	return c.Text(s), true
}

func (c *Call) jsonAsNumber(r *jsonReturning, v *jsonValue) (Value, bool) {
	text := strings.TrimSpace(v.text)
	switch {
	case v.isContainer():
		return Null, false
	case v.kind == jsonBool:
		text = map[string]string{"true": "1", "false": "0"}[v.text]
	case v.isNumber():
		text = v.number()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return Null, false
	}
	if r.name == "DOUBLE" || r.name == "REAL" || r.name == "FLOAT" {
		if r.name == "FLOAT" {
			f = float64(float32(f))
		}
		return sqltypes.MakeTrusted(sqltypes.Float64, format.FormatFloat(f)), !math.IsInf(f, 0)
	}
	if strings.ContainsAny(text, "eE") || len(text) > 100 {
		text = strconv.FormatFloat(f, 'f', -1, 64) // an exponent may stand for more digits than there is memory
	}
	d, err := decimal.NewFromMySQL([]byte(text))
	if err != nil {
		return Null, false
	}
	switch r.name {
	case "DECIMAL":
		precision, scale := r.precision()
		d = d.Round(int32(scale))
		b := d.FormatMySQL(int32(scale))
		whole, _, _ := strings.Cut(strings.TrimLeft(string(b), "-0"), ".")
		return sqltypes.MakeTrusted(sqltypes.Decimal, b), len(whole) <= precision-scale
	case "UNSIGNED", "UNSIGNED INTEGER":
		n, ok := d.Round(0).Uint64()
		return Uint(n), ok
	}
	n, ok := d.Round(0).Int64()
	if r.name == "YEAR" {
		if n > 0 && n < 100 {
			n = int64(fullYear(int(n)))
		}
		return sqltypes.MakeTrusted(sqltypes.Year, appendPadded(nil, int(n), 4)), ok && (n == 0 || n >= 1901 && n <= 2155)
	}
	return Int(n), ok
}

func (c *Call) jsonAsTemporal(r *jsonReturning, v *jsonValue) (Value, bool) {
	switch v.kind {
	case jsonString, jsonDate, jsonTime, jsonDateTime:
	default:
		return Null, false
	}
	var p parsed
	var ok bool
	if r.name == "TIME" {
		p, ok = parseTime(v.text)
	} else {
		p, ok = parseDateTime(v.text, c.storedRules())
	}
	if !ok || p.cut || !p.round(r.digits()) {
		return Null, false
	}
	return c.temporalValue(p.temporal, r.digits()), true
}
