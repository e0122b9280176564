package sql

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/table"
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
	choice, err := p.plan.Choose(ctx, coreContext(ctx, s))
	if err != nil {
		return x, true, coreError(err)
	}
	total := 0
	q := p.plan.Query
	switch {
	case q.Table == nil:
	case choice == nil:
		x.steps = append(x.steps, step{what: "read", table: q.Table.Record.Name, access: "nothing", rounds: "0"})
	default:
		x.steps, total = h.g.accessSteps(q.Table.Record.Name, choice.Access, table.Mode{Lock: q.Lock, Wait: q.Wait}, p.plan.Columns, choice.Pushed)
	}
	x.steps = append(x.steps, step{what: "all", rounds: fmt.Sprint(total)})
	return x, true, nil
}
