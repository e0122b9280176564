package sim

import (
	"context"
	"slices"
	"time"

	"isochron/source"
)

// dbDriver is the connection of one boot of a node's agent to a database. A request takes time to
// arrive, is carried out even if its sender has crashed, and its answer is lost with the
// connection.
type dbDriver struct {
	db          *database
	host        *host
	incarnation uint64
	// takesForeign also lists prepared transactions of other clusters: an injected bug.
	takesForeign bool
}

// dbCall is a request in transit.
type dbCall struct {
	d       *dbDriver
	resume  func()
	over    bool
	gone    bool
	arrived bool
}

// end resumes the caller.
func (c *dbCall) end() {
	if c.over {
		return
	}
	c.over = true
	c.d.db.calls = slices.DeleteFunc(c.d.db.calls, func(o *dbCall) bool { return o == c })
	c.d.db.w.After(c.d.db.latency, c.resume)
}

// lose resumes the caller with a broken connection.
func (c *dbCall) lose() {
	if !c.over {
		c.gone = true
		c.end()
	}
}

// dbSilence is the time a caller waits for a database that cannot be reached.
const dbSilence = 20 * time.Millisecond

// call carries out a request and waits for its answer; false: the connection broke, and the outcome
// of the request is unknown.
func (d *dbDriver) call(ctx context.Context, do func(reply func())) bool {
	db, c := d.db, &dbCall{d: d}
	taskOf(ctx).await(func(resume func()) {
		c.resume = resume
		db.calls = append(db.calls, c)
		db.w.After(db.latency, func() {
			switch {
			case c.over:
			case db.down:
				c.lose()
			case db.cut: // with an even number of open calls, the request arrived before the cut
				db.w.After(dbSilence, c.lose)
				if len(db.calls)%2 == 0 {
					do(func() {})
				}
			default:
				c.arrived = true
				do(c.end)
			}
		})
	})
	return !c.gone
}

// breakCalls breaks the connection of every caller that waits for an answer.
func (d *database) breakCalls() {
	for _, c := range slices.Clone(d.calls) {
		c.lose()
	}
}

// Facts implements source.Driver.
func (d *dbDriver) Facts(ctx context.Context) (source.Facts, error) {
	at := ""
	if !d.call(ctx, func(reply func()) { at = d.db.incarnation(); reply() }) {
		return source.Facts{}, dbGone()
	}
	return source.Facts{Dialect: d.db.dialect, Version: "a model", Identity: d.db.name, PreparedMax: -1,
		Incarnation: at, ForgetsReads: d.db.dialect == source.MySQL}, nil
}

// Prepared implements source.Driver.
func (d *dbDriver) Prepared(ctx context.Context, cluster uint64) ([]source.Name, error) {
	var names []string
	if !d.call(ctx, func(reply func()) { names = d.db.prepared(); reply() }) {
		return nil, dbGone()
	}
	var out []source.Name
	for _, s := range names {
		if n, ok := source.ParseName(s); ok && (n.Cluster == cluster || d.takesForeign) {
			out = append(out, n)
		}
	}
	return out, nil
}

// Finish implements source.Driver.
func (d *dbDriver) Finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	ok := d.call(ctx, func(reply func()) {
		d.db.finish(n.String(), commit, func(f bool) { found = f; reply() })
	})
	if !ok {
		return false, dbGone()
	}
	return found, nil
}

// Tables implements source.Driver.
func (d *dbDriver) Tables(context.Context) ([]source.Table, error) { return nil, nil }

// Close implements source.Driver.
func (d *dbDriver) Close() error { return nil }

// Begin implements source.Driver. It sends nothing before the first statement.
func (d *dbDriver) Begin(_ context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	return &dbBranch{d: d, name: n, options: o}, nil
}

// dbBranch is a connection with a transaction.
type dbBranch struct {
	d       *dbDriver
	name    source.Name
	options source.BranchOptions
	x       *dbTxn
	starts  int
}

