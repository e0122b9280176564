package sql

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/preauth"
	"isochron/sql/account"
	"isochron/sql/session"
	"isochron/sql/sysvars"
)

// Bounds of what clients may ask of a port. The wire library has none.
const (
	// DefaultConnections is how many connections a port takes at a time.
	DefaultConnections = 4000
	// statementMaxBytes is the longest statement that is run.
	statementMaxBytes = sysvars.StatementBytes
	// requestMaxBytes is the longest request that is read to its end, so that its
	// sender can be told that it was too long.
	requestMaxBytes = 128 << 20
	// requestsMaxBytes bounds what the unanswered long requests of a port hold together,
	// where nobody says it.
	requestsMaxBytes = 512 << 20
	// requestSmallBytes are not counted there.
	requestSmallBytes = 1 << 20
	// loginMaxBytes bounds what is read of somebody who has not proved a password.
	loginMaxBytes = 64 << 10
	// loginPatience is how long a client may take to log in.
	loginPatience = 10 * time.Second
	// writePatience is how long a client may leave an answer untaken, at least.
	writePatience = time.Minute
	// DefaultStrangers is how many connections that have not logged in a port holds.
	DefaultStrangers = 1024
	// adminPlaces are kept, beyond Connections, for those who have CONNECTION_ADMIN.
	adminPlaces = 8
	// acceptPause is the wait after a connection that could not be accepted.
	acceptPause = 50 * time.Millisecond
)

var (
	errLoginTooLong   = errors.New("the client sent too much before it logged in")
	errRequestTooLong = fmt.Errorf("the client sent a request of more than %d bytes, or the port has too many long ones", requestMaxBytes)
)

// listener bounds the connections of a port and what each may hold.
type listener struct {
	net.Listener
	max    int64
	login  atomic.Int64           // how long a client may take to log in, in nanoseconds
	shut   atomic.Bool            // the node is being drained
	left   atomic.Pointer[string] // the node is of the cluster no more: what clients are told
	open   atomic.Int64           // connections, those of strangers too
	known  atomic.Int64           // those that have logged in
	door   *preauth.Limiter       // the strangers
	unread atomic.Int64           // bytes of long requests, all connections

	unreadMax int64
}

// Accept implements net.Listener. Only the end of the listener ends it: the wire
// library would stop for ever at any error.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			time.Sleep(acceptPause) // out of file descriptors, say
			continue
		}
		if why := l.left.Load(); why != nil {
			refuse(c, codeShutdown, *why)
			continue
		}
		if l.shut.Load() {
			refuse(c, codeShutdown, "Server shutdown in progress: this node is being drained, connect to another")
			continue
		}
		guest := &conn{Conn: c, port: l, gone: make(chan struct{})}
		if !l.door.Admit(c.RemoteAddr(), guest) {
			_ = c.Close()
			continue // the listener is closed
		}
		l.open.Add(1)
		_ = c.SetDeadline(time.Now().Add(time.Duration(l.login.Load()))) // a closed connection shows itself at the first read
		return guest, nil
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.door.End()
	return l.Listener.Close()
}

// takePlace is for a client who has logged in. Some places are for administrators
// alone, so that they come in when all others are taken.
func (l *listener) takePlace(administrator bool) error {
	most := l.max
	if administrator {
		most += adminPlaces
	}
	if l.known.Add(1) > most {
		l.known.Add(-1)
		return mysql.NewSQLError(codeTooMany, "08004", "Too many connections")
	}
	return nil
}

// SetDraining has the server take no new connections, or take them again. Those
// that are open go on.
func (s *Server) SetDraining(on bool) { s.listener.shut.Store(on) }

// SetLeft has the server take no connections any more, for good, and tell why.
func (s *Server) SetLeft(why string) { s.listener.left.Store(&why) }

// What a client may be told in place of a greeting.
const (
	codeTooMany  = 1040
	codeShutdown = 1053
)

// refusalMax bounds that text.
const refusalMax = 1000

// refuse tells a client why it is not let in; before the handshake a packet
// carries no SQL state. The few bytes fit the socket's buffer, so nothing waits.
func refuse(c net.Conn, code uint16, text string) {
	body := append(binary.LittleEndian.AppendUint16([]byte{0xff}, code), text[:min(len(text), refusalMax)]...)
	_ = c.SetWriteDeadline(time.Now().Add(acceptPause))
	_, _ = c.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 0}, body...))
	_ = c.Close()
}

