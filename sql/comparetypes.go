package sql

import (
	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/comparing"
	"isochron/sql/legacy"
)

// MySQL's comparisons (sql/comparing) of values of the engine's types.

func compareValues(ctx *gms.Context, lt, rt gms.Type, l, r any, collation gms.CollationID) (int, bool) {
	a, b := legacy.TypeOf(lt), legacy.TypeOf(rt)
	return comparing.Compare(ctx, &a, &b, l, r, legacy.CollationOf(collation))
}

func compareTexts(a, b string, collation gms.CollationID) int {
	return comparing.CompareText(a, b, legacy.CollationOf(collation))
}

func weightsOf(s string, collation gms.CollationID) string {
	return comparing.Weights(s, legacy.CollationOf(collation))
}

func engineKnows(l, r gms.Type) bool {
	a, b := legacy.TypeOf(l), legacy.TypeOf(r)
	return comparing.EngineKnows(&a, &b)
}

func useOf(t, from gms.Type) comparing.Use {
	a, b := legacy.TypeOf(t), legacy.TypeOf(from)
	return comparing.UseOf(&a, &b)
}

func useOfConstant(t, from gms.Type, v any) comparing.Use {
	a, b := legacy.TypeOf(t), legacy.TypeOf(from)
	return comparing.UseOfConstant(&a, &b, v)
}

func nearestOf(ctx *gms.Context, t, from gms.Type, v any) (near any, exact, ok bool) {
	a, b := legacy.TypeOf(t), legacy.TypeOf(from)
	near, exact, ok = comparing.Near(ctx, &a, &b, v)
	return legacy.ToEngine(near), exact, ok
}

func canonicalOf(ctx *gms.Context, t, beside gms.Type, v any, collation gms.CollationID) (string, bool) {
	a, b := legacy.TypeOf(t), legacy.TypeOf(beside)
	return comparing.Canonical(ctx, &a, &b, v, legacy.CollationOf(collation))
}

func hasCanonical(l, r gms.Type) bool {
	a, b := legacy.TypeOf(l), legacy.TypeOf(r)
	return comparing.HasCanonical(&a, &b)
}

func isInteger(t gms.Type) bool {
	of := legacy.TypeOf(t)
	return comparing.IsInteger(&of)
}

func keysOrdered(t, from gms.Type) bool {
	a, b := legacy.TypeOf(t), legacy.TypeOf(from)
	return comparing.Ordered(&a, &b)
}

func shortYear(t gms.Type, v any) (int64, bool) {
	of := legacy.TypeOf(t)
	return comparing.Year(&of, v)
}
