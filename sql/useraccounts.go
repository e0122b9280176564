package sql

import (
	"context"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/account"
	"isochron/sql/catalog"
	"isochron/sql/sysvars"
)

// userConnections is how many connections each account may have.
const userConnections = sysvars.UserConnections

// SetRoot gives root a new password, by its verifier (CheckVerifier), and every
// privilege: it is made again if it was dropped, and let in if it was locked. It is
// for an operator who has lost the password and has the files of a node.
func (s *Server) SetRoot(ctx context.Context, verifier string) error {
	return s.gateway.accounts.SetRoot(ctx, verifier)
}

// holder is the session's account with what it holds now.
func (s *Session) holder() account.Holder {
	who := s.Client()
	return s.gateway.accounts.Holder(who.User, who.Address, s.GetCurrentDatabase())
}

// accountOfConn is the account as which a client has logged in.
func accountOfConn(m *mysql.Conn) (who gms.MysqlConnectionUser, ok bool) {
	who, ok = m.UserData.(gms.MysqlConnectionUser)
	return who, ok
}

// pauseLogin waits until a time, or until the client has gone: an answer to a wrong password
// takes its time.
func pauseLogin(m *mysql.Conn, until time.Time) {
	if c := connOf(m); c != nil {
		c.pause(until)
	}
}

// pause waits until a time, or until the connection is closed.
func (c *conn) pause(until time.Time) {
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.gone:
	}
}

// share is that of the session's account; nil: it is not known.
func (s *Session) share() *account.Share {
	if s == nil || s.wire == nil {
		return nil
	}
	return s.wire.share
}

// takeShare counts a connection with its account, or says why that has too many.
func (g *gateway) takeShare(m *mysql.Conn, of int64, administrator bool) (*account.Share, error) {
	who, ok := accountOfConn(m)
	if !ok {
		return &account.Share{}, nil
	}
	return g.shares.TakeConnection(g.accounts, who.User, who.Host, account.Places{All: of, Kept: adminPlaces, Each: setGlobally(userConnections, 0), Administrator: administrator})
}

// administers reports whether a client that has proved its password may have one of the
// places for administrators.
func (g *gateway) administers(m *mysql.Conn) bool {
	who, ok := accountOfConn(m)
	return ok && g.accounts.Administers(who.User, who.Host)
}

// changeAccounts does a statement about users in a transaction of the catalogue.
func (b *builder) changeAccounts(ctx *gms.Context, stmt account.Statement) (gms.RowIter, error) {
	who := ctx.Session.Client()
	s := &account.Session{User: who.User, Host: who.Address, Database: ctx.GetCurrentDatabase(), Warn: ctx.Warn}
	if err := ctx.Session.(*Session).Alter(ctx, func(*catalog.Change) error { return b.g.accounts.Change(ctx, s, stmt) }); err != nil {
		return nil, err
	}
	return done(), b.g.accounts.Follow()
}

// showGrants executes SHOW GRANTS.
func (b *builder) showGrants(ctx *gms.Context, s *account.ShowGrants) (gms.RowIter, error) {
	who := ctx.Session.Client()
	lines, err := b.g.accounts.Grants(who.User, who.Address, s)
	rows := make([]gms.Row, len(lines))
	for i, line := range lines {
		rows[i] = gms.Row{line}
	}
	return gms.RowsToRowIter(rows...), err
}

// writesUserTable reports whether a statement writes a table of users directly,
// which would hold at this gateway alone.
func writesUserTable(n gms.Node) bool {
	var target gms.Node
	switch n := n.(type) {
	case *gmsplan.InsertInto:
		target = n.Destination
	case *gmsplan.Update, *gmsplan.DeleteFrom, *gmsplan.Truncate:
		target = n
	default:
		return false
	}
	found := false
	transform.Inspect(target, func(n gms.Node) bool {
		if t, ok := n.(*gmsplan.ResolvedTable); ok && t.SqlDatabase != nil && equalFold(t.SqlDatabase.Name(), "mysql") {
			found = true
		}
		return !found
	})
	return found
}
