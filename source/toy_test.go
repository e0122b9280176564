package source

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// toy is one agent with a database. The test chooses when tasks outside the loop run and what the
// database replies.
type toy struct {
	t        *testing.T
	g        *Agent
	now      time.Duration
	sent     []string // "receiver: message"
	last     txn.Message
	tasks    []task
	full     bool // no more tasks are accepted
	orphans  []txn.Orphan
	did      []string // the database's calls
	prepared []Name
	fails    map[string]*Error // errors by call
	identity string
	facts    Facts // without the identity
	busy     bool  // prepared branches are listed and not found
}

func (w *toy) Now() txn.Now                    { return txn.Now{Mono: w.now} }
func (w *toy) AfterSync(f func())              { f() }
func (w *toy) Orphan(o txn.Orphan)             { w.orphans = append(w.orphans, o) }
func (w *toy) Held(txn.ShardID, txn.ID, int64) {}
func (w *toy) NodeEvent(txn.NodeEvent)         {}
func (w *toy) Trace(string, ...any)            {}
func (w *toy) Send(to txn.Address, m txn.Message) {
	w.sent, w.last = append(w.sent, describe(to, &m)), m
}
func (w *toy) RunAsync(work func(context.Context) any, done func(any)) bool {
	if w.full {
		return false
	}
	w.tasks = append(w.tasks, task{work, done})
	return true
}

func describe(to txn.Address, m *txn.Message) string {
	head := fmt.Sprintf("%d: ", to.Node)
	if to.For == txn.ForParticipant {
		head = fmt.Sprintf("%d/%d: ", to.Node, to.Shard)
	}
	switch {
	case m.AccessReply != nil && m.AccessReply.Refused == txn.KindUnknown:
		return head + "unknown, refused"
	case m.AccessReply != nil && m.AccessReply.Refused != 0:
		return head + "refused"
	case m.AccessReply != nil && m.AccessReply.Batch.Going:
		return head + "going"
	case m.AccessReply != nil && m.AccessReply.Batch.Fault != nil:
		return head + fmt.Sprintf("%d results, fault %d", len(m.AccessReply.Batch.Results), m.AccessReply.Batch.Fault.Code)
	case m.AccessReply != nil && m.AccessReply.Batch.Committed:
		return head + fmt.Sprintf("%d results, committed", len(m.AccessReply.Batch.Results))
	case m.AccessReply != nil:
		return head + fmt.Sprintf("%d results", len(m.AccessReply.Batch.Results))
	case m.Vote != nil && m.Vote.Yes && !m.Vote.AwaitsDecision:
		return head + "committed"
	case m.Vote != nil && m.Vote.Yes && m.Vote.Open:
		return head + "open yes"
	case m.Vote != nil && m.Vote.Yes:
		return head + "yes"
	case m.Vote != nil && m.Vote.Refused == txn.KindUnknown:
		return head + "unknown"
	case m.Vote != nil:
		return head + "no"
	case m.DecideAck != nil:
		return head + "ack"
	case m.Decide != nil:
		return head + fmt.Sprintf("decide commit=%v", m.Decide.Commit)
	case m.InquireReply != nil:
		return head + fmt.Sprintf("finding %d forgot=%v", m.InquireReply.Result, m.InquireReply.Forgot)
	case m.NotLeader != nil:
		return head + fmt.Sprintf("not leader, term %d", m.NotLeader.Term)
	case m.TxnStatusQuery != nil:
		return head + "probe"
	}
	return head + "?"
}

// The database.

func (w *toy) do(what string) error {
	if e := w.fails[what]; e != nil {
		return e
	}
	w.did = append(w.did, what)
	return nil
}

func (w *toy) Facts(context.Context) (Facts, error) {
	f := w.facts
	f.Identity = w.identity
	return f, w.do("facts")
}
func (w *toy) Prepared(context.Context, uint64) ([]Name, error) {
	return w.prepared, nil // with foreign names, which a driver would filter
}
func (w *toy) Tables(context.Context) ([]Table, error) { return nil, nil }
func (w *toy) Close() error                            { return nil }
func (w *toy) Begin(ctx context.Context, n Name, o BranchOptions) (Branch, error) {
	return &toyBranch{w, n}, w.do("begin " + n.Attempt.String())
}
func (w *toy) Finish(ctx context.Context, n Name, commit bool) (bool, error) {
	i := slices.IndexFunc(w.prepared, func(o Name) bool { return o.Attempt == n.Attempt && o.Cluster == n.Cluster })
	if err := w.do(fmt.Sprintf("finish %v %v", n.Attempt, commit)); err != nil || i < 0 || w.busy {
		return false, err
	}
	w.prepared = slices.Delete(w.prepared, i, i+1)
	return true, nil
}

