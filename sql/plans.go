package sql

import (
	"context"
	"errors"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Plan is a way to carry out a statement: a point update, the core's, an explanation, or
// whatever the engine makes of it. A plan does its work and has no
// other duty: what every statement is owed, whatever its plan and however it came in,
// is done around Execute (execution.go).
type Plan interface {
	// Execute carries the statement out once, in its session's transaction, and hands
	// what it yields to x. It is called again only in another try, on a plan chosen
	// anew. errOtherPlan: nothing was changed, and the next plan is to do it; it may
	// have read by then.
	Execute(ctx context.Context, x *execution) error
	// kind is what the counters and the list of processes ask for.
	kind() planKind
	// counter is the status variable that counts such statements; "": none does, or the
	// engine sees to it.
	counter() string
}

// planKind tells plans apart where that matters.
type planKind uint8

const (
	pointPlan   planKind = iota // one request to the gateway
	coreKind                    // the SQL core executes it
	explained                   // no rows are read or changed
	defining                    // the catalogue is changed
	atSources                   // it is done at databases that are not ours
	wholeEngine                 // the engine parses, analyses, lists and executes it
)

// errOtherPlan ends the execution of a plan that the statement turned out not to be for.
// No client sees it.
var errOtherPlan = errors.New("the statement is for another plan")

// choose is the plan for this try of the statement: the first of these that it is for.
func (x *execution) choose(ctx context.Context) (Plan, error) {
	s := x.s
	if len(s.packet.ahead) == 0 && beginsCall(x.text) {
		return x.called()
	}
	if p, err := x.definition(); p != nil || err != nil {
		return p, err
	}
	if p := x.transacting(); p != nil {
		return p, nil
	}
	if x.request.key() == "" {
		if p, err := x.namedQuery(ctx); p != nil || err != nil {
			return p, err
		}
		if p, err := x.setQueries(ctx); p != nil || err != nil {
			return p, err
		}
		if p, err := x.defined(); p != nil || err != nil {
			return p, err
		}
		if p, err := x.atSources(ctx, nil); p != nil || err != nil {
			return p, err
		}
		if p := x.wholeByKeys(ctx); p != nil {
			return p, nil
		}
		if p, err := x.change(ctx, nil); p != nil || err != nil {
			return p, err
		}
		if p, err := x.core(ctx, nil); p != nil || err != nil {
			return p, err
		}
		if p, err := x.loads(); p != nil || err != nil {
			return p, err
		}
		if text, ok := analyzable(x.text); ok && x.prepare == nil && !x.tried[explained] {
			return analyzePlan{text}, nil
		}
		if text, ok := explainable(x.text); ok && x.prepare == nil {
			return explainPlan{text}, nil
		}
		return enginePlan{}, nil
	}
	var t *text
	if t = remembered(ctx, s, x.request.key()); t != nil && !x.tried[pointPlan] {
		if u := pointUpdateOf(s, t, x); u != nil {
			return u, nil
		}
	}
	if x.below != nil {
		return x.chooseBelow(ctx, t)
	}
	if x.prepare != nil {
		if err := permitPrepared(s, x.text); err != nil {
			return nil, err
		}
		numberLimits(x.prepare, s.coreSettings().reads)
	}
	if p, err := x.atSources(ctx, t); p != nil || err != nil {
		return p, err
	}
	if p := x.wholeByKeys(ctx); p != nil {
		return p, nil
	}
	if p, err := x.change(ctx, t); p != nil || err != nil {
		return p, err
	}
	if p, err := x.core(ctx, t); p != nil || err != nil {
		return p, err
	}
	return enginePlan{}, nil
}

// chooseBelow is the plan of a statement that was read below the wire library; errAbove: it has none there.
func (x *execution) chooseBelow(ctx context.Context, t *text) (p Plan, err error) {
	if p := x.knownCore(t); p != nil {
		return p, nil
	}
	if t == nil || x.prepare == nil || t.above {
		return nil, errAbove
	}
	if err = permitPrepared(x.s, x.text); err == nil {
		p, err = x.atSources(ctx, t)
	}
	if p == nil && err == nil {
		p, err = x.change(ctx, t)
	}
	if p == nil && err == nil {
		p, err = x.core(ctx, t)
	}
	if p == nil && err == nil {
		err = errAbove
	}
	t.above = err == errAbove
	return p, err
}

// explainPlan answers EXPLAIN.
type explainPlan struct{ text string }

func (explainPlan) kind() planKind { return explained }

func (explainPlan) counter() string { return "" }

// Execute implements Plan.
func (p explainPlan) Execute(ctx context.Context, x *execution) error {
	return x.h.explain(ctx, x.c, p.text, x.yield)
}

// enginePlan leaves the statement to the engine, which asks the builder for round plans.
type enginePlan struct{}

func (enginePlan) kind() planKind { return wholeEngine }

func (enginePlan) counter() string { return "" }

// Execute implements Plan.
func (enginePlan) Execute(ctx context.Context, x *execution) (err error) {
	if selects(x.text) || changesRows(x.text) || defines(x.text) {
		x.h.g.byEngine.Add(1)
	}
	engine := x.h.Handler
	switch {
	case x.prepare != nil:
		err = engine.ComStmtExecute(ctx, x.c, x.prepare, func(r *sqltypes.Result) error { return x.yield(r, false) })
	case x.several:
		x.rest, err = engine.ComMultiQuery(ctx, x.c, x.text, x.yield)
	default:
		err = engine.ComQuery(ctx, x.c, x.text, x.yield)
	}
	return err
}

var _ = []Plan{(*pointUpdate)(nil), (*byKeys)(nil), doneAhead{}, (*corePlan)(nil), (*changePlan)(nil), (*sourcePlan)(nil), committedAhead{}, (*transacting)(nil), explainPlan{}, analyzePlan{}, callPlan{}, loadPlan{}, routineChange{}, definitionPlan{}, namedQuery{}, enginePlan{}}

var _ mysql.Handler = (*handler)(nil)
