package server

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"isochron/source"
)

// hostedSource is a source's driver that accepts only the database with the identity known to the cluster,
// and keeps the source's status of the last query.
type hostedSource struct {
	source.Driver
	name     string
	dialect  string
	server   string                   // its address, for people
	identity func(name string) string // returns the identity in the directory, "" if none

	deadlockAfter time.Duration // as in a SourceConfig

	// mismatched is set while a database with another identity answers.
	mismatched atomic.Pointer[source.Error]

	mu    sync.Mutex
	facts source.Facts
	text  string    // why it is not reachable or not served
	at    time.Time // time of that query
}

// askMax bounds each query of a source.
const askMax = 15 * time.Second

// Tables implements source.Driver.
func (h *hostedSource) Tables(ctx context.Context) ([]source.Table, error) {
	ctx, stop := context.WithTimeout(ctx, askMax)
	defer stop()
	return h.Driver.Tables(ctx)
}

// Prepared implements source.Driver.
func (h *hostedSource) Prepared(ctx context.Context, cluster uint64) ([]source.Name, error) {
	ctx, stop := context.WithTimeout(ctx, askMax)
	defer stop()
	return h.Driver.Prepared(ctx, cluster)
}

// Facts implements source.Driver. It refuses another identity than the known one.
func (h *hostedSource) Facts(ctx context.Context) (source.Facts, error) {
	ctx, stop := context.WithTimeout(ctx, askMax)
	defer stop()
	f, err := h.Driver.Facts(ctx)
	if err != nil {
		h.note(nil, err.Error())
		return f, err
	}
	if known := h.identity(h.name); known != "" && known != f.Identity {
		err := &source.Error{Code: 1105, State: "HY000", Ends: true, Text: fmt.Sprintf(
			"another database answers there than the one known as %s: %s, not %s. To accept it: isochron source accept --name %[1]s", h.name, f.Identity, known)}
		h.note(&f, err.Text)
		h.mismatched.Store(err)
		return source.Facts{}, err
	}
	f.Expected = true
	h.mismatched.Store(nil)
	h.note(&f, "")
	return f, nil
}

// Begin implements source.Driver; no branch begins at a stranger.
func (h *hostedSource) Begin(ctx context.Context, n source.Name, o source.BranchOptions) (source.Branch, error) {
	if err := h.mismatched.Load(); err != nil {
		return nil, err
	}
	return h.Driver.Begin(ctx, n, o)
}

// Once implements source.OneTripDriver; no statement runs at a stranger.
func (h *hostedSource) Once(ctx context.Context, n source.Name, o source.BranchOptions, s source.Statement) (source.Result, error) {
	if err := h.mismatched.Load(); err != nil {
		return source.Result{}, err
	}
	if d, ok := h.Driver.(source.OneTripDriver); ok {
		return d.Once(ctx, n, o, s)
	}
	return source.OnceByBranch(ctx, h.Driver, n, o, s)
}

// Waits implements source.Waiting if the driver does.
func (h *hostedSource) Waits(ctx context.Context, of []source.Name) (list []source.Wait, known bool, err error) {
	d, ok := h.Driver.(source.Waiting)
	if !ok || h.mismatched.Load() != nil {
		return nil, false, nil
	}
	ctx, stop := context.WithTimeout(ctx, askMax)
	defer stop()
	return d.Waits(ctx, of)
}

// Finish implements source.Driver. That a branch does not exist is accepted only from the right database: at
// another one the branch has not ended.
func (h *hostedSource) Finish(ctx context.Context, n source.Name, commit bool) (found bool, err error) {
	if err := h.mismatched.Load(); err != nil {
		return false, err
	}
	if found, err = h.Driver.Finish(ctx, n, commit); found || err != nil {
		return found, err
	}
	_, err = h.Facts(ctx)
	return false, err
}

// note records the source's status.
func (h *hostedSource) note(f *source.Facts, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f != nil {
		h.facts = *f
	}
	h.text, h.at = text, time.Now()
}

// status returns the status of the last query and its time; zero: none yet.
func (h *hostedSource) status() (f source.Facts, text string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.facts, h.text, h.at
}

// absent is the driver of a source for which this node has no address.
type absent struct{ name string }

func (a absent) err() error {
	return &source.Error{Code: 1429, State: "08001", Ends: true, Gone: true, Text: fmt.Sprintf(
		"this node was started without an address of the source %s: set it with isochron agent --name %[1]s --source ..., or remove the source", a.name)}
}

// Facts implements source.Driver.
func (a absent) Facts(context.Context) (source.Facts, error) { return source.Facts{}, a.err() }

// Begin implements source.Driver.
func (a absent) Begin(context.Context, source.Name, source.BranchOptions) (source.Branch, error) {
	return nil, a.err()
}

// Prepared implements source.Driver.
func (a absent) Prepared(context.Context, uint64) ([]source.Name, error) { return nil, a.err() }

// Finish implements source.Driver.
func (a absent) Finish(context.Context, source.Name, bool) (bool, error) { return false, a.err() }

// Tables implements source.Driver.
func (a absent) Tables(context.Context) ([]source.Table, error) { return nil, a.err() }

// Close implements source.Driver.
func (a absent) Close() error { return nil }

var (
	_ source.Driver        = (*hostedSource)(nil)
	_ source.OneTripDriver = (*hostedSource)(nil)
	_ source.Waiting       = (*hostedSource)(nil)
	_ source.Driver        = absent{}
)
