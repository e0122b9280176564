package sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
	"isochron/sql/sysvars"
	"isochron/sql/table"
	"isochron/txn"
)

// A statement is cut short when somebody kills it, when its time is up, and when its
// client has gone. All three end its context, with the reason as the cause. Whatever
// waits or counts rows below looks at the context (checked.go); whatever error comes
// up then is replaced by one that says the reason.

// The settings of a session that bound the time of a statement, in milliseconds; 0:
// it is not bounded. The first is MySQL's, and for SELECT alone.
const (
	executionVariable = sysvars.MaxExecutionTime
	timeoutVariable   = sysvars.StatementTimeout
)

const codeTimeUp = 3024

var (
	errKilled     = errors.New("it was killed")
	errClientGone = errors.New("its client has gone")
)

// timeUp is why a statement is cut short that has used up its time.
type timeUp struct {
	setting string
	after   time.Duration
}

// Error implements error.
func (t timeUp) Error() string {
	return fmt.Sprintf("its time was up: %s is %d ms", t.setting, t.after.Milliseconds())
}

// interruption lets others cut a session's statement short. A statement may begin
// within another that is several (packet.go): both end together.
type interruption struct {
	alone sync.Mutex   // held while a command of the client is carried out
	since atomic.Int64 // when the statement began, in ns since 1970; 0: none runs

	mu         sync.Mutex
	depth      int
	generation uint64 // of statements
	cancel     context.CancelCauseFunc
	ends       bool  // the context ends with the statement
	cause      error // nil: it was not cut short
	committing bool  // it has handed over its commit, which is not cut
	late       error // why it would have been cut meanwhile
	lasting    lasting
}

// lasting is a context for one statement after the other, until one is cut short.
type lasting struct {
	context.Context
	cancel context.CancelCauseFunc
}

// enter begins a statement and gives its context. With again that is one which may be the
// next statement's too, so whatever this one starts must end before it. The caller calls
// leave at its end, in the same goroutine.
func (i *interruption) enter(ctx context.Context, now time.Time, again bool) context.Context {
	if i.depth == 0 { // it is changed in this goroutine alone
		i.alone.Lock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.depth++; i.depth > 1 {
		return ctx
	}
	i.generation++
	i.cause, i.committing, i.late = nil, false, nil
	i.since.Store(now.UnixNano())
	if i.ends = !again; i.ends {
		ctx, i.cancel = context.WithCancelCause(ctx)
		return ctx
	}
	if l := &i.lasting; l.Context == nil || l.Err() != nil {
		l.Context, l.cancel = context.WithCancelCause(ctx)
	}
	i.cancel = i.lasting.cancel
	return i.lasting.Context
}

func (i *interruption) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.depth--; i.depth == 0 {
		if i.ends {
			i.cancel(nil)
		}
		i.cancel = nil
		i.cause = nil
		i.since.Store(0)
		i.alone.Unlock()
	}
}

// begun is how many statements have begun.
func (i *interruption) begun() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.generation
}

// close ends what the end of its session leaves.
func (i *interruption) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lasting.cancel != nil {
		i.lasting.cancel(errGone)
	}
}

// cut cuts the statement short, if one runs that is not within its commit.
func (i *interruption) cut(why error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cutLocked(why)
}

func (i *interruption) cutLocked(why error) {
	switch {
	case i.cancel == nil || i.cause != nil:
	case i.committing:
		i.late = cmp.Or(i.late, why)
	default:
		i.cause = why
		i.cancel(why)
	}
}

// limit cuts the statement short after a time, unless the timer is stopped: the caller does so at
// the statement's end. nil: its time is not bounded.
func (i *interruption) limit(up timeUp) *time.Timer {
	if up.after == 0 {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	of := i.generation
	return time.AfterFunc(up.after, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.generation == of {
			i.cutLocked(up)
		}
	})
}

// reason is why the statement was cut short, nil if it was not.
func (i *interruption) reason() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cause
}

// commits begins a commit, which nobody can cut: its outcome would be unknown. The
// error is why the statement was cut short before.
func (i *interruption) commits() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.committing, i.late = i.cause == nil, nil
	return i.cause
}

