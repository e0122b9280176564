package sql

import (
	"context"
	"errors"
	"sync"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/sql/plan"
	"isochron/sql/table"
	"isochron/txn"
)

// statement is what a session knows of the statement it runs.
type statement struct {
	mu         sync.Mutex
	failure    *txn.Error      // what ended a read or a commit
	unread     error           // why the catalogue could not be read, where the engine does not say
	denied     *mysql.SQLError // why it was refused before the engine saw it
	view       string          // the definition that was handed out last
	duplicate  string          // MySQL's words for a duplicate key
	snapshot   *catalog.Snapshot
	reloaded   bool  // the catalogue was read from its leader for it
	own        bool  // it is its own transaction
	mark       int   // where its writes begin
	beyond     error // it is beyond a bound of the server
	full       bool  // a write found no room in the transaction
	read       bool  // it has read something
	final      bool  // it makes one read and is its own transaction
	notFinal   bool  // that proved wrong at a former try
	alters     bool  // it has changed the catalogue, or is about to: so it is not done again
	compiled   bool  // a round plan was looked for
	topped     bool  // what its plan yields is counted
	plan       *plan.RoundPlan
	writes     uint64               // the table that it writes, by id
	written    []uint64             // tables that an UPDATE or DELETE without a round plan writes, by id
	joined     []uint64             // these, and those that it joins them with
	consistent bool                 // START TRANSACTION WITH CONSISTENT SNAPSHOT
	priority   string               // START TRANSACTION /*+ priority(..) */
	fresh      bool                 // the memory of what it yields is not used again
	first      bool                 // nothing of its explicit transaction was used before it
	inside     bool                 // it is done again, and its client knows nothing of that
	committed  bool                 // something was committed for it
	ending     bool                 // it has set out to end its transaction, and does (ending.go)
	shown      bool                 // the client has been sent something of it
	looks      func([]table.Looked) // it looks at what it will lock (skiplocked.go)
	skipping   bool                 // that was tried
	seen       map[txn.Key]table.Looked
	lasting    bool                 // it has had effects beside its transaction's
	foreign    *foreign.Statement   // it names tables at sources
	scanned    map[string][]gms.Row // what the engine has read of them, by what was asked
	narrow     *foreign.Statement   // that, if what it asks of their columns can be asked of the sources
	args       []foreign.Arg        // its values
	carriage   *carriage            // where its functions that carry values meet (carried.go)
	carried    map[*carriage][]any  // what they carry
	panicked   bool                 // the engine has panicked at it
}

// note keeps the error that ended a read or a commit: the first, for the reads
// that ran beside it are then called off, and fail of that.
func (st *statement) note(err error) error {
	if err == nil {
		return nil
	}
	var e *txn.Error
	if errors.As(err, &e) {
		st.mu.Lock()
		if st.failure == nil {
			st.failure = e
		}
		st.mu.Unlock()
	}
	return err
}

// unknown reports whether the statement's commit has an outcome that nobody knows.
func (st *statement) unknown() bool {
	return st.failure != nil && st.failure.Kind == txn.KindUnknown
}

// refused is why a statement that the engine has carried out must fail. While its rows
// are sent the engine may still read.
func (st *statement) refused() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.failure != nil && st.full {
		return st.failure
	}
	if st.beyond != nil {
		return st.beyond
	}
	return nil
}

// catalogue is the catalogue that the statement sees.
func (st *statement) catalogue(ctx context.Context, store *catalog.Store) (*catalog.Snapshot, error) {
	if st.snapshot == nil {
		snap, err := store.Current(ctx)
		if err != nil {
			return nil, err
		}
		st.snapshot = snap
	}
	return st.snapshot, nil
}

// reload reads the catalogue from its leader, once a statement: something that it names was not
// found. changed reports whether that made a difference.
func (st *statement) reload(ctx context.Context, store *catalog.Store) (snap *catalog.Snapshot, changed bool, err error) {
	if st.reloaded {
		return st.snapshot, false, nil
	}
	st.reloaded = true
	if snap, err = store.Reload(ctx); err != nil {
		return nil, false, err
	}
	changed = snap != st.snapshot
	st.snapshot = snap
	return snap, changed, nil
}

// adopt makes a plan that of the statement, as compile does.
func (st *statement) adopt(p *plan.RoundPlan) {
	st.compiled, st.plan, st.fresh = true, p, true
	if p.Writes != nil {
		st.writes = p.Writes.Descriptor().ID()
	}
	st.final = st.own && p.Writes == nil && p.Read.Table.Mode().Lock == txn.LockNone && p.Read.Rounds(false) == 1
}

// compile looks, once a statement, for a round plan. Whether or not it is used,
// what the statement writes is read for writing.
func (st *statement) compile(ctx *gms.Context, root gms.Node) {
	if st.compiled {
		return
	}
	st.compiled = true
	p := plan.Compile(ctx, root)
	if p == nil {
		st.written, st.joined = plan.Targets(ctx, root)
		return
	}
	if p.Writes != nil {
		st.writes = p.Writes.Descriptor().ID()
	}
	if path(ctx) == pathEngine {
		return
	}
	st.plan = p
	st.final = st.own && p.Writes == nil && p.Read.Table.Mode().Lock == txn.LockNone && p.Read.Rounds(false) == 1
}

// repeatable reports whether the statement, which has failed, can be done again as if it had never
// been. inPacket: it stands in a packet whose answers are held, and all of which is done again
// (untilWon), or its tries would multiply.
func (st *statement) repeatable(inPacket bool) bool {
	if st.first && inPacket {
		return false
	}
	return st.retriesAlone() && !st.alters && !st.committed && !st.shown && !st.lasting
}

// retriesAlone reports whether the statement may be done again by itself.
func (st *statement) retriesAlone() bool { return st.own || st.first }
