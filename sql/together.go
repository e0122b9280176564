package sql

import (
	"cmp"
	"context"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"

	"isochron/sql/catalog"
	"isochron/sql/dialect"
	"isochron/sql/foreign"
	"isochron/sql/table"
	"isochron/txn"
)

// Statements of one packet that go to their sources together. The client has sent them without
// having read an answer, so a statement at sources takes with it, in its round, those that stand
// behind it in its packet and are at sources too. Their answers are kept until their turn comes,
// in which each is owed what every statement is (execution.go). A transfer that is one packet
// costs one round, and with its COMMIT in the packet the sources prepare in that round.
//
// What fails in such a round must leave what it would have left alone: all before it is done, and
// nothing behind it. There are three ways to that. A packet that can be done again is: from its
// first statement, and each by itself (whole). Else what the sources have done in the round is
// undone back to a savepoint, and then each goes by itself. Only where the sources were to
// prepare in this round, in a transaction that was begun before its packet, all of it is rolled
// back: an error has ended it at its source, as a deadlock does.

// The bounds of one round.
const (
	togetherMax      = 256     // statements of a packet
	togetherBytesMax = 1 << 20 // of their texts
)

// executedAhead is a statement that its sources have executed with one before it, and whose turn has not
// come yet.
type executedAhead struct {
	text    string  // of it and of all behind it
	rest    string  // of all behind it
	alone   string  // of it alone, where that is needed
	request request // it alone, likewise
	plan    Plan
	asked   *foreign.Plan
	results []txn.SourceResult
}

// committedAhead is the plan of a COMMIT whose transaction was committed with the statements before
// it, in the same trip if one source was all that it touched.
type committedAhead struct{}

func (committedAhead) kind() planKind { return atSources }

func (committedAhead) counter() string { return "" }

// Execute implements Plan.
func (committedAhead) Execute(_ context.Context, x *execution) error {
	s := x.s
	s.packet.ahead = nil
	s.SetTransaction(nil)
	s.SetIgnoreAutoCommit(false)
	s.GetLastQueryInfo().RowCount.Store(0)
	return x.yield(&sqltypes.Result{}, x.rest != "")
}

// following are the statements behind this one in its packet that can go with it: they are done
// at sources, ask for nothing that an answer before them could change, and are refused by nobody.
func (p *sourcePlan) following(ctx context.Context, x *execution, plan *foreign.Plan) (out []*executedAhead) {
	s := x.s
	if x.rest == "" || p.last || s.statement.own || s.packet.single || s.packet.apart != "" {
		return nil
	}
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil
	}
	o, bytes := s.dialectOptions(), 0
	for rest := x.rest; rest != "" && len(out) < togetherMax; {
		a := &executedAhead{text: rest}
		var text string
		text, a.rest = dialect.First(rest, o.AnsiQuotes)
		if bytes += len(text); bytes > togetherBytesMax || !readsOrChanges(text) {
			return out
		}
		st, err := a.withOthers(ctx, x, text, snap, plan.Statements[0].Source)
		if err != nil || st == nil {
			return out
		}
		plan := &sourcePlan{st: st, ahead: a, last: st.Last || commits(a.rest, o)}
		a.plan = plan
		if out = append(out, a); plan.last {
			return out
		}
		rest = a.rest
	}
	return out
}

// withOthers plans a statement of a packet that may go with others, of which the first asks this
// source; nil: it goes by itself, or it is no statement for sources.
func (a *executedAhead) withOthers(ctx context.Context, x *execution, text string, snap *catalog.Snapshot, first txn.ShardID) (*foreign.Statement, error) {
	s := x.s
	known, err := writtenInPacket(ctx, s, text, snap, first)
	if known.st != nil || err != nil {
		a.asked = known.plan
		return known.st, err
	}
	st, err := x.readForeign(nil, text, snap, s.dialectOptions())
	if err != nil || st == nil || !st.Foreign() || st.OfSession() != "" {
		return nil, err
	}
	if err := mayDoAtSources(s, st); err != nil {
		return nil, err
	}
	if a.asked, err = planAtSources(s, st, nil, first); err == nil && a.asked.Skipping != nil {
		return nil, nil
	}
	return st, err
}

// readsOrChanges reports whether a text begins as a statement that reads or changes rows.
func readsOrChanges(text string) bool {
	switch table.FirstWord(text) {
	case "select", "insert", "update", "delete", "replace", "with", "table", "values":
		return true
	}
	return false
}