type toyBranch struct {
	w *toy
	n Name
}

func (b *toyBranch) Execute(ctx context.Context, s Statement) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, &Error{Text: "interrupted", Ends: true}
	}
	return Result{Affected: 1}, b.w.do(s.Text)
}
func (b *toyBranch) Prepare(context.Context) error {
	err := b.w.do("prepare " + b.n.Attempt.String())
	if err == nil {
		b.w.prepared = append(b.w.prepared, b.n)
	}
	return err
}
func (b *toyBranch) Commit(context.Context) error { return b.w.do("commit " + b.n.Attempt.String()) }
func (b *toyBranch) Rollback(context.Context) error {
	return b.w.do("rollback " + b.n.Attempt.String())
}

const (
	toyCluster = 7
	toySource  = 3
	toyTerm    = 5
	gateway    = txn.NodeID(9)
)

// newToy returns an agent that has not listed its prepared branches.
func newToy(t *testing.T, bugs txn.InjectedBugs) *toy {
	w := &toy{t: t, fails: map[string]*Error{}, identity: "one"}
	open := Factory(Config{Cluster: toyCluster, BranchesMax: 8, Open: func(routing.Shard) (Driver, error) { return w, nil }})
	p, err := open(participant.OpenOptions{Shard: routing.Shard{ID: toySource, Kind: Kind}, Self: 2, Epoch: toyTerm, Params: txn.Params{InjectedBugs: bugs}.WithDefaults(), Env: w})
	if err != nil {
		t.Fatal(err)
	}
	w.g = p.(*Agent)
	return w
}

// serving returns one that serves; nothing was prepared.
func serving(t *testing.T) *toy {
	w := newToy(t, txn.InjectedBugs{})
	w.run()
	w.did = nil
	return w
}

// run completes the tasks outside the loop.
func (w *toy) run() {
	for len(w.tasks) > 0 {
		next := w.tasks[0]
		w.tasks = w.tasks[1:]
		next.done(next.work(context.Background()))
	}
}

// pass advances the time.
func (w *toy) pass(d time.Duration) {
	for until := w.now + d; w.now < until; {
		w.now = min(until, max(w.g.NextWake(), w.now+time.Millisecond))
		w.g.Tick()
		w.run()
	}
}

// expect compares the messages sent since the last call.
func (w *toy) expect(after string, want ...string) {
	w.t.Helper()
	if !slices.Equal(w.sent, want) {
		w.t.Errorf("%s: sent %q, want %q", after, w.sent, want)
	}
	w.sent = nil
}

func (w *toy) has(after string, want ...string) {
	w.t.Helper()
	if !slices.Equal(w.did, want) {
		w.t.Errorf("%s: the database's calls are %q, want %q", after, w.did, want)
	}
	w.did = nil
}

func attempt(n int) txn.Attempt { return txn.Attempt{Node: gateway, Epoch: 1, Seq: uint64(n)} }

// access is a batch of an attempt.
func access(n, step int, last bool, statements ...string) *txn.Message {
	a := &txn.Access{Shard: toySource, Request: uint64(100*n + step), Txn: txn.ID(attempt(n)), Batch: &txn.StatementBatch{Attempt: attempt(n), Step: uint64(step), Term: toyTerm,
		RecordShard: 2, Peers: []txn.Peer{{Node: 2, Shard: toySource}, {Node: 4, Shard: 5}}}}
	for _, s := range statements {
		a.Batch.Statements = append(a.Batch.Statements, txn.Statement{Text: s})
	}
	if last {
		a.Batch.Last = prepareOf(n).Prepare
	}
	return &txn.Message{Access: a}
}

func prepareOf(n int) *txn.Message {
	return &txn.Message{Prepare: &txn.Prepare{Shard: toySource, Attempt: attempt(n), Txn: txn.ID(attempt(n)), Term: toyTerm, Participants: []txn.ShardID{toySource, 5}, RecordShard: 2}}
}

func decideOf(n int, commit bool) *txn.Message {
	return &txn.Message{Decide: &txn.Decide{Shard: toySource, Attempt: attempt(n), Txn: txn.ID(attempt(n)), Commit: commit}}
}

func inquireOf(n int) *txn.Message {
	return &txn.Message{Inquire: &txn.Inquire{Shard: toySource, Attempt: attempt(n), Txn: txn.ID(attempt(n))}}
}

// receives delivers messages and completes the tasks they cause.
func (w *toy) receives(m ...*txn.Message) {
	for _, m := range m {
		w.g.Deliver(gateway, m)
		w.run()
	}
}
