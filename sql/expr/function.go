package expr

import (
	"fmt"
	"reflect"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// Value is a value in MySQL's text form with its type; NULL has none.
type Value = sqltypes.Value

// Type is the type of an expression: MySQL's type, collation, whether it may be NULL, length and scale.
type Type = evalengine.Type

// Null is SQL's NULL.
var Null = sqltypes.NULL

// Function is a function of MySQL that evalengine lacks, or computes otherwise than MySQL.
type Function struct {
	// Name is MySQL's, in upper case.
	Name string
	// Min and Max are the number of arguments; a Max below 0 is no bound.
	Min, Max int
	// Type is the type of the result, by those of the arguments.
	Type func(args []Type, c *Context) Type
	// Typed, in the place of Type, is the type by the arguments' values too, as far as they are known.
	Typed func(args []Known, c *Context) Type
	// Eval computes the value. It neither changes nor keeps the arguments' bytes.
	Eval func(c *Call) (Value, error)
	// Check, if there is one, is an error of the client at Compile.
	Check func(c *Context) error
	// Ask, in the place of Eval, has the arguments computed that it needs: need computes the i-th.
	Ask func(c *Call, need func(i int) error) (Value, error)
	// Repeat, in the place of Eval, computes the arguments again, as often as it calls again.
	Repeat func(c *Call, again func() error) (Value, error)
	// Nulls: Eval is called with NULL arguments too; otherwise one makes the result NULL.
	Nulls bool
	// Convert converts the i-th argument, for its warning, where another is NULL and so the result.
	Convert func(c *Call, i int)
	// Node, if given, chooses the function and arguments of a call by its tree: some are words, or constants that the type
	// depends on.
	Node func(*sqlparser.FuncExpr) node
	// Moment: a text that it returns is a date or time, and so a number where one is expected.
	Moment bool
	// Unread: it depends on the types of its arguments alone, which are not computed.
	Unread bool
	// Numbers: its arguments are numbers, so a literal 0x61 is one for its type.
	Numbers bool
	// Volatile: the value differs from call to call (RAND, SLEEP, UUID), so it is computed for each row.
	Volatile bool
}

// Call is one evaluation of a function.
type Call struct {
	*Context
	Function *Function
	Args     []Value
	Types    []Type         // of Args
	Constant []bool         // of Args: it has one value for all rows
	Number   []bool         // of Args: a literal 0x61 or 0b11, which is a number where one is expected, and text elsewhere
	Moment   []bool         // of Args: a text that is a date or time where a number is expected
	Boolean  []bool         // of Args: a truth value, such as TRUE or a comparison
	Out      Type           // of the result
	Tree     sqlparser.Expr // the call as it was written
	Option   string         // what the tree has besides arguments, such as the unit of an interval, in upper case
	State    any            // the function's own, kept from row to row of a statement; Begin clears it

	values int // of the documents that this evaluation has read
}

// node is a call as the tree has it.
type node struct {
	function *Function
	args     []sqlparser.Expr
	option   string
}

var (
	byName = map[string]*Function{}
	// byNode recognises calls that the parser gives a node of their own, by the node's type.
	byNode = map[reflect.Type][]func(sqlparser.Expr) (node, bool){}
)

// register adds functions that the parser gives as calls by name.
func register(list ...*Function) {
	for _, f := range list {
		if byName[f.Name] != nil || f.Name != strings.ToUpper(f.Name) {
			panic("function " + f.Name + " is registered twice, or not in upper case")
		}
		byName[f.Name] = f
	}
}

// registerNode adds functions that the parser gives a node of their own. match returns false for a form that is not the
// function's; the forms of several functions of one node are disjoint.
func registerNode[N sqlparser.Expr](match func(N) (node, bool)) {
	t := reflect.TypeFor[N]()
	byNode[t] = append(byNode[t], func(e sqlparser.Expr) (node, bool) { return match(e.(N)) })
}

// recognise is the call of one of ours that a node is.
func recognise(e sqlparser.Expr) (node, bool, error) {
	if f, ok := e.(*sqlparser.FuncExpr); ok && f.Qualifier.IsEmpty() {
		if own := byName[strings.ToUpper(f.Name.String())]; own != nil {
			n := node{function: own, args: f.Exprs}
			if own.Node != nil {
				n = own.Node(f)
			}
			return n, true, n.function.check(len(n.args))
		}
	}
	for _, match := range byNode[reflect.TypeOf(e)] {
		if n, ok := match(e); ok {
			return n, true, n.function.check(len(n.args))
		}
	}
	return node{}, false, nil
}

// Knows reports whether a name is that of a function of this package; evalengine has others.
func Knows(name string) bool { return byName[strings.ToUpper(name)] != nil }

// check compares a number of arguments with what the function takes.
func (f *Function) check(n int) error {
	if n < f.Min || f.Max >= 0 && n > f.Max {
		return newError(1582, "42000", "Incorrect parameter count in the call to native function '%s'", strings.ToLower(f.Name))
	}
	return nil
}

// The types that functions return.

func integerType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Int64, collations.CollationBinaryID, true, 0, 0, nil)
}

