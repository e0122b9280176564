package sql

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"isochron/sql/catalog"
	"isochron/sql/parse"
	"isochron/sql/session"
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
	h.g.showFlags(c)
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
	_, err := h.execute(ctx, c, textRequest(h.received(c, query), false), noting(c, callback))
	return err
}

// ComMultiQuery implements mysql.Handler.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, callback mysql.ResultSpoolFn) (string, error) {
	if err := checkLength(query); err != nil {
		return "", err
	}
	return h.multi(ctx, c, h.received(c, query), noting(c, callback))
}

// received is a text of a connection in UTF-8.
func (h *handler) received(c *mysql.Conn, text string) string {
	if s := h.g.session(c.ConnectionID); s != nil {
		return s.received(text)
	}
	return text
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, callback func(*sqltypes.Result) error) error {
	if err := connOf(c).executes(prepare); err != nil {
		return err
	}
	if err := padTimes(prepare); err != nil {
		return err
	}
	if s := h.g.session(c.ConnectionID); s != nil {
		s.receiveParameters(prepare)
	}
	r := request{text: prepare.PrepareStmt, prepare: prepare}
	_, err := h.execute(ctx, c, r, func(r *sqltypes.Result, _ bool) error { return callback(r) })
	return err
}

// execute executes a statement that the wire library has read, or the first of several.
func (h *handler) execute(ctx context.Context, c *mysql.Conn, r request, callback mysql.ResultSpoolFn) (rest string, err error) {
	s := h.g.session(c.ConnectionID)
	if s == nil {
		return "", session.ErrGone
	}
	if r.prepare != nil {
		s.prepared.preparing = r.text
		defer func() { s.prepared.preparing = "" }()
	}
	takeTurn(s, r.text)
	x := execution{request: r, h: h, c: c, s: s, spool: callback}
	if err := x.run(ctx); err != nil {
		if !s.packet.held {
			forsake(s)
		}
		return "", err // of several statements those behind it are not done
	}
	if x.call != nil {
		return h.answerCall(ctx, &x)
	}
	return x.rest, nil
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
		query = s.received(query)
		prepare.PrepareStmt = query
		beginStatement(s, 0)
		s.prepared.preparing = query
		defer func() { s.prepared.preparing = "" }()
		s.prepared.sweep(c, s.BaseSession)
		_ = h.g.accounts.Refresh(ctx)
	}
	if s != nil {
		ctx = s.interruption.Enter(ctx, time.Now(), false)
		defer s.interruption.Leave()
		if limit := s.interruption.Limit(s.Chosen().TimeOf(query, selects)); limit != nil {
			defer limit.Stop()
		}
	}
	var fields []*querypb.Field
	err := h.withNamed(s, query, func() (err error) {
		if s != nil && beginsCall(query) {
			return prepareCall(s, prepare.PrepareStmt)
		}
		if s != nil {
			if of, err := definitionOf(s, query); of != nil || err != nil {
				return err
			}
		}
		if s != nil && (changesRows(query) || parse.IsQuery(query)) {
			var ok bool
			if fields, ok, err = prepareByCore(ctx, s, query, int(prepare.ParamsCount)); ok || err != nil {
				return err
			}
		}
		fields, err = h.Handler.ComPrepare(ctx, c, query, prepare)
		return err
	})
	if err != nil {
		delete(c.PrepareData, prepare.StatementID) // the client has no name for it
		if s != nil {
			if why := s.interruption.Reason(); why != nil {
				return nil, interrupted(why)
			}
			if s.statement.panicked {
				return nil, afterPanic(s, errorOf(s, err))
			}
		}
		return nil, errorOf(s, err)
	}
	return fields, nil
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, name string) error {
	s := h.g.session(c.ConnectionID)
	if s != nil {
		s.interruption.Alone.Lock()
		defer s.interruption.Alone.Unlock()
		beginStatement(s, 0)
	}
	if err := h.g.schemaCheck(s, "USE", func() error { return h.Handler.ComInitDB(c, name) }); err != nil {
		return errorOf(s, err)
	}
	return nil
}

// ComResetConnection implements mysql.Handler.
func (h *handler) ComResetConnection(c *mysql.Conn) error {
	err := h.g.schemaCheck(h.g.session(c.ConnectionID), "", func() error { return h.Handler.ComResetConnection(c) })
	if err != nil {
		return err
	}
	h.g.showFlags(c)
	if below := connOf(c); below != nil {
		below.reset = true
	}
	return nil
}

// reloadIfStale reads the catalogue again before a try that needs a newer one.
func reloadIfStale(ctx context.Context, store *catalog.Store, f *txn.Error) {
	if f.Kind == txn.KindStale {
		_, _ = store.Reload(ctx) // a failure shows at the next try
	}
}

// clientError is the error that the client gets.
func clientError(s *Session, c *mysql.Conn, v verdict, err error) error {
	s.failed = v.failure
	if v.failure == nil {
		return errorOf(s, err)
	}
	if v.failure.Kind == txn.KindUnknown {
		// The answer still goes out; then nothing more is read from the client.
		_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
	}
	return ofKind(v.failure)
}
