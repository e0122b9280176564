package comparing

import (
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// class is a family of types that are compared alike.
type class uint8

const (
	other   class = iota // for the engine
	signed               // whole numbers
	natural              // whole numbers without a sign
	bits
	year
	decimal
	float32s
	float64s
	text
	binary
	enum
	set
	moment // DATE, DATETIME and TIMESTAMP
	span   // TIME
)

func classOf(t gms.Type) class {
	switch {
	case t == nil || t == types.Null || types.IsTuple(t) || types.IsJSON(t) || types.IsGeometry(t):
		return other
	case types.IsEnum(t):
		return enum
	case types.IsSet(t):
		return set
	case types.IsBit(t):
		return bits
	case types.IsYear(t):
		return year
	case types.IsDecimal(t):
		return decimal
	case t == types.Float32:
		return float32s
	case types.IsFloat(t):
		return float64s
	case types.IsUnsigned(t):
		return natural
	case types.IsSigned(t):
		return signed
	case types.IsTimespan(t):
		return span
	case types.IsTime(t):
		return moment
	case types.IsBinaryType(t):
		return binary
	case types.IsTextOnly(t):
		return text
	}
	return other
}

func (c class) isFloat() bool  { return c == float32s || c == float64s }
func (c class) isNumber() bool { return c >= signed && c <= float64s }
func (c class) isText() bool   { return c == text || c == binary }
func (c class) isNamed() bool  { return c == enum || c == set }

// rule is the conversion of two values before they are compared.
type rule uint8

const (
	byEngine  rule = iota
	asWhole        // numbers of 64 bits, with and without a sign
	asDecimal      // exact
	asFloat        // with 53 bits
	asText         // by a collation
	asMoment
	asSpan
)

// ruleOf returns the rule for the comparison of values of two types.
func ruleOf(l, r class) rule {
	if l > r {
		l, r = r, l
	}
	switch {
	case l == other:
		return byEngine
	case r == moment || l == moment:
		if l.isNamed() {
			return asText
		}
		return asMoment
	case r == span:
		switch {
		case l.isNamed():
			return asText
		case l.isNumber():
			return asFloat
		}
		return asSpan
	case r.isNamed():
		if l.isNumber() {
			return asFloat
		}
		return asText
	case r.isText():
		if l.isNumber() {
			return asFloat
		}
		if l == text && r == text {
			return asText
		}
		return byEngine
	case r.isFloat():
		return asFloat
	case r == decimal:
		return asDecimal
	}
	return asWhole
}

// EngineKnows reports whether the engine compares values of two types as MySQL does.
func EngineKnows(l, r gms.Type) bool {
	a, b := classOf(l), classOf(r)
	switch rule := ruleOf(a, b); rule {
	case byEngine:
		return true
	case asWhole:
		return a == b && a != bits && a != year || a == b && l == r
	case asMoment:
		return a == moment && b == moment
	case asDecimal, asFloat, asSpan:
		return a == b && types.TypesEqual(l, r)
	case asText:
		return a == text && b == text
	}
	return false
}
