package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rewrite has the marks of known differences written anew.
var rewrite = flag.Bool("rewrite", false, "write into the kept cases which of them still differ")

// Each kept case has the answer that MariaDB gave, or is known to differ from it; one that no longer differs loses its
// mark by -args -rewrite.
func TestKeptCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/kept/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases: ", err)
	}
	iso, err := startChild(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	for i, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			k, err := readKept(path)
			if err != nil {
				t.Fatal(err)
			}
			got := runKept(t, iso, k, fmt.Sprintf("kept%d", i))
			k.check(t, path, compare(k.s, got, k.answer))
		})
	}
}

// runKept runs a case in a database of its own.
func runKept(t *testing.T, iso *Server, k *keptCase, database string) *Answer {
	t.Helper()
	s := &Session{server: iso, database: database}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.setMode(""); err != nil {
		t.Fatal(err)
	}
	for _, q := range k.setup {
		if _, err := s.conn.query(q); err != nil && len(k.known) == 0 {
			t.Fatalf("%s: %v", q, err)
		}
	}
	a, err := s.run(k.s, k.prepared)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.conn.query("DROP DATABASE " + database); err != nil {
		t.Error(err)
	}
	return a
}

// check holds the differences of a case against those that are known.
func (k *keptCase) check(t *testing.T, path string, found []Difference) {
	t.Helper()
	var now []Kind
	var lines []string
	for _, d := range found {
		now = append(now, d.Kind)
		lines = append(lines, fmt.Sprintf("%s: %s", d.Kind, clip(d.Detail, 200)))
	}
	slices.Sort(now)
	if known := k.knownKinds(); slices.Equal(now, known) {
		return
	}
	if *rewrite {
		k.known = lines
		if err := os.WriteFile(path, []byte(k.format()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s\ndiffers: %s\nknown: %s\nif that is progress: go test ./test/differential -run TestKept -args -rewrite", k.run, strings.Join(lines, "; "), strings.Join(k.known, "; "))
}

// A case is read as it was written.
func TestKeptFiles(t *testing.T) {
	s := &Statement{Tree: tagged(&Node{Parts: []string{"SELECT ", " + ", ""}, Kids: []*Node{literal("1"), literal("'a\nb'")}}, tagTotal), Mode: modeLax, Change: true, Table: &Table{Name: "t", Primary: []string{"a", "b"}}}
	k := &keptCase{comment: "x", setup: []string{"CREATE TABLE t (a INT)"}, s: s, prepared: true, known: []string{"value: y"}}
	k.run, k.args = s.Tree.Prepared()
	k.answer = &Answer{
		Result:   &Result{Columns: []Column{{Name: "a b\"", Type: 253, Charset: 45, Flags: 1, Decimals: 31}}, Rows: [][]Cell{{Cell("\x00\ty")}, {nil}, {Cell("")}, {Cell("NULL")}}},
		Warnings: []int{1292, 1365}, After: [][]Cell{{Cell("1"), nil}},
	}
	path := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(path, []byte(k.format()), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readKept(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.format() != k.format() {
		t.Errorf("%s\nis read as\n%s", k.format(), got.format())
	}
	if d := differ(got.s, got.answer, k.answer); len(d) != 0 || !got.s.Tree.tags()[tagTotal] {
		t.Error(d, got.s.Tree.Tags)
	}
	k.answer.Err, k.answer.Result = &ServerError{Code: 1690, State: "22003"}, nil
	if err := os.WriteFile(path, []byte(k.format()), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err = readKept(path); err != nil || got.format() != k.format() {
		t.Error(err, got.format())
	}
}

// Each form and kind has its turn.
func TestKeptCasesAreOfAllKinds(t *testing.T) {
	a, b, c := &Finding{Form: "scalar", Kind: KindValue}, &Finding{Form: "scalar", Kind: KindValue}, &Finding{Form: "keys", Kind: KindType}
	got := inTurns([]*Class{{Name: "a"}, {Name: "b"}, {Name: "gone"}, {Name: "c"}}, map[string]*Finding{"a": a, "b": b, "c": c})
	if !slices.Equal(got, []*Finding{a, c, b}) {
		t.Errorf("%v", got)
	}
}
