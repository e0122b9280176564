package procedure

import (
	"strings"

	"isochron/sql/parse"
)

// kind is the kind of a token.
type kind uint8

const (
	none     kind = iota // the end of the text
	word                 // a bare word or a number
	name                 // in quotes of names
	text                 // in quotes of texts
	variable             // @name
	sign                 // any other byte
)

// token is a part of a text.
type token struct {
	kind     kind
	from, to int
	text     string // of a name: without its quotes
}

// is reports whether a token is a bare word, which is given in lower case, or a sign.
func (t token) is(what string) bool {
	return t.kind == word && strings.EqualFold(t.text, what) || t.kind == sign && t.text == what
}

// reader goes over the tokens of a text, in which comments that are executed are no comments any more.
type reader struct {
	text string
	at   int
	ansi bool // " is a quote of names
}

// peek is the next token.
func (r *reader) peek() token {
	at := r.at
	t := r.next()
	r.at = at
	return t
}

// next is the next token; the reader goes behind it.
func (r *reader) next() token {
	from := parse.SkipSpace(r.text, r.at)
	if from >= len(r.text) {
		r.at = len(r.text)
		return token{kind: none, from: from, to: from}
	}
	t := token{from: from}
	switch c := r.text[from]; {
	case c == '`' || c == '"' && r.ansi:
		t.kind, t.to = name, quoted(r.text, from, false)
		q := string(c)
		t.text = strings.ReplaceAll(strings.TrimSuffix(r.text[from+1:t.to], q), q+q, q)
	case c == '\'' || c == '"':
		t.kind, t.to = text, quoted(r.text, from, true)
	case c == '@':
		t.kind, t.to = variable, from+1
		for t.to < len(r.text) && (r.text[t.to] == '@' || r.text[t.to] == '.' || wordByte(r.text[t.to])) {
			t.to++
		}
	case wordByte(c):
		t.kind, t.to = word, from
		for t.to < len(r.text) && wordByte(r.text[t.to]) {
			t.to++
		}
	case c == ':' && strings.HasPrefix(r.text[from:], ":="):
		t.kind, t.to = sign, from+2
	default:
		t.kind, t.to = sign, from+1
	}
	if t.kind != name {
		t.text = r.text[from:t.to]
	}
	r.at = t.to
	return t
}

// take goes behind the next token if it is a word or a sign.
func (r *reader) take(what string) bool {
	at := r.at
	if r.next().is(what) {
		return true
	}
	r.at = at
	return false
}

// tokens are all of a text.
func tokens(text string, ansi bool) (list []token) {
	r := reader{text: text, ansi: ansi}
	for t := r.next(); t.kind != none; t = r.next() {
		list = append(list, t)
	}
	return list
}

// quoted is the place behind a quoted text that begins at i. A quote that stands twice is one of the text.
func quoted(s string, i int, escapes bool) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