// conn is a client's connection. It counts what the client has sent since it was
// last answered, for the wire library reads a request of any length into memory.
type conn struct {
	net.Conn
	port         *listener
	known        atomic.Bool    // the client has logged in
	placed       atomic.Bool    // it takes one of the places of those who have
	share        *account.Share // its account's, once it has logged in
	gone         chan struct{}
	client       *mysql.Conn // once it is known; of the connection's own goroutine
	gateway      *gateway    // the same
	session      *Session    // the same
	frames       framing     // of what was read; the same
	execute      execute     // the same
	held         int         // statements of the client that the gateway counts
	long         longData    // the same
	reads        atomic.Uint64
	flow         session.Flow
	capabilities uint32       // as the client has said them: the wire library forgets some
	info         string       // the text of the OK packet that the wire library writes next; of the same
	reset        bool         // the answer to COM_RESET_CONNECTION is the next; of the same
	request      atomic.Int64 // bytes since the last answer
	patient      time.Time    // until when a write may take; of the goroutine that writes
	once         sync.Once
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.client != nil {
		c.recount() // nothing else tells of statements that were closed
	}
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	c.flow.Anew()
	for err == nil {
		if n = c.answer(p[:n]); n > 0 {
			break
		}
		n, err = c.Conn.Read(p)
	}
	c.long.sent += int64(n)
	now := c.request.Add(int64(n))
	if !c.known.Load() {
		if now == int64(n) && n >= 8 {
			c.capabilities = binary.LittleEndian.Uint32(p[4:]) // of its first packet, with TLS or without
		}
		if now > loginMaxBytes {
			return 0, errLoginTooLong
		}
		return n, err
	}
	if now > requestSmallBytes {
		more := min(int64(n), now-requestSmallBytes)
		all, own := c.port.unread.Add(more), c.share.Requests.Add(more)
		if now > requestMaxBytes || all > c.port.unreadMax || own > account.PartOf(c.port.unreadMax) {
			return 0, errRequestTooLong
		}
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (n int, err error) {
	if c.known.Load() {
		c.answered()
		now := time.Now()
		if c.patient.Sub(now) < writePatience { // it costs more than a short write should
			c.patient = now.Add(writePatience + writePatience/4)
			if err := c.SetWriteDeadline(c.patient); err != nil {
				return 0, err
			}
		}
		c.flow.Begin(now)
		defer func() { c.flow.End(n) }()
	}
	if !c.execute.hidden {
		p = c.amended(p)
	}
	return c.Conn.Write(p)
}

// sealed is what the wire library writes to under TLS, where what goes out below cannot
// be told.
type sealed struct {
	*tls.Conn
	below *conn
}

// Write implements net.Conn.
func (s *sealed) Write(p []byte) (int, error) { return s.Conn.Write(s.below.amended(p)) }

// tlsOf is the TLS of a connection, nil without.
func tlsOf(c net.Conn) *tls.Conn {
	switch t := c.(type) {
	case *tls.Conn:
		return t
	case *sealed:
		return t.Conn
	}
	return nil
}

func (c *conn) answered() {
	if long := c.request.Swap(0) - requestSmallBytes; long > 0 {
		c.port.unread.Add(-long)
		c.share.Requests.Add(-long)
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() {
		if c.known.Load() {
			c.answered()
		}
		if c.placed.Load() {
			c.port.known.Add(-1)
			c.gateway.shares.Leave(c.share)
		}
		c.port.open.Add(-1)
		close(c.gone)
	})
	err := c.Conn.Close()
	c.port.door.Leave(c)
	return err
}

// Spoke implements doors.Guest.
func (c *conn) Spoke() bool { return c.request.Load() > 0 }

// admitted ends the time for logging in.
func (g *gateway) admitted(m *mysql.Conn) error {
	c := connOf(m)
	if c == nil {
		return nil
	}
	administrator := g.administers(m)
	if err := c.port.takePlace(administrator); err != nil {
		return err
	}
	own, err := g.takeShare(m, c.port.max, administrator)
	if err != nil {
		c.port.known.Add(-1)
		return err
	}
	c.client, c.gateway, c.share = m, g, own
	c.placed.Store(true)
	c.port.door.Leave(c)
	if t := tlsOf(m.Conn); t != nil {
		m.Conn = &sealed{t, c}
	}
	c.execute.hidden = m.Conn != net.Conn(c)
	c.request.Store(0)
	c.known.Store(true)
	return c.SetDeadline(time.Time{})
}

// connOf is what lies below a connection of the wire library, nil if it is not ours.
func connOf(m *mysql.Conn) *conn {
	nc := m.Conn
	if t := tlsOf(nc); t != nil {
		nc = t.NetConn()
	}
	c, _ := nc.(*conn)
	return c
}

// checkLength refuses a statement that is too long; the connection lives.
func checkLength(query string) error {
	if len(query) <= statementMaxBytes {
		return nil
	}
	return mysql.NewSQLError(codeTooLong, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes (%d, and at most %d are taken): send it in parts", len(query), statementMaxBytes)
}