// Execute implements source.Branch.
func (b *dbBranch) Execute(ctx context.Context, s source.Statement) (r source.Result, err error) {
	db := b.d.db
	var failed *source.Error
	ctx = context.WithValue(ctx, lockWaitKey{}, b.options.LockWait)
	ok := b.d.call(ctx, func(reply func()) {
		if b.x == nil {
			if want := b.options.Incarnation; want != "" && want != db.incarnation() {
				failed = dbGone()
				reply()
				return
			}
			db.w.cfg.Databases.begins(b.name)
			if b.x, b.starts = db.begin(b.named(), b.d), db.starts; b.x == nil {
				failed = &source.Error{Code: 1440, State: "XAE08", Text: "XAER_DUPID: the XID already exists", Ends: true}
				reply()
				return
			}
		}
		if b.starts != db.starts || b.x.state != dbActive {
			failed = dbGone()
			reply()
			return
		}
		db.w.After(db.work, func() {
			if b.x.state != dbActive {
				failed = dbGone()
				reply()
				return
			}
			db.run(ctx, b.x, s.Text, func(got source.Result, e *source.Error) {
				r, failed = got, e
				b.autocommit(e, reply)
			})
		})
	})
	if !ok {
		b.leave()
		return source.Result{}, dbGone()
	}
	if failed != nil {
		return source.Result{}, failed
	}
	return r, nil
}

// named returns the transaction's name at the database.
func (b *dbBranch) named() string {
	if b.options.Plain || b.options.Autocommit {
		return ""
	}
	return b.name.String()
}

// autocommit ends a single-statement transaction; without changes it needs no sync.
func (b *dbBranch) autocommit(failed *source.Error, reply func()) {
	x := b.x
	switch {
	case !b.options.Autocommit:
		reply()
	case failed != nil || len(x.undo) == 0:
		b.x = nil
		b.d.db.end(x, failed == nil)
		reply()
	default:
		b.x = nil
		b.d.db.commit(x, func(*source.Error) { reply() })
	}
}

// leave closes the connection: the database rolls back an unprepared transaction, once it notices.
func (b *dbBranch) leave() {
	db := b.d.db
	db.w.After(2*dbSilence, func() {
		if b.x != nil && b.x.state == dbActive {
			db.end(b.x, false)
		}
	})
}

// finally runs the branch's last request.
func (b *dbBranch) finally(ctx context.Context, do func(x *dbTxn, done func(*source.Error))) error {
	var failed *source.Error
	ok := b.d.call(ctx, func(reply func()) {
		if b.x == nil || b.starts != b.d.db.starts {
			failed = dbGone()
			reply()
			return
		}
		do(b.x, func(e *source.Error) { failed = e; reply() })
	})
	switch {
	case !ok:
		b.leave()
		e := dbGone()
		e.Unknown = true
		return e
	case failed != nil:
		return failed
	}
	return nil
}

// Prepare implements source.Branch.
func (b *dbBranch) Prepare(ctx context.Context) error { return b.finally(ctx, b.d.db.prepare) }

// Commit implements source.Branch.
func (b *dbBranch) Commit(ctx context.Context) error { return b.finally(ctx, b.d.db.commit) }

// Rollback implements source.Branch.
func (b *dbBranch) Rollback(ctx context.Context) error {
	return b.finally(ctx, func(x *dbTxn, done func(*source.Error)) {
		b.d.db.end(x, false)
		done(nil)
	})
}

// disconnect ends the connections of a lost node, after the time a database takes to notice.
func (d *database) disconnect(h *host, boots uint64) {
	d.w.After(d.latency, func() {
		for _, x := range slices.Clone(d.open) {
			if x.owner != nil && x.owner.host == h && x.owner.incarnation == boots && x.state == dbActive {
				d.end(x, false)
			}
		}
	})
}
