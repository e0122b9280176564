package shard

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"isochron/store"
	"isochron/txn"
)

// Replicas of a shard are compared by what they have made of the log up to one entry. A command
// names the comparison; each replica that applies it holds its state as it is then, whole, and
// hands it to the reader that sums it up, beside the loop. Replicas of a version before know no such
// command, and do nothing.

// verifyCmd has each replica hold its state.
type verifyCmd struct {
	Check uint64 `cbor:"1,keyasint,omitempty"`
}

// Verify has the log name a comparison; false if this replica does not lead, or its log takes no
// more now.
func (r *Replica) Verify(check uint64) bool {
	return r.lead != nil && r.Serving() && r.propose(command{Verify: &verifyCmd{check}})
}

// protect hands over the state that the log makes up to here. What the batch changes is applied to
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

// Held is the state of a replica as it was at one entry of the log. It may be read in any goroutine,
// and must be closed.
type Held struct {
	Shard txn.ShardID
	Check uint64
	Index uint64 // of the entry

	keep   txn.Timestamp // versions that are needed only below it may be gone
	prefix []byte
	snap   store.Snapshot
}

// Close lets go of the state.
func (h *Held) Close() { h.snap.Close() }

// Sum is that of the keys of one range of a state: from From on, up to where the next range begins.
type Sum struct {
	From []byte `json:"from"`
	Keys uint64 `json:"keys"`
	Sum  uint64 `json:"sum"`
}

// Span is a part of a state that is compared. A range ends behind a key whose hash ends with so many
// zero bits: where replicas differ they have the same ranges again soon. To is empty: all from From on.
type Span struct {
	From []byte `json:"from,omitempty"`
	To   []byte `json:"to,omitempty"`
	Bits int    `json:"bits,omitempty"`
}

// Sums are those of the ranges of a span. pace is called with how many bytes were read, and may wait;
// its error ends the walk.
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

// paceBytes are read at once.
const paceBytes = 256 << 10

// mix adds a key and its value to a sum, in which their order counts.
func mix(sum, key, value uint64) uint64 {
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], sum)
	binary.BigEndian.PutUint64(b[8:], key)
	binary.BigEndian.PutUint64(b[16:], value)
	return xxhash.Sum64(b[:])
}

// KeyText is a key of a state for people: what it is of, and a row's as its layer above writes it.
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