// commits reports whether the first statement of a packet is COMMIT.
func commits(packet string, o dialect.Options) bool {
	next, _ := dialect.First(packet, o.AnsiQuotes)
	return table.FirstWord(next) == "commit"
}

// ask asks the sources of a statement, and those of what goes with it, in one round.
func (p *sourcePlan) ask(ctx context.Context, x *execution, plan *foreign.Plan) ([]txn.SourceResult, error) {
	s, held := x.s, x.s.packet.held && !x.s.packet.fixed(x.s)
	others := p.following(ctx, x, plan)
	all, how, rest := plan.Statements, asking{last: p.last, changes: plan.Changes, of: p.st.Tables()}, x.rest
	for _, o := range others {
		all = append(all[:len(all):len(all)], o.asked.Statements...)
		how.of = append(how.of, o.plan.(*sourcePlan).st.Tables()...)
		how.last, how.changes, rest = o.plan.(*sourcePlan).last, how.changes || o.asked.Changes, o.rest
	}
	var commit *executedAhead
	switch {
	case s.packet.single:
		how.last = p.st.Last
	case held:
		how.changes = how.changes && len(others) == 0 // else it will be done again, and no savepoint is needed
		commit = commitOf(rest, s.dialectOptions().AnsiQuotes)
		how.commits = commit != nil
	}
	results, err := askSources(ctx, s, all, how)
	switch {
	case err == nil:
		n := len(plan.Statements)
		for _, o := range others {
			o.results, n = results[n:n+len(o.asked.Statements)], n+len(o.asked.Statements)
		}
		if s.packet.ahead = others; how.commits {
			s.packet.ahead = append(others, commit)
		}
		return results[:len(plan.Statements)], nil
	case held:
		s.packet.spoilt = len(others) > 0 || how.last
	case len(others) > 0 && txn.KindOf(err) == txn.KindStatement:
		s.packet.apart = x.text
		return p.ask(ctx, x, plan)
	}
	return nil, err
}

// commitOf is the COMMIT with which a packet goes on; nil: it goes on with something else.
func commitOf(packet string, ansiQuotes bool) *executedAhead {
	text, rest := dialect.First(packet, ansiQuotes)
	if !strings.EqualFold(text, "commit") {
		return nil
	}
	return &executedAhead{text: packet, rest: rest, plan: committedAhead{}}
}

// aheadOf is the plan of a statement whose answer is at hand; nil: there is none.
func (x *execution) aheadOf() Plan {
	p := &x.s.packet
	if len(p.ahead) == 0 {
		return nil
	}
	x.rest = p.ahead[0].rest
	return p.ahead[0].plan
}

// takeTurn takes in that a statement begins, whatever it is: what was executed ahead is for the next
// of its packet, and after the packet statements go together again.
func takeTurn(s *Session, text string) {
	p := &s.packet
	if p.apart != "" && (len(text) >= len(p.apart) || !strings.HasSuffix(p.apart, text)) {
		p.apart = ""
	}
	if len(p.ahead) > 0 && p.ahead[0].text != text {
		forsake(s)
	}
}

// forsake ends a transaction in which sources have executed statements that were not to be, for
// one before them has failed.
func forsake(s *Session) {
	if len(s.packet.ahead) == 0 {
		return
	}
	s.packet.ahead = nil
	if s.open.begun() && s.open.over == nil {
		s.doom(txn.Errorf(txn.KindAborted, "a statement has failed after those behind it in its packet were executed; all of the transaction is rolled back"))
	}
}

// anew reports whether a packet that has failed is to be done again, each statement by itself:
// some were executed together, or their sources were to prepare with them. A wait for a lock is
// not waited for twice.
func (p *packet) anew(s *Session) bool {
	if p.single || !p.spoilt && len(p.ahead) == 0 || s.interruption.Reason() != nil {
		return false
	}
	f := s.failed
	return f == nil || f.Kind == txn.KindStatement || f.Kind == txn.KindAborted && f.Fault != nil && f.Fault.Code != codeLockTimeout
}

// preferred is the source to ask for what is everywhere: the first of the transaction.
func (t *transaction) preferred(otherwise txn.ShardID) uint64 {
	if t == nil {
		return uint64(otherwise)
	}
	return uint64(cmp.Or(t.source, otherwise))
}
