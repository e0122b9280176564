package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// who is USER(): the name with which the client logged in and the host it came from.
// The engine's gives the account's instead, which is CURRENT_USER().
type who struct{ function.User }

// whoFunction knows the names of USER().
func whoFunction(name string) (gms.Function, bool) {
	switch {
	case equalFold(name, "user"), equalFold(name, "session_user"), equalFold(name, "system_user"):
		return gms.NewFunction0(name, func(ctx *gms.Context) gms.Expression {
			u, _ := function.NewUser(ctx).(function.User)
			return who{u}
		}), true
	}
	return nil, false
}

// Eval implements gms.Expression.
func (w who) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	if s, ok := ctx.Session.(*Session); ok {
		return s.who, nil
	}
	return w.User.Eval(ctx, row)
}

// WithChildren implements gms.Expression.
func (w who) WithChildren(*gms.Context, ...gms.Expression) (gms.Expression, error) { return w, nil }
