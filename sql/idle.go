package sql

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/session"
	"isochron/txn"
)

const (
	codeInactive = 4031
	// clientInteractive is CLIENT_INTERACTIVE of the handshake.
	clientInteractive = 1 << 10
)

// interactive has a session of a client at which a person sits wait as long as is set for that.
func interactive(s *Session) error {
	if s.wire == nil || s.wire.capabilities&clientInteractive == 0 {
		return nil
	}
	return s.SetSessionVariable(s.quiet, waitVariable, setGlobally(interactiveVariable, waitDefault))
}

// lookAfter ends what has been left too long, as of now. It is called again and again.
func (g *gateway) lookAfter(now time.Time) {
	g.looks.Lock()
	defer g.looks.Unlock()
	g.mu.Lock()
	all := make([]*Session, 0, len(g.sessions))
	for _, s := range g.sessions { // order: each by itself
		if s.wire != nil {
			all = append(all, s)
		}
	}
	g.mu.Unlock()
	for _, s := range all {
		switch {
		case s.interruption.Since.Load() != 0:
			s.still.Since = time.Time{}
			g.cutSlowReader(s, now)
		case s.still.Seen(s.wire.reads.Load(), s.interruption.Begun(), now):
			idle := now.Sub(s.still.Since)
			if most := session.Seconds(s.patienceNow.Wait.Load()); idle > most {
				disconnect(s.wire, &s.interruption, most)
			} else if most := session.Seconds(s.patienceNow.Idle.Load()); most > 0 && idle > most && s.transacting.Load() && s.expiring.CompareAndSwap(false, true) {
				go expire(s, most) // a source may be slow to answer
			}
		}
	}
}

// disconnect closes an idle connection, and says why.
func disconnect(c *conn, i *session.Interruption, after time.Duration) {
	if !i.Alone.TryLock() {
		return // a statement has come
	}
	defer i.Alone.Unlock()
	text := fmt.Sprintf("#HY000The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior (wait_timeout is %d)", int64(after/time.Second))
	body := append([]byte{mysql.ErrPacket, byte(codeInactive & 0xff), byte(codeInactive >> 8)}, text...)
	c.close(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, 0}, body...))
}

// close ends a connection from outside, with last words if it takes them at once.
func (c *conn) close(words []byte) {
	if m := c.client; m != nil && len(words) > 0 {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(acceptPause))
		_, _ = m.Conn.Write(words)
	}
	_ = c.Conn.Close() // its reader ends, and cleans up
}

// expire rolls back the transaction of a session that is idle. What it has held is free; its
// client learns of it from the next statement or the commit.
func expire(s *Session, after time.Duration) {
	defer s.expiring.Store(false)
	if !s.interruption.Alone.TryLock() {
		return // a statement has come
	}
	defer s.interruption.Alone.Unlock()
	if t := s.open; t == nil || t.real == nil || t.over != nil {
		return
	}
	s.doom(txn.Errorf(txn.KindAborted, "the transaction was idle for more than %d s (%s); all of it is rolled back", int64(after/time.Second), idleVariable))
	s.transacting.Store(false)
}

// cutSlowReader closes the connection of a client that does not take its answer while its
// transaction is open: whatever that holds, others wait for.
func (g *gateway) cutSlowReader(s *Session, now time.Time) {
	if !s.transacting.Load() {
		return
	}
	waited, most := s.wire.flow.Waited(now), session.Seconds(s.patienceNow.Write.Load())
	if waited <= most {
		return
	}
	if g.slow != nil {
		g.slow.log.LogAttrs(s.quiet, slog.LevelWarn, "a client did not take its answer while its transaction was open: its connection was closed, and the transaction is rolled back",
			slog.String("user", s.Client().User), slog.String("client", g.remote(s.ID())), slog.String("waited", waited.String()), slog.Int64(writeVariable, int64(most/time.Second)))
	}
	s.wire.close(nil)
}
