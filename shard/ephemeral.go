package shard

import (
	"isochron/store"
	"isochron/txn"
)

// An ephemeral replica ends with its process: nobody opens its engine again, and
// those it speaks to are in the same process and treat a message as theirs alone
// to read. So it does not write what only a restart would read (the log, raft's
// hard state, votes, outcomes and marks: all of them are in memory anyway), and
// it passes raft's messages as they are. What it answers, when it waits for a
// sync and whom it sends what are the same. The laboratory runs on such replicas
// where nothing crashes.

// Process is what all ephemeral replicas of one process share.
type Process struct{ memo *memo }

// NewProcess is for the replicas of one goroutine.
func NewProcess() *Process { return &Process{newMemo()} }

// save writes what an ephemeral state has kept in memory only, for a snapshot.
func (s *state) save(b *store.Batch) {
	for _, kind := range []byte{'p', 'o', 'w'} {
		b.DeleteRange(s.key(kind), next(s.key(kind)))
	}
	for _, p := range s.byIndex() {
		b.Set(attemptKey(s.prefix, 'p', p.Attempt), txn.Encode(storedVote{p.voteCmd, p.index, p.place}))
	}
	s.outcomes.All(func(a txn.Attempt, o outcome) bool {
		b.Set(attemptKey(s.prefix, 'o', a), txn.Encode(storedOutcome{a, o}))
		return true
	})
	for inc, below := range s.retired { // order: each has a key of its own
		b.Set(attemptKey(s.prefix, 'w', markOf(inc)), txn.Encode(storedRetired{inc.Node, inc.Epoch, below}))
	}
	b.Set(s.key('a'), txn.Encode(s.applied))
}

// markOf stands for an incarnation in the keys of marks.
func markOf(inc txn.Incarnation) txn.Attempt { return txn.Attempt{Node: inc.Node, Epoch: inc.Epoch} }
