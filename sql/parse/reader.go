package parse

import "strings"

// TokenKind is the kind of a token.
type TokenKind uint8

// The kinds of tokens.
const (
	End      TokenKind = iota // of the text
	Word                      // a bare word or a number
	Name                      // in quotes of names
	Text                      // in quotes of texts
	Variable                  // @name
	Sign                      // any other byte, or :=
)

// Token is a part of a text. A quoted text that does not end is a Sign.
type Token struct {
	Kind     TokenKind
	From, To int
	Text     string // of a name: without its quotes
}

// Is reports whether a token is a bare word, which is given in lower case, or a sign.
func (t Token) Is(what string) bool {
	return t.Kind == Word && strings.EqualFold(t.Text, what) || t.Kind == Sign && t.Text == what
}

// Reader goes over the tokens of a text, in which comments that are executed are no comments any more (Executed).
type Reader struct {
	Text string
	At   int
	ANSI bool // " is a quote of names
	// NoBackslash: a backslash in a text is one.
	NoBackslash bool
}

// Peek is the next token.
func (r *Reader) Peek() Token {
	at := r.At
	t := r.Next()
	r.At = at
	return t
}

// Next is the next token; the reader goes behind it.
func (r *Reader) Next() Token {
	from := SkipSpace(r.Text, r.At)
	if from >= len(r.Text) {
		r.At = len(r.Text)
		return Token{Kind: End, From: from, To: from}
	}
	t := Token{From: from}
	switch c := r.Text[from]; {
	case c == '`' || c == '"' || c == '\'':
		t.Kind = Text
		if c == '`' || c == '"' && r.ANSI {
			t.Kind = Name
		}
		end, ok := endOfQuoted(r.Text, from, t.Kind == Text && !r.NoBackslash)
		if t.To = end; !ok {
			t.Kind = Sign
		}
		if q := string(c); t.Kind == Name {
			t.Text = strings.ReplaceAll(r.Text[from+1:end-1], q+q, q)
		}
	case c == '@':
		t.Kind, t.To = Variable, from+1
		for t.To < len(r.Text) && (r.Text[t.To] == '@' || r.Text[t.To] == '.' || wordByte(r.Text[t.To])) {
			t.To++
		}
	case wordByte(c):
		t.Kind, t.To = Word, from
		for t.To < len(r.Text) && wordByte(r.Text[t.To]) {
			t.To++
		}
	case c == ':' && strings.HasPrefix(r.Text[from:], ":="):
		t.Kind, t.To = Sign, from+2
	default:
		t.Kind, t.To = Sign, from+1
	}
	if t.Kind != Name {
		t.Text = r.Text[from:t.To]
	}
	r.At = t.To
	return t
}

// Take goes behind the next token if it is a word or a sign.
func (r *Reader) Take(what string) bool {
	at := r.At
	if r.Next().Is(what) {
		return true
	}
	r.At = at
	return false
}

// Words goes behind words that come next, if all of them do.
func (r *Reader) Words(list ...string) bool {
	at := r.At
	for _, w := range list {
		if !r.Take(w) {
			r.At = at
			return false
		}
	}
	return true
}

// Tokens are all of a text.
func Tokens(text string, ansi bool) (list []Token) {
	r := Reader{Text: text, ANSI: ansi}
	for t := r.Next(); t.Kind != End; t = r.Next() {
		list = append(list, t)
	}
	return list
}

// Value is the value of a text in quotes.
func (r *Reader) Value(t Token) string {
	if !r.NoBackslash {
		return t.Value()
	}
	quote := t.Text[:1]
	return strings.ReplaceAll(t.Text[1:len(t.Text)-1], quote+quote, quote)
}

// Value is the value of a text in quotes in which a backslash escapes.
func (t Token) Value() string {
	quote := t.Text[:1]
	inner := t.Text[1 : len(t.Text)-1]
	if !strings.ContainsAny(inner, `\`+quote) {
		return inner
	}
	var out strings.Builder
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		switch {
		case c == '\\' && i+1 < len(inner):
			i++
			if inner[i] == '%' || inner[i] == '_' { // for LIKE
				out.WriteByte(c)
			}
			out.WriteByte(Unescaped(inner[i]))
		case c == quote[0]:
			i++ // of two
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// Unescaped is the byte that a backslash and a byte stand for.
func Unescaped(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'Z':
		return 26
	}
	return c
}

// endOfQuoted is the place behind a quoted text that begins at i; false: it does not end. A quote that stands twice is one of
// the text.
func endOfQuoted(s string, i int, escapes bool) (int, bool) {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1, true
		}
	}
	return len(s), false
}
