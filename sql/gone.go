package sql

import (
	"isochron/sql/session"
	"syscall"
	"time"
)

// goneTick is how often the clients of statements are looked after that have run for
// as long. A look costs one call of the kernel.
const goneTick = 250 * time.Millisecond

// watchClients cuts the statements short whose clients have gone, until the server is
// closed. The engine watches as well, but not the statements that wait to begin, that
// are done again, or that go by a cached plan.
func (g *gateway) watchClients() {
	ticker := time.NewTicker(goneTick)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			g.cutGone(now.Add(-goneTick))
			g.lookAfter(now)
		case <-g.admission.Done():
			return
		}
	}
}

// cutGone cuts the statements short that began before a moment and whose clients have gone.
func (g *gateway) cutGone(before time.Time) {
	var running []*Session
	g.mu.Lock()
	for _, s := range g.sessions { // order: each by itself
		if since := s.interruption.Since.Load(); since != 0 && since < before.UnixNano() && s.wire != nil {
			running = append(running, s)
		}
	}
	g.mu.Unlock()
	for _, s := range running {
		if s.wire.hungUp() {
			s.interruption.Cut(session.ErrClientGone)
		}
	}
}

// hungUp reports whether the client has closed its side, whatever it has sent before.
func (c *conn) hungUp() bool {
	socket, ok := c.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true // it is closed here
	}
	gone := false
	if err := raw.Control(func(fd uintptr) { gone = hungUp(fd) }); err != nil {
		return true
	}
	return gone
}
