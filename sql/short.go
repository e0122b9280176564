package sql

import (
	"context"
	"math"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/plan"
	"isochron/txn"
)

// The short way. An update of one row by its key that is its own transaction and
// that the session has prepared and executed before is carried out where its bytes
// are read (execute.go), by what the session keeps for it: no context of the engine
// is made, nothing is looked up twice, and nearly nothing allocated. Whatever is
// unusual about the session, the statement or its values sends it the way of all
// others (handler.run), which must do the same.

// short is what a session keeps for the statements that go the short way.
type short struct {
	prepare *mysql.PrepareData // the statement executed last
	text    *text              // that is remembered of it
	run     *shortRun
	settled settled
	first   time.Time // when the first try of it began, if it is done again
}

// shortRun is the memory of an execution. It is used again when that has ended;
// one that was given up may yet be carried out, so it is left alone.
type shortRun struct {
	plan.PointUpdate
	matched, changed bool
	apply            func([][]byte) ([]txn.Write, bool) // made once
}

func newShortRun() *shortRun {
	r := &shortRun{}
	r.apply = func(values [][]byte) (writes []txn.Write, ok bool) {
		writes, r.matched, r.changed, ok = r.Apply(values[0])
		return writes, ok
	}
	return r
}

// settled is how a statement ended that failed on the short way: the wire library
// is then given its bytes after all, and the handler gives it the error to send.
type settled struct {
	prepare *mysql.PrepareData
	err     error
}

// shortlyAbove ends a statement that the wire library has read, if it has failed on
// the short way already, or goes it now: below TLS its bytes cannot be told.
func (s *Session) shortlyAbove(c *mysql.Conn, p *mysql.PrepareData, callback func(*sqltypes.Result) error) (done bool, err error) {
	if below := connOf(c); below != nil && below.execute.hidden {
		var room [shortValuesMax]any
		if values := appendBound(room[:0], p); values != nil {
			if affected, ok := s.shortly(c, p, values); ok {
				s.flags(c)
				return true, callback(&sqltypes.Result{RowsAffected: uint64(affected)})
			}
		}
	}
	err = s.short.settled.take(p)
	return err != nil, err
}

// take gives the error of a statement, if it has failed already.
func (t *settled) take(p *mysql.PrepareData) error {
	err := t.err
	if t.prepare != p {
		err = nil
	}
	*t = settled{}
	return err
}

// plain reports whether nothing about the session stands in the short way.
func (s *Session) plain() bool {
	c, t := s.chosen(), s.open
	if t != nil && (t.real != nil || t.readOnly || len(t.marks) > 0) {
		return false
	}
	return c.autocommit && c.path == pathAuto && c.timeout == 0 && !s.GetIgnoreAutoCommit() && s.next == nil &&
		!s.manner.readOnly && s.inside.Load() == 0 && s.gateway.admission.queued.Load() == 0
}

// shortText is what the session knows of a prepared statement, if it knows all
// that the short way needs and the catalogue, the grants and the settings are as
// they were.
func (s *Session) shortText(p *mysql.PrepareData) *text {
	g := s.gateway
	if !g.store.Fresh() || g.accounts.follow() != nil {
		return nil
	}
	g.engine.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(s.quiet)
	_, privileges := s.GetPrivilegeSet()
	now := circumstances{g.store.Held(), s.GetCurrentDatabase(), s.settings, privileges}
	t := s.short.text
	if s.short.prepare != p || t.under != now {
		t = s.texts[p.PrepareStmt]
	}
	if t == nil || t.direct == nil || t.under != now {
		return nil
	}
	s.short.prepare, s.short.text = p, t
	return t
}

