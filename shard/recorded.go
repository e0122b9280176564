package shard

import (
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// Recorded reports whether a disk with this content bears witness to a Yes of
// the attempt: by its log entry, or by what came of it. It is for checkers; a
// content that cannot be read bears witness to nothing.
func Recorded(r store.Reader, id txn.ShardID, a txn.Attempt) bool {
	var m meta
	raw, ok := r.Get(shardKey(id, 'm'))
	if !ok || txn.Decode(raw, &m) != nil {
		return false
	}
	prefix := genPrefix(id, m.Gen)
	if _, ok := r.Get(attemptKey(prefix, 'p', a)); ok {
		return true
	}
	var o storedOutcome
	if raw, ok := r.Get(attemptKey(prefix, 'o', a)); ok {
		// A fence bears witness to the contrary.
		return txn.Decode(raw, &o) == nil && o.Outcome.Result != txn.OutcomeNo
	}
	var w storedRetired
	mark := txn.Attempt{Node: a.Node, Epoch: a.Epoch}
	if raw, ok := r.Get(attemptKey(prefix, 'w', mark)); ok && txn.Decode(raw, &w) == nil && a.Seq < w.Below {
		return true // finished everywhere, and forgotten
	}
	return inLog(r, id, m, a)
}

// inLog looks for the vote among the entries, newest first.
func inLog(r store.Reader, id txn.ShardID, m meta, a txn.Attempt) bool {
	it := r.Iter(entryKey(id, m.First+1), next(shardKey(id, 'l')))
	defer it.Close()
	for ok := it.Last(); ok; ok = it.Prev() {
		var e pb.Entry
		if proto.Unmarshal(it.Value(), &e) != nil || e.GetType() != pb.EntryNormal {
			continue
		}
		commands, _ := decodeEntry(e.GetData()) // the entry that opens a term has none
		if slices.ContainsFunc(commands, func(c command) bool { return c.Vote != nil && c.Vote.Attempt == a }) {
			return true
		}
	}
	return false
}
