package catalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"isochron/routing"
	"isochron/txn"
)

// Store is a gateway's view of the catalogue and the only writer of it.
type Store struct {
	db txn.DB

	held atomic.Pointer[held] // each statement asks for it

	mu        sync.Mutex
	lastRowID int64

	clearing atomic.Bool // remains are deleted again

	// Sequences hands out AUTO_INCREMENT values.
	Sequences *Sequences
}

// held is a gateway's copy of the catalogue.
type held struct {
	snapshot *Snapshot
	glanced  txn.Version // what the nearest replica showed when the snapshot was made
	// directory is the one by which its foreign tables were bound to their sources.
	directory *routing.Directory
}

// NewRowID makes the hidden id of a row of a table without primary key: rows of
// one gateway stand in the order in which they came, and no two are alike.
func (s *Store) NewRowID() []byte {
	s.mu.Lock()
	s.lastRowID = max(s.lastRowID+1, time.Now().UnixNano())
	id := binary.BigEndian.AppendUint64(nil, uint64(s.lastRowID))
	s.mu.Unlock()
	return binary.BigEndian.AppendUint64(id, rand.Uint64())
}

// Snapshot is the catalogue at one read timestamp. It never changes.
type Snapshot struct {
	Databases  map[string]*DatabaseRecord // by folded name
	Tables     map[txn.Key]*Descriptor
	Views      map[txn.Key]*View
	Foreign    map[txn.Key]*ForeignTable    // nil: there are none
	Procedures map[txn.Key]*StoredProcedure // nil: there are none
	Accounts   []byte                       // users and grants in the engine's form; nil: none were ever made
	left       []string                     // prefixes of keys that nothing uses (leave.go)
}

// Table finds a table by names of any case.
func (s *Snapshot) Table(db, name string) (*Descriptor, bool) {
	d, ok := s.Tables[tableKey(db, name)]
	return d, ok
}

// Database finds a database.
func (s *Snapshot) Database(name string) (*DatabaseRecord, bool) {
	d, ok := s.Databases[fold(name)]
	return d, ok
}

// View finds a view.
func (s *Snapshot) View(db, name string) (*View, bool) {
	v, ok := s.Views[viewKey(db, name)]
	return v, ok
}

// Sorted are the tables in the order of their names, but those of a session.
func (s *Snapshot) Sorted() []*Descriptor {
	out := make([]*Descriptor, 0, len(s.Tables))
	for _, key := range slices.Sorted(maps.Keys(s.Tables)) {
		if d := s.Tables[key]; !d.Temporary() {
			out = append(out, d)
		}
	}
	return out
}

// NewStore makes the catalogue of a gateway. It reads nothing yet.
func NewStore(db txn.DB) *Store {
	return &Store{db: db, Sequences: newSequences(db)}
}

// DB is the gateway.
func (s *Store) DB() txn.DB { return s.db }

// Current is the catalogue as this gateway should see it now: the held snapshot
// if a glance at the nearest replica shows nothing new.
func (s *Store) Current(ctx context.Context) (*Snapshot, error) {
	if s.Fresh() {
		return s.Held(), nil
	}
	return s.Reload(ctx)
}

// Fresh reports whether Current would return the held catalogue.
func (s *Store) Fresh() bool {
	_, seen, ok := s.db.ReadLocal(versionKey)
	h := s.held.Load()
	if h == nil || ok && seen != h.glanced {
		return false
	}
	if len(h.snapshot.Foreign) > 0 && h.directory != s.db.Directory() {
		s.rebind(h)
	}
	return true
}

// forgetGlance makes the next caller read the catalogue again.
func (s *Store) forgetGlance() {
	if h := s.held.Load(); h != nil {
		s.held.Store(&held{h.snapshot, txn.Version{Seq: 1}, h.directory})
	}
}

// Held returns the present snapshot, nil if none was read yet.
func (s *Store) Held() *Snapshot {
	if h := s.held.Load(); h != nil {
		return h.snapshot
	}
	return nil
}

