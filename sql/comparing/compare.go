package comparing

import (
	"cmp"
	"strings"
	"time"

	"isochron/sql/coltype"
	"isochron/sql/rowcodec"
)

// Clock is the time of a statement, at whose date a TIME is one compared with a date.
type Clock interface{ QueryTime() time.Time }

// Compare compares two values, neither NULL, as MySQL does: -1, 0 or 1. ok is false if that is for the engine.
func Compare(clock Clock, lt, rt *coltype.Type, l, r any, collation *coltype.Collation) (c int, ok bool) {
	a, b := operand{classOf(lt), lt, l}, operand{classOf(rt), rt, r}
	switch ruleOf(a.class, b.class) {
	case asWhole:
		return compareWhole(a, b)
	case asDecimal:
		x, ok := a.exact()
		y, also := b.exact()
		if !ok || !also {
			return 0, false
		}
		return x.Cmp(y), true
	case asFloat:
		x, ok := a.float()
		y, also := b.float()
		return cmp.Compare(x, y), ok && also
	case asText:
		x, ok := a.name()
		y, also := b.name()
		return CompareText(x, y, collation), ok && also
	case asMoment:
		x, ok := a.moment(clock)
		y, also := b.moment(clock)
		if !ok || !also {
			return cmp.Compare(truth(ok), truth(also)), ok || also
		}
		return x.Compare(y), true
	case asSpan:
		x, ok := a.span()
		y, also := b.span()
		if !ok || !also {
			return cmp.Compare(truth(ok), truth(also)), ok || also
		}
		return cmp.Compare(x, y), true
	}
	return 0, false
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareWhole(a, b operand) (int, bool) {
	negative, n, ok := a.whole()
	otherNegative, m, also := b.whole()
	switch {
	case !ok || !also:
		return 0, false
	case negative != otherNegative:
		return cmp.Compare(truth(otherNegative), truth(negative)), true
	case negative:
		return cmp.Compare(m, n), true
	}
	return cmp.Compare(n, m), true
}

// CompareText compares two texts by a collation.
func CompareText(a, b string, collation *coltype.Collation) int {
	if collation.Binary {
		return strings.Compare(a, b)
	}
	return strings.Compare(string(rowcodec.AppendText(nil, a, collation)), string(rowcodec.AppendText(nil, b, collation)))
}

// Weights are the same for texts that are alike to a collation.
func Weights(s string, collation *coltype.Collation) string {
	return string(rowcodec.AppendText(nil, s, collation))
}
