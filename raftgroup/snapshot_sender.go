package raftgroup

import (
	"bytes"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/store"
	"isochron/txn"
)

// snapshotSender is the snapshot of its state that a member holds for others to fetch, if it holds
// one, until nobody has fetched of it for long.
//
// Invariant: the log is not cut past a snapshot that is held, so whoever has fetched it goes
// on from there.
type snapshotSender struct {
	lasts time.Duration // since somebody fetched of it
	held  *outgoingSnapshot
}

// outgoingSnapshot is one that others fetch.
type outgoingSnapshot struct {
	index   uint64
	prefix  []byte
	members *pb.ConfState
	snap    store.Snapshot
	expires time.Duration
}

const (
	snapChunkBytes = 1 << 20 // bound of one piece
	snapshotLasts  = 20      // election time-outs since somebody fetched of it
)

// keep has it held for as long again.
func (o *snapshotSender) keep(now time.Duration) { o.held.expires = now + o.lasts }

// drop lets go of it, if it is held.
func (o *snapshotSender) drop() {
	if o.held != nil {
		o.held.snap.Close()
		o.held = nil
	}
}

// expired reports whether nobody has fetched of it for too long.
func (o *snapshotSender) expired(now time.Duration) bool {
	return o.held != nil && now >= o.held.expires
}

// nextWake is when it will be.
func (o *snapshotSender) nextWake() time.Duration {
	if o.held == nil {
		return txn.Never
	}
	return o.held.expires
}

// cut bounds up to where the log may be cut.
func (o *snapshotSender) cut(upTo uint64) uint64 {
	if o.held != nil {
		upTo = min(upTo, o.held.index)
	}
	return upTo
}

// answer is the piece that is asked for, without its shard; Gone if that snapshot is not held.
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

// piece fills in what stands from where the piece begins.
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
