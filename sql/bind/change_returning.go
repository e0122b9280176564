package bind

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// returns binds RETURNING, over the columns of the table that is changed.
func (c *Change) returns(scope *Scope, from sqlparser.TableExpr, list *sqlparser.Select, texts []string) error {
	b := &binder{scope: scope, q: &Query{}}
	if err := b.from([]sqlparser.TableExpr{from}); err != nil {
		return err
	}
	if len(b.q.Sources) != 1 || b.q.Sources[0].Table == nil {
		return unsupported("RETURNING of this table")
	}
	if err := b.items(list, texts); err != nil {
		return err
	}
	for _, item := range b.q.Items {
		if hasAggregate(item.Expr) {
			return expr.NewError(1111, "HY000", "Invalid use of group function")
		}
	}
	c.Returned = b.q
	return usesTarget(c.Table, c.Table.Name(), b.q.Subqueries)
}
