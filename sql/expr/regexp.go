package expr

import (
	"errors"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/icuregex"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Regular expressions (the manual's 14.8.2). evalengine computes REGEXP, REGEXP_LIKE and REGEXP_INSTR.

var (
	regexpReplace = &Function{Name: "REGEXP_REPLACE", Min: 3, Max: 6, Convert: asItIs, Type: regexpType, Eval: evalRegexpReplace}
	regexpSubstr  = &Function{Name: "REGEXP_SUBSTR", Min: 2, Max: 5, Convert: asItIs, Type: regexpType, Eval: evalRegexpSubstr}
)

func init() {
	registerNode(func(e *sqlparser.RegexpReplaceExpr) (node, bool) {
		return node{function: regexpReplace, args: given(e.Expr, e.Pattern, e.Repl, e.Position, e.Occurrence, e.MatchType)}, true
	})
	registerNode(func(e *sqlparser.RegexpSubstrExpr) (node, bool) {
		return node{function: regexpSubstr, args: given(e.Expr, e.Pattern, e.Position, e.Occurrence, e.MatchType)}, true
	})
}

// given are the arguments up to the first that was left out.
func given(list ...sqlparser.Expr) []sqlparser.Expr {
	for i, e := range list {
		if e == nil {
			return list[:i]
		}
	}
	return list
}

// matcher is a regular expression over a text from a position on.
type matcher struct {
	*icuregex.Matcher
	pattern *icuregex.Pattern
	call    *Call
	text    []rune
	start   int  // of the search, in characters from 0
	found   bool // there is a match
}

// matcher compiles the expression of arguments 0 and 1. more is the index of the position; the occurrence and the kind
// of match follow it.
func (c *Call) matcher(more int) (*matcher, error) {
	name := strings.ToLower(c.Function.Name)
	texts := 2
	if more > texts {
		texts = more // and what a match is replaced with
	}
	for i := 1; i < texts; i++ {
		if c.isBinary(0) == c.isBinary(i) || sqltypes.IsNull(c.Types[0].Type()) || sqltypes.IsNull(c.Types[i].Type()) {
			continue
		}
		names := environment.CollationEnv()
		a, b := c.Types[0], c.Types[i]
		return nil, newError(3995, "HY000", "Character set '%s' cannot be used in conjunction with '%s' in call to %s.", names.LookupName(a.Collation()), names.LookupName(b.Collation()), name)
	}
	flags := icuregex.RegexpFlag(0)
	if by := c.comparison(c.Types[:2]...); by.ID() != collations.CollationBinaryID && strings.Contains(by.Name(), "_ci") {
		flags = icuregex.CaseInsensitive
	}
	if len(c.Args) > more+2 {
		var err error
		if flags, err = matchFlags(c.Str(more+2), flags, name); err != nil {
			return nil, err
		}
	}
	pattern := []rune(c.Str(1))
	if len(pattern) == 0 {
		return nil, newError(3685, "HY000", "Illegal argument to a regular expression.")
	}
	compiled, err := icuregex.Compile(pattern, flags)
	if err != nil {
		return nil, regexpError(err)
	}
	m := &matcher{Matcher: icuregex.NewMatcher(compiled), pattern: compiled, call: c, text: []rune(c.Str(0))}
	if len(c.Args) > more {
		at := c.Integer(more)
		if at < 1 {
			return nil, newError(1583, "42000", "Incorrect parameters in the call to native function '%s'", name)
		}
		if at-1 > int64(len(m.text)) {
			return nil, newError(3686, "HY000", "Index out of bounds in regular expression search.")
		}
		m.start = int(at - 1)
	}
	m.Reset(m.text[m.start:])
	return m, nil
}

func matchFlags(text string, flags icuregex.RegexpFlag, name string) (icuregex.RegexpFlag, error) {
	for _, r := range text {
		switch r {
		case 'c':
			flags &^= icuregex.CaseInsensitive
		case 'i':
			flags |= icuregex.CaseInsensitive
		case 'm':
			flags |= icuregex.Multiline
		case 'n':
			flags |= icuregex.DotAll
		case 'u':
			flags |= icuregex.UnixLines
		default:
			return 0, newError(1210, "HY000", "Incorrect arguments to %s", name)
		}
	}
	return flags, nil
}

// regexpErrors are MySQL's numbers of ICU's errors.
var regexpErrors = map[icuregex.CompileErrorCode]int{
	icuregex.RuleSyntax: 3688, icuregex.BadEscapeSequence: 3689, icuregex.PropertySyntax: 3688, icuregex.Unimplemented: 3690,
	icuregex.MismatchedParen: 3691, icuregex.BadInterval: 3692, icuregex.MaxLtMin: 3693, icuregex.InvalidBackRef: 3694,
	icuregex.LookBehindLimit: 3695, icuregex.MissingCloseBracket: 3696, icuregex.InvalidRange: 3697, icuregex.InvalidFlag: 3900,
	icuregex.PatternTooBig: 3700, icuregex.InvalidCaptureGroupName: 3887,
}

func regexpError(err error) error {
	code := 3687 // an internal error of the library
	var syntax *icuregex.CompileError
	var run *icuregex.MatchError
	switch {
	case errors.As(err, &syntax):
		if n := regexpErrors[syntax.Code]; n != 0 {
			code = n
		}
	case errors.As(err, &run) && run.Code == icuregex.StackOverflow:
		code = 3698
	case errors.As(err, &run) && run.Code == icuregex.TimeOut:
		code = 3699
	}
	return newError(code, "HY000", "%v", err)
}

// find is the n-th match from where the search is; false: there are fewer.
func (m *matcher) find(n int64) (bool, error) {
	for ; ; n-- {
		ok, err := m.next()
		if err != nil || !ok || n <= 1 {
			return ok, err
		}
	}
}

// next is the next match. The library bounds the time of a matcher, so each match gets one, which is brought to where
// the last one was.
func (m *matcher) next() (bool, error) {
	if m.call.ended() {
		return false, newError(1317, "70100", "Query execution was interrupted")
	}
	if m.found {
		fresh := icuregex.NewMatcher(m.pattern)
		fresh.Reset(m.text[m.start:])
		if err := fresh.MatchAt(m.Start(), false); err != nil {
			return false, regexpError(err)
		}
		m.Matcher = fresh
	}
	ok, err := m.Find()
	if err != nil {
		return false, regexpError(err)
	}
	m.found = ok
	return ok, nil
}

func evalRegexpSubstr(c *Call) (Value, error) {
	m, err := c.matcher(2)
	if err != nil {
		return Null, err
	}
	n := int64(1)
	if len(c.Args) > 3 {
		n = c.Integer(3)
	}
	ok, err := m.find(n)
	if err != nil || !ok {
		return Null, err
	}
	return c.Text(string(m.text[m.start+m.Start() : m.start+m.End()])), nil
}

// evalRegexpReplace replaces the n-th match, or all for n = 0.
func evalRegexpReplace(c *Call) (Value, error) {
	m, err := c.matcher(3)
	if err != nil {
		return Null, err
	}
	n := int64(0)
	if len(c.Args) > 4 {
		n = max(c.Integer(4), 0)
	}
	out := []byte(string(m.text[:m.start]))
	with := []rune(c.Str(2))
	at := m.start // behind the last match
	for i := int64(1); n == 0 || i <= n; i++ {
		ok, err := m.find(1)
		if err != nil {
			return Null, err
		}
		if !ok {
			break
		}
		if n != 0 && i < n {
			continue
		}
		out = append(out, string(m.text[at:m.start+m.Start()])...)
		if out, err = m.expand(out, with); err != nil {
			return Null, err
		}
		at = m.start + m.End()
		if c.TooLong(len(out)) {
			return Null, nil
		}
	}
	out = append(out, string(m.text[at:])...)
	if c.TooLong(len(out)) {
		return Null, nil
	}
	return c.Bytes(out), nil
}

// expand appends a replacement: $1 is the first group, a backslash makes the character behind it literal.
func (m *matcher) expand(out []byte, with []rune) ([]byte, error) {
	for i := 0; i < len(with); i++ {
		switch r := with[i]; {
		case r == '\\' && i+1 < len(with):
			i++
			out = append(out, string(with[i])...)
		case r == '$':
			n, digits := 0, 0
			for i+1 < len(with) && with[i+1] >= '0' && with[i+1] <= '9' && n*10+int(with[i+1]-'0') <= m.GroupCount() {
				i++
				digits++
				n = n*10 + int(with[i]-'0')
			}
			if digits == 0 {
				return nil, newError(3686, "HY000", "Index out of bounds in regular expression search.")
			}
			if from, to := m.StartForGroup(n), m.EndForGroup(n); from >= 0 {
				out = append(out, string(m.text[m.start+from:m.start+to])...)
			}
		case r == '\\':
		default:
			out = append(out, string(r)...)
		}
	}
	return out, nil
}

// regexpType is the type of a part of the first argument.
func regexpType(args []Type, c *Context) Type {
	if sqltypes.IsNull(args[0].Type()) {
		return textType(nil, c)
	}
	return likeFirst(args, c)
}
