package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHouse holds the repository against its rules.
func TestHouse(t *testing.T) {
	for _, f := range lintTree(t, filepath.Join("..", "..")) {
		t.Error(f)
	}
}

func lintTree(t *testing.T, root string) []Finding {
	t.Helper()
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Check(tree)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sound is a small house without a flaw; each case of TestInjectedFaultsAreFound breaks one thing in it.
var sound = map[string]string{
	"go.mod":               "module isochron\n\ngo 1.26\n",
	"geo/doc.go":           "// Package geo is a map.\n//\n// How it works. Plainly.\n//\n// What the caller owes it. Nothing.\npackage geo\n",
	"txn/doc.go":           "// Package txn is words.\n//\n// How it works. Plainly.\n//\n// What the caller owes it. Nothing.\npackage txn\n",
	"protocol/doc.go":      "// Package protocol is a table.\n//\n// How it works. Plainly.\n//\n// What the caller owes it. Nothing.\npackage protocol\n",
	"protocol/table.go":    "package protocol\n\ntype Row struct{ Name string }\n\nvar Table = []Row{{Name: \"2pc+2pl\"}}\n",
	"cmd/isochron/doc.go":  "// Command isochron runs it.\npackage main\n",
	"cmd/isochron/main.go": "package main\n\nfunc main() {}\n",
	"ARCHITECTURE.md":      "# A\n",
}

// plant writes the sound house, changed by change, into a directory.
func plant(t *testing.T, change map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, files := range []map[string]string{sound, change} {
		for path, text := range files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestSoundHouseHasNoFindings(t *testing.T) {
	for _, f := range lintTree(t, plant(t, nil)) {
		t.Error(f)
	}
}

func TestInjectedFaultsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, path, text string
		want             string // in the finding
	}{
		{"upward import", "geo/x.go", "package geo\n\nimport _ \"isochron/txn\"\n", "geo imports txn, which does not stand below it"},
		{"sideways import", "yield/x.go", "package yield\n\nimport _ \"isochron/decide\"\n", "yield imports decide"},
		{"sql below txn's neighbours", "sql/x.go", "package sql\n\nimport _ \"isochron/protocol\"\n", "of the house it may import only geo, routing, txn, preauth"},
		{"server imports sim", "server/x.go", "package server\n\nimport _ \"isochron/sim\"\n", "server imports sim"},
		{"house imports tests", "server/x.go", "package server\n\nimport _ \"isochron/test\"\n", "no part of the house"},
		{"no floor", "attic/x.go", "package attic\n", "attic has no floor"},
		{"pebble outside server", "sim/x.go", "package sim\n\nimport _ \"github.com/cockroachdb/pebble/v2\"\n", "only server may"},
		{"engine in a room that is free of it", "sql/x/x.go", "package x\n\nimport _ \"github.com/dolthub/vitess/go/mysql\"\n", "belongs in sql/legacy"},
		{"engine beside its door", "sql/legacyx/x.go", "package x\n\nimport _ \"github.com/dolthub/vitess/go/mysql\"\n", "belongs in sql/legacy"},
		{"raft outside group", "coordinator/x.go", "package coordinator\n\nimport _ \"go.etcd.io/raft/v3\"\n", "only raftgroup and sim may"},

		{"clock", "txn/x.go", "package txn\n\nimport \"time\"\n\nvar T = time.Now()\n", "asks the clock (time.Now)"},
		{"clock by another name", "txn/x.go", "package txn\n\nimport clock \"time\"\n\nfunc f() { clock.Sleep(1) }\n", "asks the clock (clock.Sleep)"},
		{"clock as a value", "txn/x.go", "package txn\n\nimport \"time\"\n\nvar f = time.After\n", "asks the clock (time.After)"},
		{"deadline", "txn/x.go", "package txn\n\nimport \"context\"\n\nvar f = context.WithTimeout\n", "asks the clock (context.WithTimeout)"},
		{"global random", "txn/x.go", "package txn\n\nimport \"math/rand/v2\"\n\nvar N = rand.IntN(3)\n", "global random source (rand.IntN)"},
		{"true random", "txn/x.go", "package txn\n\nimport _ \"crypto/rand\"\n", "the core imports crypto/rand"},
		{"network", "txn/x.go", "package txn\n\nimport _ \"net\"\n", "the core imports net"},
		{"goroutine", "txn/x.go", "package txn\n\nfunc f() { go f() }\n", "starts a goroutine"},
		{"channel", "txn/x.go", "package txn\n\nvar c chan int\n", "uses a channel"},
		{"send", "txn/x.go", "package txn\n\ntype c = chan int\n\nfunc f(x c) { x <- 1 }\n", "uses a channel"},
		{"receive", "txn/x.go", "package txn\n\nimport \"context\"\n\nfunc f(c context.Context) { <-c.Done() }\n", "waits on a channel"},
		{"select", "txn/x.go", "package txn\n\nfunc f() { select {} }\n", "the core selects"},

		{"map walk", "txn/x.go", "package txn\n\nfunc f(m map[int]int) {\n\tfor range m {\n\t}\n}\n", "walks a map"},
		{"map walk of a named type", "txn/x.go", "package txn\n\ntype set map[int]bool\n\nfunc f(m set) {\n\tfor range m {\n\t}\n}\n", "walks a map"},
		{"map walk by iterator", "txn/x.go", "package txn\n\nimport (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc f(m map[int]int) []int { return slices.Collect(maps.Keys(m)) }\n", "walks a map"},
		{"map walk with an empty excuse", "txn/x.go", "package txn\n\nfunc f(m map[int]int) {\n\t// order:\n\tfor range m {\n\t}\n}\n", "walks a map"},

		{"row by literal", "cmd/isochron/x.go", "package main\n\nfunc f(s string) bool { return s == \"2pc+2pl\" }\n", "compares a protocol's name"},
		{"row in a switch", "cmd/isochron/x.go", "package main\n\nfunc f(s string) {\n\tswitch s {\n\tcase \"2pc+2pl\":\n\t}\n}\n", "compares a protocol's name"},
		{"row by name", "cmd/isochron/x.go", "package main\n\nvar row struct{ Name string }\n\nfunc f(s string) bool { return row.Name != s }\n", "compares a protocol's name"},
		{"row by prefix", "cmd/isochron/x.go", "package main\n\nimport \"strings\"\n\nfunc f(protocol string) bool { return strings.HasPrefix(protocol, \"2\") }\n", "compares a protocol's name"},

		{"no doc.go", "store/mem.go", "package store\n", "has no doc.go"},
		{"doc.go of another", "geo/doc.go", "// Package map is a map.\npackage geo\n", "must open with \"Package geo \""},
		{"doc.go without duties", "geo/doc.go", "// Package geo is a map.\n//\n// How it works. Plainly.\npackage geo\n", "does not have \"owes\""},
		{"a long story that no page names", "geo/x_test.go", "package geo\n\nimport (\n\t\"testing\"\n\n\t\"isochron/test/hours\"\n)\n\nfunc TestLong(t *testing.T) { hours.Only(t) }\n", "TestLong is longer in the long run"},
		{"long prose", "docs/LONG.md", "# L\n\n" + strings.Repeat("a word ", 15) + "\n", "has 105 characters"},
		{"no architecture", "ARCHITECTURE.md", "", "cannot be read"},
		{"library without a reason", "go.mod", "module isochron\n\ngo 1.26\n\nrequire example.com/thing v1.2.3\n", "example.com/thing is not named"},

		{"long file", "txn/x.go", "package txn\n" + strings.Repeat("\n", 600), "a file has at most"},
		{"long function", "txn/x.go", "package txn\n\nfunc f() {" + strings.Repeat("\n", 90) + "}\n", "a function has at most"},
		{"type of many jobs", "txn/x.go", "package txn\n\ntype T[A any] struct{}\n" + strings.Repeat("\nfunc (t *T[A]) _() {}\n\nfunc (T[A]) _() {}\n", 20), "txn.T has more than 39 methods"},
		{"machine path in code", "txn/x.go", "package txn\n\n// see " + shame[0] + "x\n", "of one machine"},
		{"a program that was built", "isochron", "\x7fELF\x00" + shame[0], "is not text"},
		{"a heap of data", "docs/all.csv", strings.Repeat("1,2,3\n", 200_000), "a file has at most"},
		{"dead link", "docs/a.md", "see [b](b.md)\n", "links to b.md, which does not exist"},
		{"dead link in a picture", "README.md", "![b](docs/b.png)\n", "links to docs/b.png, which does not exist"},
		{"dead heading", "docs/a.md", "# A b\n\nsee [b](#b-a)\n", "docs/a.md has no such heading"},
		{"dead heading of another page", "docs/a.md", "see [b](../ARCHITECTURE.md#b)\n", "ARCHITECTURE.md has no such heading"},
		{"no such name", "docs/a.md", "see `geo.Nothing`\n", "names geo.Nothing, which the code does not have"},
		{"no such member", "docs/a.md", "see `protocol.Row.Size`\n", "names protocol.Row.Size, which"},
		{"no such file", "docs/a.md", "see `geo/map.go`\n", "names geo/map.go, which does not exist"},
		{"no such file in a block", "docs/a.md", "```\nvi geo/map.go\n```\n", "names geo/map.go, which does not exist"},
		{"no such target", "docs/a.md", "see `make hay`\n", "names make hay, which the Makefile does not have"},
		{"no such flag", "docs/a.md", "```console\n$ isochron --wings 2\n```\n", "names --wings, which no command has"},
		{"no such metric", "docs/a.md", "see `isochron_wings_total`\n", "names isochron_wings_total, which is no metric"},
		{"no such metrics", "docs/a.md", "see `isochron_wings_...`\n", "names isochron_wings_..., which is no metric"},
		{"no such story", "docs/a.md", "see `7-a-crash`\n", "names the story 7-a-crash, which does not exist"},
		{"no such story, by its path", "docs/a.md", "see `sim/testdata/7-a-crash.txt`\n", "names the story 7-a-crash.txt, which"},
		{"no such page, in code", "geo/x.go", "package geo\n\n// See docs/WINGS.md.\n", "names docs/WINGS.md, which does not exist"},
		{"no such story, in code", "geo/x.go", "package geo\n\n// See sim/testdata/6-a-start.txt,\n// 7-a-crash.txt.\n", "geo/x.go:4: names the story 7-a-crash.txt, which"},
		{"no such page, in a script", "run.sh", "# see ../docs/WINGS.md\n", "names docs/WINGS.md, which does not exist"},
		{"machine path in prose", "README.md", "see " + shame[1] + "x\n", "of one machine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lintTree(t, plant(t, map[string]string{c.path: c.text}))
			for _, f := range found {
				if strings.Contains(f.String(), c.want) {
					return
				}
			}
			t.Errorf("want a finding with %q, got %v", c.want, found)
		})
	}
}

