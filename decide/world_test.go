package decide

import (
	"fmt"
	"slices"
	"time"

	"isochron/txn"
)

// toy is a world of which the test says how it is, and which keeps what is sent.
type toy struct {
	now    time.Duration
	leader map[txn.ShardID]txn.NodeID // in term
	term   uint64
	wide   []txn.NodeID
	sent   []string // "to whom: what"
	last   txn.Message
}

func (w *toy) Now() txn.Now                                     { return txn.Now{Mono: w.now} }
func (w *toy) Wide(n txn.NodeID) bool                           { return slices.Contains(w.wide, n) }
func (w *toy) Leader(s txn.ShardID, _ int) (txn.NodeID, uint64) { return w.leader[s], w.term }

func (w *toy) Send(to txn.Address, m txn.Message) {
	whom := fmt.Sprintf("%d", to.Node)
	if to.For == txn.ForParticipant {
		whom += fmt.Sprintf("/%d", to.Shard)
	}
	w.sent, w.last = append(w.sent, whom+": "+what(m)), m
}

// what says what a message says, as far as these tests look.
func what(m txn.Message) string {
	switch {
	case m.PreCommit != nil:
		return fmt.Sprintf("pre-commit at %d", m.PreCommit.At)
	case m.Decide != nil && m.Decide.Commit:
		return fmt.Sprintf("commit at %d", m.Decide.At)
	case m.Decide != nil:
		return "abort"
	case m.Ack != nil:
		return fmt.Sprintf("ack of %d by %d", m.Ack.Shard, m.Ack.Replica)
	case m.Decision != nil:
		return fmt.Sprintf("decision, commit: %v", m.Decision.Commit)
	}
	return "?"
}

// took is what was sent since it was asked last.
func (w *toy) took() []string {
	out := w.sent
	w.sent = nil
	return out
}
