package temporary

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/txn"
)

// Bounds of a session.
const (
	bytesMax  = 64 << 20 // of its rows with their keys
	tablesMax = 1000
)

// Tables are the temporary tables of a session.
type Tables struct {
	mu      sync.Mutex
	named   map[string]*catalog.Descriptor
	rows    map[txn.Key][]byte
	keys    []txn.Key // of rows, sorted
	bytes   int64
	journal []change    // of the transaction
	marks   []savepoint // of it
	full    *txn.Error  // a write found no room
	base    *catalog.Snapshot
	over    *catalog.Snapshot // base with the tables
}

// change is a write, as the row was before; nil: there was none.
type change struct {
	key    txn.Key
	before []byte
}

func name(db, table string) string { return strings.ToLower(db) + "\x00" + strings.ToLower(table) }

// Any reports whether there is a temporary table.
func (t *Tables) Any() bool { return t != nil && len(t.named) > 0 }

// Find finds a temporary table.
func (t *Tables) Find(db, table string) (*catalog.Descriptor, bool) {
	if t == nil {
		return nil, false
	}
	d, ok := t.named[name(db, table)]
	return d, ok
}

// ids are those of all temporary tables of the gateway.
var ids atomic.Uint64

// Create makes a temporary table.
func (t *Tables) Create(def catalog.Definition) (*catalog.Descriptor, error) {
	if len(t.named) >= tablesMax {
		return nil, txn.Errorf(txn.KindInvalidRequest, "a session has at most %d temporary tables", tablesMax)
	}
	d, err := catalog.NewTemporary(def, ids.Add(1))
	if err != nil {
		return nil, err
	}
	t.put(d)
	return d, nil
}

func (t *Tables) put(d *catalog.Descriptor) {
	if t.named == nil {
		t.named = map[string]*catalog.Descriptor{}
	}
	t.named[name(d.Record.Database, d.Name())] = d
	t.over = nil
}

// Drop removes a temporary table with its rows; a rollback does not bring it back.
func (t *Tables) Drop(d *catalog.Descriptor) {
	delete(t.named, name(d.Record.Database, d.Name()))
	t.over = nil
	t.Clear(d)
}

// Clear removes the rows of a table; a rollback does not bring them back.
func (t *Tables) Clear(d *catalog.Descriptor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	span := spanOf(d)
	for _, key := range t.between(span) {
		t.set(key, nil)
	}
	t.journal = slices.DeleteFunc(t.journal, func(c change) bool { return span.Contains(c.key) })
	t.marks = nil
}

func spanOf(d *catalog.Descriptor) txn.Span {
	prefix := routing.TablePrefix(d.ID())
	return txn.Span{Start: txn.Key(prefix), End: txn.Key(routing.PrefixEnd(prefix))}
}

// Redefine gives a temporary table another definition, and its rows what that says.
func (t *Tables) Redefine(d *catalog.Descriptor, a *catalog.Alteration) (*catalog.Descriptor, error) {
	next, err := d.Redefined(a)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	var old []txn.Pair
	for _, key := range t.between(spanOf(d)) {
		old = append(old, txn.Pair{Key: key, Value: t.rows[key]})
	}
	t.mu.Unlock()
	pairs, err := d.Rewritten(next, old, a)
	if err != nil {
		return nil, err
	}
	t.Drop(d)
	t.mu.Lock()
	for _, p := range pairs {
		t.set(p.Key, p.Value)
	}
	t.mu.Unlock()
	t.put(next)
	return next, nil
}

// Overlay is a catalogue with the temporary tables in the place of tables of their names.
func (t *Tables) Overlay(base *catalog.Snapshot) *catalog.Snapshot {
	if !t.Any() || base == nil || base == t.over {
		return base
	}
	if t.over != nil && t.base == base {
		return t.over
	}
	t.base, t.over = base, base.With(slices.Collect(maps.Values(t.named)))
	return t.over
}

// between are the keys within a span, sorted.
func (t *Tables) between(s txn.Span) []txn.Key {
	from, _ := slices.BinarySearch(t.keys, s.Start)
	to, _ := slices.BinarySearch(t.keys, s.End)
	return slices.Clone(t.keys[from:max(from, to)])
}

// set writes a row; nil: it removes it.
func (t *Tables) set(key txn.Key, value []byte) {
	before, had := t.rows[key]
	at, _ := slices.BinarySearch(t.keys, key)
	switch {
	case value == nil && !had:
		return
	case value == nil:
		delete(t.rows, key)
		t.keys = slices.Delete(t.keys, at, at+1)
		t.bytes -= int64(len(key) + len(before))
		return
	case !had:
		t.keys = slices.Insert(t.keys, at, key)
		t.bytes += int64(len(key))
	}
	if t.rows == nil {
		t.rows = map[txn.Key][]byte{}
	}
	t.rows[key] = value
	t.bytes += int64(len(value) - len(before))
}

// write writes a row in the transaction.
func (t *Tables) write(key txn.Key, value []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if value != nil && t.bytes+int64(len(key)+len(value)) > bytesMax {
		t.full = txn.Errorf(txn.KindInvalidRequest, "the temporary tables of a session have at most %d bytes", int64(bytesMax))
		return
	}
	t.journal = append(t.journal, change{key, t.rows[key]})
	t.set(key, value)
}

// undo takes back the writes behind a place in the journal.
func (t *Tables) undo(to int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.journal) - 1; i >= to; i-- {
		t.set(t.journal[i].key, t.journal[i].before)
	}
	t.journal = t.journal[:min(to, len(t.journal))]
	t.full = nil
}

// Ended forgets how to take writes back: the transaction has ended.
func (t *Tables) Ended() { t.journal, t.marks, t.full = nil, nil, nil }

// scan reads the rows of a scan.
func (t *Tables) scan(s txn.Scan) (out []txn.Pair) {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := t.between(s.Span)
	if s.Reverse {
		slices.Reverse(keys)
	}
	if s.Limit > 0 && len(keys) > s.Limit {
		keys = keys[:s.Limit]
	}
	for _, key := range keys {
		out = append(out, txn.Pair{Key: key, Value: t.rows[key]})
	}
	return out
}

func (t *Tables) get(key txn.Key) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows[key]
}