// TestReferencesThatAreThere: what pages may name.
func TestReferencesThatAreThere(t *testing.T) {
	for _, f := range lintTree(t, plant(t, map[string]string{
		"geo/map.go":            "package geo\n\n// Map is one.\ntype Map struct {\n\tAll int `json:\"isochron_all\"`\n}\n",
		"cmd/isochron/flags.go": "package main\n\ntype set struct{}\n\nfunc (set) IntVar(*int, string, int, string) {}\n\nfunc g(s set) { s.IntVar(nil, \"legs\", 2, \"isochron_legs\") }\n",
		"Makefile":              "hay:\n\ttrue --arms\n",
		"docs/a.md": "# A `b`, c\n\n## Twice\n\n## Twice\n\n[a](#a-b-c) [b](#twice-1) [c](../geo) [d](../geo/map.go) [e](https://example.com/x#y) `[f](g)`\n\n" +
			"`geo.Map.All` `Map` `sql.ErrNoRows` `map.go` `geo/map.go` `geo/*.go` `make hay`\n`--legs 2` `--arms` `isochron_all`\n`isochron_legs_bucket` `isochron_l*` `7-a-crash` `sim/testdata/7-a-crash.txt`\n\n" +
			"make nothing --like isochron_this\n\n```\n[x](y)\n```\n",
		"sim/testdata/7-a-crash.txt": "# A crash.\n",
		"CHANGELOG.md":               "`--gone` `geo.Gone` `docs/GONE.md`\n",
		"docs/generated/c.md":        "`geo.Gone`\n",
	})) {
		t.Error(f)
	}
}

