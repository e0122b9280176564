package sourcedb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"isochron/source"
)

// How a prepared branch gets from one connection of a MariaDB to another.
//
// MariaDB ties a prepared branch to the connection that prepared it. When that ends, the
// server first says that anybody may finish the branch, and its storage engine learns of it
// a little later. An XA COMMIT in between finds the branch in the first and not in the
// second, commits nothing, forgets the branch's name, and answers that all went well; the
// branch's locks stay until the server is started again. (Of 3000 branches finished right
// after their connection was closed, five were lost so on 10.11.)
//
// So nobody may try before the storage engine has been told. To know when a connection has
// ended, it takes a lock of the name's before it prepares, by GET_LOCK in the same trip:
// the server lets go of that after it has freed the branch, and before it tells the storage
// engine, which it does without waiting for anything. Who finds the lock free waits for
// detachGrace, and then finishes the branch. This is the way after a crash or a cut alone:
// else the connection that prepared finishes. The lock costs a prepared branch 13 us.

// errParked ends a wait for a connection that only waits to be told how its branch ends.
var errParked = errors.New("a connection of this driver has prepared the branch")

// detachGrace is for how long a name's lock must be free before its branch is finished by
// another connection: what is bounded is a few steps of a thread of the server.
const detachGrace = time.Second

// tieLock is the name of a branch's lock. MySQL allows 64 letters.
func tieLock(n source.Name) string {
	sum := sha256.Sum256([]byte(n.String()))
	return fmt.Sprintf("'isochron.%x'", sum[:16])
}

// tie goes before the XA END of a branch that is to be prepared.
func (c *myConn) tie(n source.Name) string {
	if !c.ties {
		return ""
	}
	c.locked = true
	return "DO GET_LOCK(" + tieLock(n) + ", 0); "
}

// untie follows the end of a branch that was prepared on the connection, or was to be.
func (c *myConn) untie(n source.Name) string {
	if !c.locked {
		return ""
	}
	c.locked = false
	return "; DO RELEASE_LOCK(" + tieLock(n) + ")"
}

// tied says whether a connection that lives has prepared the branch, or is about to.
func (c *myConn) tied(ctx context.Context, n source.Name) (bool, error) {
	if !c.ties {
		return false, nil
	}
	rows, err := c.rows(ctx, "SELECT IS_USED_LOCK("+tieLock(n)+")")
	return err == nil && rows[0][0] != nil, err
}

// finishFree ends a branch that another connection has prepared. It tries until it is known
// that the branch has ended or is not there: as long as a connection has the name, prepared
// or not, nobody else can take it. It gives up with errParked if that is a connection of
// this driver's, as parked says.
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
			free = !c.ties // it is not prepared yet
		default:
			free, wait = true, grace
		}
		if err := pause(ctx, wait); err != nil {
			e := asError(err)
			e.Text, e.Again = "a connection that the server has not given up yet still holds the branch", true
			return false, e
		}
		wait = min(wait, 100*time.Millisecond)
	}
}
