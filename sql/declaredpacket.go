package sql

import (
	"context"

	"isochron/sql/dialect"
	"isochron/sql/plan"
	"isochron/sql/table"
)

// A transaction that is sent as one packet, BEGIN; ...; COMMIT, and whose statements all name what
// they write by its keys, is done with its first statement: one request to the gateway reads for all
// of them and commits. The others and the COMMIT are answered in their turns, as those are that
// sources have executed ahead (together.go). If one of them turns out to be for the engine, a
// duplicate key say, nothing was done and all are carried out one by one.

// wholeByKeys is the plan of the first statement of such a transaction; nil: it is no such.
func (x *execution) wholeByKeys(ctx context.Context) Plan {
	s := x.s
	if !x.several || x.tried[pointPlan] || !s.GetIgnoreAutoCommit() || s.open == nil || s.open.real != nil || s.readsOnly() || s.chosen().path == pathEngine {
		return nil
	}
	texts, commit := s.writesUpToCommit(x.text)
	if commit == nil {
		return nil
	}
	p := &byKeys{rest: texts[0].rest, ahead: texts[1:]}
	for i, t := range texts {
		b := x.byKeyOf(ctx, t.alone)
		if b == nil {
			return nil
		}
		p.of = append(p.of, b)
		if i > 0 {
			t.plan = doneAhead{b}
		}
	}
	if p.all = plan.Join(p.of...); p.all == nil {
		return nil
	}
	p.ahead = append(p.ahead, commit)
	return p
}

// writesUpToCommit are the statements of a packet up to its COMMIT, if they all begin as such that
// write rows and there are not too many; else commit is nil.
func (s *Session) writesUpToCommit(packet string) (texts []*executedAhead, commit *executedAhead) {
	o := s.dialectOptions()
	for rest, bytes := packet, 0; rest != "" && len(texts) < togetherMax; {
		a := &executedAhead{text: rest}
		a.alone, a.rest = dialect.First(rest, o.AnsiQuotes)
		if bytes += len(a.alone); bytes > togetherBytesMax {
			return nil, nil
		}
		switch table.FirstWord(a.alone) {
		case "insert", "update", "delete":
			texts, rest = append(texts, a), a.rest
		case "commit":
			if len(texts) == 0 {
				return nil, nil
			}
			return texts, s.commitOf(rest)
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// byKeyOf readies one statement of a packet; nil if it is not one for that.
func (x *execution) byKeyOf(ctx context.Context, text string) *plan.ByKey {
	one := &execution{request: textRequest(text, false), h: x.h, c: x.c, s: x.s}
	if one.request.key() == "" {
		return nil
	}
	t := x.s.remembered(ctx, one.request.key())
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, text)
	if t == nil || err != nil || t.failed > compilesMax {
		return nil
	}
	v := one.boundTo(gctx, t)
	if v == nil || v.plan.Plan.Writes == nil {
		return nil
	}
	return v.plan.ByKey(gctx)
}
