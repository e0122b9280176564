package sim

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"isochron/source"
)

// database is a model of an external database behind source.Driver: rows under strict two-phase
// locking, lock waits that end by time-out or by deadlock detection, transactions that can be
// prepared, and a log. After a crash it has the prepared and committed transactions; everything
// else is rolled back.
type database struct {
	w        *Cluster
	name     string
	dialect  source.Dialect
	latency  time.Duration // one way, to its client
	fsync    time.Duration
	work     time.Duration // of a statement
	lockWait time.Duration // default lock wait time-out
	// deadlockAfter is the length of a wait before the database checks it for a deadlock.
	deadlockAfter time.Duration

	rows     map[string]string
	locks    map[string]*dbLock
	open     []*dbTxn // not ended, in the order of their begin
	calls    []*dbCall
	starts   int
	down     bool
	cut      bool // unreachable
	waits    int  // lock waits since the start
	dead     int  // deadlocks
	finished int  // prepared transactions that were committed
	unmarked int  // branches over versions that have ended
	// onPrepared, if not nil, is called when a transaction is prepared.
	onPrepared func(x *dbTxn)
	// onMarked, if not nil, is called when the prepare of a branch over versions is durable, or its
	// end is, and the answer is on its way.
	onMarked func(x *dbTxn)
	// onEnding, if not nil, is called when the end of a prepared transaction is written to the log,
	// and returns for how long the disk delays it.
	onEnding func(x *dbTxn) time.Duration
}

// dbTxn is a transaction of the database.
type dbTxn struct {
	db    *database
	name  string // under which it is, or may be, prepared
	owner *dbDriver
	state dbState
	undo  []dbUndo
	held  []*dbLock
	wait  *dbWait
	then  []func() // callbacks at its end
}

type dbState uint8

const (
	dbActive  dbState = iota
	dbSyncing         // its prepare, or its one-phase commit, is being made durable
	dbPrepared
	dbEnding // prepared, and its end is being made durable
	dbEnded
)

type dbUndo struct {
	key, was string
	had      bool
}

// The errors of the database, with MariaDB's numbers.
func dbDeadlock() *source.Error {
	return &source.Error{Code: 1213, State: "40001", Text: "deadlock found when trying to get lock; try restarting transaction", Ends: true, Again: true}
}

func (d *database) timeout() *source.Error {
	return &source.Error{Code: 1205, State: "HY000", Text: "lock wait timeout exceeded", Again: true, Ends: d.dialect == source.Postgres}
}

func dbGone() *source.Error {
	return &source.Error{Code: 2013, State: "HY000", Text: "lost connection to the server during query", Ends: true, Gone: true}
}

// run executes a statement of a transaction.
func (d *database) run(ctx context.Context, x *dbTxn, text string, done func(source.Result, *source.Error)) {
	word, rest, _ := strings.Cut(text, " ")
	key, arg, _ := strings.Cut(rest, " ")
	table, _, _ := strings.Cut(key, "/")
	locks := []dbClaim{}
	switch word {
	case "GET":
		locks = append(locks, dbClaim{key, lockS})
	case "PUT", "ADD", "SWAP":
		locks = append(locks, dbClaim{table + "/", lockIX}, dbClaim{key, lockX})
	case "SCAN":
		locks = append(locks, dbClaim{table + "/", lockS})
	default:
		done(source.Result{}, &source.Error{Code: 1064, State: "42000", Text: "you have an error in your SQL syntax"})
		return
	}
	d.claim(ctx, x, locks, func(err *source.Error) {
		if err != nil {
			done(source.Result{}, err)
			return
		}
		done(d.apply(x, word, key, arg), nil)
	})
}

// claim acquires locks in order.
func (d *database) claim(ctx context.Context, x *dbTxn, locks []dbClaim, done func(*source.Error)) {
	if len(locks) == 0 {
		done(nil)
		return
	}
	d.lock(ctx, x, locks[0], func(err *source.Error) {
		if err != nil {
			done(err)
			return
		}
		d.claim(ctx, x, locks[1:], done)
	})
}

// apply executes a statement under its locks.
func (d *database) apply(x *dbTxn, word, key, arg string) (r source.Result) {
	was, had := d.rows[key]
	set := func(v string) {
		x.undo = append(x.undo, dbUndo{key, was, had})
		d.rows[key] = v
		r.Affected = 1
	}
	switch word {
	case "GET":
		if had {
			r.Rows = [][][]byte{{[]byte(key), []byte(was)}}
		}
	case "PUT":
		set(arg)
	case "ADD":
		a, _ := strconv.ParseInt(was, 10, 64)
		b, _ := strconv.ParseInt(arg, 10, 64)
		set(strconv.FormatInt(a+b, 10))
	case "SWAP":
		old, fresh, ok := source.ParseSwap(arg)
		switch {
		case !ok || was != old:
		case fresh == "":
			x.undo = append(x.undo, dbUndo{key, was, had})
			delete(d.rows, key)
			r.Affected = 1
		default:
			set(fresh)
		}
	case "SCAN":
		for k := range d.rows { // order: sorted below
			if strings.HasPrefix(k, key) {
				r.Rows = append(r.Rows, [][]byte{[]byte(k), []byte(d.rows[k])})
			}
		}
		slices.SortFunc(r.Rows, func(a, b [][]byte) int { return strings.Compare(string(a[0]), string(b[0])) })
	}
	return r
}

