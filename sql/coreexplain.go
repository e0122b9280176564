package sql

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/exec"
	"isochron/sql/rounds"
	"isochron/sql/table"
	"isochron/txn"
)

// explainCore explains a statement that the SQL core executes; false: it is not one.
func (h *handler) explainCore(ctx *gms.Context, text string) (x explanation, ok bool, err error) {
	s, is := ctx.Session.(*Session)
	if !is || !mayUseCore(s, text) {
		return x, false, nil
	}
	p, err := compileCore(ctx, s, text, text, nil)
	if p == nil {
		return x, false, err
	}
	x = explanation{path: "round plan", dir: h.g.leaders}
	list, err := p.plan.Steps(ctx, coreContext(ctx, s))
	if err != nil {
		return x, true, coreError(err)
	}
	total, batches := 0, false
	for _, of := range list {
		steps, rounds := h.g.coreSteps(of)
		x.steps = append(x.steps, steps...)
		total, batches = total+rounds, batches || of.Lookup || of.Batch
	}
	all := step{what: "all", rounds: fmt.Sprint(total)}
	if batches {
		all.access = fmt.Sprintf("with one batch of up to %d rows in each step", exec.BatchMax)
	}
	x.steps = append(x.steps, all)
	return x, true, nil
}

// coreSteps are the rounds of one read of the core.
func (g *gateway) coreSteps(of rounds.Step) ([]step, int) {
	name, mode := of.Source.Table.Record.Name, table.Mode{Lock: of.Lock, Wait: of.Wait}
	each := ""
	if of.Batch || of.Lookup {
		each = " for each batch"
	}
	switch {
	case of.Lookup:
		a := table.Access{Desc: of.Source.Table, Index: of.Index}
		n := 2
		if of.Index.Primary || of.Lock == txn.LockNone && a.Covers(of.Columns) {
			n = 1
		}
		return []step{{what: "lookup", table: name, access: describeIndex(&a, n) + ", the keys of a batch of rows", rounds: fmt.Sprint(n) + each, shards: of.Source.Table.Shards(g.db.Directory()), locks: locks(mode)}}, n
	case of.Choice == nil:
		return []step{{what: "read", table: name, access: "nothing", rounds: "0"}}, 0
	}
	steps, n := g.accessSteps(name, of.Choice.Access, mode, of.Columns, of.Choice.Pushed)
	for i := range steps {
		steps[i].rounds += each
	}
	return steps, n
}

// describeIndex names an index; plain is the number of rounds without locks.
func describeIndex(a *table.Access, plain int) string {
	switch {
	case a.Index.Primary:
		return "primary key"
	case plain == 1:
		return "index " + a.Index.Name + ", covering"
	}
	return "index " + a.Index.Name
}
