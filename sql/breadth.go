package sql

import (
	"context"
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/sysvars"
)

// The analysis of a statement cannot be cut short within one of its rules, and some
// take time that grows with the square or the cube of what a statement has side by
// side. So that is bounded.
const (
	setOperationsVariable = sysvars.SetOperationsMax
	listVariable          = sysvars.ListMax
	joinTablesVariable    = sysvars.JoinTablesMax
	setOperationsDefault  = sysvars.SetOperationsMaxDefault
	listDefault           = sysvars.ListMaxDefault
	joinTablesDefault     = sysvars.JoinTablesMaxDefault
)

// checkBreadth fails if a statement has more side by side than the session's settings
// allow. It looks at the widest first and goes no deeper then.
func checkBreadth(ctx context.Context, stmt sqlparser.Statement) error {
	operations, list := breadth(ctx, setOperationsVariable, setOperationsDefault), breadth(ctx, listVariable, listDefault)
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch n := node.(type) {
		case *sqlparser.SetOp:
			count := int64(0)
			for in := n; in != nil; in, _ = in.Left.(*sqlparser.SetOp) {
				count++
			}
			return true, tooBroadFor(count, operations, 0, list)
		case sqlparser.ValTuple:
			return true, tooBroadFor(0, operations, int64(len(n)), list)
		}
		return true, nil
	}, stmt)
}

// tooBroadFor is the error of more set operations in a row, or values in a list, than are allowed; nil: they are not more.
func tooBroadFor(sets, mostSets, list, mostList int64) error {
	switch {
	case sets > mostSets:
		return tooBroad(sets, "set operations (UNION, INTERSECT, EXCEPT) in a row", setOperationsVariable, mostSets, "do it in several statements, or put the values into a table")
	case list > mostList:
		return tooBroad(list, "values in one list", listVariable, mostList, "do it in several statements, or put the values into a table and join it")
	}
	return nil
}

func tooManyTables(count, most int64) error {
	return tooBroad(count, "tables in one join", joinTablesVariable, most, "join some of them first, into a table")
}

func tooBroad(count int64, what, setting string, limit int64, instead string) error {
	return mysql.NewSQLError(codeInvalidRequest, "42000", "The statement has %d %s, and %s allows %d: %s, or raise that setting", count, what, setting, limit, instead)
}

// breadth is a setting of the session, or of all if none is known.
func breadth(ctx context.Context, name string, otherwise int64) int64 {
	if c, ok := ctx.(*gms.Context); ok {
		if s, ok := c.Session.(*Session); ok {
			return s.Number(name, otherwise)
		}
	}
	return setGlobally(name, otherwise)
}

// setGlobally is a setting of the whole gateway.
func setGlobally(name string, otherwise int64) int64 {
	if _, v, ok := gms.SystemVariables.GetGlobal(name); ok {
		if n, ok := v.(int64); ok {
			return n
		}
	}
	return otherwise
}

// setVariables sets system variables of the whole process.
func setVariables(values map[string]int64) error {
	for name, v := range values { // order: each by itself
		if err := gms.SystemVariables.SetGlobal(gms.NewEmptyContext(), name, v); err != nil {
			return fmt.Errorf("the system variable %s cannot be %d: %w", name, v, err)
		}
	}
	return nil
}

// checkRules has an analyzer look, before each of its rules, at whether the statement
// was cut short.
func checkRules(a *analyzer.Analyzer) {
	for i, b := range a.Batches {
		checked := *b
		checked.Rules = make([]analyzer.Rule, len(b.Rules))
		for j, r := range b.Rules { // the engine's lists are for all analyzers
			checked.Rules[j] = analyzer.Rule{Id: r.Id, Apply: checkedRule(r.Apply)}
		}
		a.Batches[i] = &checked
	}
}

func checkedRule(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		if ctx.Err() != nil {
			return n, transform.SameTree, context.Cause(ctx)
		}
		return apply(ctx, a, n, scope, sel, flags)
	}
}
