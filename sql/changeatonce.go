package sql

import (
	"context"

	"isochron/sql/change"
	"isochron/txn"
)

// Changes that are transactions of their own, and are executed and committed in one request to the gateway.

// insertUnread inserts rows whose keys are expected to be new, and commits: the vote checks the keys. false: it is to be executed
// as others are, with the numbers that env has then.
func (p *changePlan) insertUnread(ctx context.Context, x *execution, view *changeView, env *change.Env) (done bool, err error) {
	s, c := x.s, *coreContext(ctx, x.s)
	c.Parameters, c.Session = p.parameters, view
	env.Context = &c
	u, ok := p.plan.InsertUnread(ctx, *env)
	env.Given = u.Out.Given
	if !ok || ctx.Err() != nil {
		return false, nil
	}
	if _, err := s.use(ctx, p.plan.Table); err != nil {
		return false, err
	}
	r := txn.Read{Gets: u.Keys, ForWrite: true, ExpectsAbsent: true}
	for _, w := range u.Writes {
		r.FixedSet = append(r.FixedSet, w.Key)
	}
	if done, err := s.open.watch.Update(ctx, r, u.With); err != nil || !done {
		return false, err
	}
	x.h.g.pointUpdates.Add(1)
	s.committed()
	s.SetTransaction(nil)
	showCoreWarnings(s, &c)
	x.result, x.whole = *p.answered(s, u.Out, view, &c), true
	return true, nil
}

// inOneGo executes the change in one request to the gateway; false: it is to be executed as others are.
func (p *changePlan) inOneGo(ctx context.Context, x *execution, view *changeView) (done bool, err error) {
	k := p.keyed(ctx, x.s, view)
	if k == nil {
		return false, nil
	}
	all := join(k)
	if all == nil {
		return false, nil
	}
	if done, err := all.execute(ctx, x); err != nil || !done {
		return false, err
	}
	x.result, x.whole = *k.answer(x), true
	return true, nil
}
