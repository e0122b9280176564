package raftgroup

import (
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// What can be known of a group by looking at a disk, without opening it.

// Kept reports whether a node's disk has a member of the group that is not blank:
// it took part, and may do so still. What cannot be read is found out when it
// is opened.
func Kept(r store.Reader, id txn.ShardID) bool {
	m, ok, err := loadMeta(r, id)
	return ok && (err != nil || len(m.Voters) > 0)
}

// State is the prefix under which the state of a group stands on a disk; false if
// there is none, or none that can be read.
func State(r store.Reader, id txn.ShardID) (prefix []byte, ok bool) {
	m, ok, err := loadMeta(r, id)
	if !ok || err != nil {
		return nil, false
	}
	return genPrefix(id, m.Gen), true
}

// Logged hands over what the entries of a log on a disk say, the newest first, until
// it has enough. What cannot be read, and what says nothing to the machine, is left out.
func Logged(r store.Reader, id txn.ShardID, enough func(data []byte) bool) {
	m, ok, err := loadMeta(r, id)
	if !ok || err != nil {
		return
	}
	it := r.Iter(entryKey(id, m.First+1), store.After(groupKey(id, 'l')))
	defer it.Close()
	for ok := it.Last(); ok; ok = it.Prev() {
		var e pb.Entry
		if proto.Unmarshal(it.Value(), &e) != nil || e.GetType() != pb.EntryNormal {
			continue
		}
		if enough(e.GetData()) {
			return
		}
	}
}
