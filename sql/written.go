package sql

import (
	"context"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/foreign"
	"isochron/sql/parse"
	"isochron/txn"
)

// Texts for sources that come again with other values. What a session knows of a text without its
// values (plancache.go) holds, for one that is at sources, what it was read and translated to:
// then neither is done again, nor is it asked again whether the user may. As all that it knows,
// it holds until the catalogue, the privileges, the database or a variable change.

// writtenMisses is after how many texts that had to be read as they were written no more is tried.
const writtenMisses = 8

// written is what a session knows of texts for sources that differ in their values alone.
type written struct {
	seen   bool // such a text came before: it is worth it
	st     *foreign.Statement
	plain  bool // Statement.Plain
	may    bool // the user holds what it needs
	misses int
}

// reusing is a statement that was read before, and the plan of it with other values.
type reusing struct {
	st   *foreign.Statement
	plan *foreign.Plan
	args []foreign.Arg
}

// written is the plan of a text that came before with other values; nil: it must be read.
func (x *execution) written(t *text, snap *catalog.Snapshot) (Plan, error) {
	if t == nil || x.prepare != nil || x.below != nil || x.tried[atSources] {
		return nil, nil
	}
	s := x.s
	r, err := t.written.reuse(s, x.keyed, x.taken, snap, 0)
	if r.st == nil || err != nil {
		return nil, err
	}
	s.statement.names(r.st, r.args, t.written.plain)
	return &sourcePlan{st: r.st, plan: r.plan, last: s.statement.own}, nil
}

// writtenInPacket is the same for a statement that stands in a packet with others.
func writtenInPacket(ctx context.Context, s *Session, statement string, snap *catalog.Snapshot, first txn.ShardID) (reusing, error) {
	keyed, taken, ok := parse.Parameterise(statement, engineLiteral)
	if !ok {
		return reusing{}, nil
	}
	t := remembered(ctx, s, keyed)
	if t == nil || t.native {
		return reusing{}, nil
	}
	return t.written.reuse(s, keyed, taken, snap, first)
}

// reuse is what is known of a text for these values; its statement is nil if it must be read. An
// error: the user may not do it.
func (w *written) reuse(s *Session, keyed string, taken []sqlparser.Expr, snap *catalog.Snapshot, first txn.ShardID) (reusing, error) {
	none := reusing{}
	if w.misses >= writtenMisses {
		return none, nil
	}
	args, kinds := valuesOf(taken)
	switch {
	case args == nil:
		return none, nil
	case !w.seen:
		w.seen = true
		return none, nil
	case w.st == nil:
		st, err := foreign.ReadWritten(keyed, kinds, foreignLookup(snap, s.GetCurrentDatabase()), s.dialectOptions())
		if err != nil || st == nil || !st.Foreign() {
			w.misses = writtenMisses
			return none, nil
		}
		w.st, w.plain = st, st.Plain(isTable(snap, s.GetCurrentDatabase()))
	}
	if !w.st.Takes(kinds) {
		w.misses++
		return none, nil
	}
	plan, err := planAtSources(s, w.st, args, first)
	if err != nil || len(plan.Statements) != 1 {
		w.misses++
		return none, nil // whatever it is, it is said of the text as it was written
	}
	if !w.may {
		if err := mayDoAtSources(s, w.st); err != nil {
			return none, err
		}
		w.may = true
	}
	return reusing{w.st, plan, args}, mayWrite(readsOnly(s), w.st)
}

// valuesOf are the values that were taken out of a text; nil: one of them cannot stand for itself.
func valuesOf(taken []sqlparser.Expr) (args []foreign.Arg, kinds []dialect.ValueKind) {
	args, kinds = make([]foreign.Arg, len(taken)), make([]dialect.ValueKind, len(taken))
	for i, e := range taken {
		v, ok := e.(*sqlparser.SQLVal)
		if !ok {
			return nil, nil
		}
		kinds[i] = dialect.KindOfValue(v.Val, v.Type == sqlparser.StrVal)
		if kinds[i] == 0 {
			return nil, nil
		}
		args[i] = foreign.Arg{Text: v.Val, Number: v.Type != sqlparser.StrVal}
	}
	return args, kinds
}
