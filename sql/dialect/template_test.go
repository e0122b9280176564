package dialect

import (
	"strings"
	"testing"

	"isochron/sql/parse"
)

// withoutValues takes numbers and texts out of a statement, wherever they stand.
func withoutValues(text string) (keyed string, kinds []ValueKind, values [][]byte) {
	var out strings.Builder
	from := 0
	for _, t := range parse.Tokens(text, false) {
		value, quoted := []byte(t.Text), t.Kind == parse.Text
		if quoted {
			value = value[1 : len(value)-1]
		} else if t.Kind != parse.Word {
			continue
		}
		kind := KindOfValue(value, quoted)
		if kind == 0 || quoted && t.Text[0] != '\'' {
			continue
		}
		out.WriteString(text[from:t.From] + "?")
		from, kinds, values = t.To, append(kinds, kind), append(values, value)
	}
	out.WriteString(text[from:])
	return out.String(), kinds, values
}

// For every case of the page whose text has a template, with its values taken out, the template
// filled with them equals the text's translation.
func TestTemplatesOfCases(t *testing.T) {
	have, lack := map[Dialect]int{}, map[Dialect]int{}
	cases(t, func(c aCase) string {
		keyed, kinds, values := withoutValues(c.text)
		var schema Schema = caseSchema{}
		if c.plain {
			schema = nil
		}
		for _, to := range []Dialect{Postgres, MySQL} {
			w := NewTemplate(keyed, kinds, to, schema, c.options)
			if w == nil {
				lack[to]++
				continue
			}
			have[to]++
			want, err := Translate(c.text, to, schema, c.options)
			if err != nil || want.Text != w.Fill(values) || want.InsertID != w.InsertID {
				t.Errorf("%s for %s:\n\t%s\n\tnot %s (%v)", c.text, to, w.Fill(values), want.Text, err)
			}
		}
		return c.expected
	})
	for _, to := range []Dialect{Postgres, MySQL} {
		if have[to] < lack[to]/2 {
			t.Errorf("%d texts have a template for %s, and %d have none", have[to], to, lack[to])
		}
	}
	t.Log(have, lack)
}

func TestTemplate(t *testing.T) {
	for keyed, want := range map[string]string{
		"SELECT owner FROM accounts WHERE id = ?":               `SELECT "owner" FROM "accounts" WHERE "id" = 12`,
		"UPDATE accounts SET n = n + ? WHERE id IN (?, ?)":      `UPDATE "accounts" SET "n" = "n" + 12 WHERE "id" IN (12, 12)`,
		"UPDATE accounts SET owner = ? WHERE owner = ? -- $1 ?": `UPDATE "accounts" SET "owner" = 'it' WHERE "owner" = 'it'`,
		"SELECT '$1', \"?\" FROM accounts WHERE owner = ?":      `SELECT '$1' AS "$1", '?' AS "?" FROM "accounts" WHERE "owner" = 'it'`,
		"INSERT INTO accounts (id) VALUES (?)":                  "", // 0 asks for the next number
	} {
		kinds, values := []ValueKind{}, [][]byte{}
		for range signs(keyed) {
			if strings.Contains(keyed, "owner =") {
				kinds, values = append(kinds, TextValue), append(values, []byte("it"))
			} else {
				kinds, values = append(kinds, WholeValue), append(values, []byte("12"))
			}
		}
		w, got := NewTemplate(keyed, kinds, Postgres, caseSchema{}, Options{}), ""
		if w != nil {
			got = w.Fill(values)
		}
		if got != want {
			t.Errorf("%s: %s, not %s", keyed, got, want)
		}
	}
	if NewTemplate("SELECT owner FROM accounts WHERE id = ?", nil, Postgres, caseSchema{}, Options{}) != nil {
		t.Error("a template of fewer values than the text has placeholders")
	}
}

func TestKindOfValue(t *testing.T) {
	for text, want := range map[string]ValueKind{"0": WholeValue, "12": WholeValue, "012": 0, "1e3": 0, "1.": 0, ".5": 0, "0.5": FractionValue, "00.5": 0, "-1": 0, "": 0,
		"123456789012345678": WholeValue, "1234567890123456789": 0, "x": 0} {
		if got := KindOfValue([]byte(text), false); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]ValueKind{"": TextValue, "a b": TextValue, "it's": 0, `a\`: 0, "é": 0, "\n": 0} {
		if got := KindOfValue([]byte(text), true); got != want {
			t.Errorf("'%s': %q, not %q", text, got, want)
		}
	}
}
