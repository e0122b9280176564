package expr

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
	"vitess.io/vitess/go/vt/sqlparser"
)

// LIKE (the manual's 14.8.1): characters are compared one by one, by the collation, without padding. The engine's
// matching takes time exponential in the number of % signs; this one the product of the lengths at most, and it can be
// cut short. When the text behind one % is found, no other place for it can do better, so only the last % is moved.

var (
	like    = &Function{Name: "\x00LIKE", Min: 2, Max: 3, Type: integerType, Nulls: true, Eval: func(c *Call) (Value, error) { return c.like(true) }}
	notLike = &Function{Name: "\x00NOT LIKE", Min: 2, Max: 3, Type: integerType, Nulls: true, Eval: func(c *Call) (Value, error) { return c.like(false) }}
)

func init() {
	registerNode(func(e *sqlparser.ComparisonExpr) (node, bool) {
		args := []sqlparser.Expr{e.Left, e.Right}
		if e.Escape != nil {
			args = append(args, e.Escape)
		}
		switch e.Operator {
		case sqlparser.LikeOp:
			return node{function: like, args: args}, true
		case sqlparser.NotLikeOp:
			return node{function: notLike, args: args}, true
		}
		return node{}, false
	})
}

func (c *Call) like(want bool) (Value, error) {
	if c.IsNull(0) || c.IsNull(1) {
		return Null, nil
	}
	escape := '\\'
	if len(c.Args) == 3 && !c.IsNull(2) {
		switch s := c.Str(2); utf8.RuneCountInString(s) {
		case 0:
			escape = -1
		case 1:
			escape, _ = utf8.DecodeRuneInString(s)
		default:
			return Null, newError(1210, "HY000", "Incorrect arguments to ESCAPE")
		}
	}
	state, ok := c.State.(likeState)
	if !ok {
		state.classes = classesOf(c.comparison(c.Types[:2]...))
		state.pattern = state.classes.parse(c.Str(1), escape)
		if c.Constant[1] && (len(c.Args) == 2 || c.Constant[2]) {
			c.State = state
		}
	}
	m := likeMatcher{done: c.Done, text: c.Str(0), pattern: state.pattern, classes: state.classes}
	is, err := m.matches()
	return Bool(is == want), err
}

// likeState is what is kept of a constant pattern.
type likeState struct {
	classes *classes
	pattern []int32 // classes of characters, anyOne, anyNumber
}

// likeMatcher matches a text.
type likeMatcher struct {
	done    context.Context
	text    string
	pattern []int32
	classes *classes
	steps   int
}

const (
	anyOne    = -1 // _
	anyNumber = -2 // %
)

// parse reads a pattern.
func (c *classes) parse(s string, escape rune) (out []int32) {
	for len(s) > 0 {
		r, n := c.decode(s)
		s = s[n:]
		switch {
		case r == escape && len(s) > 0:
			r, n = c.decode(s)
			s = s[n:]
			out = append(out, c.of(r))
		case r == '_':
			out = append(out, anyOne)
		case r == '%':
			if len(out) == 0 || out[len(out)-1] != anyNumber {
				out = append(out, anyNumber)
			}
		default:
			out = append(out, c.of(r))
		}
	}
	return out
}

// matchSteps is after how many comparisons the statement's end is looked at.
const matchSteps = 1 << 16

func (m *likeMatcher) matches() (bool, error) {
	at, p := 0, 0         // in the text, in the pattern
	back, resume := -1, 0 // behind the last %, and where its next try begins
	for at < len(m.text) || p < len(m.pattern) {
		if m.steps++; m.steps%matchSteps == 0 && m.done != nil && m.done.Err() != nil {
			return false, context.Cause(m.done)
		}
		if p < len(m.pattern) && m.pattern[p] == anyNumber {
			p++
			back, resume = p, at
			if p == len(m.pattern) {
				return true, nil
			}
			continue
		}
		if at < len(m.text) && p < len(m.pattern) {
			r, n := m.classes.decode(m.text[at:])
			if m.pattern[p] == anyOne || m.pattern[p] == m.classes.of(r) {
				at, p = at+n, p+1
				continue
			}
		}
		if back < 0 || resume >= len(m.text) {
			return false, nil
		}
		_, n := m.classes.decode(m.text[resume:])
		resume += n
		at, p = resume, back
	}
	return true, nil
}

// classes number characters: two that a collation takes for one have one number.
type classes struct {
	bytes     bool // of bytes
	plain     bool // each character is its own class
	collation colldata.Collation
	ascii     [utf8.RuneSelf]int32
	byWeight  map[string]int32
	byRune    map[rune]int32
}

// classesOf are the classes of a collation.
func classesOf(by colldata.Collation) *classes {
	c := &classes{bytes: by.ID() == collations.CollationBinaryID, collation: by}
	c.plain = c.bytes || strings.HasSuffix(c.collation.Name(), "_bin")
	if !c.plain {
		c.byWeight, c.byRune = map[string]int32{}, map[rune]int32{}
		for i := range c.ascii {
			c.ascii[i] = math.MinInt32
		}
	}
	return c
}

// decode is the first character of a text that is not empty, and its length.
func (c *classes) decode(s string) (rune, int) {
	if c.bytes {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func (c *classes) of(r rune) int32 {
	if c.plain {
		return r
	}
	if r < utf8.RuneSelf && r >= 0 {
		if n := c.ascii[r]; n != math.MinInt32 {
			return n
		}
		n := c.weigh(r)
		c.ascii[r] = n
		return n
	}
	n, ok := c.byRune[r]
	if !ok {
		n = c.weigh(r)
		if len(c.byRune) < maxClasses {
			c.byRune[r] = n
		}
	}
	return n
}

// maxClasses bounds what is remembered of a text's characters.
const maxClasses = 1 << 16

func (c *classes) weigh(r rune) int32 {
	var b [utf8.UTFMax]byte
	w := string(c.collation.WeightString(nil, b[:utf8.EncodeRune(b[:], r)], 0))
	if w == "" {
		return r // it has no weight, and is only itself
	}
	n, ok := c.byWeight[w]
	if !ok {
		n = int32(len(c.byWeight)) + utf8.MaxRune + 1
		c.byWeight[w] = n
	}
	return n
}
