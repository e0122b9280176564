package parse

import (
	"fmt"
	"strings"
	"testing"
)

// listed are the tokens of a text, for people.
func listed(text string, ansi bool) string {
	var out []string
	for _, t := range Tokens(text, ansi) {
		s := fmt.Sprintf("%d:%s", t.Kind, t.Text)
		if t.Kind == Text {
			s = fmt.Sprintf("text:%q", t.Value())
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"a.`b``c` 1e5, /* x */ ?; -- y\n'it''s'": "1:a 5:. 2:b`c 1:1e5 5:, 5:? 5:; text:\"it's\"",
		`'a\'b\n\%' "c""d"`:                      `text:"a'b\n\\%" text:"c\"d"`,
		"u@h @x := @@g.y @'z'":                   "1:u 4:@h 4:@x 5::= 4:@@g.y 4:@ text:\"z\"",
		"# c\n é_$":                              "1:é_$",
		"'a":                                     "5:'a",
		"`a``":                                   "5:`a``",
		`'\`:                                     `5:'\`,
		"":                                       "",
	} {
		if got := listed(text, false); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := listed(`"a""b" 'c'`, true); got != `2:a"b text:"c"` {
		t.Errorf("under ANSI_QUOTES: %s", got)
	}
	r := Reader{Text: "create  User if"}
	if r.Words("create", "user", "x") || !r.Words("create", "user") || r.Take("exists") || !r.Peek().Is("if") || !r.Take("if") || r.Next().Kind != End {
		t.Error("words are taken otherwise than they stand")
	}
}

// Tokens stand one behind the other within the text, and none is empty.
func FuzzTokens(f *testing.F) {
	f.Add("select `a``b`, 'c\\'d' /* e */ @f -- g\n:= \"h\"", false)
	f.Add("'\\", true)
	f.Fuzz(func(t *testing.T, text string, ansi bool) {
		at := 0
		for _, one := range Tokens(text, ansi) {
			if one.From < at || one.To <= one.From || one.To > len(text) {
				t.Fatalf("%q: %+v behind %d", text, one, at)
			}
			if at = one.To; one.Kind == Text {
				_ = one.Value()
			}
		}
	})
}
