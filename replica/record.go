package replica

import (
	"encoding/binary"
	"fmt"

	"isochron/store"
	"isochron/txn"
)

// The engine keys of a replica:
//
//	'i' shard 'm'       meta: view, last active view, highest timestamp
//	'i' shard 'p' a     an entry: an undecided attempt
//	'i' shard 'o' a     a decided entry
//	'i' shard 'w' n     a coordinator incarnation's retired mark
//	'i' shard 'v' ...   rows, see store
func shardKey(id txn.ShardID, kind byte) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{'i'}, uint64(id)), kind)
}

func attemptKey(id txn.ShardID, kind byte, a txn.Attempt) []byte {
	k := binary.BigEndian.AppendUint32(shardKey(id, kind), uint32(a.Node))
	k = binary.BigEndian.AppendUint32(k, a.Epoch)
	return binary.BigEndian.AppendUint64(k, a.Seq)
}

const formatVersion = 1

type meta struct {
	Version int           `cbor:"1,keyasint"`
	View    uint64        `cbor:"2,keyasint,omitempty"`
	Normal  uint64        `cbor:"3,keyasint,omitempty"`
	MaxTS   txn.Timestamp `cbor:"4,keyasint,omitempty"` // highest timestamp committed here
}

type retiredMark struct {
	Node  txn.NodeID `cbor:"1,keyasint"`
	Epoch uint32     `cbor:"2,keyasint"`
	Below uint64     `cbor:"3,keyasint"`
}

// record is the persistent state of a replica, besides the rows.
type record struct {
	id    txn.ShardID
	rows  []byte // prefix of the rows
	cache store.RowCache
	// unwritten: the disk is not opened again, so state that only a restart would read
	// stays in memory.
	unwritten      bool
	meta           meta
	entries        *txn.ByAttempt[txn.Entry]
	decidedEntries *txn.ByAttempt[txn.DecidedEntry]
	retired        map[txn.Incarnation]uint64
	sum            uint64 // over the decided entries, see txn.AntiEntropyRequest
}

// openRecord reads the record from a disk; fresh: it has nothing of this shard. rows is the
// pool of its cache, or nil.
func openRecord(id txn.ShardID, r store.Reader, rows *store.Pool) (rec *record, fresh bool, err error) {
	rec = &record{id: id, rows: shardKey(id, 'v'), cache: store.NewRowCache(shardKey(id, 'v'), store.RowCacheMemoryBytes, rows), meta: meta{Version: formatVersion},
		entries: txn.NewByAttempt[txn.Entry](), decidedEntries: txn.NewByAttempt[txn.DecidedEntry](), retired: map[txn.Incarnation]uint64{}}
	raw, ok := r.Get(shardKey(id, 'm'))
	if !ok {
		return rec, true, nil
	}
	if err := txn.Decode(raw, &rec.meta); err != nil {
		return nil, false, damaged(id, "the record of its view", err)
	}
	if rec.meta.Version != formatVersion {
		return nil, false, fmt.Errorf("shard %d: its data is of format %d; this program reads format %d", id, rec.meta.Version, formatVersion)
	}
	if rec.meta.Normal > rec.meta.View {
		return nil, false, damaged(id, "the record of its view", fmt.Errorf("active in view %d, but the highest known view is %d", rec.meta.Normal, rec.meta.View))
	}
	for _, part := range []struct {
		kind byte
		what string
		take func(v []byte) error
	}{
		{'p', "the record of an undecided attempt", rec.takeEntry},
		{'o', "the record of a decided attempt", rec.takeEnding},
		{'w', "the record of retired attempts", rec.takeRetired},
	} {
		if err := each(r, shardKey(id, part.kind), part.take); err != nil {
			return nil, false, damaged(id, part.what, err)
		}
	}
	return rec, false, nil
}

// damaged returns the error for a record that this program cannot have written.
func damaged(id txn.ShardID, what string, err error) error {
	return fmt.Errorf("shard %d: %s is damaged on this node's disk: %w; the node must not be started with it", id, what, err)
}

func (rec *record) takeEntry(v []byte) error {
	var e txn.Entry
	if err := txn.Decode(v, &e); err != nil {
		return err
	}
	rec.entries.Set(e.Prepare.Attempt, e)
	return nil
}

func (rec *record) takeEnding(v []byte) error {
	var e txn.DecidedEntry
	if err := txn.Decode(v, &e); err != nil {
		return err
	}
	if e.Result == txn.OutcomeCommitted && e.Prepare == nil {
		return fmt.Errorf("%v is committed, but its writes are missing", e.Attempt)
	}
	if _, twice := rec.decidedEntries.Get(e.Attempt); twice {
		return fmt.Errorf("%v has two decisions", e.Attempt)
	}
	rec.remember(e)
	return nil
}

