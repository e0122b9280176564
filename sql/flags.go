package sql

import (
	"bytes"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

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

// setFlags sends the client the state of its session with the next answer.
func setFlags(s *Session, c *mysql.Conn) {
	setFlag(c, mysql.ServerStatusAutocommit, s.Autocommit())
	begun := s.GetIgnoreAutoCommit() || !s.Autocommit() && s.open.begun()
	setFlag(c, mysql.ServerInTransaction, begun)
}

// showFlags tells the client the state of its session when no statement was done.
func (g *gateway) showFlags(c *mysql.Conn) {
	if s := g.session(c.ConnectionID); s != nil {
		setFlags(s, c)
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

// infoMax bounds the text of an OK packet: its length is one byte.
const infoMax = 250

// noting notes the text of an answer without rows on its way to the wire library, which writes '#' for the text's length.
func noting(m *mysql.Conn, to mysql.ResultSpoolFn) mysql.ResultSpoolFn {
	c := connOf(m)
	if c == nil {
		return to
	}
	return func(r *sqltypes.Result, more bool) error {
		if r != nil && len(r.Info) > infoMax {
			r.Info = r.Info[:infoMax]
		}
		if r != nil {
			c.info = r.Info
		}
		return to(r, more)
	}
}

// measured is an OK packet with the length of its text.
func (c *conn) measured(p []byte) []byte {
	text := "#" + c.info
	if !bytes.HasSuffix(p, []byte(text)) {
		return p
	}
	c.info = ""
	out := bytes.Clone(p)
	out[len(out)-len(text)] = byte(len(text) - 1)
	return out
}

// amended is what goes out for what the wire library writes.
func (c *conn) amended(p []byte) []byte {
	if c.info != "" {
		return c.measured(p)
	}
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