// shortly executes a prepared statement the short way. ok is false if it has to go
// the way of all others, or has failed: then that is settled.
func (s *Session) shortly(c *mysql.Conn, p *mysql.PrepareData, values []any) (affected int64, ok bool) {
	if !s.plain() {
		return 0, false
	}
	t := s.shortText(p)
	if t == nil || !t.direct.takes(values) {
		return 0, false
	}
	r := s.short.run
	if r == nil {
		r = newShortRun()
	}
	s.short.run = nil
	if !s.fill(t, values, r) {
		return 0, false
	}
	version, ok := s.gateway.store.VersionAtHand(r.Table.Descriptor())
	if !ok {
		return 0, false
	}
	now := time.Now()
	s.cost.begin(t.said, now)
	s.saying.Store(&t.said)
	ctx := s.running.begin(t.said, now)
	s.beginStatement(0)
	s.ClearWarnings()
	s.adopt(t.direct.plan.Plan)
	s.cost.planned = true
	tx, before := s.beginTxn(s.manner, now)
	s.short.first = before.first
	tx.Guard(r.Table.Descriptor().GuardName(), version)
	up, ok := tx.(txn.Updater)
	done, err := false, error(nil)
	if ok {
		done, err = up.Update(ctx, txn.Read{Gets: []txn.Key{r.Key}, ForWrite: true}, r.apply)
	}
	now = time.Now()
	s.running.end(now)
	if err != nil || !done {
		s.notShortly(ctx, c, p, r.Table.Descriptor(), tx, err)
		return 0, false
	}
	s.short.run = r
	s.shortDone(tx, now)
	_, affected = s.counted(r.matched, r.changed)
	return affected, true
}

// fill puts the values into an execution. What the engine panics at goes the way of
// all others, which says so.
func (s *Session) fill(t *text, values []any, r *shortRun) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return t.direct.plan.Fill(s.quiet, values, &r.PointUpdate)
}

// shortDone ends a statement that has committed the short way.
func (s *Session) shortDone(tx txn.Txn, now time.Time) {
	g, took := s.gateway, now.Sub(s.cost.began)
	g.cached.Add(1)
	g.inOneGo.Add(1)
	g.short.Add(1)
	s.cost.add(txn.Stats{}, tx.Stats())
	g.observer.Committed(took, tx.Stats())
	if g.slow.threshold > 0 && took >= g.slow.threshold {
		s.slowEnd(&transaction{s: s, real: tx, began: s.cost.began, first: s.short.first}, nil, false)
	}
	if took >= shortQuery && took.Seconds() > longQueryTime() {
		gms.IncrementStatusVariable(s.quiet, "Slow_queries", 1)
	}
	s.open = nil
	s.SetTransaction(nil)
	s.report(now)
}

// shortQuery is below what anybody calls a slow query: nobody asks then.
const shortQuery = time.Millisecond

// longQueryTime is from when a query counts as slow, in seconds.
func longQueryTime() float64 {
	if _, v, ok := gms.SystemVariables.GetGlobal("long_query_time"); ok {
		if seconds, ok := v.(float64); ok && seconds > 0 {
			return seconds
		}
	}
	return math.MaxFloat64
}

// notShortly deals with a statement that has not committed the short way. If it
// failed for good that is settled; else the transaction goes on, or the statement
// is done again, the way of all others.
func (s *Session) notShortly(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, d *catalog.Descriptor, tx txn.Txn, err error) {
	s.open = &transaction{s: s, level: s.manner.level, real: &watched{Txn: tx, s: s}, began: s.cost.began, first: s.short.first, uses: map[uint64]*catalog.Descriptor{d.ID(): d}}
	s.SetTransaction(s.open)
	s.cost.add(txn.Stats{}, tx.Stats())
	s.cost.goesOn = true
	if err == nil {
		return
	}
	_ = s.note(err)
	v := s.fail(ctx)
	if v.retry && s.patient(v.failure, 0, s.cost.began) && s.backoff(ctx, 0) {
		s.reloadIfStale(ctx, v)
		s.cost.again++
		return
	}
	s.cost.goesOn = false
	s.short.settled = settled{p, s.answer(c, v, err)}
	s.report(time.Now())
}