// IntegerType is BIGINT.
func IntegerType() Type { return integerType(nil, nil) }

func unsignedType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Uint64, collations.CollationBinaryID, true, 0, 0, nil)
}

func doubleType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.Float64, collations.CollationBinaryID, true, 0, 31, nil)
}

// textType is text in the connection's collation.
func textType(_ []Type, c *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarChar, c.Collation, true, 0, 0, nil)
}

// BytesType is VARBINARY.
func BytesType() Type { return binaryType(nil, nil) }

func binaryType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, 0, 0, nil)
}

func jsonType([]Type, *Context) Type {
	return evalengine.NewTypeEx(sqltypes.TypeJSON, collations.CollationUtf8mb4BinID, true, 0, 0, nil)
}

// likeFirst is the text type of the first argument: its collation if it is text, else the connection's.
func likeFirst(args []Type, c *Context) Type { return likeAll(args[:1], c) }

// likeAll is the text type of several arguments: bytes if one of them is, else text, of the first collation that is not
// the connection's. Values are in the connection's character set, so a collation of another set becomes the connection's.
func likeAll(args []Type, c *Context) Type {
	collation, size, nulls := c.Collation, int32(0), 0
	for _, a := range args {
		t := a.Type()
		switch {
		case sqltypes.IsNull(t), isNullText(a):
			if nulls++; nulls == len(args) {
				return nullTextType()
			}
		case sqltypes.IsBinary(t), t == sqltypes.Bit:
			return binaryType(nil, c)
		case sqltypes.IsText(t) && collation == c.Collation && c.sameCharset(a.Collation()):
			collation = a.Collation()
		}
		size += a.Size()
	}
	return evalengine.NewTypeEx(sqltypes.VarChar, collation, true, size, 0, nil)
}

// nullScale, as the scale of bytes, says that they are a text function's of NULL alone.
const nullScale = 1

// nullTextType is the type of a text function of NULL alone: bytes to a client, of no type beside others.
func nullTextType() Type {
	return evalengine.NewTypeEx(sqltypes.VarBinary, collations.CollationBinaryID, true, 0, nullScale, nil)
}

func isNullText(t Type) bool { return sqltypes.IsBinary(t.Type()) && t.Scale() == nullScale }

// sameCharset reports whether a collation is of the connection's character set; those of UTF-8 are one.
func (c *Context) sameCharset(id collations.ID) bool {
	names := environment.CollationEnv()
	a, b := names.LookupCharsetName(id), names.LookupCharsetName(c.Collation)
	return id != collations.Unknown && (a == b || strings.HasPrefix(a, "utf8") && strings.HasPrefix(b, "utf8"))
}

// Results.

// Int is an integer result.
func Int(n int64) Value { return sqltypes.NewInt64(n) }

// Uint is an unsigned integer result.
func Uint(n uint64) Value { return sqltypes.NewUint64(n) }

// Double is a floating-point result.
func Double(f float64) Value { return sqltypes.NewFloat64(f) }

// Bool is 1 or 0.
func Bool(b bool) Value {
	if b {
		return Int(1)
	}
	return Int(0)
}

// Text is a text result of the call's type.
func (c *Call) Text(s string) Value { return c.Bytes([]byte(s)) }

// Bytes is a text or binary result of the call's type.
func (c *Call) Bytes(b []byte) Value { return sqltypes.MakeTrusted(c.Out.Type(), b) }

// TooLong reports whether a result of so many bytes is over max_allowed_packet; then it has warned, and the result must
// be NULL.
func (c *Call) TooLong(n int) bool {
	if n <= c.maxPacket() {
		return false
	}
	c.Warn(1301, fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated", strings.ToLower(c.Function.Name), c.maxPacket()))
	return true
}