// committed ends a commit. What should have cut the statement during one that failed cuts it
// now, if it is to be done again otherwise: nobody says it a second time. After one that was all
// the statement had to do nothing cuts it any more: its client would hear that it was not done.
func (i *interruption) committed(again, all bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.committing = all
	if again && i.late != nil {
		i.cutLocked(i.late)
	}
}

// hint matches the time that a SELECT bounds itself with.
var hint = regexp.MustCompile(`(?is)^[\s(]*select\s*/\*\+[^*]*\bmax_execution_time\s*\(\s*(\d{1,18})\s*\)`)

// timeOf is how long a statement may take; after 0: for ever.
func (c *choices) timeOf(text string) (up timeUp) {
	if c.timeout > 0 {
		up = timeUp{timeoutVariable, c.timeout}
	}
	execution := c.execution
	if head := text[:min(len(text), 4096)]; strings.Contains(head, "/*+") {
		if m := hint.FindStringSubmatch(head); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
				execution = millis(n)
			}
		}
	}
	if execution > 0 && (up.after == 0 || execution < up.after) && selects(text) {
		up = timeUp{executionVariable, execution}
	}
	return up
}

// millis is so many milliseconds; none, if they are too many to be meant.
func millis(n int64) time.Duration {
	if n <= 0 || n > int64(1<<62/time.Millisecond) {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// selects reports whether a text is a query, as far as its first word says.
func selects(text string) bool {
	for strings.HasPrefix(text, "(") {
		text = strings.TrimLeft(text, "( \t\r\n")
	}
	switch table.FirstWord(text) {
	case "select", "with", "values", "table":
		return true
	}
	return false
}

// backoff waits before the next try of what has failed; false if it was cut short, or
// the client or the server wants no more of it.
func (p *place) backoff(ctx context.Context, try int) bool {
	p.pause()
	defer p.resume()
	timer := time.NewTimer(catalog.Pause(try))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-p.admission.closed:
	}
	return false
}

// interrupted is the answer to a statement that was cut short.
func interrupted(why error) error {
	var up timeUp
	if errors.As(why, &up) {
		return mysql.NewSQLError(codeTimeUp, "HY000", "Query execution was interrupted, maximum statement execution time exceeded (%s is %d ms)", up.setting, up.after.Milliseconds())
	}
	return mysql.NewSQLError(codeInterrupted, "70100", "Query execution was interrupted")
}

// cutShort cleans up after a statement that was cut short, and answers it. One that
// was its own transaction, or was to end one, is rolled back. Else an explicit transaction
// goes on, unless the statement was within a read: that cannot be called back, so nothing
// more is asked of the transaction, which is over.
func cutShort(s *Session, why error) error {
	f := s.statement.failure
	s.failed = nil
	switch {
	case s.statement.own || s.statement.ending || !s.open.begun():
		s.end(nil)
	case lives(f):
		s.open.undo(s.statement.mark)
	default:
		s.doom(txn.Errorf(txn.KindAborted, "a statement of the transaction was interrupted while it read: %v; all of it is rolled back", why))
	}
	return interrupted(why)
}

// doom rolls back the open transaction and leaves a dead one in its place: its client
// must learn, from the next statement or the commit, that it is over.
func (s *Session) doom(why *txn.Error) {
	t := s.open
	rollBack(t.real, txn.CauseClient)
	s.gateway.slowEnd(s, t, nil, true)
	t.over = why
	t.real = &watched{Txn: doomed{unwatched(t.real), t.over}, s: s}
}

// doomed is a transaction that is over, and says so.
type doomed struct {
	txn.Txn
	over *txn.Error
}

// Read implements txn.Txn.
func (d doomed) Read(context.Context, txn.Read) (txn.ReadResult, error) {
	return txn.ReadResult{}, d.over
}

// Commit implements txn.Txn.
func (d doomed) Commit(context.Context) error { return d.over }

// Put implements txn.Txn.
func (doomed) Put(txn.Key, []byte) {}

// Delete implements txn.Txn.
func (doomed) Delete(txn.Key) {}

// Savepoint implements txn.Txn.
func (doomed) Savepoint() int { return 0 }

// RollbackTo implements txn.Txn.
func (doomed) RollbackTo(int) {}
