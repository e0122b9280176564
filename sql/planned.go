package sql

import (
	"slices"

	"isochron/sql/bind"
)

// planned is what is known of a statement's plan: what it reads once, and which tables it writes.
type planned struct {
	bounded  bool     // the engine's plan is within bounds (costly.go)
	fresh    bool     // the memory of what it yields is not used again
	final    bool     // it makes one read and is its own transaction
	notFinal bool     // that proved wrong at a former try
	writes   uint64   // the table that it writes, by id
	written  []uint64 // tables that a change of several writes, by id
	joined   []uint64 // these, and those that it joins them with
}

// updates notes the only table that a statement writes.
func (st *planned) updates(id uint64) { st.fresh, st.writes = true, id }

// yieldsFresh notes that what is yielded is kept as it is.
func (st *planned) yieldsFresh() { st.fresh = true }

// changes notes the tables that a change writes, and those that it joins them with.
func (st *planned) changes(c *bind.Change) {
	st.writes = c.Table.ID()
	for _, t := range c.Targets {
		st.written = append(st.written, t.Table.ID())
	}
	if len(c.Targets) > 0 {
		for _, s := range c.Query.Sources {
			if s.Table != nil {
				st.joined = append(st.joined, s.Table.ID())
			}
		}
	}
}

// readsOnce notes whether the statement makes one read and is its own transaction.
func (st *planned) readsOnce(once bool) { st.final = once }

// readsTwice notes that this proved wrong.
func (st *planned) readsTwice() { st.notFinal = true }

// writesTo reports whether the statement writes a table. joined: those that it joins with what it
// writes count, too.
func (st *planned) writesTo(id uint64, joined bool) bool {
	return st.writes == id || slices.Contains(st.written, id) || joined && slices.Contains(st.joined, id)
}
