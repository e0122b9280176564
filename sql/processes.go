package sql

import (
	"context"
	"isochron/sql/session"
	"slices"
	"sync"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// running is the statement of a session that has a plan of ours, for those who look at it
// from other sessions. The engine's list of processes costs a context, a timer's worth of
// bookkeeping and a lock that all sessions share for each statement; this costs a lock
// that nobody else wants.
type running struct {
	mu    sync.Mutex
	on    bool
	text  string
	since time.Time // of the statement; of its end, if there is none
}

// begin enters a statement.
func (r *running) begin(text string, now time.Time) {
	gms.StatusVariables.IncrementGlobal("Threads_running", 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.text, r.since = true, text, now
}

func (r *running) end(now time.Time) {
	gms.StatusVariables.IncrementGlobal("Threads_running", -1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.text, r.since = false, "", now
}

// show puts the statement into the engine's entry of its session.
func (r *running) show(p *gms.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.on:
		p.Command, p.Query, p.StartedAt = gms.ProcessCommandQuery, r.text, r.since
	case p.Command == gms.ProcessCommandSleep && r.since.After(p.StartedAt):
		p.StartedAt = r.since
	}
}

// processes is the list of what runs: the engine's own, with the statements that have
// plans of ours.
type processes struct {
	gms.ProcessList
	g *gateway
}

// Processes implements gms.ProcessList.
func (l processes) Processes() []gms.Process {
	list := l.ProcessList.Processes()
	for i := range list {
		if s := l.g.session(list[i].Connection); s != nil {
			s.running.show(&list[i])
		}
	}
	return list
}

// Kill implements gms.ProcessList.
func (l processes) Kill(id uint32) {
	if s := l.g.session(id); s != nil {
		s.interruption.Cut(session.ErrKilled) // first: the engine gives no reason
	}
	l.ProcessList.Kill(id)
}

// seenBy is the list as one session sees it: its own user's connections, with the
// privilege PROCESS all.
type seenBy struct {
	gms.ProcessList
	s *Session
}

// Processes implements gms.ProcessList.
func (l seenBy) Processes() []gms.Process {
	all := l.ProcessList.Processes()
	if h := l.s.holder(); h.Has("PROCESS") {
		return all
	}
	me := l.s.Client()
	return slices.DeleteFunc(all, func(p gms.Process) bool {
		other := l.s.gateway.session(p.Connection)
		return other == nil || other.Client().User != me.User || other.Client().Address != me.Address
	})
}

// newContext is the engine's, with the list of processes as the session may see it.
func newContext(ctx context.Context, opts ...gms.ContextOption) *gms.Context {
	c := gms.NewContext(ctx, opts...)
	if s, ok := c.Session.(*Session); ok && c.ProcessList != nil {
		c.ProcessList = seenBy{c.ProcessList, s}
	}
	return c
}
