package expr

import (
	"fmt"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Information functions (the manual's 14.15). Without a session they have the values of one that has done nothing.

// icuVersion is the version of ICU whose regular expressions these are.
const icuVersion = "73.1"

func init() {
	user := sessionText("USER", func(s Session) string { return s.User() })
	database := &Function{Name: "DATABASE", Type: textType, Eval: func(c *Call) (Value, error) {
		if c.Database == "" {
			return Null, nil
		}
		return c.Text(c.Database), nil
	}}
	register(
		user, alias("SESSION_USER", user), alias("SYSTEM_USER", user),
		sessionText("CURRENT_USER", func(s Session) string { return s.CurrentUser() }),
		database, alias("SCHEMA", database),
		fixedText("CURRENT_ROLE", "NONE"), fixedText("ICU_VERSION", icuVersion), fixedText("ROLES_GRAPHML", "<graphml />"),
		&Function{Name: "VERSION", Type: textType, Eval: version},
		sessionInteger("CONNECTION_ID", unsignedType, func(s Session) Value { return Uint(uint64(s.ConnectionID())) }),
		sessionInteger("FOUND_ROWS", integerType, func(s Session) Value { return Int(s.FoundRows()) }),
		sessionInteger("ROW_COUNT", integerType, func(s Session) Value { return Int(s.RowCount()) }),
		&Function{Name: "LAST_INSERT_ID", Max: 1, Type: unsignedType, Nulls: true, Volatile: true, Eval: lastInsertID},
		&Function{Name: "BENCHMARK", Min: 2, Max: 2, Type: integerType, Nulls: true, Volatile: true, Repeat: benchmark},
		&Function{Name: "CHARSET", Min: 1, Max: 1, Type: textType, Nulls: true, Unread: true, Eval: charsetName},
		&Function{Name: "COLLATION", Min: 1, Max: 1, Type: textType, Nulls: true, Unread: true, Eval: collationName},
		&Function{Name: "COERCIBILITY", Min: 1, Max: 1, Type: integerType, Nulls: true, Unread: true, Eval: func(c *Call) (Value, error) {
			return Int(coercibility(c.Tree.(*sqlparser.FuncExpr).Exprs[0], c.Types[0])), nil
		}},
	)
}

func fixedText(name, text string) *Function {
	return &Function{Name: name, Type: textType, Eval: func(c *Call) (Value, error) { return c.Text(text), nil }}
}

func sessionText(name string, of func(Session) string) *Function {
	return &Function{Name: name, Type: textType, Eval: func(c *Call) (Value, error) {
		if c.Session == nil {
			return c.Text(""), nil
		}
		return c.Text(of(c.Session)), nil
	}}
}

func sessionInteger(name string, typ func([]Type, *Context) Type, of func(Session) Value) *Function {
	return &Function{Name: name, Type: typ, Eval: func(c *Call) (Value, error) {
		if c.Session == nil {
			return Int(0), nil
		}
		return of(c.Session), nil
	}}
}

// version is VERSION(): @@version.
func version(c *Call) (Value, error) {
	if c.Session != nil {
		if v, _, ok := c.Session.Variable("version", true); ok {
			return c.Bytes(v.Raw()), nil
		}
	}
	return c.Text(environment.MySQLVersion()), nil
}

// lastInsertID is LAST_INSERT_ID(), and LAST_INSERT_ID(n), which sets it.
func lastInsertID(c *Call) (Value, error) {
	if len(c.Args) == 0 {
		if c.Session == nil {
			return Uint(0), nil
		}
		return Uint(c.Session.LastInsertID()), nil
	}
	n := uint64(0)
	if !c.IsNull(0) {
		n = c.Bits(0)
		if v := c.numeric(0); sqltypes.IsDecimal(v.Type()) {
			n = uint64(c.Integer(0))
		}
	}
	if c.Session != nil {
		c.Session.SetLastInsertID(n)
	}
	if c.IsNull(0) {
		return Null, nil
	}
	return Uint(n), nil
}

// benchmark is BENCHMARK: it computes its second argument so many times, until the statement is ended.
func benchmark(c *Call, again func() error) (Value, error) {
	if c.IsNull(0) {
		return Null, nil
	}
	n := c.Integer(0)
	if n < 0 {
		c.Warn(1411, fmt.Sprintf("Incorrect count value: '%d' for function benchmark", n))
		return Null, nil
	}
	for i := int64(1); i < n; i++ { // once it has been computed
		if c.ended() {
			break
		}
		if err := again(); err != nil {
			return Null, err
		}
	}
	return Int(0), nil
}

// ended reports whether the statement has been ended.
func (c *Context) ended() bool { return c.Done != nil && c.Done.Err() != nil }

// charsetName is CHARSET: that of the argument's collation; numbers and dates are binary.
// collationName is COLLATION.
func collationName(c *Call) (Value, error) {
	t := c.Types[0]
	name := "binary"
	switch {
	case isSystemText(c.Tree):
		name = "utf8mb3_general_ci"
	case t.Type() == sqltypes.TypeJSON:
		name = "utf8mb4_bin"
	case hasCollation(t):
		if known := environment.CollationEnv().LookupName(t.Collation()); known != "" {
			name = known
		}
	}
	return c.Text(name), nil
}

// systemTexts are functions whose text is in the character set of names.
var systemTexts = map[string]bool{
	"charset": true, "collation": true, "user": true, "current_user": true, "session_user": true, "system_user": true, "database": true, "schema": true, "version": true,
}

// isSystemText reports whether the argument of a call is such a function.
func isSystemText(call sqlparser.Expr) bool {
	f, ok := call.(*sqlparser.FuncExpr)
	if !ok || len(f.Exprs) != 1 {
		return false
	}
	inner, ok := f.Exprs[0].(*sqlparser.FuncExpr)
	return ok && systemTexts[inner.Name.Lowered()]
}

// hasCollation reports whether a type is of texts, members of a list among them.
func hasCollation(t Type) bool {
	k := t.Type()
	return sqltypes.IsText(k) || k == sqltypes.Enum || k == sqltypes.Set
}

func charsetName(c *Call) (Value, error) {
	t := c.Types[0]
	name := "binary"
	if isSystemText(c.Tree) {
		return c.Text("utf8mb3"), nil
	}
	if hasCollation(t) || t.Type() == sqltypes.TypeJSON {
		if known := environment.CollationEnv().LookupCharsetName(t.Collation()); known != "" {
			name = known
		}
	}
	return c.Text(name), nil
}

// The values of COERCIBILITY, of the strongest collation first.
const (
	explicitCollation = 0
	columnCollation   = 2
	systemCollation   = 3
	literalCollation  = 4
	numericCollation  = 5
	noCollation       = 6
)

// coercibility is that of an expression of a type.
func coercibility(e sqlparser.Expr, t Type) int64 {
	switch e := e.(type) {
	case *sqlparser.CollateExpr:
		return explicitCollation
	case *sqlparser.NullVal:
		return noCollation
	case *sqlparser.ColName:
		if !isText(t.Type()) && !hasCollation(t) {
			return numericCollation
		}
		return columnCollation
	case *sqlparser.CastExpr, *sqlparser.ConvertExpr, *sqlparser.ConvertUsingExpr:
		if isText(t.Type()) || t.Type() == sqltypes.TypeJSON {
			return columnCollation
		}
	case *sqlparser.Variable:
		if e.Scope == sqlparser.VariableScope {
			return columnCollation
		}
		return systemCollation
	case *sqlparser.FuncExpr:
		switch strings.ToUpper(e.Name.String()) {
		case "USER", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "DATABASE", "SCHEMA", "VERSION", "CURRENT_ROLE":
			return systemCollation
		}
	}
	switch {
	case t.Type() == sqltypes.TypeJSON:
		return columnCollation
	case t.Type() == sqltypes.Null:
		return noCollation
	case !isText(t.Type()):
		return numericCollation
	}
	return strongest(e, t)
}

// strongest is the coercibility of the arguments of a text function.
func strongest(e sqlparser.Expr, t Type) int64 {
	least := int64(literalCollation)
	itself := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		part, ok := n.(sqlparser.Expr)
		if !ok || itself {
			itself = false
			return true, nil
		}
		switch part.(type) {
		case *sqlparser.CollateExpr, *sqlparser.ColName, *sqlparser.Variable:
			least = min(least, coercibility(part, t))
			return false, nil
		}
		return true, nil
	}, e)
	return least
}
