package sql

import (
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/bind"
	"isochron/sql/plan"
	"isochron/txn"
)

// planned is the plan of a statement, and what is known of it: what it reads once, and which
// tables it writes.
type planned struct {
	compiled bool // a round plan was looked for
	plan     *plan.RoundPlan
	topped   bool     // what its plan yields is counted
	fresh    bool     // the memory of what it yields is not used again
	final    bool     // it makes one read and is its own transaction
	notFinal bool     // that proved wrong at a former try
	writes   uint64   // the table that it writes, by id
	written  []uint64 // tables that an UPDATE or DELETE without a round plan writes, by id
	joined   []uint64 // these, and those that it joins them with
}

// adopt makes a plan that of the statement, as compile does.
func (st *planned) adopt(p *plan.RoundPlan, own bool) {
	st.compiled, st.plan, st.fresh = true, p, true
	if p.Writes != nil {
		st.writes = p.Writes.Descriptor().ID()
	}
	st.final = own && p.Writes == nil && p.Read.Table.Mode().Lock == txn.LockNone && p.Read.Rounds(false) == 1
}

// compile looks, once a statement, for a round plan. Whether or not it is used,
// what the statement writes is read for writing.
func (st *planned) compile(ctx *gms.Context, root gms.Node, own bool) {
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
	st.plan = p
	st.final = own && p.Writes == nil && p.Read.Table.Mode().Lock == txn.LockNone && p.Read.Rounds(false) == 1
}

// forget has the next plan looked for: that of now was not for the statement.
func (st *planned) forget() { st.compiled, st.plan = false, nil }

// executesElsewhere notes a plan that is not the engine's. What it yields is kept as it is.
func (st *planned) executesElsewhere() { st.compiled, st.fresh = true, true }

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

// yieldsFresh notes that what is yielded is kept as it is.
func (st *planned) yieldsFresh() { st.fresh = true }

// readsOnce notes whether the statement makes one read and is its own transaction.
func (st *planned) readsOnce(once bool) { st.final = once }

// readsTwice notes that this proved wrong.
func (st *planned) readsTwice() { st.notFinal = true }

// tops notes that what the plan yields is counted.
func (st *planned) tops() { st.topped = true }

// writesTo reports whether the statement writes a table. joined: those that it joins with what it
// writes count, too.
func (st *planned) writesTo(id uint64, joined bool) bool {
	return st.writes == id || slices.Contains(st.written, id) || joined && slices.Contains(st.joined, id)
}
