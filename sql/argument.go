package sql

import (
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy"
	"isochron/sql/procedure"
)

// The numbers of MySQL for arguments that do not fit, which it has for columns.
const (
	codeIncorrect  = 1366
	codeOutOfRange = 1264
	codeDataLong   = 1406
)

// argument is the value that a parameter has for an argument.
func (x *execution) argument(ctx *gms.Context, e sqlparser.Expr, param procedure.Parameter) (*querypb.BindVariable, error) {
	v, err := x.valueOfArgument(ctx, e)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return sqltypes.NullBindVariable, nil
	}
	text, isText := v.(string)
	if isText && !types.IsText(param.Type) && legacy.Costly(text) {
		return nil, incorrect(param, text)
	}
	warned, inRange := ctx.Session.WarningCount(), gms.InRange
	var stored any
	if round, is := param.Type.(gms.RoundingNumberType); is {
		stored, inRange, err = round.ConvertRound(ctx, v)
	} else {
		stored, inRange, err = param.Type.Convert(ctx, v)
	}
	switch {
	case err != nil && types.IsText(param.Type):
		return nil, mysql.NewSQLError(codeDataLong, "22001", "Data too long for column '%s' at row 1", param.Name)
	case inRange != gms.InRange, gms.ErrValueOutOfRange.Is(err), types.ErrConvertToDecimalLimit.Is(err):
		return nil, mysql.NewSQLError(codeOutOfRange, "22003", "Out of range value for column '%s' at row 1", param.Name)
	case err != nil, stored == nil, ctx.Session.WarningCount() != warned:
		return nil, incorrect(param, v)
	}
	if s, ok := stored.(string); ok && types.IsTextOnly(param.Type) {
		return sqltypes.ValueBindVariable(sqltypes.NewVarChar(s)), nil
	}
	value, err := param.Type.SQL(ctx, nil, stored)
	if err != nil {
		return nil, err
	}
	return sqltypes.ValueBindVariable(value), nil
}

func incorrect(param procedure.Parameter, v any) error {
	return mysql.NewSQLError(codeIncorrect, "HY000", "Incorrect %s value: '%s' for column '%s' at row 1", strings.ToLower(param.Type.String()), cut(fmt.Sprint(v), 100), param.Name)
}

// valueOfArgument is what an argument says: a value, a value with a sign, a user variable, or a
// parameter of a prepared CALL.
func (x *execution) valueOfArgument(ctx *gms.Context, e sqlparser.Expr) (any, error) {
	switch e := e.(type) {
	case *sqlparser.NullVal:
		return nil, nil
	case sqlparser.BoolVal:
		return bool(e), nil
	case *sqlparser.UnaryExpr:
		if n, ok := e.Expr.(*sqlparser.SQLVal); ok && (n.Type == sqlparser.IntVal || n.Type == sqlparser.FloatVal) {
			switch e.Operator {
			case sqlparser.UPlusStr:
				return x.valueOfArgument(ctx, n)
			case sqlparser.UMinusStr:
				return x.valueOfArgument(ctx, &sqlparser.SQLVal{Type: n.Type, Val: append([]byte("-"), n.Val...)})
			}
		}
	case *sqlparser.ColName:
		if name, ok := strings.CutPrefix(e.Name.String(), "@"); ok && !strings.HasPrefix(name, "@") && e.Qualifier.IsEmpty() {
			_, v, err := x.s.GetUserVariable(ctx, name)
			return v, err
		}
	case *sqlparser.SQLVal:
		if e.Type == sqlparser.ValArg && x.prepare != nil {
			bound := valueOf(x.prepare.BindVars[strings.TrimPrefix(string(e.Val), ":")])
			if again, ok := bound.(*sqlparser.SQLVal); !ok || again.Type != sqlparser.ValArg {
				return x.valueOfArgument(ctx, bound)
			}
		}
		if lit := literal(planbuilder.New(ctx, x.h.g.engine.Analyzer.Catalog, nil), e); lit != nil {
			return lit.Val, nil
		}
	}
	return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "the arguments of CALL are values, user variables and parameters of a prepared statement: SET @x = ... first")
}
