package sql

import (
	"net"
	"sync/atomic"
	"time"
)

// gate is a listener that turns clients away while it is shut.
type gate struct {
	net.Listener
	shut atomic.Bool
}

// turnAwayWait bounds the writing of the refusal.
const turnAwayWait = time.Second

// shuttingDown is the error packet in place of a greeting: ER_SERVER_SHUTDOWN.
// Before the handshake a packet carries no SQL state.
var shuttingDown = func() []byte {
	const code, why = 1053, "Server shutdown in progress: this node is being drained, connect to another"
	body := append([]byte{0xff, code & 0xff, code >> 8}, why...)
	return append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 0}, body...)
}()

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil || !g.shut.Load() {
			return c, err
		}
		_ = c.SetWriteDeadline(time.Now().Add(turnAwayWait))
		_, _ = c.Write(shuttingDown)
		_ = c.Close()
	}
}

// SetDraining has the server take no new connections, or take them again. Those
// that are open go on.
func (s *Server) SetDraining(on bool) { s.listener.shut.Store(on) }
