package sourcedb

import (
	"context"
	"maps"
	"net/url"
	"sync"
	"time"

	"isochron/source"
)

// postgres drives a PostgreSQL.
type postgres struct {
	pool      *pool[*pgConn]
	preparing inflight
	types     pgTypes
	locks     bool // transactions that lock their reads run at READ COMMITTED

	serving serving
	asker   asker[*pgConn] // queries waits (waits.go)

	mu  sync.Mutex
	own map[string]bool // the server's numbers of the sound connections
}

func openPostgres(u *url.URL, o Options) (*postgres, error) {
	cfg, err := pgConfig(u, o)
	if err != nil {
		return nil, err
	}
	d := &postgres{own: map[string]bool{}, locks: o.Ordering != BySerializable}
	d.asker.dial = func(ctx context.Context) (*pgConn, error) {
		c, err := pgDial(ctx, cfg)
		if err == nil {
			c.d = d
			d.count(c, true)
		}
		return c, err
	}
	d.pool = newPool(o.Connections, d.asker.dial)
	return d, nil
}

func (d *postgres) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	o, err := settled(o)
	if err != nil {
		return nil, err
	}
	c, used, err := d.pool.get(ctx, o.LockWait)
	if err != nil {
		return nil, err
	}
	d.serving.serves(c.pid(), n)
	return &pgBranch{d: d, c: c, name: n, o: o, used: used}, nil
}

// answers implements database.
func (d *postgres) answers(ctx context.Context) error { return reached(d.asker.dial(ctx)) }

// use runs f on a connection without a branch.
func (d *postgres) use(ctx context.Context, f func(c *pgConn) error) error {
	c, _, err := d.pool.get(ctx, 0)
	if err != nil {
		return err
	}
	err = f(c)
	if c.c.IsClosed() {
		d.pool.forget()
		d.drop(c)
	} else {
		d.pool.put(c)
	}
	return err
}

// ask is use for queries, which may be repeated.
func (d *postgres) ask(ctx context.Context, f func(c *pgConn) error) error {
	return again(ctx, func() error { return d.use(ctx, f) })
}

func (d *postgres) Prepared(ctx context.Context, cluster uint64) ([]source.Name, error) {
	var out []source.Name
	err := d.ask(ctx, func(c *pgConn) error {
		rows, err := c.rows(ctx, "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared, gid")
		for _, row := range rows {
			if n, ok := source.ParseName(string(row[0])); ok && n.Cluster == cluster {
				out = append(out, n)
			}
		}
		return err
	})
	return out, err
}

func (d *postgres) Finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	if err := d.preparing.wait(ctx, n); err != nil {
		return false, err
	}
	err = d.use(ctx, func(c *pgConn) error {
		found, err = d.finish(ctx, c, n, commit)
		return err
	})
	return found, err
}

// finish retries until the branch has ended or is known not to exist.
//
// A branch that does not exist may still appear: a broken connection, or one of a crashed agent, may have sent a
// PREPARE that the server has not executed yet. So it first waits for open transactions of agents on connections that
// are not this driver's. As a rule there are none; the server notices their end soon. A branch that another
// connection is finishing is busy.
func (d *postgres) finish(ctx context.Context, c *pgConn, n source.Name, commit bool) (found bool, err error) {
	text := "ROLLBACK PREPARED " + pgQuote(n.String())
	if commit {
		text = "COMMIT PREPARED " + pgQuote(n.String())
	}
	var open map[string]bool // others' open transactions since the first query; nil: not queried
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		_, err := c.command(ctx, text)
		if err == nil {
			return true, nil
		}
		switch e := asError(err); {
		case e.State == "42704" && open != nil && len(open) == 0: // no such prepared transaction
			return false, nil
		case e.State == "42704":
			now, err := d.others(ctx, c)
			if err != nil {
				return false, err
			}
			if open == nil {
				open = now
			}
			maps.DeleteFunc(open, func(id string, _ bool) bool { return !now[id] })
			if len(open) == 0 {
				continue
			}
		case e.State == "55000": // busy
		default:
			return false, e
		}
		if err := pause(ctx, wait); err != nil {
			e := asError(err)
			e.Text, e.Again = "whether the branch is prepared is not known yet: a connection that the server has not closed may still hold it", true
			return false, e
		}
	}
}

// others returns the open transactions of agents on connections that are not, or no longer, this driver's.
func (d *postgres) others(ctx context.Context, c *pgConn) (map[string]bool, error) {
	rows, err := c.rows(ctx, `SELECT pid, xact_start FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()
		AND application_name = current_setting('application_name') AND xact_start IS NOT NULL`)
	out := map[string]bool{}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, row := range rows {
		if pid := string(row[0]); !d.own[pid] {
			out[pid+" "+string(row[1])] = true
		}
	}
	return out, err
}

// count records whether a connection is this driver's.
func (d *postgres) count(c *pgConn, own bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if pid := c.pid(); own {
		d.own[pid] = true
	} else {
		delete(d.own, pid)
		d.serving.left(pid)
	}
}

// drop closes a connection.
func (d *postgres) drop(c *pgConn) {
	d.count(c, false)
	d.pool.drop(c)
}

func (d *postgres) Close() error {
	d.pool.close()
	d.asker.close()
	return nil
}
