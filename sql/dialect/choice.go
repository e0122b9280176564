package dialect

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// caseOf writes CASE. Its results get one type, as in MySQL.
func (e *emitter) caseOf(x *sqlparser.CaseExpr) frag {
	var conditions []string
	var results []frag
	var base frag
	if x.Expr != nil {
		base = e.any(x.Expr)
	}
	for _, w := range x.Whens {
		if x.Expr != nil {
			l, r := e.matched(base, e.any(w.Cond), "CASE")
			conditions = append(conditions, l.operand()+" = "+r.operand())
		} else {
			conditions = append(conditions, e.condition(w.Cond).text)
		}
		results = append(results, e.value(w.Val))
	}
	sure := x.Else != nil
	if x.Else != nil {
		results = append(results, e.value(x.Else))
	}
	if !slices.ContainsFunc(results, func(f frag) bool { return f.text != "NULL" }) {
		return atom("NULL", untyped)
	}
	t := unify(results)
	var b strings.Builder
	b.WriteString("CASE")
	for i, c := range conditions {
		b.WriteString(" WHEN " + c + " THEN " + results[i].text)
	}
	if x.Else != nil {
		b.WriteString(" ELSE " + results[len(results)-1].text)
	}
	for _, r := range results {
		sure = sure && r.sure
	}
	b.WriteString(" END")
	out := atom(b.String(), t.kind)
	out.typed, out.sure, out.quotient = t, sure, anyQuotient(results)
	return out
}

func anyQuotient(fs []frag) bool {
	for _, f := range fs {
		if f.quotient {
			return true
		}
	}
	for i := range fs[1:] {
		a, b := fs[i], fs[i+1]
		if a.kind.number() && b.kind.number() && (a.kind != b.kind || a.kind == decimal && a.scale != b.scale) {
			return true
		}
	}
	return false
}

// unify gives expressions of which one is chosen (CASE, COALESCE, GREATEST) one type: in MySQL
// text and a number together are text, a date and text are text. It changes them in place.
func unify(fs []frag) typed {
	var t typed
	texts, others := false, false
	for _, f := range fs {
		switch {
		case f.kind == untyped:
			continue
		case f.kind == text:
			texts = true
		case f.kind == unknown:
			return typed{}
		default:
			others = true
		}
		t = wider(t, f.typed)
	}
	if !texts || !others {
		return t
	}
	for i, f := range fs {
		switch {
		case f.kind == untyped && strings.HasPrefix(f.text, "$"):
			fs[i] = atom(cast(f, "text"), text)
		case f.kind != text && f.kind != untyped:
			fs[i] = surely(atom(asText(finished(f)), text), f)
			fs[i].literal = false
		}
	}
	return typed{kind: text}
}

// wider is the type of two of which one is chosen.
func wider(a, b typed) typed {
	switch {
	case a.kind == unknown:
		return b
	case a.kind == b.kind:
		if a.kind == decimal && (a.scale < 0 || b.scale < 0) {
			a.scale = -1
		}
		a.scale, a.wide = max(a.scale, b.scale), a.wide || b.wide
		return a
	case a.kind == float || b.kind == float:
		return typed{kind: float}
	case a.kind.number() && b.kind.number():
		if a.kind == decimal {
			return a
		}
		return b
	case a.kind.moment() && b.kind.moment():
		return typed{kind: datetime}
	}
	return typed{}
}
