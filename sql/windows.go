package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"isochron/sql/window"
)

// The engine's rules that are mended for windows and groups, by their names (checkRules).
const (
	firstRule        = "engineOverrides"
	groupsRule       = "validateGroupBy"
	outerIndexesRule = "applyIndexesFromOuterScope"
)

// carried has windows yield what subqueries beside them refer to, before a rule.
func carried(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		n, changed, err := window.Carry(ctx, n)
		if err != nil {
			return n, changed, err
		}
		n, again, err := apply(ctx, a, n, scope, sel, flags)
		return n, changed && again, err
	}
}

// besideSubqueries has the rule about GROUP BY look at what subqueries refer to.
func besideSubqueries(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		without, err := window.WithoutSubqueries(ctx, n)
		if err == nil {
			_, _, err = apply(ctx, a, without, scope, sel, flags)
		}
		return n, transform.SameTree, err
	}
}

// notBelowWindows keeps a filter by the columns of an outer query from choosing the rows
// below a window or a limit: it is about those that they yield.
func notBelowWindows(apply analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *gms.Context, a *analyzer.Analyzer, n gms.Node, scope *gmsplan.Scope, sel analyzer.RuleSelector, flags *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
		if window.FiltersItsOutput(ctx, n) {
			return n, transform.SameTree, nil
		}
		return apply(ctx, a, n, scope, sel, flags)
	}
}

// windows builds a node for windows: it is executed by us, and what it holds is counted.
func (f *feeding) windows(ctx *gms.Context, n *gmsplan.Window, row gms.Row) (gms.RowIter, error) {
	input, err := f.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return window.Rows(n, input, func(row gms.Row) error { return f.held.Add(f.size(row)) }), nil
}
