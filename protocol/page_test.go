package protocol

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"isochron/test/pages"
)

// types are where the values of each choice are declared, by the field of Spec.
var types = map[string]struct{ dir, name string }{
	"Admission":  {"../yield", "AdmissionPolicy"},
	"Arrive":     {"../schedule", "Policy"},
	"Reads":      {".", "Reads"},
	"RetryReads": {".", "RetryReadsMode"},
	"ReadOnly":   {".", "ReadOnly"},
	"Yield":      {"../yield", "Policy"},
	"Validates":  {".", "Validators"},
	"Replicates": {".", "Replication"},
	"Decide":     {"../decide", "Policy"},
	"Prepares":   {"../decide", "PrepareMode"},
	"Reveal":     {"../reveal", "Policy"},
	"Isolation":  {".", "Isolation"},
	"RunsOn":     {".", "Target"},
}

// Every value that a protocol of the table has chosen has a name, a meaning and a cost, each in one
// short line, and no two values of a choice have the same.
func TestEveryChoiceIsExplained(t *testing.T) {
	const longest = 160
	for i, c := range columns {
		values := map[string]Choice{}
		for _, s := range Table() {
			v := s.Choices()[i]
			values[v.Value] = v
		}
		meanings := map[string]string{}
		for _, v := range values {
			for what, text := range map[string]string{"meaning": v.Meaning, "cost": v.Cost} {
				if !strings.HasSuffix(text, ".") || len(text) > longest {
					t.Errorf("%s, %q: the %s is %q: want a sentence of at most %d characters", c.field, v.Value, what, text, longest)
				}
			}
			if other, twice := meanings[v.Meaning]; twice {
				t.Errorf("%s: %q and %q mean the same", c.field, v.Value, other)
			}
			meanings[v.Meaning] = v.Value
		}
	}
}

// The page of protocols has every choice with its meaning, and every protocol of the table.
func TestPageOfProtocols(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Protocols

A protocol is a choice for each of the questions below (` + "`protocol/table.go`" + `). The first part has
the choices: the value as ` + "`isochron lab protocols NAME`" + ` prints it, its name in the code, what it
means and costs, where it comes from and which protocols have it. The second part has the protocols.

## Choices
`)
	for _, c := range columns {
		fmt.Fprintf(&b, "\n### %s: %s\n\n| value | name | meaning | cost | source | protocols |\n|---|---|---|---|---|---|\n", c.field, c.question)
		for _, v := range c.values(t) {
			var users []string
			var meaning, cost, source string
			for _, s := range Table() {
				if c.value(s).String() == v.text {
					users = append(users, "`"+s.Name+"`")
					meaning, cost, source = c.value(s).Explain()
				}
			}
			if len(users) > usersShown {
				users = []string{fmt.Sprintf("the other %d", len(users))}
			}
			if len(users) > 0 {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", pages.Cell(v.text), v.name, pages.Cell(meaning), pages.Cell(cost), pages.Cell(source), strings.Join(users, ", "))
			}
		}
	}
	b.WriteString(`
## The protocols

Commit is the bound of the client's commit, span that of the contention span at a remote shard, both
in wide-area round trips. A protocol has the choices of its base but for those named.

| protocol | base | choices of its own | commit | span | runs on | source | notes |
|---|---|---|---|---|---|---|---|
`)
	for i, s := range Table() {
		var own []string
		for _, c := range columns {
			if !reflect.ValueOf(literals[i]).FieldByName(c.field).IsZero() {
				own = append(own, c.field+": "+c.value(s).String())
			}
		}
		base := ""
		if s.Base != "" {
			base = "`" + s.Base + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", s.Name, base, pages.Cell(strings.Join(own, "; ")),
			pages.Cell(s.CommitRTT), pages.Cell(s.SpanRTT), s.RunsOn, pages.Cell(s.Source), pages.Cell(s.Notes))
	}
	pages.Hold(t, "protocols.md", b.String())
}

// usersShown is the maximal number of protocols that are listed; a value that more have is the
// usual one.
const usersShown = 24

// value is one value of a choice: its name in the code and its text.
type value struct{ name, text string }

// values are the choice's values, in the order of their declaration.
func (c column) values(t *testing.T) (all []value) {
	t.Helper()
	of := types[c.field]
	files, err := filepath.Glob(filepath.Join(of.dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeOf(Spec{})
	field, _ := typ.FieldByName(c.field)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				all = append(all, constants(g, of.name, field.Type)...)
			} else if ok && g.Tok == token.VAR && field.Type.Kind() == reflect.Struct {
				all = append(all, literalsOf(g, of.name)...)
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no values of %s", of.dir, of.name)
	}
	return all
}

// constants are those of a type in a group that counts up from iota, or from one more.
func constants(g *ast.GenDecl, typ string, of reflect.Type) (all []value) {
	first := -1
	for i, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if i == 0 {
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != typ {
				return nil
			}
			first = 0
			if _, plus := v.Values[0].(*ast.BinaryExpr); plus {
				first = 1
			}
		}
		n := reflect.New(of).Elem()
		n.SetUint(uint64(first + i))
		all = append(all, value{v.Names[0].Name, n.Interface().(fmt.Stringer).String()})
	}
	return all
}

// literalsOf are the variables of a group that are literals of a type with a name.
func literalsOf(g *ast.GenDecl, typ string) (all []value) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) != 1 {
			continue
		}
		lit, ok := v.Values[0].(*ast.CompositeLit)
		if !ok {
			continue
		}
		if id, ok := lit.Type.(*ast.Ident); !ok || id.Name != typ {
			continue
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok || kv.Key.(*ast.Ident).Name != "Name" {
				continue
			}
			if name, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value); err == nil {
				all = append(all, value{v.Names[0].Name, name})
			}
		}
	}
	return all
}
