package sql

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
	"isochron/sql/admission"
	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/legacy/enginetable"
	"isochron/sql/memory"
	"isochron/sql/session"
	"isochron/sql/temporary"
	"isochron/txn"
)

// Session is one client's session.
type Session struct {
	*gms.BaseSession
	sessionVariables
	session.Transactions
	gateway        *gateway
	who            string // USER(): who the client says it is, and from where
	lockWaitMillis int64
	open           *transaction
	lost           session.Lost // the transaction that a next one may do again
	statement      statement
	temporary      temporary.Tables
	account        atomic.Pointer[memory.Account] // what the statement holds
	kept           memory.Kept
	shownText      atomic.Pointer[string] // the text of the statement, or of the last
	stats          session.Stats
	place          admission.Place // among the statements that run
	prepared       preparedNames
	texts          texts
	inside         atomic.Int32 // statements in the handler; a cursor's may outlast its command
	running        running
	points         points
	status         status
	userVariables  userVariables // of users, as they were
	interruption   session.Interruption
	transacting    atomic.Bool // its transaction has begun, and has not ended, as far as is known outside
	expiring       atomic.Bool
	patienceNow    session.Patience
	still          session.Stillness // of the goroutine that looks after sessions
	wire           *conn             // nil: it is not known
	before         *sessionState     // as it stood before the statement
	failed         *txn.Error        // why the last statement that failed did, nil: an error of its own
	packet         packet
	coreCtx        expr.Context
}

var (
	_ enginetable.Session    = (*Session)(nil)
	_ gms.TransactionSession = (*Session)(nil)
)

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }

// newSession makes a connection's session. The engine asks for one whenever it has
// none, also to release the locks of a connection that has ended before it logged in:
// such a session would be kept for good.
func (g *gateway) newSession(_ context.Context, conn *mysql.Conn, addr string) (gms.Session, error) {
	if !g.connected(conn) {
		return nil, session.ErrGone // cheaply: a client that only connects gets here
	}
	client := gms.Client{Capabilities: conn.Capabilities}
	if u, ok := conn.UserData.(gms.MysqlConnectionUser); ok {
		client.User, client.Address = u.User, u.Host
	}
	base := gms.NewBaseSessionWithClientServer(addr, client, conn.ConnectionID)
	s := &Session{BaseSession: base, gateway: g, who: conn.User + "@" + account.HostOf(conn.RemoteAddr())}
	s.status.secure = secured(conn.Conn)
	s.place.Join(g.admission)
	if c := connOf(conn); c != nil {
		c.session, s.wire = s, c
	}
	s.sessionVariables = newSessionVariables(s)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns[conn.ConnectionID] != conn {
		return nil, session.ErrGone
	}
	if old := g.sessions[conn.ConnectionID]; old != nil {
		old.leave()
	}
	g.sessions[conn.ConnectionID] = s
	if err := interactive(s); err != nil {
		return nil, err
	}
	s.patienceNow.Read(&s.sessionVariables.Variables)
	if n := s.Number(lockWaitVariable, lockWaitDefault); n != lockWaitDefault { // set for all
		s.lockWaitMillis = n * 1000
	}
	return s, inherit(s)
}

// leave ends the session of a client who has gone.
func (s *Session) leave() {
	s.interruption.Alone.Lock() // the sweep of idle sessions may use it
	defer s.interruption.Alone.Unlock()
	s.abandonFor(txn.CauseConnection)
	s.prepared.close(s.gateway, s.share())
	s.packet.drop()
	s.interruption.Close()
}

// abandon rolls back what the client left open.
func (s *Session) abandon() { s.abandonFor(txn.CauseClient) }

func (s *Session) abandonFor(why txn.Cause) {
	if t := s.open; t != nil && t.real != nil {
		rollBack(t.real, why)
		t.undefine()
		s.gateway.slowEnd(s, t, nil, true)
		if t.timedOut && why == txn.CauseClient {
			s.lost.Lose(unwatched(t.real), t.firstBegan(), ownText(s), txn.KindLockTimeout) // its client has given up waiting, and may begin anew
		}
	}
	s.open = nil
}

// rollBack ends a transaction. A client that is still there is answered when its locks are free.
func rollBack(t txn.Txn, why txn.Cause) {
	if x, ok := t.(*temporary.Txn); ok {
		x.RolledBack()
	}
	switch e, ok := unwatched(t).(txn.Endable); {
	case !ok:
		t.Rollback()
	case why == txn.CauseConnection:
		e.RollbackFor(why)
	default:
		e.RollbackAndWait(why)
	}
}

// SetSessionVariable implements gms.Session.
func (s *Session) SetSessionVariable(ctx *gms.Context, name string, value any) error {
	switch strings.ToLower(name) { // no plan rests on these
	case isolationVariable, isolationAlias:
		return setIsolation(ctx, s, value)
	case readOnlyVariable, readOnlyAlias:
		return setReadOnly(ctx, s, value)
	case priorityVariable:
		p, name, err := priorityIn(ctx, value)
		if err != nil {
			return err
		}
		h := s.holder()
		if err := mayHave(&h, p); err != nil {
			return err
		}
		s.Characteristics.Priority = p
		return s.BaseSession.SetSessionVariable(ctx, priorityVariable, name)
	}
	s.Changed()
	switch strings.ToLower(name) {
	case lockWaitVariable, lockWaitAlias:
		if err := s.BaseSession.SetSessionVariable(ctx, name, value); err != nil {
			return err
		}
		stored, err := s.GetSessionVariable(ctx, name)
		if seconds, ok := stored.(int64); err == nil && ok {
			s.lockWaitMillis = max(1, min(seconds, 1<<30)) * 1000
		}
		return err
	case waitVariable, writeVariable, idleVariable:
		defer s.patienceNow.Read(&s.sessionVariables.Variables)
	}
	return s.BaseSession.SetSessionVariable(ctx, name, value)
}

