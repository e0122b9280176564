package protocol

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"isochron/test/pages"
)

// choice is a field of Spec whose values are documented where their type is.
type choice struct {
	field, dir, typ, about string
}

// choicesOfPage are these fields, in the order in which a transaction meets them.
var choicesOfPage = []choice{
	{"Admission", "../yield", "AdmissionPolicy", "which transactions a gateway queues before their first request"},
	{"Arrive", "../schedule", "Policy", "when the messages of a round leave"},
	{"Reads", ".", "Reads", "where plain reads go"},
	{"RetryReads", ".", "RetryReadsMode", "where plain reads of a retried transaction go"},
	{"ReadOnly", ".", "ReadOnly", "how a transaction ends that wrote nothing"},
	{"Yield", "../yield", "Policy", "which transaction waits, and which aborts, on a conflict"},
	{"Validates", ".", "Validators", "which replicas validate a vote"},
	{"Replicates", ".", "Replication", "how the replicas of a shard agree"},
	{"Decide", "../decide", "Policy", "how votes become a decision"},
	{"Prepares", "../decide", "PrepareMode", "how participants are asked to prepare"},
	{"Reveal", "../reveal", "Policy", "when others may read a write"},
	{"Isolation", ".", "Isolation", "what clients are guaranteed"},
	{"RunsOn", ".", "Target", "where the protocol can run"},
}

// The page of protocols has every choice with its meaning, and every protocol of the table.
func TestPageOfProtocols(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Protocols

A protocol is a choice for each of the questions below (` + "`protocol/table.go`" + `). The first part has
the choices: the value as ` + "`isochron lab protocols`" + ` prints it, its name in the code, what it means
and which protocols have it. The second part has the protocols.

## Choices
`)
	for _, c := range choicesOfPage {
		fmt.Fprintf(&b, "\n### %s: %s\n\n| value | name | meaning | protocols |\n|---|---|---|---|\n", c.field, c.about)
		for _, v := range c.values(t) {
			var users []string
			for _, s := range Table() {
				if c.valueOf(s) == v.text {
					users = append(users, "`"+s.Name+"`")
				}
			}
			if len(users) > usersShown {
				users = []string{fmt.Sprintf("the other %d", len(users))}
			}
			if len(users) > 0 {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", pages.Cell(v.text), v.name, pages.Cell(meaning(v)), strings.Join(users, ", "))
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
		for _, c := range choicesOfPage {
			if !reflect.ValueOf(literals[i]).FieldByName(c.field).IsZero() {
				own = append(own, c.field+": "+c.valueOf(s))
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

// valueOf is a spec's choice as people read it.
func (c choice) valueOf(s Spec) string {
	switch v := reflect.ValueOf(s).FieldByName(c.field).Interface().(type) {
	case fmt.Stringer:
		return v.String()
	default:
		return reflect.ValueOf(v).FieldByName("Name").String()
	}
}

// usersShown is how many protocols are listed; a value that more have is the usual one.
const usersShown = 24

// meaning is a value's comment without its name at the beginning.
func meaning(v value) string {
	if rest, found := strings.CutPrefix(v.doc, v.name+": "); found {
		return rest
	}
	return v.doc
}

// value is one value of a choice.
type value struct{ name, text, doc string }

// values are the choice's values, with their comments.
func (c choice) values(t *testing.T) (all []value) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeOf(Spec{})
	field, _ := typ.FieldByName(c.field)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				all = append(all, constants(g, c.typ, field.Type)...)
			} else if ok && g.Tok == token.VAR && field.Type.Kind() == reflect.Struct {
				all = append(all, literalsOf(g, c.typ)...)
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no values of %s", c.dir, c.typ)
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
		all = append(all, value{v.Names[0].Name, n.Interface().(fmt.Stringer).String(), commentOf(v)})
	}
	return all
}

// literalsOf are the variables of a group that are literals of a type with a name. One without a
// comment has the one above that names it.
func literalsOf(g *ast.GenDecl, typ string) (all []value) {
	doc := ""
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if d := commentOf(v); d != "" {
			doc = d
		}
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
			name, err := strconv.Unquote(kv.Value.(*ast.BasicLit).Value)
			if err != nil {
				continue
			}
			text := doc
			if commentOf(v) == "" && !slices.Contains(strings.FieldsFunc(doc, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '\n' }), v.Names[0].Name) {
				text = ""
			}
			all = append(all, value{v.Names[0].Name, name, text})
		}
	}
	return all
}

func commentOf(v *ast.ValueSpec) string {
	if text := strings.TrimSpace(v.Doc.Text()); text != "" {
		return text
	}
	return strings.TrimSpace(v.Comment.Text())
}
