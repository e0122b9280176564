package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/change"
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
	x.steps = h.g.allSteps(list)
	return x, true, nil
}

// explainChange explains a change that the SQL core executes; false: it is not one.
func (h *handler) explainChange(ctx *gms.Context, text string) (x explanation, ok bool, err error) {
	s, is := ctx.Session.(*Session)
	if !is || !changesRows(text) {
		return x, false, nil
	}
	p, err := compileChange(ctx, s, text, text, nil)
	if p == nil {
		return x, false, err
	}
	x = explanation{path: "round plan", dir: h.g.leaders}
	list, err := p.plan.Steps(ctx, coreContext(ctx, s))
	if err != nil {
		return x, true, coreError(err)
	}
	if s.Now().Level != txn.Serializable && len(p.plan.Targets) > 0 { // what is joined is locked, too
		for i := range list {
			list[i].Changed = list[i].Changed || slices.Contains(p.plan.Query.Sources, list[i].Source)
			list[i].Together = list[i].Together && !list[i].Changed
		}
	}
	steps, total, batches := h.g.stepsOf(list)
	for _, c := range p.plan.Checks() {
		one := h.g.checkStep(c)
		switch {
		case c.None:
		case p.plan.MayBeUnread() && commitsAtOnce(s):
			one.access, one.rounds = one.access+", by the vote", "0"
		default:
			total++
		}
		steps = append(steps, one)
	}
	reaches := p.plan.Reaches(s.Now().Level != txn.Serializable)
	if s.coreSettings().unchecked {
		reaches = nil
	}
	for _, r := range reaches {
		steps = append(steps, reachStep(r))
	}
	all := sumStep(total+len(reaches), batches)
	if len(reaches) > 0 {
		all.access = "at most: rows without parents or children ask for fewer"
	}
	x.steps = append(steps, all)
	return x, true, nil
}

// checkStep is the round that reads unique keys.
func (g *gateway) checkStep(c change.Check) step {
	s := step{what: "check", table: c.Table.Record.Name, access: "all unique keys of the new rows", rounds: "1", shards: c.Table.Shards(g.db.Directory()), locks: "for write"}
	switch {
	case c.None:
		s.access, s.rounds = "no unique keys", "0"
	case c.Moved:
		s.access = "the unique keys that rows get"
	case c.Owners:
		s.access += "; one round more if an index has one"
	}
	return s
}

// allSteps are the rounds of a plan of the core, and their sum.
func (g *gateway) allSteps(list []rounds.Step) []step {
	out, total, batches := g.stepsOf(list)
	return append(out, sumStep(total, batches))
}

// sumStep is the sum of rounds. batches: some are made for each batch of rows.
func sumStep(total int, batches bool) step {
	all := step{what: "all", rounds: fmt.Sprint(total), done: make([]string, 4)}
	if batches {
		all.access = fmt.Sprintf("with one batch of up to %d rows in each step", exec.BatchMax)
	}
	return all
}

// withFirst is behind the rounds of reads that begin in the round of another.
const withFirst = " with the first"

// stepsOf are the rounds of reads, and how many they are. Those that begin together have as many as the longest of them.
func (g *gateway) stepsOf(list []rounds.Step) (out []step, total int, batches bool) {
	first, together := 0, false
	for _, of := range list {
		steps, n := g.coreSteps(of)
		if of.Together {
			for i := range steps {
				if together && i < first {
					steps[i].rounds += withFirst
				}
			}
			n, first, together = max(0, n-first), max(n, first), true
		}
		for i := range steps {
			steps[i].done = make([]string, 4)
		}
		d := of.Done
		steps[0].done = []string{fmt.Sprint(d.Reads), fmt.Sprint(d.Rows), fmt.Sprint(d.Bytes), shownMillis(d.Time)}
		out = append(out, steps...)
		total, batches = total+n, batches || of.Lookup || of.Batch
	}
	return out, total, batches
}

func shownMillis(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()*1000) }

// analyzePlan answers EXPLAIN ANALYZE of a query: it is executed, and its rows are not returned.
type analyzePlan struct{ text string }

func (analyzePlan) kind() planKind { return explained }

func (analyzePlan) counter() string { return "" }

// Execute implements Plan.
func (p analyzePlan) Execute(ctx context.Context, x *execution) error {
	s := x.s
	if !mayUseCore(s, p.text) {
		return errOtherPlan
	}
	plan, err := compileCore(ctx, s, p.text, p.text, nil)
	if err != nil {
		return err
	}
	if plan == nil {
		return errOtherPlan
	}
	s.statement.yieldsFresh()
	began := time.Now()
	c := coreContext(ctx, s)
	list, rows, err := plan.plan.Analyze(exec.WithTurns(ctx, &s.place), s.quiet, c, newCoreReader(s, false, x), s.spillMemory(), time.Now)
	if err != nil {
		return coreError(err)
	}
	out := explanation{path: "round plan", dir: x.h.g.leaders, analyzed: true, steps: x.h.g.allSteps(list)}
	all := &out.steps[len(out.steps)-1]
	all.access = fmt.Sprintf("%d rows returned", rows)
	sum := rounds.Done{}
	for _, of := range list {
		sum.Reads, sum.Rounds, sum.Rows, sum.Bytes = sum.Reads+of.Done.Reads, sum.Rounds+of.Done.Rounds, sum.Rows+of.Done.Rows, sum.Bytes+of.Done.Bytes
	}
	all.rounds, all.done = fmt.Sprint(sum.Rounds), []string{fmt.Sprint(sum.Reads), fmt.Sprint(sum.Rows), fmt.Sprint(sum.Bytes), shownMillis(time.Since(began))}
	return x.yield(asResult(out), false)
}

// coreSteps are the rounds of one read of the core.
func (g *gateway) coreSteps(of rounds.Step) ([]step, int) {
	name, mode := of.Source.Table.Record.Name, table.Mode{Lock: of.Lock, Wait: of.Wait, ForWrite: of.Changed}
	each := ""
	if of.Batch || of.Lookup {
		each = " for each batch"
	}
	switch {
	case of.Lookup:
		a := table.Access{Desc: of.Source.Table, Index: of.Index}
		n := 2
		if of.Index.Primary || of.Lock == txn.LockNone && !of.Changed && a.Covers(of.Columns) {
			n = 1
		}
		return []step{{what: "lookup", table: name, access: describeIndex(&a, n) + ", the keys of a batch of rows", rounds: fmt.Sprint(n) + each, shards: of.Source.Table.Shards(g.db.Directory()), locks: locks(mode)}}, n
	case of.Choice == nil:
		return []step{{what: "read", table: name, access: "nothing", rounds: "0"}}, 0
	}
	columns := of.Columns
	if of.Changed {
		columns = nil // whole rows
	}
	steps, n := g.accessSteps(name, of.Choice.Access, mode, columns, of.Choice.Pushed)
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

// reachStep is a round that foreign keys may cost.
func reachStep(r change.Reach) step {
	out := step{what: "check", table: strings.Join(r.Tables, ","), rounds: "1", access: "the parents of all rows"}
	switch {
	case r.Rows:
		out.access = "the rows behind the entries"
	case !r.Parents:
		out.access = fmt.Sprintf("the children of all rows, level %d", r.Level)
	}
	return out
}
