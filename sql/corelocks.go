package sql

import (
	"context"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/expr"
)

// Named locks, for the functions of the SQL core.

// namedLockPause is between two tries to get a named lock.
const namedLockPause = 5 * time.Millisecond

var (
	_ expr.LockSession      = coreView{}
	_ expr.AssigningSession = coreView{}
)

// NamedLock implements expr.LockSession.
func (v coreView) NamedLock(c *expr.Call) (expr.Value, error) {
	s, ls := v.s, v.s.gateway.engine.LS
	ctx := newContext(c.Done, gms.WithSession(s))
	if c.Function.Name == "RELEASE_ALL_LOCKS" {
		s.statement.lasts()
		n, err := ls.ReleaseAll(ctx)
		return expr.Uint(uint64(max(n, 0))), err
	}
	if c.IsNull(0) {
		return expr.Null, nil
	}
	name := c.Args[0].ToString()
	switch c.Function.Name {
	case "GET_LOCK":
		if c.IsNull(1) {
			return expr.Null, nil
		}
		return s.getLock(ctx, name, c.Integer(1))
	case "RELEASE_LOCK":
		switch err := ls.Unlock(ctx, name); {
		case gms.ErrLockDoesNotExist.Is(err):
			return expr.Null, nil
		case gms.ErrLockNotOwned.Is(err):
			return expr.Int(0), nil
		default:
			return expr.Int(1), err
		}
	}
	state, owner := ls.GetLockState(name)
	if c.Function.Name == "IS_USED_LOCK" {
		if state != gms.LockInUse {
			return expr.Null, nil
		}
		return expr.Uint(uint64(owner)), nil
	}
	if state == gms.LockInUse {
		return expr.Int(0), nil
	}
	return expr.Int(1), nil
}

// getLock waits for a named lock until it has it, the time is over, or its statement is cut short. A negative time has no end.
func (s *Session) getLock(ctx *gms.Context, name string, seconds int64) (expr.Value, error) {
	s.place.Pause()
	defer s.place.Resume()
	for began := time.Now(); ; {
		had, err := s.gateway.engine.LS.TryLock(ctx, name)
		if err != nil || had {
			return expr.Int(1), err
		}
		if seconds >= 0 && time.Since(began) >= time.Duration(min(seconds, 1<<31))*time.Second {
			return expr.Int(0), nil
		}
		timer := time.NewTimer(namedLockPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return expr.Null, context.Cause(ctx)
		}
	}
}

// SetUserVariable implements expr.AssigningSession.
func (v coreView) SetUserVariable(name string, value expr.Value, t expr.Type) error {
	return v.s.setVariable(name, expr.Display(value, t), t)
}
