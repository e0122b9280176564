package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"isochron/server/sourcedb/sourcetest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serveArgument { // the child of a run
		if err := serve(os.Args[2], "", os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestCatalogueFillsEveryArgument(t *testing.T) {
	families := map[string]int{}
	for _, c := range catalogue() {
		families[c.family]++
		s := c.node(c.withDefaults()).Text()
		if !c.free && c.want == "" && argument.MatchString(s) && !strings.ContainsAny(s, `"[`) {
			t.Errorf("%s: an argument is left in %s", c.name, s)
		}
		if c.name == "JSON_CONTAINS() with a path" && (len(c.defaults) != 1 || s != `JSON_CONTAINS('{"a": [1]}', '1', '$.a')`) {
			t.Errorf("the braces of a document are an argument: %s", s)
		}
	}
	if len(families) != 18 {
		t.Errorf("%d families, want 18", len(families))
	}
}

// A seed gives the same statements in every run, and those of another seed differ.
func TestStatementsFollowTheSeed(t *testing.T) {
	tables := newTables(1)
	if !slices.EqualFunc(tables, newTables(1), func(a, b *Table) bool { return a.insert(a.Rows) == b.insert(b.Rows) }) {
		t.Error("the rows of one seed differ")
	}
	for _, f := range forms {
		same := 0
		for i := range 300 {
			a := f.Draw(newGen(1, f.Name, i), tables, i).Tree
			if b := f.Draw(newGen(1, f.Name, i), tables, i).Tree; a.Text() != b.Text() {
				t.Errorf("%s %d: %s and %s", f.Name, i, a.Text(), b.Text())
			}
			if c := f.Draw(newGen(2, f.Name, i), tables, i).Tree; a.Text() == c.Text() {
				same++
			}
			if len(a.Text()) > 8192 {
				t.Errorf("%s %d has %d bytes", f.Name, i, len(a.Text()))
			}
		}
		if f.Name != "functions" && same > 30 {
			t.Errorf("%s: %d of 300 statements are the same with another seed", f.Name, same)
		}
	}
}

func TestEveryTableHasRows(t *testing.T) {
	for _, table := range newTables(1) {
		if len(table.Rows) < 4 || len(table.Rows) > rowsPerTable {
			t.Errorf("%s has %d rows", table.Name, len(table.Rows))
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range []string{"--forms nothing", "--way both,text", "--statements 2", "--workers 0", "--statement-memory -1", "--spill-from -1", "more"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// A short run over both servers: every form runs, and a known difference is found and shrunk.
func TestARunBesideMariaDB(t *testing.T) {
	statements := 6 * len(forms)
	s, err := parse([]string{"--statements", fmt.Sprint(statements), "--workers", "1"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{opt: s.Options, tables: newTables(s.Seed)}
	stop, err := r.start(t.Context())
	sourcetest.LeaveOut(t, err)
	defer stop()
	if err := r.run(t.Context(), io.Discard); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	report := newReport(r)
	if report.Statements != statements {
		t.Errorf("%d statements, not %d", report.Statements, statements)
	}
	w, err := r.newWorker(7)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	planted := &Statement{Form: "scalar", Tree: fill("SELECT %", list(1, ", ", literal("1"), expr("VERSION()", "VERSION()"), literal("2"))), Mode: modeStrict}
	found, err := w.statement(planted)
	if err != nil || !slices.ContainsFunc(found, func(f *Finding) bool { return f.Kind == KindValue && f.Shrunk == "SELECT VERSION()" }) {
		t.Errorf("the versions of the servers are found to be equal: %v, %v", found, err)
	}
}

// A report fails as long as a difference has no reason, and counts each path by itself.
func TestReportsFail(t *testing.T) {
	r := &runner{opt: Options{Forms: []string{"keys"}, Paths: []string{"", exprPath}}, reasons: []*Reason{{Line: 3}}}
	finding := func(path string, reason int) *Finding {
		return &Finding{Form: "keys", Path: path, Kind: KindValue, Shrunk: "SELECT 1", Reason: reason}
	}
	r.results = []result{{"keys", []*Finding{finding("", 0), finding(exprPath, 3)}}, {"keys", nil}}
	report := newReport(r)
	if err := report.err(); err == nil || err.Error() != "1 of 4 statements differ without a reason" {
		t.Error(err)
	}
	if c := report.Forms; c[0].Differ != 1 || c[0].Kinds[KindValue] != 1 || c[1].Differ != 0 || c[1].Explained != 1 || r.reasons[0].Hits != 1 {
		t.Errorf("%+v %+v %+v", c[0], c[1], r.reasons[0])
	}
	r.results[0].findings[0].Reason = 3
	if err := newReport(r).err(); err != nil {
		t.Error(err)
	}
}
