package sql

import (
	"cmp"
	"isochron/sql/account"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The bounds of prepared statements. Each is a parsed text with its parameters.
const (
	// preparedMax is of all connections of a server; it is MySQL's.
	preparedMax = 16382
	// preparedConnectionMax is of one connection, so that one cannot take all.
	preparedConnectionMax = 4096
	// preparedSpare parsed texts of closed statements are kept, in case they are
	// prepared again.
	preparedSpare = 256
)

// bounds of what the clients of a server may hold; tests have smaller ones.
type bounds struct {
	prepared, preparedConnection int   // statements
	held, heldAll                int64 // bytes of results
}

var defaultBounds = bounds{preparedMax, preparedConnectionMax, heldMaxBytes, heldAllMaxBytes}

// bounds are those of a server: of one connection and one statement never more than of all.
func (m *Memory) bounds() bounds {
	b := defaultBounds
	b.prepared, b.heldAll = cmp.Or(m.Prepared, b.prepared), cmp.Or(m.Results, b.heldAll)
	b.preparedConnection, b.held = min(b.preparedConnection, b.prepared), min(b.held, b.heldAll)
	return b
}

func (b *bounds) tooManyStatements() error {
	return mysql.NewSQLError(codeStatements, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d, and %d for one connection): close those that are not needed", b.prepared, b.preparedConnection)
}

// tooMany is nil if there is room for so many of a connection, of all, and of an account.
func (b *bounds) tooMany(connection int, all int64, of *account.Share) error {
	switch {
	case connection > b.preparedConnection || all > int64(b.prepared):
		return b.tooManyStatements()
	case of != nil && of.Prepared.Load() > account.PartOf(int64(b.prepared)):
		return b.tooManyOfAccount()
	}
	return nil
}

func (b *bounds) tooManyOfAccount() error {
	return mysql.NewSQLError(codeStatements, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d, and %d for one account): close those that are not needed", b.prepared, account.PartOf(int64(b.prepared)))
}

// recount tells the gateway how many statements the client has prepared. The
// wire library adds and closes them in the goroutine that reads.
func (c *conn) recount() {
	if n := len(c.client.PrepareData); n != c.held {
		c.gateway.prepared.Add(int64(n - c.held))
		c.share.Prepared.Add(int64(n - c.held))
		c.held = n
		if c.long.bytes > 0 {
			c.long.sent = longDataGlance
		}
	}
	if c.long.sent >= longDataGlance {
		c.weigh()
	}
}

// prepare takes a place for a statement that the wire library has added, or
// takes it out again.
func (g *gateway) prepare(m *mysql.Conn, id uint32) error {
	c := connOf(m)
	if c == nil || c.client == nil {
		return nil
	}
	c.recount()
	err := g.bounds.tooMany(c.held, g.prepared.Load(), c.share)
	if err != nil {
		delete(m.PrepareData, id)
		c.recount()
	}
	return err
}

// unprepared frees the places of a connection that is closed.
func (g *gateway) unprepared(m *mysql.Conn) {
	if c := connOf(m); c != nil && c.client != nil {
		g.prepared.Add(int64(-c.held))
		c.share.Give(account.OfPrepared, int64(c.held))
		c.long.dropped(c.gateway.budget, c.share)
		c.client, c.held = nil, 0
	}
}

// preparedNames are the texts that a session has prepared, by what the engine calls them.
type preparedNames struct {
	preparing string              // the text that the wire protocol prepares or executes
	parsed    map[string]struct{} // texts that were prepared by the wire protocol and are kept parsed
	names     map[string]string   // prepared by PREPARE name FROM: the text of a query, "" of other statements
}

// PrepareQuery is called by the engine for every parsed text and every PREPARE.
func (s *Session) PrepareQuery(name string, parsed sqlparser.Statement) {
	if err := s.prepared.add(name, s.gateway, s.share()); err != nil {
		_ = s.statement.tooMuch(err)
		return
	}
	s.BaseSession.PrepareQuery(name, parsed)
}

// add takes in that something is prepared. An error: there is no room for it.
func (p *preparedNames) add(name string, g *gateway, of *account.Share) error {
	if name == p.preparing {
		if p.parsed == nil {
			p.parsed = map[string]struct{}{}
		}
		p.parsed[name] = struct{}{}
		return nil
	}
	if _, known := p.names[name]; known {
		p.names[name] = ""
		return nil
	}
	if !of.Take(account.OfPrepared, 1, int64(g.bounds.prepared)) {
		return g.bounds.tooManyOfAccount()
	}
	if err := g.bounds.tooMany(len(p.names)+1, g.prepared.Load()+1, nil); err != nil {
		of.Give(account.OfPrepared, 1)
		return err
	}
	if p.names == nil {
		p.names = map[string]string{}
	}
	p.names[name] = ""
	g.prepared.Add(1)
	return nil
}

// UnprepareQuery is called by the engine for every DEALLOCATE.
func (s *Session) UnprepareQuery(name string) {
	if _, known := s.prepared.names[name]; known {
		delete(s.prepared.names, name)
		s.gateway.prepared.Add(-1)
		s.share().Give(account.OfPrepared, 1)
	}
	s.BaseSession.UnprepareQuery(name)
}

// close frees the places of a session that has ended.
func (p *preparedNames) close(g *gateway, of *account.Share) {
	g.prepared.Add(int64(-len(p.names)))
	of.Give(account.OfPrepared, int64(len(p.names)))
	p.names = nil
}

// sweep forgets the parsed texts of statements that were closed, which the engine would keep for
// ever, when there are many.
func (p *preparedNames) sweep(c *mysql.Conn, engine *gms.BaseSession) {
	if len(p.parsed) <= 2*len(c.PrepareData)+preparedSpare {
		return
	}
	live := make(map[string]struct{}, len(c.PrepareData))
	for _, p := range c.PrepareData { // order: into a set
		live[p.PrepareStmt] = struct{}{}
	}
	for text := range p.parsed { // order: each by itself
		_, alive := live[text]
		_, named := p.names[text]
		if !alive {
			delete(p.parsed, text)
			if !named {
				engine.UnprepareQuery(text)
			}
		}
	}
}
