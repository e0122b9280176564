package lint

import (
	"strings"
	"testing"
)

// A phrase is counted where it stands: over the lines of a comment, not over a full stop, by case
// in table A alone, and not in pages that commands make.
func TestWordsAreCounted(t *testing.T) {
	words := []Word{
		{Table: "A", Phrases: []string{"told", "lab.Spec"}},
		{Table: "B", Phrases: []string{"at once"}},
		{Table: "A", Phrases: []string{"--hunt"}},
	}
	c := new(corpus)
	c.addFile("x.go", []byte("package x\n\n// Told at\n// once. At once it is; at. Once is not.\nvar told = lab.Spec{} // at\n\n// once\nvar s = `told at once --hunt 3`\n"))
	c.addFile("docs/a.md", []byte("# At Once\n\ntold --hunts\n"))
	c.addFile("docs/generated/b.md", []byte("told at once\n"))
	got := c.count(words)
	want := []counts{{2, 0, 1, 1}, {0, 2, 1, 1}, {0, 0, 1, 0}}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("%v: %v, want %v (code, comments, strings, docs)", words[i].Phrases, got[i], w)
		}
	}
}

func TestWordsTable(t *testing.T) {
	all, err := Words()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Errorf("words.tsv has %d rows", len(all))
	}
	for _, w := range all {
		for _, p := range w.Phrases {
			if len(tokenOf.FindAllString(p, -1)) == 0 || w.Plain == "" {
				t.Errorf("%q has no word to find, or none to use: %q", p, w.Plain)
			}
		}
	}
}

// The report on prose counts pages that are written by hand alone, and fails nothing.
func TestProseIsCounted(t *testing.T) {
	tree, err := Read(plant(t, map[string]string{"docs/a.md": "# One two\n\nthree-four `five`.\n", "docs/generated/b.md": "six seven\n"}))
	if err != nil {
		t.Fatal(err)
	}
	report, err := ProseReport(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(report, "4 docs/a.md\n") || strings.Contains(report, "generated") {
		t.Errorf("the report is\n%s", report)
	}
}
