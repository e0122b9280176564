package session

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

	"isochron/sql/sysvars"
)

// A statement is cut short when KILL names it, when its time is up, and when its
// client has gone. All three end its context, with the reason as the cause. Whatever
// waits or counts rows below looks at the context; whatever error comes
// up then is replaced by one that says the reason.

// ErrGone is why there is no session for a connection that has ended.
var ErrGone = errors.New("the connection has ended")

// Why a statement is cut short.
var (
	ErrKilled     = errors.New("it was killed")
	ErrClientGone = errors.New("its client has gone")
)

// TimeUp is why a statement is cut short that has used up its time.
type TimeUp struct {
	Setting string
	After   time.Duration
}

// Error implements error.
func (t TimeUp) Error() string {
	return fmt.Sprintf("its time was up: %s is %d ms", t.Setting, t.After.Milliseconds())
}

// Interruption lets others cut a session's statement short. A statement may begin
// within another that is several (packet.go): both end together.
type Interruption struct {
	Alone sync.Mutex   // held while a command of the client is carried out
	Since atomic.Int64 // when the statement began, in ns since 1970; 0: none runs

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

// Enter begins a statement and gives its context. With again that is one which may be the
// Next statement's too, so whatever this one starts must end before it. The caller calls
// Leave at its end, in the same goroutine.
func (i *Interruption) Enter(ctx context.Context, now time.Time, again bool) context.Context {
	if i.depth == 0 { // it is changed in this goroutine alone
		i.Alone.Lock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.depth++; i.depth > 1 {
		return ctx
	}
	i.generation++
	i.cause, i.committing, i.late = nil, false, nil
	i.Since.Store(now.UnixNano())
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

// Leave ends the statement that Enter began.
func (i *Interruption) Leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.depth--; i.depth == 0 {
		if i.ends {
			i.cancel(nil)
		}
		i.cancel = nil
		i.cause = nil
		i.Since.Store(0)
		i.Alone.Unlock()
	}
}

// Begun is how many statements have begun.
func (i *Interruption) Begun() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.generation
}

// Close ends what the end of its session leaves.
func (i *Interruption) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lasting.cancel != nil {
		i.lasting.cancel(ErrGone)
	}
}

// Cut cuts the statement short, if one runs that is not within its commit.
func (i *Interruption) Cut(why error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cutLocked(why)
}

func (i *Interruption) cutLocked(why error) {
	switch {
	case i.cancel == nil || i.cause != nil:
	case i.committing:
		i.late = cmp.Or(i.late, why)
	default:
		i.cause = why
		i.cancel(why)
	}
}

// Limit cuts the statement short after a time, unless the timer is stopped: the caller does so at
// the statement's end. nil: its time is not bounded.
func (i *Interruption) Limit(up TimeUp) *time.Timer {
	if up.After == 0 {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	of := i.generation
	return time.AfterFunc(up.After, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.generation == of {
			i.cutLocked(up)
		}
	})
}

// Reason is why the statement was cut short, nil if it was not.
func (i *Interruption) Reason() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cause
}

// Commits begins a commit, which nothing can cut: its outcome would be unknown. The
// error is why the statement was cut short before.
func (i *Interruption) Commits() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.committing, i.late = i.cause == nil, nil
	return i.cause
}

// Committed ends a commit. What should have cut the statement during one that failed cuts it
// now, if it is to be done again otherwise: it is not said a second time. After one that was all
// the statement had to do nothing cuts it any more: its client would receive that it was not done.
func (i *Interruption) Committed(again, all bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.committing = all
	if again && i.late != nil {
		i.cutLocked(i.late)
	}
}

// hint matches the time that a SELECT bounds itself with.
var hint = regexp.MustCompile(`(?is)^[\s(]*select\s*/\*\+[^*]*\bmax_execution_time\s*\(\s*(\d{1,18})\s*\)`)

// TimeOf is how long a statement may take; after 0: for ever. MySQL's max_execution_time is for
// SELECT alone. selects recognises queries.
func (c *choices) TimeOf(text string, selects func(string) bool) (up TimeUp) {
	if c.timeout > 0 {
		up = TimeUp{sysvars.StatementTimeout, c.timeout}
	}
	execution := c.execution
	if head := text[:min(len(text), 4096)]; strings.Contains(head, "/*+") {
		if m := hint.FindStringSubmatch(head); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
				execution = millis(n)
			}
		}
	}
	if execution > 0 && (up.After == 0 || execution < up.After) && selects(text) {
		up = TimeUp{sysvars.MaxExecutionTime, execution}
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

// LastingContext is the context that may be the next statement's too; nil: there is none.
func (i *Interruption) LastingContext() context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lasting.Context
}