func (rec *record) takeRetired(v []byte) error {
	var w retiredMark
	if err := txn.Decode(v, &w); err != nil {
		return err
	}
	rec.retired[txn.Incarnation{Node: w.Node, Epoch: w.Epoch}] = w.Below
	return nil
}

func each(r store.Reader, prefix []byte, take func(v []byte) error) error {
	end := append([]byte(nil), prefix...)
	end[len(end)-1]++
	it := r.Iter(prefix, end)
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		if err := take(it.Value()); err != nil {
			return err
		}
	}
	return nil
}

// put writes state that a restart reads.
func (rec *record) put(b *store.Batch, key []byte, value any) {
	if !rec.unwritten {
		b.Set(key, txn.Encode(value))
	}
}

func (rec *record) drop(b *store.Batch, key []byte) {
	if !rec.unwritten {
		b.Delete(key)
	}
}

func (rec *record) putMeta(b *store.Batch) { rec.put(b, shardKey(rec.id, 'm'), rec.meta) }

func (rec *record) putEntry(b *store.Batch, e txn.Entry) {
	a := e.Prepare.Attempt
	rec.entries.Set(a, e)
	rec.put(b, attemptKey(rec.id, 'p', a), e)
}

func (rec *record) dropEntry(b *store.Batch, a txn.Attempt) {
	rec.entries.Delete(a)
	rec.drop(b, attemptKey(rec.id, 'p', a))
}

// putEnding stores the outcome of an attempt, and its rows if it committed.
func (rec *record) putEnding(b *store.Batch, e txn.DecidedEntry) {
	rec.remember(e)
	rec.put(b, attemptKey(rec.id, 'o', e.Attempt), e)
	if e.Result != txn.OutcomeCommitted {
		return
	}
	rec.meta.MaxTS = max(rec.meta.MaxTS, e.At)
	rec.putMeta(b)
	for _, w := range e.Prepare.Writes {
		rec.cache.Put(b, w, e.At, e.Attempt)
	}
}

func (rec *record) remember(e txn.DecidedEntry) {
	rec.decidedEntries.Set(e.Attempt, e)
	rec.sum ^= hashOf(e.Attempt)
}

// undecided returns the entries, or only the final ones.
func (rec *record) undecided(final bool) []txn.Entry {
	var out []txn.Entry
	rec.entries.All(func(_ txn.Attempt, e txn.Entry) bool {
		if e.Final || !final {
			out = append(out, e)
		}
		return true
	})
	return out
}

// decided returns the decided entries.
func (rec *record) decided() []txn.DecidedEntry {
	var out []txn.DecidedEntry
	rec.decidedEntries.All(func(_ txn.Attempt, e txn.DecidedEntry) bool {
		out = append(out, e)
		return true
	})
	return out
}

// hashOf hashes an attempt to 64 bits.
func hashOf(a txn.Attempt) uint64 {
	h := uint64(a.Node)<<40 ^ uint64(a.Epoch)<<20 ^ a.Seq
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// isRetired reports whether the attempt has ended at every replica.
func (rec *record) isRetired(a txn.Attempt) bool { return a.Seq < rec.retired[a.Incarnation()] }

// retire drops the decided entries of a coordinator's ended attempts.
func (rec *record) retire(b *store.Batch, inc txn.Incarnation, below uint64) {
	old := rec.retired[inc]
	if below <= old {
		return
	}
	rec.retired[inc] = below
	lo := txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: old}
	hi := txn.Attempt{Node: inc.Node, Epoch: inc.Epoch, Seq: below}
	rec.put(b, attemptKey(rec.id, 'w', txn.Attempt{Node: inc.Node, Epoch: inc.Epoch}), retiredMark{inc.Node, inc.Epoch, below})
	for _, a := range rec.decidedEntries.DropBelow(lo, hi) {
		rec.sum ^= hashOf(a)
		rec.drop(b, attemptKey(rec.id, 'o', a))
	}
}

// Recorded reports whether a disk with this content proves a Yes of
// the attempt. It is for checkers.
func Recorded(r store.Reader, id txn.ShardID, a txn.Attempt) bool {
	rec, fresh, err := openRecord(id, r, nil)
	if err != nil || fresh {
		return false
	}
	if e, ok := rec.entries.Get(a); ok {
		return e.Result == txn.ValidationOK || e.Final && e.Yes
	}
	_, over := rec.decidedEntries.Get(a) // a decided attempt may have been aborted after its Yes
	return over || rec.isRetired(a)
}
