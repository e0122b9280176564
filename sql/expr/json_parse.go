package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonFault is why a text is no JSON document, and the byte at which it is none.
type jsonFault struct {
	what string
	at   int
	deep bool // it is nested too deep
}

// jsonReader reads a JSON document.
type jsonReader struct {
	reader
	fault  jsonFault
	values int // that have been read
}

// maxJSONValues bounds the values in the documents of one call: in memory a value takes up to 100 bytes, in its text two.
const maxJSONValues = 1 << 22

// parseJSON reads a document.
func parseJSON(s string) (v jsonValue, fault *jsonFault) {
	n := 0
	return parseCounted(s, &n)
}

// parseCounted reads a document and adds its values to n, which is at most maxJSONValues.
func parseCounted(s string, n *int) (v jsonValue, fault *jsonFault) {
	r := &jsonReader{reader: reader{s: s}, values: *n}
	defer func() { *n = r.values }()
	r.blank()
	if !r.more() {
		return v, &jsonFault{what: "The document is empty."}
	}
	if v, ok := r.value(0); ok {
		if r.blank(); !r.more() {
			return v, nil
		}
		r.fail("The document root must not be followed by other values.")
	}
	return v, &r.fault
}

func (r *jsonReader) blank() {
	for r.more() && strings.IndexByte(" \t\n\r", r.s[r.at]) >= 0 {
		r.at++
	}
}

func (r *jsonReader) fail(what string) bool {
	r.fault = jsonFault{what: what, at: r.at}
	return false
}

func (r *jsonReader) value(depth int) (v jsonValue, ok bool) {
	if r.values++; r.values > maxJSONValues {
		return v, r.fail("There are more than 4194304 values.")
	}
	switch ch := r.peek(); {
	case ch == '{' || ch == '[':
		if depth == maxJSONDepth {
			r.fault = jsonFault{at: r.at, deep: true}
			return v, false
		}
		r.at++
		if ch == '[' {
			return r.array(depth + 1)
		}
		return r.object(depth + 1)
	case ch == '"':
		s, ok := r.quoted()
		return jsonText(s), ok
	case ch == '-' || isDigit(ch):
		return r.jsonNumber()
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if strings.HasPrefix(r.s[r.at:], word) {
			r.at += len(word)
			if word == "null" {
				return jsonValue{kind: jsonNull, text: word}, true
			}
			return jsonValue{kind: jsonBool, text: word}, true
		}
	}
	return v, r.fail("Invalid value.")
}

func (r *jsonReader) array(depth int) (v jsonValue, ok bool) {
	v = jsonArrayOf()
	if r.blank(); r.peek() == ']' {
		r.at++
		return v, true
	}
	for {
		r.blank()
		one, ok := r.value(depth)
		if !ok {
			return v, false
		}
		v.in.values = append(v.in.values, one)
		r.blank()
		switch r.peek() {
		case ',':
			r.at++
		case ']':
			r.at++
			return v, true
		default:
			return v, r.fail("Missing a comma or ] after an array element.")
		}
	}
}

func (r *jsonReader) object(depth int) (v jsonValue, ok bool) {
	v = jsonValue{kind: jsonObject, in: &jsonInside{}}
	if r.blank(); r.peek() == '}' {
		r.at++
		return v, true
	}
	for {
		if r.blank(); r.peek() != '"' {
			return v, r.fail("Missing a name for object member.")
		}
		key, ok := r.quoted()
		if !ok {
			return v, false
		}
		if r.blank(); r.peek() != ':' {
			return v, r.fail("Missing a colon after a name of object member.")
		}
		r.at++
		r.blank()
		one, ok := r.value(depth)
		if !ok {
			return v, false
		}
		v.in.keys, v.in.values = append(v.in.keys, key), append(v.in.values, one)
		r.blank()
		switch r.peek() {
		case ',':
			r.at++
		case '}':
			r.at++
			v.in.sortMembers()
			return v, true
		default:
			return v, r.fail("Missing a comma or } after an object member.")
		}
	}
}

// quoted reads a string; one without escapes is a part of the text.
func (r *jsonReader) quoted() (string, bool) {
	r.at++
	start := r.at
	var b []byte
	for r.more() {
		switch ch := r.s[r.at]; {
		case ch == '"':
			s := r.s[start:r.at]
			r.at++
			if b != nil {
				return string(append(b, s...)), true
			}
			return s, true
		case ch == '\\':
			b = append(b, r.s[start:r.at]...)
			var ok bool
			if b, ok = r.escape(b); !ok {
				return "", false
			}
			start = r.at
		case ch < ' ':
			return "", r.fail("Invalid encoding in string.")
		default:
			r.at++
		}
	}
	return "", r.fail("Missing a closing quotation mark in string.")
}

// escape reads what follows a backslash.
func (r *jsonReader) escape(b []byte) ([]byte, bool) {
	if b == nil {
		b = []byte{}
	}
	r.at++
	ch := r.peek()
	if i := strings.IndexByte(`"\/bfnrt`, ch); i >= 0 && r.more() {
		r.at++
		return append(b, "\"\\/\b\f\n\r\t"[i]), true
	}
	if ch != 'u' {
		return b, r.fail("Invalid escape character in string.")
	}
	first, ok := r.hex4()
	if !ok {
		return b, false
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first), true
	}
	if !strings.HasPrefix(r.s[r.at:], `\u`) {
		return b, r.fail("The surrogate pair in string is invalid.")
	}
	r.at++
	second, ok := r.hex4()
	if !ok {
		return b, false
	}
	full := utf16.DecodeRune(first, second)
	if full == utf8.RuneError {
		return b, r.fail("The surrogate pair in string is invalid.")
	}
	return utf8.AppendRune(b, full), true
}

// hex4 reads u and four hexadecimal digits.
func (r *jsonReader) hex4() (rune, bool) {
	if len(r.s)-r.at >= 5 {
		if n, err := strconv.ParseUint(r.s[r.at+1:r.at+5], 16, 16); err == nil {
			r.at += 5
			return rune(n), true
		}
	}
	return 0, r.fail(`Incorrect hex digit after \u escape in string.`)
}

// jsonNumber reads a number: an integer if it fits 64 bits, else a double.
func (r *jsonReader) jsonNumber() (v jsonValue, ok bool) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else if !r.digits() {
		return v, r.fail("Invalid value.")
	}
	whole := true
	if r.peek() == '.' {
		whole = false
		r.at++
		if !r.digits() {
			return v, r.fail("Miss fraction part in number.")
		}
	}
	if r.peek() == 'e' || r.peek() == 'E' {
		whole = false
		r.at++
		if r.peek() == '+' || r.peek() == '-' {
			r.at++
		}
		if !r.digits() {
			return v, r.fail("Miss exponent in number.")
		}
	}
	text := r.s[start:r.at]
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return jsonValue{kind: jsonInt, text: strconv.FormatInt(n, 10)}, true
		}
		if _, err := strconv.ParseUint(text, 10, 64); err == nil {
			return jsonValue{kind: jsonUint, text: text}, true
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	if math.IsInf(f, 0) {
		r.at = start
		return v, r.fail("Number too big to be stored in double.")
	}
	return jsonFloat(f), true
}

func (r *jsonReader) digits() bool {
	start := r.at
	for r.more() && isDigit(r.s[r.at]) {
		r.at++
	}
	return r.at > start
}
