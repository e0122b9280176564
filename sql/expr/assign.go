package expr

import (
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// @x := value, which sets a variable for each row. In a statement that does so a variable has a value for each row: Assigned
// writes it as a function that is computed for each.

// AssigningSession is a Session whose variables a query sets.
type AssigningSession interface {
	SetUserVariable(name string, v Value, t Type) error
}

const perRow = "USER VARIABLE"

func init() {
	registerNode(func(e *sqlparser.AssignmentExpr) (node, bool) {
		v, ok := e.Left.(*sqlparser.Variable)
		if !ok || v.Scope != sqlparser.VariableScope {
			return node{}, false
		}
		return node{function: assignment(v.Name.String()), args: []sqlparser.Expr{e.Right}}, true
	})
	register(&Function{Name: perRow, Min: 1, Max: 1, Node: func(f *sqlparser.FuncExpr) node {
		name, _ := f.Exprs[0].(*sqlparser.Literal)
		return node{function: variablePerRow(name.Val)}
	}})
}

// Assigned is a statement that sets variables, with a value of each variable for each row; false: it sets none.
func Assigned(tree sqlparser.TableStatement) (sqlparser.TableStatement, bool) {
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, is := n.(*sqlparser.AssignmentExpr)
		found = found || is
		return !found, nil
	}, tree)
	if !found {
		return tree, false
	}
	return sqlparser.CopyOnRewrite(tree, nil, func(c *sqlparser.CopyOnWriteCursor) {
		v, ok := c.Node().(*sqlparser.Variable)
		if !ok || v.Scope != sqlparser.VariableScope {
			return
		}
		if a, ok := c.Parent().(*sqlparser.AssignmentExpr); ok && a.Left == sqlparser.Expr(v) {
			return
		}
		c.Replace(&sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI(perRow), Exprs: []sqlparser.Expr{sqlparser.NewStrLiteral(v.Name.Lowered())}})
	}, nil).(sqlparser.TableStatement), true
}

// assignment is @name := value.
func assignment(name string) *Function {
	return &Function{
		Name: "@" + name + " :=", Min: 1, Max: 1, Nulls: true, Volatile: true,
		Type: func(args []Type, _ *Context) Type { return args[0] },
		Eval: func(c *Call) (Value, error) {
			s, ok := c.Session.(AssigningSession)
			if !ok {
				return Null, newError(1235, "42000", "an assignment outside a session is not supported")
			}
			return c.Args[0], s.SetUserVariable(name, c.Args[0], c.Types[0])
		},
	}
}

// variablePerRow is @name, of the type that it has before the statement; one that was not set is a text, as for MySQL.
func variablePerRow(name string) *Function {
	typeOf := func(_ []Type, c *Context) Type {
		if c.Session != nil {
			if v, t := c.Session.UserVariable(name); t.Valid() && !v.IsNull() {
				return t
			}
		}
		return evalengine.NewTypeEx(sqltypes.VarChar, c.Collation, true, 0, 0, nil)
	}
	return &Function{
		Name: "@" + name, Volatile: true, Nulls: true, Type: typeOf,
		Eval: func(c *Call) (Value, error) {
			if c.Session == nil {
				return Null, nil
			}
			v, _ := c.Session.UserVariable(name)
			return asType(v, c.Out), nil
		},
	}
}

// asType is the value of a variable as one of the type that it had before the statement.
func asType(v Value, t Type) Value {
	switch k := t.Type(); {
	case v.IsNull() || v.Type() == k:
	case sqltypes.IsText(k) || sqltypes.IsBinary(k):
		return sqltypes.MakeTrusted(k, v.Raw())
	case sqltypes.IsSigned(k):
		n, _ := v.ToFloat64()
		return Int(int64(n))
	case sqltypes.IsUnsigned(k):
		n, _ := v.ToFloat64()
		return Uint(uint64(max(n, 0)))
	case sqltypes.IsFloat(k):
		n, _ := v.ToFloat64()
		return sqltypes.NewFloat64(n)
	case sqltypes.IsDecimal(k) && !sqltypes.IsNumber(v.Type()):
		return sqltypes.MakeTrusted(sqltypes.Decimal, []byte("0"))
	}
	return v
}
