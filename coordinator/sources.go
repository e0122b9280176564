package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Clients' requests to agents other than transactions.

var (
	_ txn.SourceCatalogue = (*db)(nil)
	_ txn.SourceForcer    = (*db)(nil)
)

// Sources implements txn.SourceCatalogue.
func (d *db) Sources() (out []txn.SourceEntry) {
	dir := d.port.Directory()
	for _, s := range dir.Shards {
		if s.Kind != routing.SourceKind || len(s.Replicas) == 0 {
			continue
		}
		e := txn.SourceEntry{ID: txn.ShardID(s.ID), Name: fmt.Sprint(s.ID), Node: txn.NodeID(s.Replicas[0])}
		if s.Source != nil {
			e.Name, e.Dialect = s.Source.Name, s.Source.Dialect
		}
		e.Region = geo.Region(dir.RegionOf(s.Replicas[0]))
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b txn.SourceEntry) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// DescribeSource implements txn.SourceCatalogue.
func (d *db) DescribeSource(ctx context.Context, s txn.ShardID) (txn.SourceSchema, error) {
	sent, err := d.askSources(ctx, txn.SourceQuery{Shard: s, Kind: txn.SourceDescribe})
	switch {
	case err != nil:
		return txn.SourceSchema{}, err
	case sent[0].Schema == nil:
		return txn.SourceSchema{}, txn.Errorf(txn.KindUnavailable, "source %d has sent a reply that does not match the request", s)
	}
	return *sent[0].Schema, nil
}

// InDoubt implements txn.SourceCatalogue.
func (d *db) InDoubt(ctx context.Context) (out []txn.InDoubtBranch, failed error) {
	var asked []txn.SourceQuery
	sources := d.Sources()
	for _, s := range sources {
		asked = append(asked, txn.SourceQuery{Shard: s.ID, Kind: txn.SourceInDoubt})
	}
	if len(asked) == 0 {
		return nil, nil
	}
	sent, failed := d.askSources(ctx, asked...)
	for i, m := range sent {
		if m == nil {
			continue
		}
		for _, b := range m.InDoubt {
			b.Source = sources[i].Name
			out = append(out, b)
		}
	}
	return out, failed
}

// ResolveInDoubt implements txn.SourceCatalogue.
func (d *db) ResolveInDoubt(ctx context.Context, name string) error {
	return d.endInDoubt(ctx, name, txn.SourceResolve)
}

// ForceInDoubt implements txn.SourceForcer.
func (d *db) ForceInDoubt(ctx context.Context, name string, commit bool) error {
	if commit {
		return d.endInDoubt(ctx, name, txn.SourceCommit)
	}
	return d.endInDoubt(ctx, name, txn.SourceUndo)
}

func (d *db) endInDoubt(ctx context.Context, name string, how txn.SourceQueryKind) error {
	listed, failed := d.InDoubt(ctx)
	for _, b := range listed {
		if b.Name == name {
			_, err := d.askSources(ctx, txn.SourceQuery{Shard: b.ID, Kind: how, Name: name})
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return txn.Errorf(txn.KindInvalidRequest, "no source has a branch %.140q in doubt; it may have been resolved", name)
}

// askSources asks agents in parallel, and waits. The error is the first of theirs.
func (d *db) askSources(ctx context.Context, m ...txn.SourceQuery) ([]*txn.SourceReply, error) {
	resp := d.port.Do(ctx, &Request{Op: OpAskSources, SourceQueries: m})
	if resp.Err != nil {
		return resp.SourceReplies, resp.Err
	}
	return resp.SourceReplies, nil
}

// asksMax bounds the pending requests to agents at one gateway.
const asksMax = 1024

// asked is one client request, to one or several agents.
type asked struct {
	req     *Request
	open    int
	replies []*txn.SourceReply
	failed  *txn.Error
}

// ask is a request to one agent.
type ask struct {
	of       *asked
	at       int // its index in the client request
	m        *txn.SourceQuery
	deadline time.Duration
	again    time.Duration // when it is resent: a message may be lost
	wait     time.Duration // interval before the resend after that
}

// asks are the pending ones.
type asks struct {
	cfg     *Config
	env     contentionEnv
	numbers *requestNumbers
	open    map[uint64]*ask // by request number
}

// begin asks agents.
func (v *asks) begin(req *Request) {
	if n := len(req.SourceQueries); n == 0 || n+len(v.open) > asksMax {
		req.answer(Response{Err: txn.Errorf(txn.KindUnavailable, "this gateway has %d pending requests to sources, and %d more exceed its limit of %d; retry later", len(v.open), n, asksMax)})
		return
	}
	of := &asked{req: req, open: len(req.SourceQueries), replies: make([]*txn.SourceReply, len(req.SourceQueries))}
	for i := range req.SourceQueries {
		v.send(of, i)
	}
}

// send sends one of the requests.
func (v *asks) send(of *asked, i int) {
	m := of.req.SourceQueries[i]
	s, ok := v.env.Directory().Shard(uint64(m.Shard))
	if !ok || s.Kind.Native() || len(s.Replicas) == 0 {
		of.end(i, nil, txn.Errorf(txn.KindInvalidRequest, "%d is no source", m.Shard))
		return
	}
	wait := txn.SourceQueryWait
	if m.Kind == txn.SourceInDoubt { // an agent answers it immediately
		wait = txn.ContentionWait
	}
	m.Request = v.numbers.take()
	now := v.env.Now().Mono
	v.open[m.Request] = &ask{of: of, at: i, m: &m, deadline: now + wait, again: now + v.cfg.Params.ResendAfter, wait: v.cfg.Params.ResendAfter}
	v.env.Send(txn.Participant(txn.NodeID(s.Replicas[0]), m.Shard), txn.Message{SourceQuery: &m})
}

// repeat resends a request to the source's present agent.
func (v *asks) repeat(a *ask, now time.Duration) {
	a.wait *= 2
	a.again = now + a.wait
	if s, ok := v.env.Directory().Shard(uint64(a.m.Shard)); ok && len(s.Replicas) > 0 {
		v.env.Send(txn.Participant(txn.NodeID(s.Replicas[0]), a.m.Shard), txn.Message{SourceQuery: a.m})
	}
}

// end records the result of a request; with the last of them the client is answered.
func (a *asked) end(i int, sent *txn.SourceReply, err *txn.Error) {
	a.replies[i] = sent
	if a.failed == nil {
		a.failed = err
	}
	if a.open--; a.open == 0 {
		a.req.answer(Response{SourceReplies: a.replies, Err: a.failed})
	}
}

// receive handles a reply.
func (v *asks) receive(m *txn.SourceReply) {
	a := v.open[m.Request]
	if a == nil || a.m.Shard != m.Shard {
		return
	}
	delete(v.open, m.Request)
	if m.Refused != 0 {
		a.of.end(a.at, nil, txn.Errorf(m.Refused, "%s: %s", called(v.env.Directory(), m.Shard), m.Reason))
		return
	}
	a.of.end(a.at, m, nil)
}

// called is the display name of a participant: a source has a name.
func called(dir *routing.Directory, id txn.ShardID) string {
	s, ok := dir.Shard(uint64(id))
	switch {
	case ok && s.Source != nil:
		return "source " + s.Source.Name
	case ok && s.Kind == routing.SourceKind:
		return fmt.Sprintf("source %d", id)
	}
	return fmt.Sprintf("shard %d", id)
}

// expire resends unanswered requests, and gives up after their deadline.
func (v *asks) expire(now time.Duration) {
	for _, id := range sortedKeys(v.open) {
		a := v.open[id]
		if now < a.deadline {
			if now >= a.again {
				v.repeat(a, now)
			}
			continue
		}
		delete(v.open, id)
		reason := "its agent does not answer"
		if a.m.Kind >= txn.SourceResolve {
			reason = "the branch is still in doubt: the log of its decision or the source could not be reached in time"
		}
		a.of.end(a.at, nil, txn.Errorf(txn.KindUnavailable, "%s: %s", called(v.env.Directory(), a.m.Shard), reason))
	}
}

// nextWake is when a request is resent or given up.
func (v *asks) nextWake() time.Duration {
	at := txn.Never
	for _, a := range v.open { // order: the least of all
		at = min(at, a.deadline, a.again)
	}
	return at
}
