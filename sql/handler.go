package sql

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/txn"
)

// handler stands between the wire and the engine.
type handler struct {
	mysql.Handler
	g  *gateway
	sm *server.SessionManager
}

// NewConnection implements mysql.Handler.
func (h *handler) NewConnection(c *mysql.Conn) {
	h.g.mu.Lock()
	h.g.conns[c.ConnectionID] = c
	h.g.mu.Unlock()
	h.Handler.NewConnection(c)
	greet(c)
}

// ConnectionAuthenticated implements mysql.Handler.
func (h *handler) ConnectionAuthenticated(c *mysql.Conn) error {
	if err := h.g.admitted(c); err != nil {
		return err
	}
	if err := h.Handler.ConnectionAuthenticated(c); err != nil {
		return err
	}
	h.g.standing(c)
	return nil
}

// ConnectionClosed implements mysql.Handler.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	h.g.unprepared(c)
	h.g.forget(c.ConnectionID) // first: who waits for the connection's end waits for this too
	h.Handler.ConnectionClosed(c)
}

// ComQuery implements mysql.Handler.
func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) error {
	if err := checkLength(query); err != nil {
		return err
	}
	_, err := h.run(ctx, c, query, callback, func(ctx context.Context, cb mysql.ResultSpoolFn) (string, error) {
		if done, err := h.explain(ctx, c, query, cb); done {
			return "", err
		}
		return h.query(ctx, c, query, cb, func(cb mysql.ResultSpoolFn) (string, error) {
			return "", h.Handler.ComQuery(ctx, c, query, cb)
		})
	})
	return err
}

// ComMultiQuery implements mysql.Handler.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	if err := checkLength(query); err != nil {
		return "", err
	}
	return h.multi(ctx, c, query, callback)
}

// firstOf does the first statement of a text that may have several.
func (h *handler) firstOf(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	return h.run(ctx, c, query, callback, func(ctx context.Context, cb mysql.ResultSpoolFn) (string, error) {
		if done, err := h.explain(ctx, c, query, cb); done {
			return "", err
		}
		return h.query(ctx, c, query, cb, func(cb mysql.ResultSpoolFn) (string, error) {
			return h.Handler.ComMultiQuery(ctx, c, query, cb)
		})
	})
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	if err := connOf(c).executes(prepare); err != nil {
		return err
	}
	s := h.g.session(c.ConnectionID)
	if s != nil {
		if done, err := s.shortlyAbove(c, prepare, callback); done {
			return err
		}
		s.preparing = prepare.PrepareStmt
		defer func() { s.preparing = "" }()
	}
	_, err := h.run(ctx, c, prepare.PrepareStmt, func(r *sqltypes.Result, _ bool) error { return callback(r) }, func(ctx context.Context, cb mysql.ResultSpoolFn) (string, error) {
		if s != nil {
			if err := s.permitPrepared(prepare.PrepareStmt); err != nil {
				return "", err
			}
			s.numberLimits(prepare)
			if done, err := h.prepared(ctx, c, s, prepare, cb); done {
				return "", err
			}
		}
		return "", h.Handler.ComStmtExecute(ctx, c, prepare, func(r *sqltypes.Result) error {
			if s != nil {
				s.describe(prepare.PrepareStmt, r.Fields)
			}
			return cb(r, false)
		})
	})
	return err
}

// ComPrepare implements mysql.Handler.
func (h *handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) ([]*querypb.Field, error) {
	if err := checkLength(query); err != nil {
		return nil, err
	}
	if err := h.g.prepare(c, prepare.StatementID); err != nil {
		return nil, err
	}
	s := h.g.session(c.ConnectionID)
	if s != nil {
		s.beginStatement(0)
		s.preparing = query
		defer func() { s.preparing = "" }()
		s.sweepPrepared(c)
		_ = h.g.accounts.refresh(ctx)
	}
	if s != nil {
		within, leave := s.interruption.enter(ctx)
		ctx = within
		defer leave()
		defer s.begins(query)()
	}
	var fields []*querypb.Field
	err := h.withNamed(s, query, func() (err error) {
		fields, err = h.Handler.ComPrepare(ctx, c, query, prepare)
		return err
	})
	if err != nil {
		delete(c.PrepareData, prepare.StatementID) // the client has no name for it
		if s != nil {
			if why := s.interruption.reason(); why != nil {
				return nil, interrupted(why)
			}
		}
		return nil, s.ofStatement(err)
	}
	return fields, nil
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, name string) error {
	s := h.g.session(c.ConnectionID)
	if s != nil {
		s.beginStatement(0)
	}
	if err := h.g.guard(s, "USE", func() error { return h.Handler.ComInitDB(c, name) }); err != nil {
		return s.ofStatement(err)
	}
	return nil
}

// ComResetConnection implements mysql.Handler.
func (h *handler) ComResetConnection(c *mysql.Conn) error {
	err := h.g.guard(h.g.session(c.ConnectionID), "", func() error { return h.Handler.ComResetConnection(c) })
	if err != nil {
		return err
	}
	h.g.standing(c)
	if below := connOf(c); below != nil {
		below.reset = true
	}
	return nil
}

