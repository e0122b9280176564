package sourcedb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"isochron/source"
	"isochron/txn"
)

// A stopped or cut-off server does not answer, and TCP waits for it for a quarter of an hour or without end. A
// statement's duration does not show this: it may be long, or wait for a lock. So once a call has run for a bound,
// the server is probed on a new connection, and again from then on. If the probe is not answered either, the calls are
// abandoned.

// database is a driver whose server can be probed.
type database interface {
	source.Driver
	source.OneTripDriver
	source.Waiting
	// answers connects again, beside the pool. The server's reply does not matter.
	answers(ctx context.Context) error
}

// attentive is a driver that abandons calls to a silent server.
type attentive struct {
	database
	connect time.Duration // bounds each probe

	mu         sync.Mutex
	question   *question // under way; nil: none
	answeredAt time.Time
}

// question is a probe, shared by all calls that need it.
type question struct {
	done chan struct{}
	err  error
}

// silent is the cause of an abandoned call.
type silent struct{ after time.Duration }

func (s *silent) Error() string {
	return fmt.Sprintf("the source has not answered for %s, and takes no new connection (isochron_source_timeout)", s.after)
}

// during makes a call, which is abandoned if the server is silent for bound, 0: txn.SourceSilence.
func (a *attentive) during(ctx context.Context, bound time.Duration, f func(context.Context) error) error {
	if bound <= 0 {
		bound = txn.SourceSilence
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	timer := time.AfterFunc(bound, func() { a.listen(ctx, bound, giveUp) })
	defer timer.Stop()
	err := f(ctx)
	var cause *silent
	if err == nil || !errors.As(context.Cause(ctx), &cause) {
		return err
	}
	out := &source.Error{Code: codeCannotConnect, State: "08001", Text: cause.Error(), Ends: true, Gone: true}
	var e *source.Error
	if errors.As(err, &e) {
		out.Unknown = e.Unknown
	}
	return out
}

// listen probes the server until it does not answer, or ctx ends.
func (a *attentive) listen(ctx context.Context, bound time.Duration, giveUp context.CancelCauseFunc) {
	for {
		a.mu.Lock()
		since := time.Since(a.answeredAt)
		a.mu.Unlock()
		if wait := bound - since; wait > 0 { // it has answered another call meanwhile
			if pause(ctx, wait) != nil {
				return
			}
			continue
		}
		if ctx.Err() == nil && a.asked() != nil {
			giveUp(&silent{bound})
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// asked probes the server, or waits for the probe under way.
func (a *attentive) asked() error {
	a.mu.Lock()
	q := a.question
	if q == nil {
		q = &question{done: make(chan struct{})}
		a.question = q
		go a.ask(q)
	}
	a.mu.Unlock()
	<-q.done
	return q.err
}

// ask runs a probe. A refused connection is an answer too, if it is the server that refuses.
func (a *attentive) ask(q *question) {
	ctx, stop := context.WithTimeout(context.Background(), a.connect)
	defer stop()
	err := a.answers(ctx)
	var e *source.Error
	if errors.As(err, &e) && !e.Gone && ctx.Err() == nil {
		err = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.err = err; err == nil {
		a.answeredAt = time.Now()
	}
	a.question = nil
	close(q.done)
}

// reached closes a connection that was made as a probe.
func reached[C conn](c C, err error) error {
	if err == nil {
		c.close()
	}
	return err
}

// Begin implements source.Driver.
func (a *attentive) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (b source.Branch, err error) {
	err = a.during(ctx, o.Silence, func(ctx context.Context) error {
		b, err = a.database.Begin(ctx, n, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &attentiveBranch{b, a, o.Silence}, nil
}

// Once implements source.OneTripDriver.
func (a *attentive) Once(ctx context.Context, n source.Name, o source.BranchOptions, s source.Statement) (r source.Result, err error) {
	err = a.during(ctx, o.Silence, func(ctx context.Context) error {
		r, err = a.database.Once(ctx, n, o, s)
		return err
	})
	return r, err
}

// Finish implements source.Driver.
func (a *attentive) Finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	err = a.during(ctx, 0, func(ctx context.Context) error {
		found, err = a.database.Finish(ctx, n, commit)
		return err
	})
	return found, err
}

// attentiveBranch is a branch of an attentive driver.
type attentiveBranch struct {
	source.Branch
	a     *attentive
	bound time.Duration
}

// Execute implements source.Branch.
func (b *attentiveBranch) Execute(ctx context.Context, s source.Statement) (r source.Result, err error) {
	err = b.a.during(ctx, b.bound, func(ctx context.Context) error {
		r, err = b.Branch.Execute(ctx, s)
		return err
	})
	return r, err
}

// Prepare implements source.Branch.
func (b *attentiveBranch) Prepare(ctx context.Context) error {
	return b.a.during(ctx, b.bound, b.Branch.Prepare)
}

// Commit implements source.Branch.
func (b *attentiveBranch) Commit(ctx context.Context) error {
	return b.a.during(ctx, b.bound, b.Branch.Commit)
}

// Rollback implements source.Branch.
func (b *attentiveBranch) Rollback(ctx context.Context) error {
	return b.a.during(ctx, b.bound, b.Branch.Rollback)
}
