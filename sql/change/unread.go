package change

import (
	"context"
	"slices"

	"isochron/sql/bind"
	"isochron/txn"
)

// Unread is an INSERT that was executed without reading: of its keys none is expected to exist.
type Unread struct {
	Out    Outcome
	Keys   []txn.Key // that must be without rows; each once, rising
	Writes []txn.Write
}

// unreadKeysMax bounds the keys of such an insertion.
const unreadKeysMax = 4096

// MayBeUnread reports whether the change is an INSERT that reads nothing but whether its keys exist.
func (p *Plan) MayBeUnread() bool {
	return p.pure && p.Kind == bind.Inserts && !p.Ignore && p.related == nil && len(p.duplicate) == 0 && p.Returned == nil && !p.Table.Keyless() &&
		len(p.values) > 0 && len(p.values)*(1+len(p.Table.Indexes)) <= unreadKeysMax
}

// InsertUnread executes it; env needs no transaction. ok is false if it is to be executed as others are, with the numbers that
// Out.Given has: that finds the error if there is one.
func (p *Plan) InsertUnread(ctx context.Context, env Env) (u Unread, ok bool) {
	tx := &Known{written: map[txn.Key][]byte{}, foresees: true}
	env.Tx = tx
	var err error
	if u.Out, err = p.Execute(ctx, env); err != nil {
		return u, false
	}
	u.Keys = eachOnce(tx.asked)
	u.Writes, ok = tx.Writes()
	return u, ok && len(u.Keys) > 0
}

// With are the writes if none of the keys exists.
func (u *Unread) With(values [][]byte) ([]txn.Write, bool) {
	return u.Writes, !slices.ContainsFunc(values, func(v []byte) bool { return v != nil })
}
