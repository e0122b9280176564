package shard

import (
	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// An ephemeral replica ends with its process (see group.Config): it does not write
// what only a restart would read, which is votes, outcomes and marks beside what its
// group leaves out: all of them are in memory anyway. The laboratory runs on such
// replicas where nothing crashes.

// Process is what all ephemeral replicas of one process share.
type Process struct {
	cache *raftgroup.EntryCache[command]
}

// NewProcess is for the replicas of one goroutine.
func NewProcess() *Process { return &Process{raftgroup.NewMemo(decodeEntry)} }

// save writes what an ephemeral state has kept in memory only, for a snapshot.
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
	for inc, below := range s.retired { // order: each has a key of its own
		b.Set(attemptKey(s.prefix, 'w', markOf(inc)), txn.Encode(storedRetired{inc.Node, inc.Epoch, below}))
	}
	b.Set(s.key('a'), txn.Encode(s.applied))
}

// markOf stands for an incarnation in the keys of marks.
func markOf(inc txn.Incarnation) txn.Attempt { return txn.Attempt{Node: inc.Node, Epoch: inc.Epoch} }