// StartTransaction implements gms.TransactionSession.
func (s *Session) StartTransaction(_ *gms.Context, c gms.TransactionCharacteristic) (gms.Transaction, error) {
	s.openTransaction(c)
	return s.open, nil
}

// CommitTransaction implements gms.TransactionSession.
func (s *Session) CommitTransaction(ctx *gms.Context, _ gms.Transaction) error {
	return s.commit(ctx)
}

func (s *Session) commit(ctx context.Context) error {
	t := s.open
	if t == nil || t.real == nil {
		s.open = nil
		return nil
	}
	s.statement.ends(true)
	if err := t.rulesHold(ctx); err != nil {
		return s.statement.note(err)
	}
	if t.change != nil {
		t.change.Seal()
	}
	if err := t.real.Commit(ctx); err != nil {
		return err // the end of the statement deals with what is left
	}
	s.committed()
	if t.change != nil {
		hasDefined(s, t.change)
	}
	return nil
}

// committed reports the open transaction, which has ended.
func (s *Session) committed() {
	t := s.open
	s.open = nil
	s.temporary.Ended()
	s.transacting.Store(false)
	if s.statement.failure == nil { // what has failed has nothing to commit
		s.statement.commits()
	}
	s.gateway.observer.Committed(time.Since(t.began), t.real.Stats())
	s.gateway.slowEnd(s, t, nil, false)
}

// Rollback implements gms.TransactionSession.
func (s *Session) Rollback(*gms.Context, gms.Transaction) error {
	s.abandon()
	return nil
}

// CreateSavepoint implements gms.TransactionSession.
func (s *Session) CreateSavepoint(_ *gms.Context, _ gms.Transaction, name string) error {
	return s.savepoint(name)
}

func (s *Session) savepoint(name string) error {
	if s.open != nil && !s.open.savepoint(name) {
		return mysql.NewSQLError(codeInvalidRequest, "42000", "a transaction has at most %d savepoints: release those that are not needed", savepointsMax)
	}
	return nil
}

// RollbackToSavepoint implements gms.TransactionSession.
func (s *Session) RollbackToSavepoint(ctx *gms.Context, _ gms.Transaction, name string) error {
	return s.rollbackTo(ctx, name)
}

func (s *Session) rollbackTo(ctx context.Context, name string) error {
	if s.open != nil {
		if err := s.open.rollbackAtSources(ctx, name); err != nil {
			return err
		}
	}
	if s.open == nil || !s.open.rollbackTo(name) {
		return noSavepoint(name)
	}
	return nil
}

// ReleaseSavepoint implements gms.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *gms.Context, _ gms.Transaction, name string) error {
	return s.releaseSavepoint(name)
}

func (s *Session) releaseSavepoint(name string) error {
	if s.open == nil || !s.open.release(name) {
		return noSavepoint(name)
	}
	return nil
}

func noSavepoint(name string) error {
	return mysql.NewSQLError(1305, "42000", "SAVEPOINT %s does not exist", name)
}

// Use implements enginetable.Session.
func (s *Session) Use(ctx *gms.Context, d *catalog.Descriptor) (txn.Txn, error) { return s.use(ctx, d) }

// use is the open transaction, begun if it was not, which depends on the table's
// definition from now on.
func (s *Session) use(ctx context.Context, d *catalog.Descriptor) (txn.Txn, error) {
	if s.open == nil {
		s.openTransaction(gms.ReadWrite)
		s.SetTransaction(s.open)
	}
	if s.open.over != nil {
		return nil, s.statement.note(s.open.over)
	}
	s.open.begin()
	if err := s.open.use(ctx, d); err != nil {
		return nil, s.statement.note(err)
	}
	return s.open.real, nil
}

// openTransaction opens a transaction in the place of that which is open.
func (s *Session) openTransaction(c gms.TransactionCharacteristic) {
	s.abandon()
	t := s.points.spare
	if s.points.spare = nil; t == nil {
		t = &transaction{s: s}
	}
	m := s.Now()
	t.readOnly, t.priority = c == gms.ReadOnly || m.ReadOnly, m.Priority
	s.open = t
}

// FinalRead implements enginetable.Session.
func (s *Session) FinalRead() bool {
	return s.statement.final && !s.statement.notFinal && !s.open.weak()
}

// Writes reports whether the statement writes a table, so that its rows are read for writing.
func (s *Session) Writes(id uint64) bool {
	return s.statement.writesTo(id, s.open.weak())
}

// Weak reports whether reads without a lock are not checked at the commit: then rows on which a write depends are locked.
func (s *Session) Weak() bool { return s.open.weak() }

// NotFinal implements enginetable.Session.
func (s *Session) NotFinal() error {
	s.statement.readsTwice()
	return s.statement.note(txn.Errorf(txn.KindAborted, "the result is longer than one round carries"))
}

// Catalogue implements enginetable.Session.
func (s *Session) Catalogue(ctx context.Context) (*catalog.Snapshot, error) {
	return s.statement.catalogue(ctx, s.gateway.store)
}

// reloadFor reads the catalogue from its leader for the statement of a context, once.
func reloadFor(ctx *gms.Context) (*catalog.Snapshot, bool, error) {
	s := ctx.Session.(*Session)
	return s.statement.reload(ctx, s.gateway.store)
}

// snapshotOf is the catalogue that the statement of a context sees.
func snapshotOf(ctx *gms.Context) (*catalog.Snapshot, error) {
	if s, ok := ctx.Session.(*Session); ok {
		return s.Catalogue(ctx)
	}
	return nil, fmt.Errorf("the catalogue is asked for outside a session")
}
