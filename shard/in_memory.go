package shard

import (
	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// An ephemeral replica ends with its process (see raftgroup.Config). It does not write state that only
// a restart would read: votes, outcomes and retired marks, besides what its group omits; all of it
// is in memory. Simulations without crashes use such replicas.

// Process is the state shared by all ephemeral replicas of one process.
type Process struct {
	cache *raftgroup.EntryCache[command]
}

// NewProcess returns a Process for the replicas of one goroutine.
func NewProcess() *Process { return &Process{raftgroup.NewEntryCache(decodeEntry)} }

// save writes the state that an ephemeral replica keeps only in memory, for a snapshot.
func (s *state) save(b *store.Batch) {
	for _, kind := range []byte{'p', 'o', 'w'} {
		b.DeleteRange(s.key(kind), store.After(s.key(kind)))
	}
	for _, p := range s.byIndex() {
		b.Set(attemptKey(s.prefix, 'p', p.Attempt), txn.Encode(storedVote{p.voteCmd, p.index, p.chainIndex}))
	}
	s.outcomes.All(func(a txn.Attempt, o outcome) bool {
		b.Set(attemptKey(s.prefix, 'o', a), txn.Encode(storedOutcome{a, o}))
		return true
	})
	for inc, below := range s.retired { // order: distinct keys
		b.Set(attemptKey(s.prefix, 'w', markOf(inc)), txn.Encode(storedRetired{inc.Node, inc.Epoch, below}))
	}
	b.Set(s.key('a'), txn.Encode(s.applied))
}

// markOf returns the attempt that represents an incarnation in the keys of marks.
func markOf(inc txn.Incarnation) txn.Attempt { return txn.Attempt{Node: inc.Node, Epoch: inc.Epoch} }
