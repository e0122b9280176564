package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each mutation applies to today's source: its text occurs exactly once, the replacement differs
// and is valid Go, and the list has the rule it breaks and the checks that should fail.
func TestMutationsApply(t *testing.T) {
	t.Parallel()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range all() {
		if names[m.name] || m.name == "" || strings.ContainsAny(m.name, " ,") {
			t.Errorf("%q: a name is one word, and used once", m.name)
		}
		names[m.name] = true
		if m.rule == "" || len(m.seen) == 0 == (m.same == "") {
			t.Errorf("%s: a mutation needs the rule it breaks, and either checks that should fail or a reason why none can", m.name)
		}
		path, text, mutated, err := m.place(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if mutated == text {
			t.Errorf("%s: changes nothing", m.name)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), path, mutated, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: the result is not Go: %v", m.name, err)
		}
	}
	if len(names) < 50 {
		t.Errorf("there are only %d mutations", len(names))
	}
}

// Each alternative of a check's pattern matches a test of its package. Without this a renamed test
// leaves a mutation that no test sees, and the run reports a survivor only when it is next made.
func TestChecksNameTests(t *testing.T) {
	t.Parallel()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	tests := map[string][]string{} // by package
	for _, m := range all() {
		for _, c := range m.seen {
			if c.pkg == "" || c.run == "" {
				continue
			}
			if tests[c.pkg] == nil {
				files, _ := filepath.Glob(filepath.Join(root, c.pkg, "*_test.go"))
				for _, file := range files {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
						tests[c.pkg] = append(tests[c.pkg], found[1])
					}
				}
			}
			for _, one := range strings.Split(c.run, "|") {
				pattern, _, _ := strings.Cut(one, "/") // the rest names subtests
				if name := regexp.MustCompile(pattern); !slices.ContainsFunc(tests[c.pkg], name.MatchString) {
					t.Errorf("%s: no test of %s matches %q", m.name, c.pkg, one)
				}
			}
		}
	}
}

// A mutation whose text is missing, or occurs twice, is reported.
func TestAMissingTextIsReported(t *testing.T) {
	t.Parallel()
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []mutation{{name: "gone", in: "group", old: "no such text"}, {name: "twice", in: "group", old: "return"}} {
		if _, _, _, err := m.place(root); err == nil || !strings.Contains(err.Error(), "times in group") {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// A text is found at any depth, with any identifiers.
func TestATextIsFoundInAnyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n\t\t\tif k.done {\n\t\t\t\treturn\n\t\t\t}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := mutation{name: "x", in: ".", old: "if @.done {\n\treturn", new: "if @.open {\n\treturn"}
	_, _, mutated, err := m.place(dir)
	if err != nil || !strings.Contains(mutated, "if k.open {\n\treturn\n\t\t\t}") {
		t.Errorf("%q, %v", mutated, err)
	}
}

// A surviving mutation fails the run, unless it is listed as changing nothing.
func TestASurvivorFailsTheRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := report{Mutations: []result{
		{Name: "a", Sights: []sight{{Sees: false}, {Sees: true, What: "group TestX"}}},
		{Name: "b", Same: "it is a hint"},
	}}
	if err := r.err(); err != nil {
		t.Error(err)
	}
	r.Mutations = append(r.Mutations, result{Name: "c", Sights: []sight{{Sees: false}}}, result{Name: "d", Error: "it does not build"})
	if err := r.err(); err == nil || err.Error() != "nothing saw c, d" {
		t.Error(err)
	}
	r.Print(&out)
	for _, want := range []string{"group TestX", "it is a hint", "NOTHING", "NOT TRIED", "1 were seen, 1 change nothing, 2 survived"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
