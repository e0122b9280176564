package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsonPath is a path into a JSON document: $ and legs.
type jsonPath []jsonLeg

type jsonLeg struct {
	kind     legKind
	key      string
	from, to jsonIndex
}

type legKind uint8

const (
	legMember  legKind = iota
	legMembers         // .*
	legCell            // [n]
	legRange           // [n to m]
	legCells           // [*]
	legAll             // **
)

// jsonIndex is a place in an array, counted from its start, or back from its last element.
type jsonIndex struct {
	n    int
	last bool
}

// in is the place in an array of a length; it may be outside.
func (x jsonIndex) in(length int) int {
	if x.last {
		return length - 1 - x.n
	}
	return x.n
}

// many reports whether a path may match more than one value.
func (p jsonPath) many() bool {
	for i := range p {
		if p[i].kind != legMember && p[i].kind != legCell {
			return true
		}
	}
	return false
}

// parsePath reads a path; at is the character, from 1, at which it is none.
func parsePath(s string) (p jsonPath, at int, ok bool) {
	r := &jsonReader{reader: reader{s: s}}
	r.blank()
	if r.peek() != '$' {
		return nil, r.at + 1, false
	}
	r.at++
	for r.blank(); r.more(); r.blank() {
		leg, ok := r.leg()
		if !ok {
			return nil, utf8.RuneCountInString(s[:min(r.at, len(s))]) + 1, false
		}
		p = append(p, leg)
	}
	if len(p) > 0 && p[len(p)-1].kind == legAll {
		return nil, utf8.RuneCountInString(s), false
	}
	return p, 0, true
}

func (r *jsonReader) leg() (leg jsonLeg, ok bool) {
	switch r.peek() {
	case '.':
		r.at++
		r.blank()
		return r.memberLeg()
	case '[':
		r.at++
		r.blank()
		return r.cellLeg()
	case '*':
		if strings.HasPrefix(r.s[r.at:], "**") {
			r.at += 2
			return jsonLeg{kind: legAll}, r.peek() != '*'
		}
	}
	return leg, false
}

func (r *jsonReader) memberLeg() (leg jsonLeg, ok bool) {
	switch r.peek() {
	case '*':
		r.at++
		return jsonLeg{kind: legMembers}, true
	case '"':
		leg.key, ok = r.quoted()
		return leg, ok
	}
	start := r.at
	for r.more() {
		ch, n := utf8.DecodeRuneInString(r.s[r.at:])
		if !isNameRune(ch, r.at == start) {
			break
		}
		r.at += n
	}
	leg.key = r.s[start:r.at]
	return leg, leg.key != ""
}

// isNameRune reports whether a character may be in a key without quotes: as in names of ECMAScript.
func isNameRune(ch rune, first bool) bool {
	if ch == '$' || ch == '_' || unicode.IsLetter(ch) || unicode.Is(unicode.Nl, ch) {
		return true
	}
	return !first && (unicode.IsDigit(ch) || unicode.In(ch, unicode.Mn, unicode.Mc, unicode.Pc) || ch == 0x200c || ch == 0x200d)
}

func (r *jsonReader) cellLeg() (leg jsonLeg, ok bool) {
	if r.peek() == '*' {
		r.at++
		leg.kind = legCells
		return leg, r.closing()
	}
	leg.kind = legCell
	if leg.from, ok = r.index(); !ok {
		return leg, false
	}
	if at := r.at; r.at > 0 && isSpace(r.s[r.at-1]) && strings.HasPrefix(r.s[r.at:], "to") && len(r.s) > at+2 && isSpace(r.s[at+2]) {
		r.at += 2
		r.blank()
		leg.kind = legRange
		if leg.to, ok = r.index(); !ok {
			return leg, false
		}
		if leg.from.last == leg.to.last && (leg.from.n > leg.to.n) != leg.from.last && leg.from.n != leg.to.n {
			return leg, false // an empty range
		}
	}
	return leg, r.closing()
}

