package dialect

import (
	"slices"
	"strconv"
	"strings"

	"isochron/sql/parse"
)

// ValueKind is the form in which a client wrote a value into its text.
type ValueKind byte

// The kinds.
const (
	WholeValue    ValueKind = 'i' // digits, the first of several no zero
	FractionValue ValueKind = 'f' // digits, a point, digits
	TextValue     ValueKind = 's' // within quotes, with neither quotes nor backslashes in it
)

// wholeDigitsMax bounds a WholeValue: all of them are integers for both dialects.
const wholeDigitsMax = 18

// KindOfValue returns the kind of a value, as it is in a text without its quotes; 0: none.
func KindOfValue(value []byte, quoted bool) ValueKind {
	if quoted {
		for _, c := range value {
			if c < ' ' || c > '~' || c == '\'' || c == '\\' {
				return 0
			}
		}
		return TextValue
	}
	point := -1
	for i, c := range value {
		switch {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0:
			point = i
		default:
			return 0
		}
	}
	switch {
	case len(value) == 0 || len(value) > wholeDigitsMax || value[0] == '0' && len(value) > 1 && point != 1:
		return 0
	case point < 0:
		return WholeValue
	case point == 0 || point == len(value)-1:
		return 0
	}
	return FractionValue
}

// Template is the translation of all texts that differ in values of the same kinds alone: the
// result of Translate for each of them, without parsing it. Texts whose translation depends on the
// values have none.
type Template struct {
	Translation // of the text with placeholders; its own Text and Args are not sent
	kinds       []ValueKind
	parts       []string // the text before each value, and after the last
	args        []int    // which value, after each part but the last
}

// probes are values with which a template is tried: where they are written in another way than by
// being put into its text, others might be, too.
var probes = map[ValueKind][]string{
	WholeValue:    {"0", "1", "7", "70000", "5000000000", "20200101"},
	FractionValue: {"0.5", "1.25", "100000.0", "3.00001", "1.1", "2.0"},
	TextValue:     {"x", "1", "2001-2-3", "", "a b--c%_", "12:30:00"},
}

// NewTemplate makes the template of a text whose values, of these kinds, have placeholders in their
// stead; nil: it has none.
func NewTemplate(text string, kinds []ValueKind, to Dialect, schema Schema, o Options) *Template {
	places := signs(text)
	if len(places) != len(kinds) {
		return nil
	}
	t, err := Translate(text, to, schema, o)
	if err != nil {
		return nil
	}
	w := &Template{Translation: t, kinds: kinds}
	switch {
	case to != MySQL:
		w.cutNumbered(t.texts(), t.Args)
	default:
		w.cut(t.Text, t.Places, t.Args)
	}
	client := &Template{kinds: kinds}
	client.cut(text, places, consecutive(len(places)))
	for i := range probes[WholeValue] {
		values := make([][]byte, len(kinds))
		for j, k := range kinds {
			of := probes[k]
			values[j] = []byte(of[(i+j)%len(of)])
		}
		want, err := Translate(client.Fill(values), to, schema, o)
		if err != nil || want.texts() != w.Fill(values) || len(want.Args) > 0 || want.InsertID != t.InsertID || !t.guardsLike(&want) {
			return nil
		}
	}
	return w
}

// texts are Text, and Locked behind a zero byte if there is one.
func (t *Translation) texts() string {
	if t.Locked == "" {
		return t.Text
	}
	return t.Text + "\x00" + t.Locked
}

// guardsLike reports whether a translation's guard does for another, too: it is the same, and goes
// before whenever that one's does.
func (t *Translation) guardsLike(other *Translation) bool {
	return slices.Equal(t.Guard, other.Guard) && (t.Least == 0 || t.Least == other.Least || other.Least > 0 && t.Least >= other.Least)
}

func consecutive(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// signs are where placeholders stand in a client's text.
func signs(text string) (at []int) {
	for _, t := range parse.Tokens(text, false) {
		if t.Is("?") {
			at = append(at, t.From)
		}
	}
	return at
}

// cut cuts a text at its placeholders, each one byte long.
func (w *Template) cut(text string, places, args []int) {
	from := 0
	for _, p := range places {
		w.parts, from = append(w.parts, text[from:p]), p+1
	}
	w.parts, w.args = append(w.parts, text[from:]), args
}

// cutNumbered cuts a text for PostgreSQL at its placeholders $1, $2 ...
func (w *Template) cutNumbered(text string, args []int) {
	from := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"':
			escapes := c == '\'' && i > 0 && text[i-1] == 'E'
			for i++; i < len(text) && text[i] != c; i++ { // a quote in it is two: it ends and begins
				if escapes && text[i] == '\\' {
					i++
				}
			}
		case '$':
			end := i + 1
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(text[i+1 : end])
			if err != nil || n < 1 || n > len(args) {
				continue
			}
			w.parts, w.args = append(w.parts, text[from:i]), append(w.args, args[n-1])
			from, i = end, end-1
		}
	}
	w.parts = append(w.parts, text[from:])
}

// Fill is the translation of the text with these values, which are of the template's kinds: its
// Text, and its Locked behind a zero byte if it has one.
func (w *Template) Fill(values [][]byte) string {
	n := 0
	for _, p := range w.parts {
		n += len(p)
	}
	for _, a := range w.args {
		n += len(values[a]) + 2
	}
	var out strings.Builder
	out.Grow(n)
	for i, p := range w.parts {
		out.WriteString(p)
		switch {
		case i >= len(w.args):
		case w.kinds[w.args[i]] == TextValue:
			out.WriteByte('\'')
			out.Write(values[w.args[i]])
			out.WriteByte('\'')
		default:
			out.Write(values[w.args[i]])
		}
	}
	return out.String()
}
