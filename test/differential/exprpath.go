package main

import (
	"errors"
	"fmt"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	sqlexpr "isochron/sql/expr"
	sqlparse "isochron/sql/parse"
)

// exprPath is a path that is no setting of a server: expressions without a table are computed by package sql/expr, in this
// process, and their names are not compared.
const exprPath = "expr"

// exprForms are the forms that it can compute.
var exprForms = []string{"functions", "scalar"}

// sessionTime is the time of all sessions.
const sessionTime = 1706695872

// evaluate computes the select list of a statement.
func evaluate(st *Statement) (a *Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = &Answer{Lost: fmt.Sprint("panic: ", r)}
		}
	}()
	collation, _ := sqlexpr.Environment().CollationEnv().LookupID("utf8mb4_general_ci") // it is built in
	c := &sqlexpr.Context{Now: time.Unix(sessionTime, 0).UTC(), Collation: collation, SQLMode: st.Mode}
	parsed := sqlparse.Select(st.Tree.Text())
	if parsed == nil {
		return &Answer{Err: &ServerError{Code: 1064, State: "42000", Message: "a syntax error"}}
	}
	var list []sqlparser.Expr
	for _, e := range parsed.SelectExprs.Exprs {
		list = append(list, e.(*sqlparser.AliasedExpr).Expr)
	}
	p, err := sqlexpr.Compile(c, sqlexpr.Columns{}, list...)
	if err != nil {
		return &Answer{Err: exprError(err)}
	}
	p.Begin(c)
	values, err := p.Run(nil, nil)
	if err != nil {
		return &Answer{Err: exprError(err)}
	}
	a = &Answer{Result: &Result{}}
	var row []Cell
	for i, v := range values {
		a.Result.Columns = append(a.Result.Columns, wireColumn(p.Type(i)))
		if v.IsNull() {
			row = append(row, nil)
		} else {
			row = append(row, Cell(sqlexpr.Display(v, p.Type(i)).ToString()))
		}
	}
	a.Result.Rows = [][]Cell{row}
	warnings, _ := c.Warnings()
	for _, w := range warnings {
		a.Warnings = append(a.Warnings, w.Code)
	}
	return a
}

func exprError(err error) *ServerError {
	var own *sqlexpr.Error
	if errors.As(err, &own) {
		return &ServerError{Code: own.Code, State: own.State, Message: own.Message}
	}
	return &ServerError{Code: 1105, State: "HY000", Message: err.Error()}
}

// wireColumn is how a client would be sent a column of a type.
func wireColumn(t sqlexpr.Type) Column {
	kind, flags := sqltypes.TypeToMySQL(t.Type())
	c := Column{Type: byte(kind), Flags: uint16(flags), Decimals: byte(t.Scale()), Charset: utf8mb4General}
	if sqltypes.IsFloat(t.Type()) {
		c.Decimals = byte(sqlexpr.Decimals(t))
	}
	if t.Collation() == collations.CollationBinaryID {
		c.Charset = charsetBinary
	}
	return c
}
