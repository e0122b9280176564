package expr

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// STATEMENT_DIGEST_TEXT (the manual's 14.13): a statement without its literals.

func init() {
	register(&Function{Name: "STATEMENT_DIGEST_TEXT", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) {
		text, ok := digestText(c.Str(0))
		if !ok {
			return Null, newError(3676, "HY000", "Could not parse argument to digest function: \"%s\".", "You have an error in your SQL syntax")
		}
		return c.Text(text), nil
	}})
}

const (
	// longestDigested bounds the statement, in bytes.
	longestDigested = 1 << 16
	// longestDigest is MySQL's default of max_digest_length, in bytes.
	longestDigest = 1024
)

// What stands for literals in a digest, and for lists of them.
const (
	oneLiteral   = "?"
	literals     = "?, ..."
	literalRow   = "(?)"
	literalsRow  = "(...)"
	moreRows     = " /* , ... */"
	digestCutOff = " ..."
)

// digestText is a statement with ? for its literals, keywords in upper case and names quoted; false: it is none.
func digestText(statement string) (string, bool) {
	if len(statement) > longestDigested {
		return "", false
	}
	if _, err := environment.Parser().Parse(statement); err != nil {
		return "", false
	}
	tokens := environment.Parser().NewStringTokenizer(statement)
	var out []string
	for range len(statement) + 1 {
		kind, text := tokens.Scan()
		if kind == 0 || kind == sqlparser.LEX_ERROR {
			break
		}
		if word := digestWord(kind, text); word != "" {
			out = reduceDigest(append(out, word))
		}
	}
	joined := strings.Join(out, " ")
	if len(joined) > longestDigest {
		return strings.ToValidUTF8(joined[:longestDigest], "") + digestCutOff, true
	}
	return joined, true
}

// digestWord is a token in a digest; "" for a comment.
func digestWord(kind int, text string) string {
	switch kind {
	case sqlparser.COMMENT:
		return ""
	case sqlparser.STRING, sqlparser.NCHAR_STRING, sqlparser.INTEGRAL, sqlparser.FLOAT, sqlparser.DECIMAL, sqlparser.HEX, sqlparser.HEXNUM, sqlparser.BITNUM,
		sqlparser.BIT_LITERAL, sqlparser.VALUE_ARG, sqlparser.NULL:
		return oneLiteral
	case sqlparser.ID:
		return "`" + strings.ReplaceAll(text, "`", "``") + "`"
	case sqlparser.AT_ID:
		return "@" + text
	case sqlparser.AT_AT_ID:
		return "@@" + text
	}
	if word, ok := digestOperators[kind]; ok {
		return word
	}
	if word := sqlparser.KeywordString(kind); word != "" {
		return strings.ToUpper(word)
	}
	if kind < 128 {
		return string(rune(kind))
	}
	return strings.ToUpper(text)
}

// digestOperators are those of several characters.
var digestOperators = map[int]string{
	sqlparser.NE: "!=", sqlparser.LE: "<=", sqlparser.GE: ">=", sqlparser.NULL_SAFE_EQUAL: "<=>", sqlparser.SHIFT_LEFT: "<<", sqlparser.SHIFT_RIGHT: ">>",
	sqlparser.JSON_EXTRACT_OP: "->", sqlparser.JSON_UNQUOTE_EXTRACT_OP: "->>",
}

// reduceDigest joins literals of a list, and rows of literals, at the end of the tokens.
func reduceDigest(t []string) []string {
	ends := func(words ...string) bool {
		if len(t) < len(words) {
			return false
		}
		for i, w := range words {
			if t[len(t)-len(words)+i] != w {
				return false
			}
		}
		return true
	}
	replace := func(n int, with string) { t = append(t[:len(t)-n], with) }
	switch {
	case ends(oneLiteral, ",", oneLiteral), ends(literals, ",", oneLiteral):
		replace(3, literals)
	case ends("(", oneLiteral, ")"):
		replace(3, literalRow)
	case ends("(", literals, ")"):
		replace(3, literalsRow)
	}
	for _, row := range []string{literalRow, literalsRow} {
		if ends(row, ",", row) || ends(row+moreRows, ",", row) {
			replace(3, row+moreRows)
		}
	}
	return t
}
