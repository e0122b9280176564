package raftgroup

import (
	"bytes"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
	"isochron/txn"
)

// snapshotSender is the snapshot of its state that a member holds for others to fetch, if any,
// until no member has fetched from it for long.
//
// Invariant: the log is not cut past a held snapshot, so a member that has fetched it continues
// from there.
type snapshotSender struct {
	lasts time.Duration // validity after the last fetch
	held  *outgoingSnapshot
}

// outgoingSnapshot is a held snapshot.
type outgoingSnapshot struct {
	index   uint64
	prefix  []byte
	members *pb.ConfState
	snap    store.Snapshot
	expires time.Duration
}

const (
	snapChunkBytes = 1 << 20 // bound of one chunk
	snapshotLasts  = 20      // election timeouts after the last fetch
)

// keep extends the validity of the held snapshot.
func (o *snapshotSender) keep(now time.Duration) { o.held.expires = now + o.lasts }

// drop releases the snapshot, if one is held.
func (o *snapshotSender) drop() {
	if o.held != nil {
		o.held.snap.Close()
		o.held = nil
	}
}

// expired reports whether the held snapshot has not been fetched from for too long.
func (o *snapshotSender) expired(now time.Duration) bool {
	return o.held != nil && now >= o.held.expires
}

// nextWake returns the time of its expiry.
func (o *snapshotSender) nextWake() time.Duration {
	if o.held == nil {
		return txn.Never
	}
	return o.held.expires
}

// cut limits the index up to which the log may be cut.
func (o *snapshotSender) cut(upTo uint64) uint64 {
	if o.held != nil {
		upTo = min(upTo, o.held.index)
	}
	return upTo
}

// answer returns the requested chunk, without its shard; Gone if that snapshot is not held.
func (o *snapshotSender) answer(now time.Duration, m *txn.SnapFetch) *txn.SnapChunk {
	out := &txn.SnapChunk{Index: m.Index, From: m.From}
	if o.held == nil || o.held.index != m.Index {
		out.Gone = true
		return out
	}
	o.keep(now)
	o.held.piece(out)
	return out
}

// piece fills in the keys from the start of the chunk on.
func (s *outgoingSnapshot) piece(out *txn.SnapChunk) {
	start := append(append([]byte(nil), s.prefix...), out.From...)
	it := s.snap.Iter(start, store.After(s.prefix))
	defer it.Close()
	size := 0
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()[len(s.prefix):]
		if size > snapChunkBytes {
			out.Next = bytes.Clone(key)
			break
		}
		out.Keys = append(out.Keys, bytes.Clone(key))
		out.Values = append(out.Values, bytes.Clone(it.Value()))
		size += len(key) + len(it.Value())
	}
}