// Reload reads the catalogue from its leader.
func (s *Store) Reload(ctx context.Context) (*Snapshot, error) {
	_, glance, _ := s.db.ReadLocal(versionKey)
	directory := s.db.Directory()
	var next *Snapshot
	err := Retry(ctx, s.db, txn.Options{ReadOnly: true, SystemTxn: true}, func(tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{
			Gets:     []txn.Key{accountsKey, RestoreKey},
			Scans:    []txn.Scan{{Span: prefixSpan("db/")}, {Span: prefixSpan("table/")}, {Span: prefixSpan("view/")}, {Span: prefixSpan("foreign/")}, {Span: ProcedureSpan()}, {Span: leftSpan()}},
			OnlyRead: true,
		})
		if err != nil {
			return err
		}
		if res.Values[1] != nil {
			return ErrRestoring
		}
		if next, err = s.build(res.Pairs); err == nil {
			next.Accounts, err = decodeAccounts(res.Values[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.held.Store(&held{next, glance, directory})
	return next, nil
}

func (s *Store) build(pairs [][]txn.Pair) (*Snapshot, error) {
	old := s.Held()
	next := &Snapshot{Databases: map[string]*DatabaseRecord{}, Tables: map[txn.Key]*Descriptor{}, Views: map[txn.Key]*View{}}
	for _, p := range pairs[0] {
		rec := new(DatabaseRecord)
		if err := txn.Decode(p.Value, rec); err != nil {
			return nil, fmt.Errorf("the catalogue: %w", err)
		}
		next.Databases[fold(rec.Name)] = rec
	}
	for _, p := range pairs[1] {
		if old != nil {
			if d := old.Tables[p.Key]; d != nil && bytes.Equal(d.raw, p.Value) {
				next.Tables[p.Key] = d
				continue
			}
		}
		d, err := decodeTable(p.Value)
		if err != nil {
			return nil, err
		}
		next.Tables[p.Key] = d
	}
	for _, p := range pairs[2] {
		v := new(View)
		if err := txn.Decode(p.Value, v); err != nil {
			return nil, fmt.Errorf("the catalogue: %w", err)
		}
		next.Views[p.Key] = v
	}
	if len(pairs[3]) > 0 {
		next.Foreign = make(map[txn.Key]*ForeignTable, len(pairs[3]))
	}
	for _, p := range pairs[3] {
		if old != nil && old.Foreign[p.Key] != nil && bytes.Equal(old.Foreign[p.Key].raw, p.Value) {
			next.Foreign[p.Key] = old.Foreign[p.Key]
			continue
		}
		t, err := decodeForeign(p.Value)
		if err != nil {
			return nil, err
		}
		next.Foreign[p.Key] = t
	}
	next.Foreign, _ = s.bound(next.Foreign)
	next.left = leftOf(pairs[5])
	return next, next.takeProcedures(old, pairs[4])
}

func decodeTable(b []byte) (*Descriptor, error) {
	rec := new(Record)
	if err := txn.Decode(b, rec); err != nil {
		return nil, fmt.Errorf("the catalogue: %w", err)
	}
	if rec.Format != recordFormat && rec.Format != paddedFormat {
		return nil, fmt.Errorf("table %s.%s was stored by a newer release (format %d, this one reads %d)", rec.Database, rec.Name, rec.Format, paddedFormat)
	}
	d, err := NewDescriptor(rec)
	if err == nil {
		d.raw = b
	}
	return d, err
}

// How long to wait for the nearest replica to show what its leader has.
const (
	catchUpLimit = 15 * time.Second
	catchUpStep  = 2 * time.Millisecond
)

// Version returns the version under which the table's schema was written, which transactions check. It is known from the
// commit that wrote it, or from the nearest replica once that has the same bytes. The table may be used only then, and once
// this gateway's directory has the table's ranges: before, its keys would be sent to a shard that does not have them.
func (s *Store) Version(ctx context.Context, d *Descriptor) (txn.Version, error) {
	if v, ok := s.VersionAtHand(d); ok {
		return v, nil
	}
	key := tableKey(d.Record.Database, d.Record.Name)
	gone := false
	err := waitFor(ctx, func() bool {
		value, v, ok := s.db.ReadLocal(key)
		if ok && bytes.Equal(value, d.raw) {
			d.version.Store(&v)
		}
		// A table that has changed again meanwhile will be refused as stale.
		gone = ok && newer(value, d)
		return gone || d.version.Load() != nil && s.routed(d)
	})
	if err != nil {
		return txn.Version{}, err
	}
	if gone {
		return txn.Version{}, txn.Errorf(txn.KindStale, "the definition of table %s changed", d.Record.Name)
	}
	return *d.version.Load(), nil
}

// VersionAtHand is Version where that waits for nothing; ok is false where it may.
func (s *Store) VersionAtHand(d *Descriptor) (v txn.Version, ok bool) {
	if p := d.version.Load(); p != nil && s.routed(d) {
		return *p, true
	}
	return txn.Version{}, false
}

// routed reports whether this gateway's directory has all ranges of a table.
func (s *Store) routed(d *Descriptor) bool {
	dir := s.db.Directory()
	if d.routedBy.Load() == dir {
		return true
	}
	for _, x := range append([]*IndexInfo{d.Primary}, d.Indexes...) {
		for part := range d.Partitions(x) {
			if !hasRange(dir, string(d.Prefix(x, part))) {
				return false
			}
		}
	}
	d.routedBy.Store(dir)
	return true
}

func hasRange(dir *routing.Directory, start string) bool {
	_, ok := slices.BinarySearchFunc(dir.Ranges, start, func(r routing.Range, start string) int {
		return strings.Compare(string(r.Start), start)
	})
	return ok
}

func newer(value []byte, d *Descriptor) bool {
	rec := new(Record)
	return value != nil && txn.Decode(value, rec) == nil && (rec.ID != d.Record.ID || rec.Generation > d.Record.Generation)
}

// waitFor polls, with growing steps, until done or the limit.
func waitFor(ctx context.Context, done func() bool) error {
	began := time.Now()
	late := false
	err := waitUntil(ctx, func() bool {
		late = time.Since(began) > catchUpLimit
		return done() || late
	})
	if err == nil && late && !done() {
		err = txn.Errorf(txn.KindUnavailable, "this region's replica of the catalogue did not catch up within %s; try again", catchUpLimit)
	}
	return err
}

// waitUntil polls, with growing steps, until done.
func waitUntil(ctx context.Context, done func() bool) error {
	step := catchUpStep
	for !done() {
		select {
		case <-ctx.Done():
			return txn.Errorf(txn.KindUnavailable, "the statement was cancelled while it waited for the catalogue")
		case <-time.After(step):
		}
		step = min(step*2, 50*time.Millisecond)
	}
	return nil
}

// retryLimit bounds how often a transaction that only lost to others is retried.
const retryLimit = 50

// Retry runs a transaction of the gateway's own until it commits, doing it again
// while it loses only to contention.
func Retry(ctx context.Context, db txn.DB, opt txn.Options, do func(txn.Txn) error) error {
	return retry(ctx, db, opt, do, func(txn.Txn) {})
}

func retry(ctx context.Context, db txn.DB, opt txn.Options, do func(txn.Txn) error, committed func(txn.Txn)) error {
	for try := 1; ; try++ {
		tx := db.Begin(opt)
		err := unlessPanic(tx, do)
		if err == nil {
			err = tx.Commit(ctx)
		}
		if err == nil {
			committed(tx)
			return nil
		}
		tx.Rollback()
		if txn.KindOf(err) != txn.KindAborted || try == retryLimit {
			return err
		}
		opt.RetryOf = tx
		if !Backoff(ctx, try) {
			return err
		}
	}
}

// unlessPanic does a part of a transaction, which is rolled back if that panics: the
// code that recovers does not know of it, and its locks would stay.
func unlessPanic(tx txn.Txn, do func(txn.Txn) error) error {
	done := false
	defer func() {
		if !done {
			tx.Rollback()
		}
	}()
	err := do(tx)
	done = true
	return err
}

// Backoff waits before the next try of something that lost to contention; false
// means that the client gave up.
func Backoff(ctx context.Context, try int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(Pause(try)):
		return true
	}
}

// Pause returns the wait before the next try of an operation that lost a conflict. It is random, so that the same
// operations do not conflict again, and grows to a tenth of a second.
func Pause(try int) time.Duration {
	return rand.N(min(time.Millisecond<<min(try, 8), 100*time.Millisecond))
}

func guardName(table uint64) string { return "schema/" + fmt.Sprint(table) }

func guardKey(shard, table uint64) txn.Key {
	return txn.Key(routing.LocalKey(shard, guardName(table)))
}
