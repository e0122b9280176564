package coordinator

import (
	"testing"
	"time"

	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// fakeEnv is a node without others: it keeps sent messages.
type fakeEnv struct {
	Env
	dir   *routing.Directory
	sent  []txn.Message
	ended []txn.TxnEndInfo
	mono  time.Duration
}

func (e *fakeEnv) Now() txn.Now                                   { return txn.Now{Mono: e.mono} }
func (e *fakeEnv) Send(_ txn.Address, m txn.Message)              { e.sent = append(e.sent, m) }
func (e *fakeEnv) Directory() *routing.Directory                  { return e.dir }
func (e *fakeEnv) Leader(txn.ShardID) (txn.NodeID, uint64, bool)  { return 1, 1, true }
func (e *fakeEnv) Wide(txn.NodeID) bool                           { return false }
func (e *fakeEnv) CoCoordinators(txn.Attempt) (none []txn.NodeID) { return none }
func (e *fakeEnv) Tracing() bool                                  { return false }
func (e *fakeEnv) TxnEnded(m txn.TxnEndInfo)                      { e.ended = append(e.ended, m) }

func openRow(t *testing.T, name string) protocol.Spec {
	t.Helper()
	spec, err := protocol.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func openFake(t *testing.T) (*Coordinator, *fakeEnv) {
	t.Helper()
	spec := openRow(t, "d2pc+occ")
	env := &fakeEnv{dir: &routing.Directory{}}
	env.dir.AddRange("\x10", 2)
	return New(Config{Self: 1, Spec: spec, Env: env}), env
}

// A commit beyond the gateway's bound is refused: shards are asked only to drop the locks, and the
// client learns that nothing was executed.
func TestACommitBeyondTheBoundIsRefused(t *testing.T) {
	c, env := openFake(t)
	for i := range uint64(maxCommitments) {
		c.commits.all[txn.Attempt{Node: 1, Seq: i}] = nil
	}
	open := &transaction{id: txn.ID{Node: 1, Seq: 1}, touched: []participantState{{shard: 2, locked: true}}}
	c.txns[open.id] = open
	var got []Response
	req := &Request{Op: OpCommit, Txn: open.id, Writes: []txn.Write{{Key: "\x10k", Value: []byte("1")}}, Done: func(r Response) { got = append(got, r) }}
	c.commit(open, req, req.Writes)
	if len(got) != 1 || got[0].Err == nil || got[0].Err.Kind != txn.KindUnavailable {
		t.Fatalf("the client receives %+v", got)
	}
	if len(env.sent) != 1 || env.sent[0].Release == nil {
		t.Errorf("sent: %+v; want the release of its locks alone", env.sent)
	}
	if len(c.txns) != 0 || len(c.commits.all) != maxCommitments || len(env.ended) != 1 || env.ended[0].Outcome != txn.KindUnavailable {
		t.Errorf("%d transactions and %d commits are left; ended: %+v", len(c.txns), len(c.commits.all), env.ended)
	}
}
