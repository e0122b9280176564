package sourcedb

import (
	"context"
	"net/url"
	"time"

	"isochron/source"
)

// postgres drives a PostgreSQL.
type postgres struct {
	pool      *pool[*pgConn]
	preparing inflight
	types     pgTypes
}

func openPostgres(u *url.URL, o Options) (source.Driver, error) {
	cfg, err := pgConfig(u, o)
	if err != nil {
		return nil, err
	}
	d := &postgres{}
	d.pool = newPool(o.Connections, func(ctx context.Context) (*pgConn, error) { return pgDial(ctx, cfg) })
	return d, nil
}

func (d *postgres) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	o, err := settled(o)
	if err != nil {
		return nil, err
	}
	c, used, err := d.pool.get(ctx)
	if err != nil {
		return nil, err
	}
	return &pgBranch{d: d, c: c, name: n, o: o, used: used}, nil
}

// use has a connection do something that is no branch.
func (d *postgres) use(ctx context.Context, f func(c *pgConn) error) error {
	c, _, err := d.pool.get(ctx)
	if err != nil {
		return err
	}
	err = f(c)
	if c.c.IsClosed() {
		d.pool.forget()
		d.pool.drop(c)
	} else {
		d.pool.put(c)
	}
	return err
}

func (d *postgres) Prepared(ctx context.Context, cluster uint64) ([]source.Name, error) {
	var out []source.Name
	err := d.use(ctx, func(c *pgConn) error {
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
		found, err = pgFinish(ctx, c, n, commit)
		return err
	})
	return found, err
}

// pgFinish tries until it is known that the branch has ended or is not there.
//
// A branch that another connection is just preparing is not there yet, and is a moment
// later: that connection may be what an agent left behind. One that another connection is
// just finishing is busy. Both are waited for.
func pgFinish(ctx context.Context, c *pgConn, n source.Name, commit bool) (found bool, err error) {
	verb := "ROLLBACK PREPARED "
	if commit {
		verb = "COMMIT PREPARED "
	}
	looked := false // nobody was preparing it before the last try
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		_, err := c.command(ctx, verb+pgQuote(n.String()))
		if err == nil {
			return true, nil
		}
		switch e := asError(err); {
		case e.State == "42704" && looked: // no such prepared transaction
			return false, nil
		case e.State == "42704":
			rows, err := c.rows(ctx, "SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND strpos(query, $1) > 0",
				"PREPARE TRANSACTION "+pgQuote(n.String()))
			if err != nil {
				return false, err
			}
			if len(rows) == 0 {
				looked = true
				continue
			}
		case e.State == "55000": // busy
		default:
			return false, e
		}
		if err := pause(ctx, wait); err != nil {
			return false, err
		}
	}
}

func (d *postgres) Close() error {
	d.pool.close()
	return nil
}