// begin opens a transaction. One without a name is never prepared. nil: the name is in use.
func (d *database) begin(name string, owner *dbDriver) *dbTxn {
	if d.dialect == source.MySQL && name != "" && d.named(name) != nil {
		return nil
	}
	x := &dbTxn{db: d, name: name, owner: owner}
	d.open = append(d.open, x)
	return x
}

// named returns the open transaction with a name.
func (d *database) named(name string) *dbTxn {
	for _, x := range d.open {
		if x.name == name {
			return x
		}
	}
	return nil
}

// durable calls f when the log holds everything done so far, unless the database crashes first.
func (d *database) durable(f func()) { d.durableAfter(d.fsync, f) }

// durableAfter calls f when the sync has lasted that long.
func (d *database) durableAfter(sync time.Duration, f func()) {
	starts := d.starts
	d.w.After(sync, func() {
		if d.starts == starts {
			f()
		}
	})
}

// end removes a transaction, and rolls it back unless it commits.
func (d *database) end(x *dbTxn, commit bool) {
	if x.state == dbEnded {
		return
	}
	x.state = dbEnded
	if !commit {
		for _, u := range slices.Backward(x.undo) {
			if d.rows[u.key] = u.was; !u.had {
				delete(d.rows, u.key)
			}
		}
	}
	d.open = slices.DeleteFunc(d.open, func(o *dbTxn) bool { return o == x })
	if x.wait != nil {
		x.wait.end(dbGone())
	}
	d.release(x)
	for _, f := range x.then {
		f()
	}
}

// prepare makes a transaction outlive its connection.
func (d *database) prepare(x *dbTxn, done func(*source.Error)) {
	if x.state != dbActive {
		done(dbGone())
		return
	}
	if o := d.named(x.name); o != x {
		d.end(x, false)
		done(&source.Error{Code: 1440, State: "XAE08", Text: "there is a transaction of that name", Ends: true})
		return
	}
	x.state = dbSyncing
	d.durable(func() {
		x.state = dbPrepared
		done(nil)
		if d.onPrepared != nil {
			d.onPrepared(x)
		}
	})
}

// commit commits a transaction that was not prepared.
func (d *database) commit(x *dbTxn, done func(*source.Error)) {
	if x.state != dbActive {
		done(dbGone())
		return
	}
	x.state = dbSyncing
	d.durable(func() {
		marks := d.marks(x)
		d.end(x, true)
		done(nil)
		if marks && d.onMarked != nil {
			d.onMarked(x)
		}
	})
}

// finish ends a prepared transaction.
func (d *database) finish(name string, commit bool, done func(found bool)) {
	x := d.named(name)
	switch {
	case x == nil || x.state != dbPrepared && x.state != dbEnding:
		done(false)
	case x.state == dbEnding && d.dialect == source.MySQL: // listed, and not found
		done(false)
	case x.state == dbEnding:
		x.then = append(x.then, func() { done(false) })
	default:
		x.state = dbEnding
		sync := d.fsync
		if d.onEnding != nil {
			sync += d.onEnding(x)
		}
		d.durableAfter(sync, func() {
			if commit {
				d.finished++
			}
			d.end(x, commit)
			done(true)
		})
	}
}

// prepared returns the names of the prepared transactions, in the order of their begin.
func (d *database) prepared() (names []string) {
	for _, x := range d.open {
		if x.state == dbPrepared || x.state == dbEnding {
			names = append(names, x.name)
		}
	}
	return names
}

// marked is the prefix of the keys of rows that list what branches over versions have prepared.
const marked = "prepared/"

// marks reports whether a transaction is the prepare of such a branch, or its end.
func (d *database) marks(x *dbTxn) bool {
	i := slices.IndexFunc(x.undo, func(u dbUndo) bool { return strings.HasPrefix(u.key, marked) })
	if i >= 0 && x.undo[i].had {
		d.unmarked++
	}
	return i >= 0
}

// unended returns those rows.
func (d *database) unended() (out []string) {
	for k := range d.rows { // order: sorted below
		if strings.HasPrefix(k, marked) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// crash loses state that is not in the log; the database returns after back.
func (d *database) crash(back time.Duration) {
	if d.down {
		return
	}
	d.starts++
	d.down = true
	d.w.log(nil, "the database %s crashes", d.name)
	for _, x := range slices.Clone(d.open) {
		switch x.state {
		case dbEnding:
			x.state = dbPrepared
			x.then = nil
		case dbPrepared:
		default:
			d.end(x, false)
		}
	}
	if d.dialect == source.MySQL {
		d.dropReads()
	}
	d.breakCalls()
	d.w.After(back, func() {
		d.down = false
		d.w.log(nil, "the database %s is back", d.name)
	})
}

// incarnation identifies one run of the database.
func (d *database) incarnation() string { return strconv.Itoa(d.starts) }
