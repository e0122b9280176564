package raftgroup

import (
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// Information about a group on a disk, without opening the group.

// Kept reports whether a node's disk has an initialized member of the group, which took part and
// may still do so. Data that cannot be decoded is reported when the member is opened.
func Kept(r store.Reader, id txn.ShardID) bool {
	m, ok, err := loadMeta(r, id)
	return ok && (err != nil || len(m.Voters) > 0)
}

// State returns the prefix of the state of a group on a disk; false if
// there is none, or its metadata cannot be decoded.
func State(r store.Reader, id txn.ShardID) (prefix []byte, ok bool) {
	m, ok, err := loadMeta(r, id)
	if !ok || err != nil {
		return nil, false
	}
	return genPrefix(id, m.Gen), true
}

// Logged passes the contents of the entries of a log on a disk to enough, the newest first, until it
// returns true. Entries that cannot be decoded or have no commands are omitted.
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
