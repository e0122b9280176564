package shard

import (
	"slices"

	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// Recorded reports whether a disk with this content proves a Yes of the attempt: by its log
// entry, its vote or its outcome. It is for checkers; content that cannot be decoded proves
// nothing.
func Recorded(r store.Reader, id txn.ShardID, a txn.Attempt) bool {
	prefix, ok := raftgroup.State(r, id)
	if !ok {
		return false
	}
	if _, ok := r.Get(attemptKey(prefix, 'p', a)); ok {
		return true
	}
	var o storedOutcome
	if raw, ok := r.Get(attemptKey(prefix, 'o', a)); ok {
		// A fence proves the contrary.
		return txn.Decode(raw, &o) == nil && o.Outcome.Result != txn.OutcomeNo
	}
	var w storedRetired
	mark := txn.Attempt{Node: a.Node, Epoch: a.Epoch}
	if raw, ok := r.Get(attemptKey(prefix, 'w', mark)); ok && txn.Decode(raw, &w) == nil && a.Seq < w.Below {
		return true // ended everywhere, and dropped
	}
	return inLog(r, id, a)
}

// inLog searches the entries for the vote.
func inLog(r store.Reader, id txn.ShardID, a txn.Attempt) (found bool) {
	raftgroup.Logged(r, id, func(data []byte) bool {
		commands, _ := decodeEntry(data) // the entry that opens a term has no commands
		found = slices.ContainsFunc(commands, func(c command) bool { return c.Vote != nil && c.Vote.Attempt == a })
		return found
	})
	return found
}
