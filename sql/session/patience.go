package session

import (
	"sync"
	"sync/atomic"
	"time"

	"isochron/sql/sysvars"
)

// What a client may leave waiting is bounded by settings of its session, in seconds. A
// connection that is idle is closed (wait_timeout, which begins as interactive_timeout where
// the client says that a person sits there). An explicit transaction that is idle is rolled
// back, and its client learns why from its next statement. A client that does not take its
// answer while its transaction may hold locks is cut off (net_write_timeout).

// slowReaderBytes a second are taken by a client that is not slow.
const slowReaderBytes = 64 << 10

// Patience is what a session has set, for those who look after it from outside.
type Patience struct {
	Wait, Write, Idle atomic.Int64 // seconds
}

// Read is called when a setting may have changed.
func (p *Patience) Read(v *Variables) {
	p.Wait.Store(v.Number(sysvars.WaitTimeout, sysvars.WaitTimeoutDefault))
	p.Write.Store(v.Number(sysvars.NetWriteTimeout, sysvars.NetWriteTimeoutDefault))
	p.Idle.Store(v.Number(sysvars.IdleTransactionTimeout, sysvars.IdleTransactionDefault))
}

// Stillness is what a session was seen to do when it was looked at last; gateway.looks guards it.
type Stillness struct {
	reads      uint64
	generation uint64
	Since      time.Time
}

// Seen notes what a session does, and reports whether nothing has come from the client since the
// last look.
func (l *Stillness) Seen(reads, generation uint64, now time.Time) bool {
	if l.Since.IsZero() || l.reads != reads || l.generation != generation {
		*l = Stillness{reads, generation, now}
	}
	return now.After(l.Since)
}

// Seconds are so many seconds.
func Seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// Flow is how a client takes the answer to its statement.
type Flow struct {
	mu      sync.Mutex
	writing time.Time     // since when a write waits; zero: none does
	before  time.Duration // what former ones have waited, less what their bytes may take
}

// Begin notes that a write begins.
func (f *Flow) Begin(now time.Time) {
	f.mu.Lock()
	f.writing = now
	f.mu.Unlock()
}

// End notes that it has ended, and how many bytes it wrote.
func (f *Flow) End(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = max(0, f.before+time.Since(f.writing)-time.Duration(n)*time.Second/slowReaderBytes)
	f.writing = time.Time{}
}

// Anew is called when the next request comes.
func (f *Flow) Anew() {
	f.mu.Lock()
	f.before = 0
	f.mu.Unlock()
}

// Waited is how long the client has let writes wait, less what their bytes may take.
func (f *Flow) Waited(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.before
	if !f.writing.IsZero() {
		all += now.Sub(f.writing)
	}
	return all
}
