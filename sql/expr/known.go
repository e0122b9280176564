package expr

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Types that depend on the values of arguments: the digits of ROUND(x, 2), those of TIMEDIFF('10:00:00.5', '1').

// Known is an argument as far as it is known at Compile.
type Known struct {
	Type  Type
	Value *Value // nil: it differs from row to row
}

// knownNodes bounds the arguments that are computed at Compile.
const knownNodes = 32

// mostGuesses bounds how deep one expression is computed for the type of another: the work grows with its power.
const mostGuesses = 2

// known is what is known of the argument of a call.
func (b *compiler) known(e sqlparser.Expr, v value) Known {
	k := Known{Type: v.typ}
	if !v.literal || b.guesses >= mostGuesses {
		return k
	}
	nodes, parameters := 0, false
	err := sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		nodes++
		switch n.(type) {
		case *sqlparser.Argument:
			parameters = true
		case *sqlparser.Variable, *sqlparser.AssignmentExpr, *sqlparser.ColName:
			nodes = knownNodes + 1
		}
		return nodes <= knownNodes, nil
	}, e)
	if err != nil || nodes > knownNodes {
		return k
	}
	c := *b.p.context
	c.bound = false
	c.Session, c.warnings, c.MaxPacket = nil, nil, 1<<10
	one := &compiler{p: &Program{context: &c}, guesses: b.guesses + 1, depth: b.depth}
	program, err := one.program(e)
	if err != nil {
		return k
	}
	program.Begin(&c)
	if got, err := program.Run(nil, nil); err == nil {
		k.Value = &got[0]
		b.p.context.bound = b.p.context.bound || parameters
	}
	return k
}

// number makes a literal 0x61 the number that it is where one is expected.
func (k *Known) number(t Type) {
	k.Type = t
	if k.Value != nil && !k.Value.IsNull() {
		c := Call{Context: &Context{}, Args: []Value{*k.Value}, Types: []Type{t}, Number: []bool{true}}
		n := c.numeric(0)
		k.Value = &n
	}
}

// integerOf is a known argument as a whole number.
func (k Known) integerOf(c *Context) (n int64, ok bool) {
	if k.Value == nil {
		return 0, false
	}
	if k.Value.IsNull() {
		return 0, false
	}
	quiet := &Context{Now: c.Now, Zone: c.Zone, SQLMode: c.SQLMode}
	call := Call{Context: quiet, Args: []Value{*k.Value}, Types: []Type{k.Type}, Number: []bool{isBitsType(k.Type)}}
	return call.Integer(0), true
}

func isBitsType(t Type) bool {
	k := t.Type()
	return k == sqltypes.Bit || k == sqltypes.HexNum || k == sqltypes.HexVal || k == sqltypes.BitNum
}

// dateDigits and timeDigits are the digits of the fraction of a second that an argument has as a date with time, or a time:
// those of a text whose value is known, and 6 of one that is none.
func (k Known) dateDigits(c *Context) int { return k.digits(c, (*Call).date) }

func (k Known) timeDigits(c *Context) int {
	return k.digits(c, func(call *Call, i int, _ dateRules) (parsed, bool) { return call.clock(i) })
}

func (k Known) durationDigits(c *Context) int {
	return k.digits(c, func(call *Call, i int, _ dateRules) (parsed, bool) { return call.duration(i) })
}

func (k Known) digits(c *Context, read func(*Call, int, dateRules) (parsed, bool)) int {
	t := k.Type.Type()
	if k.Value == nil || k.Value.IsNull() || !sqltypes.IsText(t) && !sqltypes.IsBinary(t) {
		return digitsOf(k.Type)
	}
	quiet := &Context{Now: c.Now, Zone: c.Zone, SQLMode: c.SQLMode}
	call := &Call{Context: quiet, Args: []Value{*k.Value}, Types: []Type{k.Type}, Constant: []bool{true}}
	if p, ok := read(call, 0, c.partRules()); ok {
		return p.digits
	}
	return 6
}

// mostDigits is the larger of the digits of arguments.
func mostDigits(c *Context, of func(Known, *Context) int, list ...Known) (n int) {
	for _, k := range list {
		n = max(n, of(k, c))
	}
	return n
}
