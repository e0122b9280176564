package sql

import (
	"context"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/bind"
	"isochron/sql/change"
	"isochron/sql/dialect"
	"isochron/sql/table"
	"isochron/txn"
)

// A transaction that is sent as one packet, BEGIN; ...; COMMIT, and whose statements all name what
// they write by its keys, is done with its first statement: one request to the gateway reads for all
// of them and commits. The others and the COMMIT are answered in their turns, as those are that
// sources have executed ahead (together.go). If one of them turns out to be for the engine, a
// duplicate key say, nothing was done and all are carried out one by one. The statements of a procedure
// that is called outside a transaction are such a packet (call.go).

// wholeByKeys is the plan of the first statement of such a transaction; nil: it is no such.
func (x *execution) wholeByKeys(ctx context.Context) Plan {
	s := x.s
	if !x.several && s.packet.steps == nil || x.tried[pointPlan] || !s.GetIgnoreAutoCommit() || s.open == nil || s.open.real != nil || readsOnly(s) || s.temporary.Any() {
		return nil
	}
	texts, commit := x.upToCommit()
	if commit == nil {
		return nil
	}
	p := &byKeys{rest: texts[0].rest, ahead: texts[1:]}
	var all []keyed
	writes := false
	for i, t := range texts {
		k := x.keyedOf(ctx, t.request)
		if k == nil {
			return nil
		}
		_, changes := k.(*keyedChange)
		all, writes = append(all, k), writes || changes
		if i > 0 {
			t.plan = doneAhead{k}
		}
	}
	if p.all = join(all...); p.all == nil || !writes {
		return nil
	}
	p.ahead = append(p.ahead, commit)
	return p
}

// upToCommit are the statements from this one on up to the COMMIT.
func (x *execution) upToCommit() (texts []*executedAhead, commit *executedAhead) {
	steps := x.s.packet.steps
	switch len(steps) {
	case 0:
		return upToCommit(x.text, x.s.dialectOptions())
	case 1:
		return nil, nil // it is the COMMIT
	}
	for _, r := range steps[:len(steps)-1] {
		texts = append(texts, &executedAhead{text: r.text, request: r})
	}
	return texts, commitOf(steps[len(steps)-1].text, x.s.dialectOptions().AnsiQuotes)
}

// upToCommit are the statements of a packet up to its COMMIT, if they all begin as such that may name
// rows by their keys and there are not too many; else commit is nil.
func upToCommit(packet string, o dialect.Options) (texts []*executedAhead, commit *executedAhead) {
	for rest, bytes := packet, 0; rest != "" && len(texts) < togetherMax; {
		a := &executedAhead{text: rest}
		a.alone, a.rest = dialect.First(rest, o.AnsiQuotes)
		a.request = textRequest(a.alone, false)
		if bytes += len(a.alone); bytes > togetherBytesMax {
			return nil, nil
		}
		switch table.FirstWord(a.alone) {
		case "insert", "update", "delete", "select":
			texts, rest = append(texts, a), a.rest
		case "commit":
			if len(texts) == 0 {
				return nil, nil
			}
			return texts, commitOf(rest, o.AnsiQuotes)
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// keyedOf readies one statement of a packet; nil if it is not one for that.
func (x *execution) keyedOf(ctx context.Context, r request) keyed {
	one, t := &execution{request: r, h: x.h, c: x.c, s: x.s}, (*text)(nil)
	if key := one.request.key(); key != "" {
		t = remembered(ctx, x.s, key)
	}
	if p, err := one.change(ctx, t); err != nil {
		return nil
	} else if p, ok := p.(*changePlan); ok {
		if k := p.keyed(ctx, x.s, nil); k != nil {
			return k
		}
		return nil
	}
	p, err := one.core(ctx, t)
	if err != nil {
		return nil
	}
	if p, ok := p.(*corePlan); ok {
		if k := p.keyed(ctx, x.s); k != nil {
			return k
		}
	}
	return nil
}

// keyed readies a change; nil: it does not name its rows by their keys. view is the session as its functions see it.
func (p *changePlan) keyed(ctx context.Context, s *Session, view *changeView) *keyedChange {
	c := *coreContext(ctx, s)
	if c.Parameters = p.parameters; view != nil {
		c.Session = view
	}
	g := p.plan.InOneGo(ctx, change.Env{Clock: s.quiet, Context: &c, Strict: s.coreSettings().strict, KeepsZero: s.coreSettings().keepsZero, Store: s.gateway.store})
	if g == nil {
		return nil
	}
	return &keyedChange{p, g, &c}
}

// keyed readies a query that locks rows which it names by their keys; nil: it is another.
func (p *corePlan) keyed(ctx context.Context, s *Session) *keyedRead {
	q := p.plan.Query
	if q.Table == nil || q.Lock != txn.LockExclusive || q.Wait != 0 || q.Grouped || q.Distinct || !change.IsPure(append(itemsOf(q), q.Where, q.Having)...) {
		return nil
	}
	c := *coreContext(ctx, s)
	c.Parameters = p.parameters
	choice, err := p.plan.Choose(s.quiet, &c)
	if err != nil || choice == nil || len(choice.Scans) > 0 || !choice.Index.Primary {
		return nil
	}
	return &keyedRead{corePlan: p, s: s, c: &c, gets: choice.Gets}
}

// itemsOf are the expressions of a query's list and order.
func itemsOf(q *bind.Query) (out []sqlparser.Expr) {
	for _, item := range q.Items {
		out = append(out, item.Expr)
	}
	for _, o := range q.Order {
		out = append(out, o.Expr)
	}
	return out
}
