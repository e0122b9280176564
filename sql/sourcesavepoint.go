package sql

import (
	"context"
	"fmt"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/txn"
)

// Savepoints of a transaction hold at its sources too. A source is told of one together with the
// first statement that it gets after it, so a savepoint costs no trip. A statement that changes
// rows by several statements to sources stands behind a savepoint of its own: if one of them
// fails, all are undone, and the transaction lives as if the statement had not been.

// atSource is what a transaction knows of its branch at a source.
type atSource struct {
	source txn.ShardID
	marks  []int // numbers of the savepoints of which the source knows, rising
}

// savepointName is how a savepoint is called at sources.
func savepointName(number int) string { return fmt.Sprintf("isochron_c%d", number) }

// marking is a statement about a savepoint, which reads nothing.
func marking(text string) txn.Statement { return txn.Statement{Text: text, Locks: true} }

// knows reports whether a source was told of a savepoint.
func (a *atSource) knows(number int) bool {
	for _, n := range a.marks {
		if n == number {
			return true
		}
	}
	return false
}

func (t *transaction) at(source txn.ShardID) *atSource {
	for i := range t.branches {
		if t.branches[i].source == source {
			return &t.branches[i]
		}
	}
	t.branches = append(t.branches, atSource{source: source})
	return &t.branches[len(t.branches)-1]
}

// execute asks sources in one round, and tells them of savepoints.
func (t *transaction) execute(ctx context.Context, statements []txn.SourceStatement, how asking) ([]txn.SourceResult, error) {
	if len(t.marks) == 0 && (len(statements) == 1 || !how.changes || how.last) {
		return t.watch.Execute(ctx, statements, how.last)
	}
	own := 0
	if how.changes && len(statements) > 1 && !how.last {
		t.numbers++
		own = t.numbers
	}
	var all []txn.SourceStatement
	at := make([]int, len(statements)) // where each of them stands among all
	told := map[txn.ShardID][]int{}
	for i, st := range statements {
		if _, seen := told[st.Source]; !seen {
			told[st.Source] = []int{}
			for _, n := range t.untold(st.Source, own) {
				told[st.Source] = append(told[st.Source], n)
				all = append(all, txn.SourceStatement{Source: st.Source, Statement: marking("SAVEPOINT " + savepointName(n))})
			}
		}
		at[i] = len(all)
		all = append(all, st)
	}
	results, err := t.watch.Execute(ctx, all, how.last)
	if err != nil && txn.KindOf(err) != txn.KindStatement || len(results) != len(all) {
		return nil, err
	}
	t.observe(all, results, told)
	if err != nil {
		return nil, t.undone(ctx, own, err)
	}
	out := make([]txn.SourceResult, len(statements))
	for i, j := range at {
		out[i] = results[j]
	}
	return out, nil
}

// untold are the savepoints of which a source is to be told, in their order.
func (t *transaction) untold(source txn.ShardID, own int) (out []int) {
	a := t.at(source)
	for _, m := range t.marks {
		if !a.knows(m.number) {
			out = append(out, m.number)
		}
	}
	if own != 0 {
		out = append(out, own)
	}
	return out
}

// observe notes which savepoints sources have set.
func (t *transaction) observe(all []txn.SourceStatement, results []txn.SourceResult, told map[txn.ShardID][]int) {
	next := map[txn.ShardID]int{}
	for i, st := range all {
		n := next[st.Source]
		if n >= len(told[st.Source]) {
			continue
		}
		next[st.Source]++
		if results[i].Done {
			a := t.at(st.Source)
			a.marks = append(a.marks, told[st.Source][n])
		}
	}
}

// undone undoes what sources have done of a statement that failed at one of them.
func (t *transaction) undone(ctx context.Context, own int, failed error) error {
	if own == 0 {
		return failed
	}
	if err := t.backTo(ctx, own); err != nil {
		return err
	}
	return failed
}

// backTo undoes what sources have done since a savepoint: those that know it.
func (t *transaction) backTo(ctx context.Context, number int) error {
	var back []txn.SourceStatement
	for i := range t.branches {
		a := &t.branches[i]
		if !a.knows(number) {
			continue // it has done nothing since
		}
		back = append(back, txn.SourceStatement{Source: a.source, Statement: marking("ROLLBACK TO SAVEPOINT " + savepointName(number))})
		for len(a.marks) > 0 && a.marks[len(a.marks)-1] > number {
			a.marks = a.marks[:len(a.marks)-1] // they are gone there
		}
	}
	if len(back) == 0 {
		return nil
	}
	_, err := t.watch.Execute(ctx, back, false)
	if txn.KindOf(err) == txn.KindStatement {
		// It has not been undone, so nothing of the transaction may be kept.
		return t.s.statement.note(txn.Errorf(txn.KindAborted, "a source has not gone back to a savepoint: %v", err))
	}
	return err
}

// rollbackAtSources is ROLLBACK TO SAVEPOINT for sources.
func (t *transaction) rollbackAtSources(ctx context.Context, name string) error {
	i := t.find(name)
	if i < 0 || t.real == nil || len(t.branches) == 0 {
		return nil
	}
	if err := t.backTo(ctx, t.marks[i].number); err != nil {
		return mysql.NewSQLError(codeInvalidRequest, "42000", "ROLLBACK TO SAVEPOINT %s: %v", name, err)
	}
	return nil
}
