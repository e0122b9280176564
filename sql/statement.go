package sql

import (
	"context"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/sql/temporary"
)

// statement is what is known of a statement while it lives: begin makes it anew for each try, and
// what is carried out for it changes it through the methods of its parts.
type statement struct {
	failures
	seenCatalogue
	fate
	planned
	sourceParts
}

// begin begins a try of a statement. own: it is its own transaction; open is that which is open;
// notFinal: a former try has shown that it makes more than one read.
func (st *statement) begin(own, notFinal bool, open *transaction) {
	*st = statement{}
	st.notFinal, st.own, st.first = notFinal, own, !own && !open.begun()
	if open.begun() {
		st.mark = open.real.Savepoint()
	}
}

// seenCatalogue is the catalogue that a statement sees.
type seenCatalogue struct {
	snapshot *catalog.Snapshot
	reloaded bool              // the catalogue was read from its leader for it
	over     *temporary.Tables // what the session has in the place of some of its tables
}

// catalogue is the catalogue that the statement sees.
func (st *seenCatalogue) catalogue(ctx context.Context, store *catalog.Store) (*catalog.Snapshot, error) {
	if st.snapshot == nil {
		snap, err := store.Current(ctx)
		if err != nil {
			return nil, err
		}
		st.snapshot = snap
	}
	return st.over.Overlay(st.snapshot), nil
}

// reload reads the catalogue from its leader, once a statement: something that it names was not
// found. changed reports whether that made a difference.
func (st *seenCatalogue) reload(ctx context.Context, store *catalog.Store) (snap *catalog.Snapshot, changed bool, err error) {
	if st.reloaded {
		return st.over.Overlay(st.snapshot), false, nil
	}
	st.reloaded = true
	if snap, err = store.Reload(ctx); err != nil {
		return nil, false, err
	}
	changed = snap != st.snapshot
	st.snapshot = snap
	return st.over.Overlay(snap), changed, nil
}

// sees has the statement see another catalogue; nil: whatever is there when it asks.
func (st *seenCatalogue) sees(snap *catalog.Snapshot) { st.snapshot = snap }

// fate is how a statement stands to its transaction, and whether it can be done again.
type fate struct {
	own       bool // it is its own transaction
	first     bool // nothing of its explicit transaction was used before it
	mark      int  // where its writes begin
	inside    bool // it is done again, and its client knows nothing of that
	read      bool // it has read something
	alters    bool // it has changed the catalogue, or is about to: so it is not done again
	lasting   bool // it has had effects beside its transaction's
	shown     bool // the client has been sent something of it
	committed bool // something was committed for it
	ending    bool // it has set out to end its transaction, and does (ending.go)
}

// repeatable reports whether the statement, which has failed, can be done again as if it had never
// been. inPacket: it stands in a packet whose answers are held, and all of which is done again
// (untilWon), or its tries would multiply.
func (f *fate) repeatable(inPacket bool) bool {
	if f.first && inPacket {
		return false
	}
	return f.retriesAlone() && !f.alters && !f.committed && !f.shown && !f.lasting
}

// retriesAlone reports whether the statement may be done again by itself.
func (f *fate) retriesAlone() bool { return f.own || f.first }

// ends notes that the statement has set out to end its transaction, if it has.
func (f *fate) ends(set bool) { f.ending = f.ending || set }

// hides notes whether it is done again, and its client knows nothing of that.
func (f *fate) hides(again bool) { f.inside = again }

// reads notes that it has read something.
func (f *fate) reads() { f.read = true }

// shows notes that the client has been sent something of it.
func (f *fate) shows() { f.shown = true }

// lasts notes that it has had effects beside its transaction's.
func (f *fate) lasts() { f.lasting = true }

// commits notes that something was committed for it.
func (f *fate) commits() { f.committed = true }

// defines notes that it changes the catalogue.
func (f *fate) defines() { f.alters = true }

// isOwn makes the statement a transaction of its own, whatever it was.
func (f *fate) isOwn() { f.own, f.first = true, false }

// beginsAnew forgets what was done for it before its own transaction began.
func (f *fate) beginsAnew() { f.alters, f.committed, f.ending = false, false, false }

// sourceParts is what a statement has of tables at sources.
type sourceParts struct {
	foreign *foreign.Statement   // it names tables at sources
	narrow  *foreign.Statement   // that, if what it asks of their columns can be asked of the sources
	args    []foreign.Arg        // its values
	scanned map[string][]gms.Row // what the engine has read of them, by what was asked
}

// names notes the statement as it is read for sources, with its values. plain: what it asks of
// columns can be asked of the sources.
func (p *sourceParts) names(st *foreign.Statement, args []foreign.Arg, plain bool) {
	p.foreign, p.args = st, args
	if plain {
		p.narrow = st
	}
}

// keepScan keeps what was read for a question.
func (p *sourceParts) keepScan(key string, rows []gms.Row) {
	if p.scanned == nil {
		p.scanned = map[string][]gms.Row{}
	}
	p.scanned[key] = rows
}
