package sql

import (
	"context"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// namedLockPause is between two tries to get a named lock.
const namedLockPause = 5 * time.Millisecond

// getLock is GET_LOCK that stops waiting when its statement is cut short: the engine's
// own waits for as long as it was told to, whoever has gone.
type getLock struct {
	*function.GetLock
	try gms.Expression // the same without a wait
}

func newGetLock(ls *gms.LockSubsystem) gms.Function {
	return gms.Function2{Name: "get_lock", Fn: func(ctx *gms.Context, name, seconds gms.Expression) gms.Expression {
		engines := function.CreateNewGetLock(ctx, ls)
		return &getLock{
			GetLock: engines(ctx, name, seconds).(*function.GetLock),
			try:     engines(ctx, name, expression.NewLiteral(int64(0), types.Int64)),
		}
	}}
}

// Eval implements gms.Expression. As with the engine's, a negative time is for ever.
func (l *getLock) Eval(ctx *gms.Context, row gms.Row) (any, error) {
	given, err := l.RightChild.Eval(ctx, row)
	if err != nil || given == nil {
		return nil, err
	}
	number, _, err := types.Int64.Convert(ctx, given)
	seconds, ok := number.(int64)
	if err != nil || !ok {
		return l.GetLock.Eval(ctx, row) // its error
	}
	if s, ok := ctx.Session.(*Session); ok {
		s.place.Pause()
		defer s.place.Resume()
	}
	for began := time.Now(); ; {
		had, err := l.try.Eval(ctx, row)
		if err != nil || had != int8(0) {
			return had, err
		}
		if seconds >= 0 && time.Since(began) >= time.Duration(min(seconds, 1<<31))*time.Second {
			return had, nil
		}
		timer := time.NewTimer(namedLockPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// WithChildren implements gms.Expression.
func (l *getLock) WithChildren(ctx *gms.Context, children ...gms.Expression) (gms.Expression, error) {
	waits, err := l.GetLock.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	try, err := l.try.WithChildren(ctx, children[0], expression.NewLiteral(int64(0), types.Int64))
	if err != nil {
		return nil, err
	}
	return &getLock{waits.(*function.GetLock), try}, nil
}
