package store

import "fmt"

// Failure is the panic of an engine that cannot continue.
type Failure struct {
	Doing string // the action that failed, for the text
	Err   error
}

func (f *Failure) Error() string { return fmt.Sprintf("storage failed while %s: %v", f.Doing, f.Err) }
func (f *Failure) Unwrap() error { return f.Err }

// Reader reads a consistent state.
type Reader interface {
	// Get returns a copy of the value, or ok == false.
	Get(key []byte) (value []byte, ok bool)
	// Iter walks [start, end); end nil means no upper bound. It starts invalid.
	Iter(start, end []byte) Iterator
}

// Iterator moves over keys in order. Each move reports whether it is on a key.
type Iterator interface {
	First() bool
	Last() bool
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	Key() []byte
	Value() []byte
	Close()
}

// Snapshot is an immutable state.
type Snapshot interface {
	Reader
	Close()
}

// Engine is one node's storage, shared by all its replicas.
type Engine interface {
	Reader
	// Apply makes the batch visible, atomically. It is durable after the end of a sync that
	// begins later; a crash keeps a prefix of the applied batches.
	Apply(b *Batch)
	// Snapshot keeps the present state until it is closed.
	Snapshot() Snapshot
}

// OpKind is the kind of an Op.
type OpKind uint8

// The kinds of Op.
const (
	OpSet OpKind = iota
	OpDelete
	OpDeleteRange // [Key, Value)
)

// Op is one change of a batch.
type Op struct {
	Kind  OpKind
	Key   []byte
	Value []byte
}

// Batch is a list of changes applied together, in order.
type Batch struct{ Ops []Op }

// Set writes a key.
func (b *Batch) Set(key, value []byte) { b.Ops = append(b.Ops, Op{OpSet, key, value}) }

// Delete removes a key.
func (b *Batch) Delete(key []byte) { b.Ops = append(b.Ops, Op{Kind: OpDelete, Key: key}) }

// DeleteRange removes the keys in [start, end).
func (b *Batch) DeleteRange(start, end []byte) {
	b.Ops = append(b.Ops, Op{OpDeleteRange, start, end})
}

// Empty reports whether the batch changes nothing.
func (b *Batch) Empty() bool { return len(b.Ops) == 0 }

// After returns the smallest key above every key with the prefix; nil if there is none.
func After(prefix []byte) []byte {
	e := append([]byte(nil), prefix...)
	for i := len(e) - 1; i >= 0; i-- {
		if e[i]++; e[i] != 0 {
			return e[:i+1]
		}
	}
	return nil
}