func (r *jsonReader) closing() bool {
	r.blank()
	if r.peek() != ']' {
		return false
	}
	r.at++
	return true
}

// index reads a number, last, or last-number.
func (r *jsonReader) index() (x jsonIndex, ok bool) {
	if strings.HasPrefix(r.s[r.at:], "last") {
		r.at += 4
		x.last = true
		r.blank()
		if r.peek() != '-' {
			return x, true
		}
		r.at++
		r.blank()
	}
	start := r.at
	if !r.digits() {
		return x, false
	}
	n, err := strconv.ParseUint(r.s[start:r.at], 10, 32)
	x.n = int(n)
	r.blank()
	return x, err == nil && n <= math.MaxUint32
}

// matches are the values that a path leads to, in the order of the document, each once.
func (p jsonPath) matches(root *jsonValue) []*jsonValue {
	found := []*jsonValue{root}
	again := false // a value may be reached as an element, and as itself
	for i := range p {
		var next []*jsonValue
		if p[i].kind == legAll {
			next = allUnder(found)
			again = true
		} else {
			for _, v := range found {
				next = p[i].matches(v, next)
			}
		}
		if found = next; again && (p[i].kind == legCell || p[i].kind == legRange) {
			found = distinct(found)
		}
	}
	return found
}

// allUnder are values and all inside them, each once.
func allUnder(list []*jsonValue) (out []*jsonValue) {
	if len(list) == 1 {
		return descendants(list[0], nil, nil)
	}
	seen := make(map[*jsonValue]bool, len(list))
	for _, v := range list {
		out = descendants(v, out, seen)
	}
	return out
}

func distinct(list []*jsonValue) []*jsonValue {
	seen := make(map[*jsonValue]bool, len(list))
	out := list[:0]
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// matches appends the values that a leg leads to. What is no array is one of one element for [0] and ranges.
func (l *jsonLeg) matches(v *jsonValue, out []*jsonValue) []*jsonValue {
	switch l.kind {
	case legMember:
		if m := v.member(l.key); m != nil {
			out = append(out, m)
		}
	case legMembers:
		if v.kind == jsonObject {
			out = appendAll(out, v.in)
		}
	case legCells:
		if v.kind == jsonArray {
			out = appendAll(out, v.in)
		}
	case legCell, legRange:
		to := l.from
		if l.kind == legRange {
			to = l.to
		}
		if v.kind != jsonArray {
			if l.from.in(1) <= 0 && to.in(1) >= 0 {
				out = append(out, v)
			}
			return out
		}
		n := len(v.in.values)
		for i := max(0, l.from.in(n)); i <= min(to.in(n), n-1) && (l.kind == legRange || l.from.in(n) >= 0); i++ {
			out = append(out, &v.in.values[i])
		}
	}
	return out
}

func appendAll(out []*jsonValue, in *jsonInside) []*jsonValue {
	for i := range in.values {
		out = append(out, &in.values[i])
	}
	return out
}

// descendants appends a value and all inside it, without those that were seen: all inside them were too.
func descendants(v *jsonValue, out []*jsonValue, seen map[*jsonValue]bool) []*jsonValue {
	if seen != nil {
		if seen[v] {
			return out
		}
		seen[v] = true
	}
	out = append(out, v)
	if v.in != nil {
		for i := range v.in.values {
			out = descendants(&v.in.values[i], out, seen)
		}
	}
	return out
}

// one is the value that a path without wildcards leads to; nil: there is none.
func (p jsonPath) one(root *jsonValue) *jsonValue {
	v := root
	for i := range p {
		found := p[i].matches(v, nil)
		if len(found) == 0 {
			return nil
		}
		v = found[0]
	}
	return v
}

// appendMember writes a leg to a member, in quotes if it needs them.
func appendMember(b []byte, key string) []byte {
	b = append(b, '.')
	plain := key != ""
	for i, ch := range key {
		plain = plain && isNameRune(ch, i == 0)
	}
	if plain {
		return append(b, key...)
	}
	return appendQuoted(b, key)
}
