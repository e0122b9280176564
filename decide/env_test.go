package decide

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// toy is an Env whose state the test sets, and which keeps sent messages.
type toy struct {
	now      time.Duration
	leader   map[txn.ShardID]txn.NodeID // in term
	term     uint64
	wide     []txn.NodeID
	replicas []txn.NodeID // of every shard
	coords   []txn.NodeID
	sent     []string // "address: message"
	last     txn.Message
	notes    []txn.NodeEventKind
	asked    []string
	logged   []string // entries sent to the log of decisions
	tried    []int    // try numbers of leader lookups
}

func (w *toy) Now() txn.Now           { return txn.Now{Mono: w.now} }
func (w *toy) Wide(n txn.NodeID) bool { return slices.Contains(w.wide, n) }
func (w *toy) Leader(s txn.ShardID, try int) (txn.NodeID, uint64) {
	w.tried = append(w.tried, try)
	return w.leader[s], w.term
}
func (w *toy) Replicas(txn.ShardID) []txn.NodeID       { return w.replicas }
func (w *toy) Nearest(txn.ShardID) txn.NodeID          { return w.replicas[0] }
func (w *toy) CoCoordinators(txn.Attempt) []txn.NodeID { return w.coords }
func (w *toy) NodeEvent(n txn.NodeEvent)               { w.notes = append(w.notes, n.Kind) }
func (w *toy) Trace(string, ...any)                    {}

func (w *toy) AskedFor(s txn.ShardID, n txn.NodeID) {
	w.asked = append(w.asked, fmt.Sprintf("%d of %d", n, s))
}

func (w *toy) Send(to txn.Address, m txn.Message) {
	address := fmt.Sprintf("%d", to.Node)
	if to.For == txn.ForParticipant {
		address += fmt.Sprintf("/%d", to.Shard)
	}
	w.sent, w.last = append(w.sent, address+": "+what(m)), m
}

// what describes a message, as far as these tests need.
func what(m txn.Message) string {
	switch {
	case m.Prepare != nil && m.Prepare.OnePhase:
		return fmt.Sprintf("prepare in one phase, term %d", m.Prepare.Term)
	case m.Prepare != nil && m.Prepare.Validate:
		return fmt.Sprintf("validate, term %d", m.Prepare.Term)
	case m.Prepare != nil:
		return fmt.Sprintf("prepare, term %d", m.Prepare.Term)
	case m.Inquire != nil:
		return "inquire"
	case m.PreCommit != nil:
		return fmt.Sprintf("pre-commit at %d", m.PreCommit.At)
	case m.Decide != nil && m.Decide.Tentative:
		return "note the end"
	case m.Decide != nil && m.Decide.Commit:
		return fmt.Sprintf("commit at %d", m.Decide.At)
	case m.Decide != nil:
		return "abort"
	case m.Ack != nil:
		return fmt.Sprintf("ack of %d by %d", m.Ack.Shard, m.Ack.Replica)
	case m.Decision != nil:
		return fmt.Sprintf("decision, commit: %v", m.Decision.Commit)
	case m.QueryDecision != nil:
		return "recall"
	case m.SlowPathRequest != nil:
		return fmt.Sprintf("dispute in view %d", m.SlowPathRequest.View)
	case m.Accept != nil:
		return fmt.Sprintf("accept %v in view %d", m.Accept.Yes, m.Accept.View)
	}
	return "?"
}

func expect(t *testing.T, w *toy, after string, want ...string) {
	t.Helper()
	got := w.sent
	if w.sent = nil; !slices.Equal(got, want) {
		t.Errorf("%s: sent %q, want %q", after, got, want)
	}
}

// ours is an attempt of this node's gateway, on shards 2 and 3.
var ours = txn.Attempt{Node: 1, Epoch: 1, Seq: 7}

// begin opens an attempt on these shards, and asks.
func begin(c Policy, shards ...txn.ShardID) (*Attempt, *toy) {
	w := &toy{leader: map[txn.ShardID]txn.NodeID{2: 4, 3: 5}, term: 6, replicas: []txn.NodeID{4, 5, 6}, coords: []txn.NodeID{1, 8, 9}, wide: []txn.NodeID{5}}
	a := deciderOf(c, w).Open(AttemptInit{ID: ours, Txn: txn.ID(ours), Participants: shards, Prepares: preparesOf(shards), Asked: w})
	a.Ask()
	return a, w
}

func deciderOf(c Policy, w *toy) *Decider {
	return &Decider{Policy: c, PreCommits: c.Bypasses(), Params: txn.Params{}.WithDefaults(), Env: w}
}

func preparesOf(shards []txn.ShardID) (out []*txn.Prepare) {
	for _, s := range shards {
		out = append(out, &txn.Prepare{Shard: s, At: 7})
	}
	return out
}

func yes(s txn.ShardID, at txn.Timestamp) *txn.Message {
	return &txn.Message{Vote: &txn.Vote{Shard: s, Attempt: ours, Yes: true, Proposed: at}}
}

// taken takes the verdict, which must be this one.
func taken(t *testing.T, a *Attempt, want Verdict, wantAt txn.Timestamp) {
	t.Helper()
	if v, at, ok := a.Take(); v != want || at != wantAt || ok != (want != Open) {
		t.Fatalf("%v at %d, %v; want %v at %d", v, at, ok, want, wantAt)
	}
	if _, _, ok := a.Take(); ok {
		t.Fatal("a verdict is taken twice")
	}
}
