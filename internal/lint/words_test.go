package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/test/pages"
)

// A phrase is counted across the lines of a comment, not across a full stop, by case in table A
// alone, and not in generated pages.
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

// The report on prose counts pages that are written by hand alone, records of measurement apart.
func TestProseIsCounted(t *testing.T) {
	tree, err := Read(plant(t, map[string]string{
		"docs/a.md":                  "# One two\n\nthree-four `five`.\n",
		"docs/generated/b.md":        "six seven\n",
		"docs/laboratory/txsql.md":   "eight nine\n",
		"docs/laboratory/unknown.md": "ten\n",
	}))
	if err != nil {
		t.Fatal(err)
	}

	report, err := ProseReport(tree)
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		"      4 docs/a.md\n",
		"      2 words in records of measurement\n",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("want %q in\n%s", want, report)
		}
	}
	others := 0
	for line := range strings.Lines(report) {
		var n int
		var path string
		if fmt.Sscan(line, &n, &path); strings.HasSuffix(path, ".md") && path != "docs/laboratory/txsql.md" {
			others += n
		}
	}
	if want := fmt.Sprintf("%7d words in other pages that are written by hand\n", others); !strings.HasSuffix(report, want) {
		t.Errorf("want %q at the end of\n%s", want, report)
	}
	if strings.Contains(report, "generated") {
		t.Errorf("a generated page is counted in\n%s", report)
	}
}

// Each record of measurement is a page that exists: a renamed one would be counted with the others.
func TestRecordsExist(t *testing.T) {
	for path := range records {
		if _, err := os.Stat(filepath.Join(pages.Root(t), path)); err != nil {
			t.Error(err)
		}
	}
}

// Phrases of table B are found over the end of a line and in any case; those of table A are not.
func TestPhrasesIn(t *testing.T) {
	words := []Word{{"A", []string{"Chase"}, "probe"}, {"B", []string{"goes on", "gone on"}, "continues"}, {"B", []string{"told"}, "notified"}}
	got := PhrasesIn("A Chase Goes\non; it has gone. On it.", words)
	if len(got) != 1 || got[0] != `"goes on" (write: continues)` {
		t.Errorf("found %q", got)
	}
}
