package sourcedb

import (
	"strings"

	"isochron/source"
)

// firstWords returns the first two words of a statement in upper case, after white space, comments
// and opening parentheses; "" for anything else. It does not decide a statement's meaning, only the
// call of the driver and the refusals.
func firstWords(text string) (first, second string) {
	first, rest := word(text)
	second, _ = word(rest)
	return first, second
}

func word(s string) (word, rest string) {
	s = skipBlank(s)
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || s[n] == '_') {
		n++
	}
	return strings.ToUpper(s[:n]), s[n:]
}

// skipBlank skips white space, parentheses and comments that neither dialect executes.
func skipBlank(s string) string {
	for {
		for s != "" && (s[0] == ' ' || s[0] >= '\t' && s[0] <= '\r' || s[0] == '(') {
			s = s[1:]
		}
		switch {
		case strings.HasPrefix(s, "--"), strings.HasPrefix(s, "#"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*") && !strings.HasPrefix(s, "/*!") && !strings.HasPrefix(s, "/*M!"):
			_, s, _ = strings.Cut(s[2:], "*/")
		default:
			return s
		}
	}
}

// refused returns why a statement may not run in a branch: it would end a branch past the branch's own methods.
func refused(text string) *source.Error {
	first, second := firstWords(text)
	switch first {
	case "":
		if skipBlank(text) == "" {
			return &source.Error{Code: 1065, State: "42000", Text: "a statement for the source is empty"}
		}
		return &source.Error{Code: 1064, State: "42000", Text: "a statement for a source must not begin with an executable comment"}
	case "ROLLBACK":
		if second == "TO" {
			return nil
		}
		if next, _ := word(afterWords(text, 2)); second == "WORK" && next == "TO" {
			return nil
		}
	case "PREPARE":
		if second != "TRANSACTION" {
			return nil
		}
	case "BEGIN", "START", "COMMIT", "END", "ABORT", "XA":
	default:
		return nil
	}
	return &source.Error{Code: 1399, State: "XAE07", Text: "a transaction at a source is begun and ended by its gateway, not by a " + first + " within it"}
}

// afterWords returns the text after the first n words.
func afterWords(s string, n int) string {
	for range n {
		_, s = word(s)
	}
	return s
}

// setsMark reports whether a statement sets or releases savepoints.
func setsMark(text string) bool {
	first, _ := firstWords(text)
	return first == "SAVEPOINT" || first == "RELEASE" || first == "ROLLBACK"
}

// mayChange reports whether a statement may have changed something although its result does not show it: by a part
// named before its own verb, or by a trigger.
func mayChange(text string) bool {
	switch first, _ := firstWords(text); first {
	case "SELECT", "SHOW", "VALUES", "TABLE":
		return false
	}
	return true
}
