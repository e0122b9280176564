package sourcedb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"isochron/source"
)

// How a prepared branch moves from one connection of a MariaDB to another.
//
// MariaDB ties a prepared branch to the connection that prepared it. When that connection ends, the server first
// releases the branch to all connections and notifies its storage engine a little later. An XA COMMIT in between
// finds the branch in the server and not in the engine, commits nothing, drops the branch's name and reports
// success; the branch's locks remain until the server restarts. (Of 3000 branches finished right after their
// connection was closed, five were lost this way on 10.11.)
//
// So a branch must not be finished before the storage engine was notified. To detect the end of a connection, it
// takes a lock of the branch's name by GET_LOCK before it prepares, in the same trip. The server releases that
// lock after it has released the branch and before it notifies the engine, which it does without waiting. A
// connection that finds the lock free waits for detachGrace and then finishes the branch. This is needed only after
// a crash or a broken connection: otherwise the preparing connection finishes. The lock costs a prepared branch
// 13 us.

// errParked ends a wait for a connection of this driver that has prepared the branch.
var errParked = errors.New("a connection of this driver has prepared the branch")

// detachGrace is the time for which a name's lock must be free before another connection finishes
// the branch: it bounds a few steps of one thread of the server.
const detachGrace = time.Second

// tieLock returns the name of a branch's lock. MySQL allows 64 characters.
func tieLock(n source.Name) string {
	sum := sha256.Sum256([]byte(n.String()))
	return fmt.Sprintf("'isochron.%x'", sum[:16])
}

// tie returns the statement before the XA END of a branch to be prepared.
func (c *myConn) tie(n source.Name) string {
	if !c.ties {
		return ""
	}
	c.locked = true
	return "DO GET_LOCK(" + tieLock(n) + ", 0); "
}

// untie returns the statement after the end of a branch that was prepared, or was to be, on the connection.
func (c *myConn) untie(n source.Name) string {
	if !c.locked {
		return ""
	}
	c.locked = false
	return "; DO RELEASE_LOCK(" + tieLock(n) + ")"
}

// tied reports whether a live connection has prepared the branch, or is about to.
func (c *myConn) tied(ctx context.Context, n source.Name) (bool, error) {
	if !c.ties {
		return false, nil
	}
	rows, err := c.rows(ctx, "SELECT IS_USED_LOCK("+tieLock(n)+")")
	return err == nil && rows[0][0] != nil, err
}

// finishFree ends a branch that another connection has prepared. It retries until the branch has ended or is known
// not to exist: while a connection has the name, prepared or not, no other can take it. It returns errParked if that
// is a connection of this driver, as parked reports.
func (c *myConn) finishFree(ctx context.Context, n source.Name, commit bool, grace time.Duration, parked func() bool) (found bool, err error) {
	x := xid(n)
	free := !c.ties // for long enough
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		_, _, err := c.exec(ctx, "XA START "+x+"; XA END "+x+"; XA ROLLBACK "+x, nil)
		if err == nil {
			return false, nil
		}
		if asError(err).Code != xaDuplicate {
			return false, err
		}
		tied, err := c.tied(ctx, n)
		if err != nil {
			return false, err
		}
		switch {
		case parked():
			return false, errParked
		case tied:
			free = false
		case free:
			err := c.finish(ctx, n, commit)
			if e := asError(err); e == nil || e.Code != xaNoName {
				return err == nil, err
			}
			free = !c.ties // not prepared yet
		default:
			free, wait = true, grace
		}
		if err := pause(ctx, wait); err != nil {
			e := asError(err)
			e.Text, e.Again = "a connection that the server has not closed yet still holds the branch", true
			return false, e
		}
		wait = min(wait, 100*time.Millisecond)
	}
}
