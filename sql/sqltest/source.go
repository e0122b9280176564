package sqltest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"isochron/txn"
)

// Source is an external database, as the gateways know it.
type Source struct {
	Entry    txn.SourceEntry
	Describe func(context.Context) (txn.SourceSchema, error)
	Begin    func(context.Context, txn.Options) (Branch, error)
}

// Branch is a transaction's part at a source. Errors of Execute are *txn.Error: after one of
// KindStatement it lives.
type Branch interface {
	Execute(context.Context, txn.Statement) (txn.Result, error)
	Commit(context.Context) error
	Rollback(context.Context) error
}

// AddSource makes a source known.
func (c *Cluster) AddSource(s *Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, s)
	slices.SortFunc(c.sources, func(a, b *Source) int { return cmp.Compare(a.Entry.ID, b.Entry.ID) })
	c.dir = c.dir.Clone() // a new value, so that readers notice the change
}

// RemoveSource drops a source.
func (c *Cluster) RemoveSource(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = slices.DeleteFunc(c.sources, func(s *Source) bool { return s.Entry.Name == name })
	c.dir = c.dir.Clone()
}

func (c *Cluster) source(id txn.ShardID) *Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sources {
		if s.Entry.ID == id {
			return s
		}
	}
	return nil
}

var (
	_ txn.SourceCatalogue = (*Gateway)(nil)
	_ txn.Sources         = (*Txn)(nil)
)

// Sources implements txn.SourceCatalogue.
func (g *Gateway) Sources() (out []txn.SourceEntry) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	for _, s := range g.c.sources {
		out = append(out, s.Entry)
	}
	return out
}

// DescribeSource implements txn.SourceCatalogue.
func (g *Gateway) DescribeSource(ctx context.Context, id txn.ShardID) (txn.SourceSchema, error) {
	s := g.c.source(id)
	if s == nil {
		return txn.SourceSchema{}, txn.Errorf(txn.KindInvalidRequest, "there is no source %d", id)
	}
	return s.Describe(ctx)
}

// InDoubt implements txn.SourceCatalogue: nothing ever is.
func (g *Gateway) InDoubt(context.Context) ([]txn.InDoubtBranch, error) { return nil, nil }

// ResolveInDoubt implements txn.SourceCatalogue.
func (g *Gateway) ResolveInDoubt(_ context.Context, name string) error {
	return txn.Errorf(txn.KindInvalidRequest, "there is no branch %s", name)
}

// Execute implements txn.Sources: the sources one after the other.
func (t *Txn) Execute(ctx context.Context, statements []txn.SourceStatement, last bool) ([]txn.SourceResult, error) {
	return t.execute(ctx, statements, last, false)
}

func (t *Txn) execute(ctx context.Context, statements []txn.SourceStatement, last, commits bool) ([]txn.SourceResult, error) {
	if t.over {
		return nil, txn.Errorf(txn.KindInvalidRequest, "a statement after the end of the transaction")
	}
	t.stats.Rounds++
	if f := t.g.c.BeforeExecute; f != nil {
		f(t, statements, last, commits)
	}
	out, failed := make([]txn.SourceResult, len(statements)), map[txn.ShardID]bool{}
	var first *txn.Error
	for i, st := range statements {
		if failed[st.Source] {
			continue
		}
		r, err := t.at(ctx, st)
		if err == nil {
			out[i] = txn.SourceResult{Result: r, Done: true}
			continue
		}
		failed[st.Source] = true
		e, ok := err.(*txn.Error)
		if !ok {
			e = txn.Errorf(txn.KindAborted, "%v", err)
		}
		if e.Kind != txn.KindStatement || last {
			t.Rollback()
			return nil, &txn.Error{Kind: txn.KindAborted, Reason: e.Reason, Fault: e.Fault}
		}
		if first == nil {
			first = e
		}
	}
	t.last = t.last || last
	if first != nil {
		return out, first
	}
	return out, nil
}

// ExecuteAndCommit implements txn.Finishing.
func (t *Txn) ExecuteAndCommit(ctx context.Context, statements []txn.SourceStatement) ([]txn.SourceResult, error) {
	out, err := t.execute(ctx, statements, true, true)
	if err != nil {
		return out, err
	}
	return out, t.Commit(ctx)
}

func (t *Txn) at(ctx context.Context, st txn.SourceStatement) (txn.Result, error) {
	b := t.branches[st.Source]
	if b == nil {
		s := t.g.c.source(st.Source)
		if s == nil {
			return txn.Result{}, txn.Errorf(txn.KindInvalidRequest, "there is no source %d", st.Source)
		}
		var err error
		if b, err = s.Begin(ctx, t.opt); err != nil {
			return txn.Result{}, err
		}
		if t.branches == nil {
			t.branches = map[txn.ShardID]Branch{}
		}
		t.branches[st.Source] = b
	}
	return b.Execute(ctx, st.Statement)
}

// endBranches commits the branches or rolls them back, once.
func (t *Txn) endBranches(commit bool) error {
	var first error
	for _, b := range t.branches { // order: each by itself
		end := b.Rollback
		if commit {
			end = b.Commit
		}
		if err := end(context.Background()); err != nil && first == nil {
			first = err
		}
	}
	t.branches = nil
	return first
}

// Recorder is a source that records the received statements.
type Recorder struct {
	mu sync.Mutex
	// sent is everything: statements, COMMIT and ROLLBACK.
	sent []string
	// Answer gives what a statement gives; nil: an answer without rows.
	Answer func(txn.Statement) (txn.Result, error)
}

// NewRecorder makes a source of recorded statements known, with tables.
func (c *Cluster) NewRecorder(id txn.ShardID, name, dialect string, tables ...txn.SourceTable) *Recorder {
	r := &Recorder{}
	c.AddSource(&Source{
		Entry: txn.SourceEntry{ID: id, Name: name, Dialect: dialect, Region: "va"},
		Describe: func(context.Context) (txn.SourceSchema, error) {
			return txn.SourceSchema{Dialect: dialect, Version: "model", Identity: name, PreparedMax: 10, Tables: tables}, nil
		},
		Begin: func(context.Context, txn.Options) (Branch, error) { return r, nil },
	})
	return r
}

// Execute implements Branch.
func (r *Recorder) Execute(_ context.Context, s txn.Statement) (txn.Result, error) {
	text := s.Text
	for _, a := range s.Args {
		if a == nil {
			text += " | NULL"
		} else {
			text += " | " + string(a)
		}
	}
	r.note(text)
	if r.Answer != nil {
		return r.Answer(s)
	}
	return txn.Result{}, nil
}

// Commit implements Branch.
func (r *Recorder) Commit(context.Context) error { r.note("COMMIT"); return nil }

// Rollback implements Branch.
func (r *Recorder) Rollback(context.Context) error { r.note("ROLLBACK"); return nil }

func (r *Recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, text)
}

// Sent returns the statements since the last call.
func (r *Recorder) Sent() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.sent
	r.sent = nil
	return out
}
