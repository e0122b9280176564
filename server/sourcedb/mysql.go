package sourcedb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/source"
)

// mysqlDB drives a MariaDB or MySQL.
type mysqlDB struct {
	connector driver.Connector
	database  string
	pool      *pool[*myConn]
	lookers   *pool[*myConn] // beside the pool: a branch that looks keeps its own connection
	preparing inflight
	frail     frail
	killers   chan struct{} // bounds the connections beside the pool's
	grace     time.Duration // detachGrace, except in tests
	serving   serving
	asker     asker[*myConn] // queries waits (waits.go)
}

// lookersMax bounds the connections for reads without locks (mysqlDB.look).
const lookersMax = 4

// killersMax bounds the connections that end statements on others.
const killersMax = 4

func openMySQL(u *url.URL, o Options) (*mysqlDB, error) {
	cfg, err := myConfig(u, o)
	if err != nil {
		return nil, err
	}
	d := &mysqlDB{grace: detachGrace, database: cfg.DBName, killers: make(chan struct{}, killersMax)}
	if d.connector, err = mysql.NewConnector(cfg); err != nil {
		return nil, fmt.Errorf("the source's address cannot be used: %w", err)
	}
	d.pool = newPool(o.Connections, d.dial)
	d.lookers = newPool(lookersMax, d.dial)
	d.asker.dial = d.dial
	return d, nil
}

func (d *mysqlDB) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	o, err := settled(o)
	if err != nil {
		return nil, err
	}
	c, used, err := d.pool.get(ctx, o.LockWait)
	if err != nil {
		return nil, err
	}
	if err := c.on(o.Incarnation); err != nil {
		return nil, d.after(c, err)
	}
	d.serving.serves(c.id, n)
	return &myBranch{d: d, c: c, name: n, o: o, used: used}, nil
}

// answers implements database.
func (d *mysqlDB) answers(ctx context.Context) error { return reached(d.dial(ctx)) }

// use runs f on a connection without a branch.
func (d *mysqlDB) use(ctx context.Context, f func(c *myConn) error) error {
	c, _, err := d.pool.get(ctx, 0)
	if err != nil {
		return err
	}
	return d.after(c, f(c))
}

// after returns a connection to the pool, or drops a broken one.
func (d *mysqlDB) after(c *myConn, err error) error {
	if c.valid() {
		d.pool.put(c)
	} else {
		d.pool.forget()
		d.pool.drop(c, c.kill)
	}
	return err
}

// ask is use for queries, which may be repeated.
func (d *mysqlDB) ask(ctx context.Context, f func(c *myConn) error) error {
	return again(ctx, func() error { return d.use(ctx, f) })
}

func (d *mysqlDB) Prepared(ctx context.Context, cluster uint64) (out []source.Name, err error) {
	err = d.ask(ctx, func(c *myConn) error {
		all, err := c.recover(ctx)
		for _, n := range all {
			if n.Cluster == cluster {
				out = append(out, n)
			}
		}
		return err
	})
	return out, err
}

// recover lists all branches with a name of ours. Both parts of a name arrive as one string, with their lengths.
func (c *myConn) recover(ctx context.Context) (out []source.Name, err error) {
	rows, err := c.rows(ctx, "XA RECOVER")
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		v := texts(row)
		format, err1 := strconv.Atoi(v[0])
		first, err2 := strconv.Atoi(v[1])
		second, err3 := strconv.Atoi(v[2])
		if err1 != nil || err2 != nil || err3 != nil || format != mysqlFormat || first < 0 || second < 0 || first+second != len(v[3]) {
			continue
		}
		if n, ok := source.ParseName(v[3][:first] + "/" + v[3][first:]); ok {
			out = append(out, n)
		}
	}
	return out, nil
}

func (d *mysqlDB) Finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	for { // while a connection of this driver has prepared it; each pass uses that connection, or waits
		if found, err = d.finish(ctx, n, commit); err != errParked {
			if err == nil {
				d.frail.remove(n)
			}
			return found, err
		}
	}
}

// finish is one pass of Finish. errParked: a connection of this driver has prepared the branch meanwhile, and no
// other connection can finish it.
func (d *mysqlDB) finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	if err := d.preparing.wait(ctx, n); err != nil {
		return false, err
	}
	if c, ok := d.pool.take(n); ok {
		err := c.finish(ctx, n, commit)
		_ = d.after(c, err)
		if e := asError(err); e == nil || !e.Gone {
			return true, err
		}
		// The connection had ended: any other can finish the branch.
	}
	err = d.use(ctx, func(c *myConn) error {
		found, err = c.finishFree(ctx, n, commit, d.grace, func() bool { return d.pool.holds(n) })
		if err == errParked {
			return nil // the connection is in order
		}
		return err
	})
	if err == nil && !found && d.pool.holds(n) {
		err = errParked
	}
	return found, err
}

// finish ends a prepared branch that is tied to the connection, or to none.
func (c *myConn) finish(ctx context.Context, n source.Name, commit bool) error {
	text := "XA ROLLBACK " + xid(n)
	if commit {
		text = "XA COMMIT " + xid(n)
	}
	_, _, err := c.exec(ctx, text+c.untie(n), nil)
	if e := asError(err); e != nil && (e.Code == xaRolledBack || e.Code == xaTimedOut || e.Code == xaDeadlock) {
		// The result of a rollback, also of a branch without changes, which the server rolled back when
		// its connection ended.
		return nil
	}
	return err
}

func (d *mysqlDB) Close() error {
	d.pool.close()
	d.lookers.close()
	d.asker.close()
	return nil
}
