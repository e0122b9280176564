package sql

import (
	"context"
	"slices"

	"isochron/sql/dialect"
	"isochron/sql/plan"
	"isochron/sql/table"
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
	if !x.several && s.packet.steps == nil || x.tried[pointPlan] || !s.GetIgnoreAutoCommit() || s.open == nil || s.open.real != nil || readsOnly(s) || s.Chosen().Path == pathEngine {
		return nil
	}
	texts, commit := x.upToCommit()
	if commit == nil {
		return nil
	}
	p := &byKeys{rest: texts[0].rest, ahead: texts[1:]}
	var all []*plan.ByKey
	for i, t := range texts {
		k := x.byKeyOf(ctx, t.request)
		if k.ByKey == nil {
			return nil
		}
		p.of, all = append(p.of, k), append(all, k.ByKey)
		if i > 0 {
			t.plan = doneAhead{k}
		}
	}
	if p.all = plan.Join(all...); p.all == nil || !slices.ContainsFunc(all, func(b *plan.ByKey) bool { return b.Kind != plan.Reads }) {
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

// byKeyOf readies one statement of a packet; no ByKey if it is not one for that. A query is one when
// the engine has carried it out before, and so described its rows.
func (x *execution) byKeyOf(ctx context.Context, r request) (k keyed) {
	one := &execution{request: r, h: x.h, c: x.c, s: x.s}
	if one.request.key() == "" {
		return k
	}
	t := remembered(ctx, x.s, one.request.key())
	gctx, err := x.h.sm.NewContextWithQuery(ctx, x.c, r.text)
	if t == nil || err != nil || t.failed > compilesMax || selects(r.text) && !t.seen {
		return k
	}
	if v := t.boundTo(gctx, one); v != nil {
		k = keyed{v.plan.ByKey(gctx), t, v}
	}
	return k
}

// describedAs is the key under which the description of a statement's rows is kept: of one of a
// transaction in a packet that by itself.
func (x *execution) describedAs() string {
	if !x.several || !x.s.GetIgnoreAutoCommit() || !selects(x.text) {
		return x.request.key()
	}
	text, _ := dialect.First(x.text, x.s.dialectOptions().AnsiQuotes)
	one := textRequest(text, false)
	return one.key()
}
