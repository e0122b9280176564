package sql

import (
	"context"
	"errors"
	"math"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/session"
	"isochron/sql/sysvars"
	"isochron/sql/wire"
	"isochron/txn"
)

// One life of a statement. However it came in (a packet that is read here, the wire
// library's execution of a prepared statement, a text, one of several in a packet), it
// becomes a request, and run leads it through: it is let in, gets a plan, is tried until
// it has not lost to another, ends its transaction if that is its own, is answered and
// is reported. Every duty that holds for all statements is done in run and what run
// calls, and nowhere else; TestEveryStatementIsOwedTheSame walks all ways and plans.

// execution is a statement on its way from its packet to its answer.
type execution struct {
	request
	h         *handler
	c         *mysql.Conn
	s         *Session
	spool     mysql.ResultSpoolFn // to the client; below: nil
	below     *conn               // nil, or its bytes were read below the wire library, and its answer is written there
	described bool                // that answer begins with its columns, which are these
	columns   *wire.Columns
	streamed  bool              // some of that answer was sent
	shownText *string           // the text as others see it; never changed
	plan      Plan              // of this try
	tried     [wholeEngine]bool // plans that this try was not for, by their kinds
	rest      string            // what stands behind the statement
	held      results           // what is not shown before the commit
	result    sqltypes.Result   // the answer of a plan that has committed, if it has one
	whole     bool              // there is such a result
	call      *procedureCall    // the statements of the procedure that it calls, which are to be done
	counted   bool              // in the status variables
	before    sessionState
}

// errAbove ends an execution below the wire library that needs a plan whose answers the
// library writes: the statement goes on when the library has read it.
var errAbove = errors.New("the statement goes on above the wire library")

// run leads the statement through its life.
func (x *execution) run(ctx context.Context) (err error) {
	s, now := x.s, time.Now()
	s.inside.Add(1)
	defer s.inside.Add(-1)
	if x.shownText == nil {
		said := session.Shortened(x.text)
		x.shownText = &said
	}
	s.stats.Begin(*x.shownText, now)
	s.shownText.Store(x.shownText)
	ctx = s.interruption.Enter(ctx, now, x.below != nil)
	defer s.interruption.Leave()
	if limit := s.interruption.Limit(s.Chosen().TimeOf(x.text, selects)); limit != nil {
		defer limit.Stop()
	}
	s.failed, s.packet.warnings = nil, nil
	defer func() { x.report(err) }()
	if err := x.enter(ctx); err != nil {
		return err
	}
	defer x.h.g.admission.Leave(&s.place)
	for try := 0; ; try++ {
		err := x.try(ctx, try)
		if err == nil {
			return x.answer()
		}
		if err == errAbove {
			return err
		}
		x.held.drop()
		if again, err := afterFailure(ctx, x, try, err); !again {
			return err
		}
	}
}

// enter waits until the statement is let in.
func (x *execution) enter(ctx context.Context) error {
	s := x.s
	if len(s.packet.ahead) > 0 {
		return nil // it was executed before
	}
	open := s.open.begun()
	if err := x.h.g.admission.Enter(ctx, &s.place, open, x.below != nil); err != nil {
		if why := s.interruption.Reason(); why != nil {
			err = interrupted(why)
		}
		return err
	}
	if n := len(x.text); n >= longText {
		s.place.WorkFor(ctx, time.Duration(n)*parseByte)
	}
	return nil
}

// A text of longText bytes and more takes its turn before it is parsed; a byte takes about parseByte.
const (
	longText  = 256 << 10
	parseByte = 100 * time.Nanosecond
)

// try carries the statement out once and ends its transaction, if that is its own.
func (x *execution) try(ctx context.Context, try int) error {
	s := x.s
	beginStatement(s, try)
	s.statement.hides(s.stats.Again > 0 || s.packet.again)
	if s.before = &x.before; try == 0 && s.statement.retriesAlone() {
		x.before = stateOf(s)
	}
	follow(ctx, s)
	x.rest, x.held, x.whole = "", results{s: s}, false
	if x.below != nil && !x.streamed {
		x.described = false
		x.below.execute.answer.Begin()
	}
	err := x.h.withNamed(s, x.text, func() error { return x.execute(ctx) })
	if err == nil {
		err = s.statement.refused()
	}
	if err == nil {
		err = endOwn(ctx, s)
	}
	if err == nil && !(s.Autocommit() && !s.GetIgnoreAutoCommit()) {
		s.open.publish()
	}
	if err == nil && s.statement.own {
		err = s.statement.unread
	}
	s.stats.Planned = x.plan != nil && (x.plan.kind() == coreKind || x.plan.kind() == pointPlan)
	return err
}

// execute executes the plans that the statement may be for, until one does it.
func (x *execution) execute(ctx context.Context) (err error) {
	x.tried = [wholeEngine]bool{}
	for {
		if x.plan, err = x.choose(ctx); err != nil {
			return err
		}
		kind := x.plan.kind()
		x.begin(kind)
		err = x.plan.Execute(ctx, x)
		x.end(kind, err)
		if err != errOtherPlan {
			return err
		}
		x.tried[kind] = true
	}
}

