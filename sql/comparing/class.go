package comparing

import "isochron/sql/coltype"

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

// classes are those of the kinds of columns; JSON is other.
var classes = [...]class{
	coltype.KindInt: signed, coltype.KindUint: natural, coltype.KindFloat32: float32s, coltype.KindFloat64: float64s, coltype.KindDecimal: decimal,
	coltype.KindText: text, coltype.KindBytes: binary, coltype.KindTime: moment, coltype.KindTimespan: span, coltype.KindYear: year, coltype.KindBit: bits,
	coltype.KindEnum: enum, coltype.KindSet: set, coltype.KindJSON: other,
}

func classOf(t *coltype.Type) class { return classes[t.Kind] }

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
func EngineKnows(l, r *coltype.Type) bool {
	a, b := classOf(l), classOf(r)
	switch rule := ruleOf(a, b); rule {
	case byEngine:
		return true
	case asWhole:
		return a == b && a != bits && a != year || a == b && l.Equal(r)
	case asMoment:
		return a == moment && b == moment
	case asDecimal, asFloat, asSpan:
		return a == b && l.Equal(r)
	case asText:
		return a == text && b == text
	}
	return false
}
