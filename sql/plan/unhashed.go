package plan

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// lister is an IN by rules that are not the engine's.
type lister interface {
	// Unhashed is it with nothing kept between executions.
	Unhashed() gms.Expression
}

// unhashed puts IN by comparison in the place of IN by hash, which has the values of one execution
// baked in, in the filters of an UPDATE or DELETE.
func unhashed(ctx *gms.Context, root gms.Node) {
	switch root.(type) {
	case *gmsplan.Update, *gmsplan.DeleteFrom:
	default:
		return
	}
	transform.Inspect(root, func(n gms.Node) bool {
		f, ok := n.(*gmsplan.Filter)
		if !ok {
			return true
		}
		plainIn := func(_ *gms.Context, e gms.Expression) (gms.Expression, transform.TreeIdentity, error) {
			if in, ok := e.(lister); ok {
				return in.Unhashed(), transform.NewTree, nil
			}
			if in, ok := e.(*expression.HashInTuple); ok {
				return expression.NewInTuple(in.Left(), in.Right()), transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		}
		if e, same, err := transform.Expr(ctx, f.Expression, plainIn); err == nil && !bool(same) {
			f.Expression = e
		}
		return true
	})
}
