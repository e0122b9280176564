package shard

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"isochron/store"
	"isochron/txn"
)

// Replicas of a shard are compared by their states at one log entry. A verify command
// names the comparison; each replica that applies it keeps a snapshot of its state and
// passes it to a reader that computes checksums outside the loop. Replicas of an earlier version ignore
// the command.

// verifyCmd has each replica keep a snapshot of its state.
type verifyCmd struct {
	Check uint64 `cbor:"1,keyasint,omitempty"`
}

// Verify logs a comparison; false if this replica does not lead, or its log accepts no
// proposals now.
func (r *Replica) Verify(check uint64) bool {
	return r.lead != nil && r.Serving() && r.propose(command{Verify: &verifyCmd{check}})
}

// protect hands over the state at this entry. The changes of the batch are applied to
// the engine first.
func (m *machine) protect(b *store.Batch, checks []uint64) {
	if m.cfg.Verify == nil || m.cfg.ephemeral() {
		return
	}
	m.Finish(b)
	m.cfg.Engine.Apply(b)
	*b = store.Batch{}
	for _, check := range checks {
		m.cfg.Verify(&Held{Shard: m.cfg.ID, Check: check, Index: m.state.applied.Index, keep: m.state.applied.Keep,
			prefix: slices.Clone(m.state.prefix), snap: m.cfg.Engine.Snapshot()})
	}
}

// Held is the state of a replica at one log entry. It may be read in any goroutine,
// and must be closed.
type Held struct {
	Shard txn.ShardID
	Check uint64
	Index uint64 // of the entry

	keep   txn.Timestamp // versions needed only below it may be missing
	prefix []byte
	snap   store.Snapshot
}

// Close releases the snapshot.
func (h *Held) Close() { h.snap.Close() }

// Sum is the checksum of the keys of one range of a state: from From up to the start of the next range.
type Sum struct {
	From []byte `json:"from"`
	Keys uint64 `json:"keys"`
	Sum  uint64 `json:"sum"`
}

// Span is a part of a state to be compared. A range ends after a key whose hash ends with Bits
// zero bits: where replicas differ, their ranges soon coincide again. To empty: all from From on.
type Span struct {
	From []byte `json:"from,omitempty"`
	To   []byte `json:"to,omitempty"`
	Bits int    `json:"bits,omitempty"`
}

// Sums returns the checksums of the ranges of a span. pace is called with the number of bytes read, and may
// wait; its error ends the walk.
func (h *Held) Sums(span Span, pace func(bytes int) error) ([]Sum, error) {
	start := append(slices.Clone(h.prefix), span.From...)
	end := store.After(h.prefix)
	if len(span.To) > 0 {
		end = append(slices.Clone(h.prefix), span.To...)
	}
	it := h.snap.Iter(start, end)
	defer it.Close()
	var out []Sum
	last := store.Versions{Keep: h.keep}
	rows := rowsPrefix(nil)
	open, unpaced := false, 0
	for on := it.First(); on; on = it.Next() {
		key, value := it.Key()[len(h.prefix):], it.Value()
		if unpaced += len(key) + len(value); unpaced >= paceBytes {
			if err := pace(unpaced); err != nil {
				return nil, err
			}
			unpaced = 0
		}
		if bytes.HasPrefix(key, rows) && !last.Needed(key[len(rows):], value) {
			continue
		}
		if !open || len(key) > 0 && !bytes.HasPrefix(out[len(out)-1].From, key[:1]) { // or of another kind
			out, open = append(out, Sum{From: bytes.Clone(key)}), true
		}
		s := &out[len(out)-1]
		hash := xxhash.Sum64(key)
		s.Keys++
		s.Sum = mix(s.Sum, hash, xxhash.Sum64(value))
		open = hash&(1<<span.Bits-1) != 0
	}
	return out, pace(unpaced)
}

// paceBytes is the number of bytes read between two calls of pace.
const paceBytes = 256 << 10

// mix adds a key and its value to a checksum that depends on their order.
func mix(sum, key, value uint64) uint64 {
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], sum)
	binary.BigEndian.PutUint64(b[8:], key)
	binary.BigEndian.PutUint64(b[16:], value)
	return xxhash.Sum64(b[:])
}

// KeyText describes a key of a state for people: its kind and, of a row, the row's key.
func KeyText(key []byte) (kind string, row txn.Key) {
	if len(key) == 0 {
		return "all", ""
	}
	switch key[0] {
	case 'a':
		return "how far the log is applied", ""
	case 'p':
		return "undecided votes", ""
	case 'o':
		return "outcomes", ""
	case 'w':
		return "marks of coordinators", ""
	case 'v':
		return "rows", store.KeyOf(key[1:])
	}
	return "other keys", ""
}
