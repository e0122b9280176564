package sql

import (
	"bytes"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/wire"
)

// The flags that stand in the greeting and in each answer tell a client how its
// session stands. Drivers act upon them: one that is told in the greeting that
// autocommit is off believes it, and never sends SET autocommit = 0.

// setFlag sets or clears a flag of what a client is told.
func setFlag(c *mysql.Conn, flag int, on bool) {
	if on {
		c.StatusFlags |= uint16(flag)
	} else {
		c.StatusFlags &^= uint16(flag)
	}
}

// tellFlags tells the client, with the next answer, how its session stands.
func tellFlags(s *Session, c *mysql.Conn) {
	setFlag(c, mysql.ServerStatusAutocommit, s.Autocommit())
	begun := s.GetIgnoreAutoCommit() || !s.Autocommit() && s.open.begun()
	setFlag(c, mysql.ServerInTransaction, begun)
}

// showFlags tells the client the state of its session when no statement was done.
func (g *gateway) showFlags(c *mysql.Conn) {
	if s := g.session(c.ConnectionID); s != nil {
		tellFlags(s, c)
	}
}

// greet has the greeting say what a session begins with.
func greet(c *mysql.Conn) {
	on := true
	if _, v, ok := gms.SystemVariables.GetGlobal(gms.AutoCommitSessionVar); ok { // a number: no context is asked for
		if b, err := gms.ConvertToBool(nil, v); err == nil {
			on = b
		}
	}
	setFlag(c, mysql.ServerStatusAutocommit, on)
}

// The wire library's answer to COM_RESET_CONNECTION says that autocommit is off,
// whatever the session begins with. It writes the header and the body apart; under TLS
// that is seen above it (sealed).
var resetHeader, resetBody = []byte{7, 0, 0, 1}, []byte{mysql.OKPacket, 0, 0, 0, 0, 0, 0}

// amended is what goes out for what the wire library writes.
func (c *conn) amended(p []byte) []byte {
	if !c.reset || bytes.Equal(p, resetHeader) {
		return p
	}
	c.reset = false
	if !bytes.Equal(p, resetBody) {
		return p
	}
	var w wire.Writer
	w.Begin()
	w.OK(0, 0, c.client.StatusFlags, 0, "")
	return w.Bytes()[packetHeader:]
}
