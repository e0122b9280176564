package shard

import (
	"testing"

	"isochron/txn"
)

// A transaction with a read timestamp is refused because of newer rows in the engine or in a
// revealed vote, and if deletions after its timestamp may have been collected; older rows do not
// matter.
func TestRowsWrittenSinceAReadTimestamp(t *testing.T) {
	_, rows, locks, known := lead1(t, "d2pc+2pl")
	w := written{rows, locks, known}
	rows.state.applied.Keep = 5
	vote := func(seq uint64, key txn.Key, decided *decidingVote) {
		a := txn.Attempt{Node: 1, Seq: seq}
		v := &voteCmd{Attempt: a, Writes: []txn.Write{{Key: key}}}
		known.voting[a] = &votingVote{cmd: v}
		if decided != nil {
			known.deciding[a] = decided
		}
	}
	vote(1, "revealed", &decidingVote{commit: true, at: 40})
	vote(2, "before", &decidingVote{commit: true, at: 15})
	vote(3, "aborted", &decidingVote{})
	vote(4, "locked", nil)
	span := func(from, to txn.Key) []txn.Span { return []txn.Span{{Start: from, End: to}} }
	for _, c := range []struct {
		since txn.Timestamp
		keys  []txn.Key
		spans []txn.Span
		want  txn.AbortReason
	}{
		{0, []txn.Key{"new"}, nil, 0},
		{4, nil, nil, txn.ReasonReadTSTooOld},
		{20, []txn.Key{"old", "before", "aborted", "locked", "none"}, span("o", "p"), 0},
		{20, []txn.Key{"new"}, nil, txn.ReasonWriteConflict},
		{20, nil, span("n", "o"), txn.ReasonWriteConflict},
		{20, []txn.Key{"revealed"}, nil, txn.ReasonWriteConflict},
		{20, nil, span("r", "s"), txn.ReasonWriteConflict},
	} {
		if no := w.since(txn.ID{Node: 1, Seq: 9}, c.since, c.keys, c.spans); no.Reason != c.want {
			t.Errorf("since %d, %v %v: %v", c.since, c.keys, c.spans, no)
		}
	}
}
