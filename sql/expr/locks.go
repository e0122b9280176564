package expr

import "vitess.io/vitess/go/vt/sqlparser"

// GET_LOCK and the other functions of named locks, which a session has.

// LockSession is a Session with named locks.
type LockSession interface {
	// NamedLock is one of the functions by its name in upper case, over its arguments.
	NamedLock(c *Call) (Value, error)
}

func init() {
	named := func(name string, args int, t func([]Type, *Context) Type) *Function {
		return &Function{Name: name, Min: args, Max: args, Type: t, Nulls: true, Volatile: true, Eval: func(c *Call) (Value, error) {
			if s, ok := c.Session.(LockSession); ok {
				return s.NamedLock(c)
			}
			return Null, nil
		}}
	}
	functions := map[sqlparser.LockingFuncType]*Function{
		sqlparser.GetLock: named("GET_LOCK", 2, integerType), sqlparser.ReleaseLock: named("RELEASE_LOCK", 1, integerType),
		sqlparser.IsFreeLock: named("IS_FREE_LOCK", 1, integerType), sqlparser.IsUsedLock: named("IS_USED_LOCK", 1, unsignedType),
		sqlparser.ReleaseAllLocks: named("RELEASE_ALL_LOCKS", 0, unsignedType),
	}
	registerNode(func(e *sqlparser.LockingFunc) (node, bool) {
		n := node{function: functions[e.Type]}
		for _, arg := range []sqlparser.Expr{e.Name, e.Timeout} {
			if arg != nil {
				n.args = append(n.args, arg)
			}
		}
		return n, n.function != nil
	})
}