// TestALongDocument: how long a document is breaks no rule.
func TestALongDocument(t *testing.T) {
	for _, f := range lintTree(t, plant(t, map[string]string{"docs/LONG.md": strings.Repeat("1,2,3\n", 200_000)})) {
		t.Error(f)
	}
}

// TestExcused: what looks like a breach and is none.
func TestExcused(t *testing.T) {
	for name, text := range map[string]string{
		"order above":      "package txn\n\nfunc f(m map[int]int) (n int) {\n\t// order: a sum.\n\tfor _, v := range m {\n\t\tn += v\n\t}\n\treturn n\n}\n",
		"order beside":     "package txn\n\nfunc f(m map[int]int) (n int) {\n\tfor range m { // order: a count.\n\t\tn++\n\t}\n\treturn n\n}\n",
		"sorted keys":      "package txn\n\nimport (\n\t\"maps\"\n\t\"slices\"\n)\n\nfunc f(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }\n",
		"seeded random":    "package txn\n\nimport \"math/rand/v2\"\n\nfunc f() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }\n",
		"same protocol":    "package txn\n\ntype c struct{ Protocol string }\n\nfunc f(a, b c) bool { return a.Protocol == b.Protocol }\n",
		"durations":        "package txn\n\nimport \"time\"\n\nconst d = time.Second\n",
		"a field time.Now": "package txn\n\nfunc f(time struct{ Now int }) int { return time.Now }\n",
		"many small types": "package txn\n\ntype a int\ntype b int\n" + strings.Repeat("\nfunc (a) _() {}\n\nfunc (*b) _() {}\n", 39),
		"downward import":  "package txn\n\nimport _ \"isochron/geo\"\n",
	} {
		found := lintTree(t, plant(t, map[string]string{"txn/x.go": text}))
		for _, f := range found {
			t.Errorf("%s: %s", name, f)
		}
	}
}
