package catalog

import (
	"slices"
	"strings"
	"time"

	"isochron/txn"
)

// A change of a table waits for the transactions that use it, at whichever gateway, as long as a
// statement waits for a lock. Transactions that start after it has begun to wait are not waited
// for: they are guarded by the definition (Txn.Guard), so that they fail if it changes under them.

// Alone returns once no transaction that used the tables at the call is open.
func (c *Change) Alone(tables ...*Descriptor) error {
	tables = slices.DeleteFunc(tables, func(d *Descriptor) bool { return c.free[d.ID()] })
	asker, ok := c.store.db.(txn.Users)
	if len(tables) == 0 || !ok {
		return nil
	}
	var guards []string
	for _, d := range tables {
		guards = append(guards, d.GuardName())
	}
	var users []txn.User
	asked, deadline := false, time.Now().Add(c.wait)
	var failed error
	wait := func() bool {
		now, err := asker.Using(c.ctx, guards)
		if failed = err; err != nil {
			return time.Now().After(deadline) // others ask too many questions
		}
		if !asked {
			asked, users = true, slices.DeleteFunc(now, func(u txn.User) bool { return u.Txn == c.tx.ID() })
		} else {
			users = slices.DeleteFunc(users, func(u txn.User) bool { return !slices.Contains(now, u) })
		}
		return len(users) == 0 || time.Now().After(deadline)
	}
	if err := waitUntil(c.ctx, wait); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if len(users) > 0 {
		return inUse(tables, users, c.wait)
	}
	for _, d := range tables {
		c.free[d.ID()] = true
	}
	return nil
}

func inUse(tables []*Descriptor, users []txn.User, wait time.Duration) error {
	var names []string
	for _, d := range tables {
		names = append(names, d.Name())
	}
	u := users[0]
	return txn.Errorf(txn.KindLockTimeout, "%s is still used after %s by %d open transactions, among them %v of connection %d at node %d; nothing was changed",
		strings.Join(names, ", "), wait, len(users), u.Txn, u.SessionID, u.Txn.Node)
}
