package sql

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sysvars"
	"isochron/txn"
)

// What a client may leave waiting is bounded by settings of its session, in seconds. A
// connection that is idle is closed (wait_timeout, which begins as interactive_timeout where
// the client says that a person sits there). An explicit transaction that is idle is rolled
// back, and its client learns why from its next statement. A client that does not take its
// answer while its transaction may hold locks is cut off (net_write_timeout).
const (
	waitVariable        = sysvars.WaitTimeout
	interactiveVariable = sysvars.InteractiveTimeout
	writeVariable       = sysvars.NetWriteTimeout
	idleVariable        = sysvars.IdleTransactionTimeout
)

const (
	waitDefault  = sysvars.WaitTimeoutDefault
	writeDefault = sysvars.NetWriteTimeoutDefault
	idleDefault  = sysvars.IdleTransactionDefault
	// slowReaderBytes a second are taken by a client that is not slow.
	slowReaderBytes = 64 << 10
	codeInactive    = 4031
	// clientInteractive is CLIENT_INTERACTIVE of the handshake.
	clientInteractive = 1 << 10
)

// patience is what a session has set, for those who look after it from outside.
type patience struct {
	wait, write, idle atomic.Int64 // seconds
}

// read is called when a setting may have changed.
func (p *patience) read(v *sessionVariables) {
	p.wait.Store(v.number(waitVariable, waitDefault))
	p.write.Store(v.number(writeVariable, writeDefault))
	p.idle.Store(v.number(idleVariable, idleDefault))
}

// interactive has a session of a client at which a person sits wait as long as is set for that.
func interactive(s *Session) error {
	if s.wire == nil || s.wire.capabilities&clientInteractive == 0 {
		return nil
	}
	return s.SetSessionVariable(s.quiet, waitVariable, setGlobally(interactiveVariable, waitDefault))
}

// stillness is what a session was seen to do when it was looked at last; gateway.looks guards it.
type stillness struct {
	reads      uint64
	generation uint64
	since      time.Time
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
		case s.interruption.since.Load() != 0:
			s.still.since = time.Time{}
			g.cutSlowReader(s, now)
		case s.still.seen(s.wire.reads.Load(), s.interruption.begun(), now):
			idle := now.Sub(s.still.since)
			if most := seconds(s.patienceNow.wait.Load()); idle > most {
				disconnect(s.wire, &s.interruption, most)
			} else if most := seconds(s.patienceNow.idle.Load()); most > 0 && idle > most && s.transacting.Load() && s.expiring.CompareAndSwap(false, true) {
				go expire(s, most) // a source may be slow to answer
			}
		}
	}
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// seen notes what a session does, and reports whether nothing has come from the client since the
// last look.
func (l *stillness) seen(reads, generation uint64, now time.Time) bool {
	if l.since.IsZero() || l.reads != reads || l.generation != generation {
		*l = stillness{reads, generation, now}
	}
	return now.After(l.since)
}

// disconnect closes an idle connection, and says why.
func disconnect(c *conn, i *interruption, after time.Duration) {
	if !i.alone.TryLock() {
		return // a statement has come
	}
	defer i.alone.Unlock()
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
	if !s.interruption.alone.TryLock() {
		return // a statement has come
	}
	defer s.interruption.alone.Unlock()
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
	waited, most := s.wire.flow.waited(now), seconds(s.patienceNow.write.Load())
	if waited <= most {
		return
	}
	if g.slow != nil {
		g.slow.log.LogAttrs(s.quiet, slog.LevelWarn, "a client did not take its answer while its transaction was open: its connection was closed, and the transaction is rolled back",
			slog.String("user", s.Client().User), slog.String("client", g.remote(s.ID())), slog.String("waited", waited.String()), slog.Int64(writeVariable, int64(most/time.Second)))
	}
	s.wire.close(nil)
}

// flow is how a client takes the answer to its statement.
type flow struct {
	mu      sync.Mutex
	writing time.Time     // since when a write waits; zero: none does
	before  time.Duration // what former ones have waited, less what their bytes may take
}

func (f *flow) begin(now time.Time) {
	f.mu.Lock()
	f.writing = now
	f.mu.Unlock()
}

func (f *flow) end(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = max(0, f.before+time.Since(f.writing)-time.Duration(n)*time.Second/slowReaderBytes)
	f.writing = time.Time{}
}

// anew is called when the next request comes.
func (f *flow) anew() {
	f.mu.Lock()
	f.before = 0
	f.mu.Unlock()
}

func (f *flow) waited(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.before
	if !f.writing.IsZero() {
		all += now.Sub(f.writing)
	}
	return all
}
