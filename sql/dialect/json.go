package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// jsonPath writes -> and ->> with a path that is written out.
func (e *emitter) jsonPath(f frag, path sqlparser.Expr, unquote bool) frag {
	v, ok := path.(*sqlparser.Literal)
	if !ok || v.Type != sqlparser.StrVal {
		refuse("a JSON path that is reckoned", "it must be read to be translated", "Write the path")
	}
	steps := steps(v.Val)
	if f.kind != document && f.kind != unknown {
		f = atom(cast(f, "jsonb"), document)
	}
	sign, k := "#>", document
	if unquote {
		sign, k = "#>>", text
	}
	return term(f.operand()+" "+sign+" "+quote("{"+strings.Join(steps, ",")+"}"), k)
}

// steps reads a path of names and places, such as $.a.b[0].
func steps(path string) []string {
	rest, ok := strings.CutPrefix(path, "$")
	var out []string
	for ok && rest != "" {
		switch {
		case strings.HasPrefix(rest, `."`):
			name, after, found := strings.Cut(rest[2:], `"`)
			ok = found && !strings.Contains(name, `\`)
			out, rest = append(out, `"`+name+`"`), after
		case rest[0] == '.':
			n := 1
			for n < len(rest) && rest[n] != '.' && rest[n] != '[' {
				n++
			}
			ok = n > 1 && !strings.ContainsAny(rest[1:n], `*"\{}, `)
			out, rest = append(out, `"`+rest[1:n]+`"`), rest[n:]
		case rest[0] == '[':
			place, after, found := strings.Cut(rest[1:], "]")
			ok = found && place != "" && strings.Trim(place, "0123456789") == ""
			out, rest = append(out, place), after
		default:
			ok = false
		}
	}
	if !ok || len(out) == 0 {
		refuse("the JSON path "+brief(path), "the writer knows paths of names and places only", "Read the document and take it apart in the application")
	}
	return out
}

// json writes JSON_EXTRACT, and JSON_UNQUOTE around it.
func (e *emitter) json(name string, args []sqlparser.Expr) frag {
	unquote := name == "json_unquote"
	if unquote && len(args) == 1 {
		if c, ok := callOf(args[0]); ok && c.name == "json_extract" {
			name, args = c.name, c.args
		}
	}
	if name != "json_extract" || len(args) != 2 {
		refuse(strings.ToUpper(name)+"() of this kind", "the writer knows one path of one document", "Extract one path at a time")
	}
	return e.jsonPath(e.value(args[0]), args[1], unquote)
}