// run does a statement, again and again if it loses only to others and the client
// has seen nothing of its transaction. What such a statement yields is held back.
func (h *handler) run(ctx context.Context, c *mysql.Conn, text string, callback mysql.ResultSpoolFn, do func(context.Context, mysql.ResultSpoolFn) (string, error)) (string, error) {
	s := h.g.session(c.ConnectionID)
	if s == nil {
		return do(ctx, callback)
	}
	s.inside.Add(1)
	defer s.inside.Add(-1)
	said := shortened(text)
	inside := s.cost.goesOn // a try the short way was before
	s.cost.begin(said, time.Now())
	s.saying.Store(&said)
	ctx, leave := s.interruption.enter(ctx)
	defer leave()
	defer s.begins(text)()
	s.failed, s.packet.warnings = nil, nil
	defer s.reportStatement()
	if err := h.g.admission.enter(ctx, &s.place, s.open != nil && s.open.real != nil); err != nil {
		if why := s.interruption.reason(); why != nil {
			err = interrupted(why)
		}
		return "", err
	}
	defer h.g.admission.leave(&s.place)
	var before standing
	for try := 0; ; try++ {
		s.beginStatement(try)
		s.statement.inside = inside || try > 0 || s.packet.again
		if try == 0 && s.standsAlone() {
			before = s.stand()
		}
		// Grants as the nearest replica has them. If the catalogue cannot be read,
		// the statement will say so, should it need it.
		_ = h.g.accounts.refresh(ctx)
		held := results{s: s}
		spool := s.spooled(c, callback)
		if s.statement.own {
			spool = held.add
		} else if s.statement.first {
			spool = held.some(spool)
		}
		var rest string
		err := h.withNamed(s, text, func() (err error) {
			rest, err = do(ctx, spool)
			return err
		})
		if err == nil {
			err = s.refused()
		}
		if err == nil {
			err = s.chooseMoment(ctx)
		}
		if err == nil {
			err = s.endOwn(ctx)
		}
		if err == nil {
			s.passOn()
		}
		if err == nil && s.statement.own {
			err = s.statement.unread
		}
		s.cost.planned = s.statement.plan != nil
		if err == nil {
			s.flags(c)                    // as it stands now that its own transaction has ended
			h.g.admission.leave(&s.place) // the client may be slow to take it
			err := held.flush(callback)
			held.drop()
			return rest, err
		}
		held.drop()
		again, err := s.afterFailure(ctx, c, text, try, &before, err)
		if !again {
			return "", err // of several statements those behind it are not done
		}
	}
}

// afterFailure cleans up after a try of a statement that has failed, and says whether it
// is to be done again; if not, the error is the client's.
func (s *Session) afterFailure(ctx context.Context, c *mysql.Conn, text string, try int, before *standing, err error) (again bool, answer error) {
	if why := s.interruption.reason(); why != nil && !s.unknown() {
		return false, s.cutShort(ctx, why)
	}
	made := s.statement.made
	v := s.fail(ctx)
	s.unmake(ctx, made, v.failure)
	if why := s.interruption.reason(); why != nil && v.failure != nil && v.failure.Kind == txn.KindUnavailable {
		return false, interrupted(why) // while its error was confirmed
	}
	if !v.retry || !s.patient(v.failure, try, s.cost.began) || saysLasting(text) {
		return false, s.answer(c, v, err)
	}
	if !s.backoff(ctx, try) {
		return false, interrupted(s.interruption.reason())
	}
	s.reloadIfStale(ctx, v)
	s.restore(before)
	return true, nil
}

// reloadIfStale reads the catalogue again before a try that needs a newer one.
func (s *Session) reloadIfStale(ctx context.Context, v verdict) {
	if v.failure.Kind == txn.KindStale {
		_, _ = s.gateway.store.Reload(ctx) // a failure shows at the next try
	}
}

// unknown reports whether the statement's commit has an outcome that nobody knows.
func (s *Session) unknown() bool {
	return s.statement.failure != nil && s.statement.failure.Kind == txn.KindUnknown
}

// answer is the error that the client gets.
func (s *Session) answer(c *mysql.Conn, v verdict, err error) error {
	s.failed = v.failure
	if v.failure == nil {
		return s.ofStatement(err)
	}
	if v.failure.Kind == txn.KindUnknown {
		// The answer still goes out; then nothing more is read from the client.
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
	}
	return ofKind(v.failure)
}

// refused is why a statement that the engine has carried out must fail. While its rows
// are sent the engine may still read.
func (s *Session) refused() error {
	s.statement.mu.Lock()
	defer s.statement.mu.Unlock()
	if s.statement.failure != nil && s.statement.full {
		return s.statement.failure
	}
	if s.statement.beyond != nil {
		return s.statement.beyond
	}
	return nil
}