// begin does, for plans of ours, what the engine does when it is asked to execute a text:
// it lists the statement among the processes, and forgets the warnings of the one before.
func (x *execution) begin(kind planKind) {
	if kind == wholeEngine {
		return
	}
	x.s.ClearWarnings()
	x.s.running.begin(x.text, x.s.stats.Began)
}

// end does the same when it has executed it: it counts the statement.
func (x *execution) end(kind planKind, err error) {
	s, now := x.s, time.Now()
	if kind == wholeEngine {
		return
	}
	s.running.end(now)
	if err == errOtherPlan || x.counted {
		return
	}
	x.counted = true // once, however often it is tried
	if kind != explained && kind != defining && kind != atSources {
		x.h.g.cached.Add(1)
	}
	countStatus(s.quiet, "Questions")
	if name := x.plan.counter(); name != "" {
		countStatus(s.quiet, name)
	}
	if took := now.Sub(s.stats.Began); took >= slowNever && took.Seconds() > longQueryTime() {
		countStatus(s.quiet, "Slow_queries")
	}
}

// countStatus counts something in a status variable of a session and the server.
func countStatus(quiet *gms.Context, name string) { gms.IncrementStatusVariable(quiet, name, 1) }

// slowNever is below what anybody calls a slow query: nobody asks then.
const slowNever = time.Millisecond

// longQueryTime is from when a query counts as slow, in seconds.
func longQueryTime() float64 {
	if _, v, ok := gms.SystemVariables.GetGlobal(sysvars.LongQueryTime); ok {
		if seconds, ok := v.(float64); ok && seconds > 0 {
			return seconds
		}
	}
	return math.MaxFloat64
}

// follow has the session heed the grants and the definitions as the nearest replica has
// them. If the catalogue cannot be read, the statement will say so, should it need it.
func follow(ctx context.Context, s *Session) {
	g := s.gateway
	if g.store.Fresh() {
		s.statement.sees(g.store.Held())
		_ = g.accounts.Follow()
		return
	}
	_ = g.accounts.Refresh(ctx)
}

// yield takes what a plan yields.
func (x *execution) yield(r *sqltypes.Result, more bool) error {
	padYears(r)
	nameFractions(r)
	switch st := &x.s.statement; {
	case st.own:
		return x.held.add(r, more)
	case st.first:
		return x.held.some(r, more, x.send)
	}
	return x.send(r, more)
}

// send is for results that are not held back: one without rows goes out with the flags
// as they are then.
func (x *execution) send(r *sqltypes.Result, more bool) error {
	if err := x.s.statement.refused(); err != nil {
		return err
	}
	if len(r.Fields) == 0 {
		setFlags(x.s, x.c)
	}
	return x.spool(r, more)
}

// yieldOK takes the answer of a plan that has committed: nothing can come of it any more.
func (x *execution) yieldOK(affected int64, info string) {
	x.result = sqltypes.Result{RowsAffected: uint64(affected), Info: info}
	x.whole = true
}

// answer gives the client what was held back.
func (x *execution) answer() error {
	setFlags(x.s, x.c)                // as it stands now that its own transaction has ended
	x.h.g.admission.Leave(&x.s.place) // the client may be slow to take it
	defer x.held.drop()
	switch {
	case x.below != nil:
		return nil // who has read the statement answers it, when all is done
	case x.whole:
		return x.spool(&x.result, false)
	}
	return x.held.flush(x.spool)
}

// report ends the statement, unless it goes on elsewhere.
func (x *execution) report(err error) {
	if err == errAbove {
		x.s.stats.Resumed = true
		return
	}
	reportStatement(x.s, time.Now())
}

// afterFailure cleans up after a try of a statement that has failed, and says whether it
// is to be done again; if not, the error is the client's.
func afterFailure(ctx context.Context, x *execution, try int, err error) (again bool, answer error) {
	s := x.s
	open := s.open.begun()
	s.statement.ends(open && x.setsOutToEnd())
	if why := s.interruption.Reason(); why != nil && !s.statement.unknown() {
		return false, cutShort(s, why)
	}
	if s.statement.panicked {
		return false, afterPanic(s, clientError(s, x.c, verdict{}, err))
	}
	v := fail(ctx, s)
	if why := s.interruption.Reason(); why != nil && v.failure != nil && v.failure.Kind == txn.KindUnavailable {
		return false, interrupted(why) // while its error was confirmed
	}
	if !v.retry || !s.Chosen().Patient(s.statement.notFinal, v.failure, try, s.stats.Began) || session.SaysLasting(x.text) {
		answer := clientError(s, x.c, v, err)
		if open && s.statement.ending && lives(v.failure) {
			answer = rolledBack(answer)
		}
		return false, answer
	}
	if !s.place.Backoff(ctx, catalog.Pause(try)) {
		return false, interrupted(s.interruption.Reason())
	}
	reloadIfStale(ctx, s.gateway.store, v.failure)
	x.before.restore(s)
	return true, nil
}
