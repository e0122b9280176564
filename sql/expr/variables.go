package expr

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// Variables in expressions: @x, @@x, @@session.x and @@global.x. A statement has one value of each for all its rows.

func init() {
	registerNode(func(e *sqlparser.Variable) (node, bool) {
		name := e.Name.Lowered()
		switch e.Scope {
		case sqlparser.VariableScope:
			return node{function: userVariable(name)}, true
		case sqlparser.NoScope, sqlparser.SessionScope, sqlparser.NextTxScope:
			return node{function: systemVariable(name, e.Name.String(), false)}, true
		case sqlparser.GlobalScope:
			return node{function: systemVariable(name, e.Name.String(), true)}, true
		}
		return node{}, false
	})
}

// userVariable is @name; one that was not set is NULL.
func userVariable(name string) *Function {
	return &Function{
		Name: "@" + name,
		Type: func(_ []Type, c *Context) Type {
			if c.Session != nil {
				if _, t := c.Session.UserVariable(name); t.Valid() {
					return t
				}
			}
			return NullType()
		},
		Eval: func(c *Call) (Value, error) {
			if c.Session == nil {
				return Null, nil
			}
			v, _ := c.Session.UserVariable(name)
			return v, nil
		},
	}
}

// systemVariable is @@name; shown is the name as it was written.
func systemVariable(name, shown string, global bool) *Function {
	get := func(c *Context) (Value, Type, bool) {
		if c.Session == nil {
			return Null, Type{}, false
		}
		return c.Session.Variable(name, global)
	}
	return &Function{
		Name: "@@" + name,
		Check: func(c *Context) error {
			if _, _, ok := get(c); !ok {
				return newError(1193, "HY000", "Unknown system variable '%s'", shorten(shown))
			}
			return nil
		},
		Type: func(_ []Type, c *Context) Type { _, t, _ := get(c); return t },
		Eval: func(c *Call) (Value, error) { v, _, _ := get(c.Context); return v, nil },
	}
}
