package figure

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"isochron/lab"
	"isochron/test/pages"
)

func testRecord(t *testing.T) Record {
	t.Helper()
	r := runTest(t, Options{RunAll: model(2)})
	r.Parts[0].Grid.Cells[0][0].Committed = 1 // no claim uses it
	rec, err := r.Record("2026-01-31", 7)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// A record has every number of the pictures to three digits, every claim as text, and is read back
// from its file unchanged.
func TestRecord(t *testing.T) {
	rec := testRecord(t)
	if rec.Recorded != "2026-01-31" || rec.Seed != 7 || rec.Experiments != 2*len(rec.Values)+10 || rec.Checked != 10*rec.Experiments || rec.Purpose != testFigure.Purpose {
		t.Errorf("%+v", rec)
	}
	if line := rec.Panels[0].Lines[0]; line.Protocol != "2pc+2pl" || line.Numbers[0] != 60 || len(line.Numbers) != len(rec.Values) {
		t.Errorf("%+v", line)
	}
	want := RecordedClaim{"throughput of 2pc+2pl over 2pc+occ, at best", "clients 300", "4.00x", "3.40x to 4.71x", "2.00x", "SHORT", "", ""}
	if got := rec.Costs[1].Claims[2]; got != want {
		t.Errorf("%+v", got)
	}
	f := All()[0]
	rec.Figure = f.Name
	rec.reasons(f)
	dir := t.TempDir()
	if _, err := rec.Save(dir); err != nil {
		t.Fatal(err)
	}
	back, err := Records(dir)
	if err != nil || len(back) != 1 || !reflect.DeepEqual(back[0], rec) {
		t.Errorf("%v: %+v", err, back)
	}
	rec.Costs[1].Claims = rec.Costs[1].Claims[1:]
	if _, err := rec.Save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Records(dir); err == nil || !strings.Contains(err.Error(), "lacks") {
		t.Errorf("a record without one of the claims: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, recordName(f.Name)), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Records(dir); err == nil || !strings.Contains(err.Error(), f.Name) {
		t.Errorf("a record that is none: %v", err)
	}
}

// A run that is not to be quoted is not recorded.
func TestQuickRunsAreNotRecorded(t *testing.T) {
	if _, err := runTest(t, Options{Quick: true, RunAll: model(2)}).Record("", 1); err == nil {
		t.Error("a quick run was recorded")
	}
	r := runTest(t, Options{RunAll: model(2)})
	r.Parts[0].Grid.Cells[1][0].Check = lab.Check{Checked: 1, Anomalies: []string{"G2: a cycle"}}
	if _, err := r.Record("", 1); err == nil || !strings.Contains(err.Error(), "G2") {
		t.Errorf("a wrong run was recorded: %v", err)
	}
	// A protocol without atomicity may violate it.
	r.Parts[0].Grid.Cells[1][0].Protocol = "ssp-local"
	rec, err := r.Record("", 1)
	if err != nil || rec.Torn != 1 || !strings.Contains(rec.made(), "all serializable but in 1 experiments under protocols without atomicity") {
		t.Errorf("a protocol without atomicity: %v, %q", err, rec.made())
	}
	if text := r.Text(); strings.Contains(text, "WRONG") || !strings.Contains(text, "all are serializable but in 1 experiments") {
		t.Errorf("a protocol without atomicity is not accused:\n%s", text)
	}
}

// Three digits are kept of any number.
func TestSignificant(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 12.3456: 12.3, 98765: 98800, 0.00123456: 0.00123, -4567: -4570} {
		if got := significant(v); got != want {
			t.Errorf("%v: %v", v, got)
		}
	}
}

// A table is written between its comments, the same every time, and nothing else is touched.
func TestWriteTables(t *testing.T) {
	rec := testRecord(t)
	doc := "before\n<!-- claims of test/fig1 -->\nold numbers\n<!-- end of claims -->\nafter\n"
	once, err := WriteTables(doc, []Record{rec})
	if err != nil || strings.Contains(once, "old numbers") || !strings.HasPrefix(once, "before\n<!--") || !strings.HasSuffix(once, "-->\nafter\n") ||
		!strings.Contains(once, "| 4.00x | 3.40x to 4.71x | 2.00x, **SHORT** | 2.00x | 2.00x | 2.00x | 2.00x | 2.00x | see *why* |\n") ||
		!strings.Contains(once, "\n*Why*: Of the test.\n") || !strings.Contains(once, "| 1.70x to 2.35x | 2.00x, met | 2.00x |") {
		t.Fatalf("%v\n%s", err, once)
	}
	if again, err := WriteTables(once, []Record{rec}); err != nil || again != once {
		t.Errorf("%v\n%s", err, again)
	}
	if _, err := WriteTables(doc, nil); err == nil || !strings.Contains(err.Error(), "no figure") {
		t.Errorf("of no figure: %v", err)
	}
	name := All()[0].Name
	if text, err := WriteTables(strings.ReplaceAll(doc, "test/fig1", name), nil); err != nil || !strings.Contains(text, "Not recorded yet: run `isochron lab run "+name) {
		t.Errorf("without a record: %v\n%s", err, text)
	}
	if _, err := WriteTables("<!-- claims of test/fig1 -->\n", []Record{rec}); err == nil || !strings.Contains(err.Error(), "no end") {
		t.Errorf("without an end: %v", err)
	}
}

// The page of all claims counts them by their verdicts and has the reasons.
func TestScoreboard(t *testing.T) {
	page := Scoreboard([]Record{testRecord(t)})
	for _, want := range []string{"Of 3 claims of 1 figures: 2 met, 0 better, 1 short, 0 no number.", "Of the 2 that are met, 2 are with CPU halved", "| `test/fig1` | throughput of 2pc+2pl over 2pc+occ, at best | clients 300 | 4.00x | 3.40x to 4.71x | 2.00x | SHORT |  | see *why* |", "`d2pc/fig5`, `d2pc/fig6`", "**`test/fig1`**: Of the test."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	for line := range strings.Lines(wrap(strings.Repeat("word ", 100) + "\n")) {
		if len(line) > columns+1 {
			t.Errorf("a line of %d columns", len(line))
		}
	}
}

// The page of claims and the tables of pages have what the records in docs/figures have, and the
// records' claims are those of the figures.
func TestPagesOfRecords(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	documents, err := Documents(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range documents {
		switch {
		case p.Was == p.Text:
		case pages.Rewriting():
			if err := os.WriteFile(filepath.Join(docs, p.Name), []byte(p.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("docs/%s differs from the records: run make docs", p.Name)
		}
	}
	records, err := Records(filepath.Join(docs, "figures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		f, err := ByName(r.Figure)
		if err != nil || len(r.Costs) == 0 || len(r.Costs[0].Claims) != len(f.Claims) {
			t.Errorf("%s has other claims than its record (%v): record it again", r.Figure, err)
			continue
		}
		for _, c := range r.Costs[0].Claims {
			if c.unmet() && r.reason(c) == "" {
				t.Errorf("%s: %s is %s (%s), without a reason", r.Figure, c.Claim, c.Verdict, c.Ours)
			}
		}
		if r.Held < r.Laws && r.Purpose == "" {
			t.Errorf("%s: %d of %d spans agree with their formulas, without a reason", r.Figure, r.Held, r.Laws)
		}
		for i, c := range f.Claims {
			if got := r.Costs[0].Claims[i]; got.Claim != c.Text() || got.Paper != c.PaperText() || c.numbered() && got.Band != c.Band() {
				t.Errorf("%s: the record has %+v where the figure claims %s, %s: record it again", r.Figure, got, c.Text(), c.PaperText())
			}
		}
	}
}

// A figure over time keeps the number of each piece, and a figure of spans each span.
func TestRecordOverTime(t *testing.T) {
	f := *testFigure
	f.Claims, f.Shows, f.Over = nil, nil, []PieceMeasure{throughputThen}
	cells := func(tps float64) []lab.Result {
		r := does(1)
		r.Check.Serializable = true
		r.Series = []lab.Piece{{UntilS: 0.5, ThroughputTPS: tps}, {UntilS: 1, ThroughputTPS: 2 * tps}}
		return []lab.Result{r}
	}
	rec, err := (&Report{Figure: &f, Parts: []*Part{{Grid: &Grid{Figure: &f, Values: []int{30}, Cells: [][]lab.Result{cells(110), cells(1234)}}}}}).Record("", 1)
	if err != nil || !reflect.DeepEqual(rec.Seconds, []float64{0.5, 1}) ||
		!reflect.DeepEqual(rec.Over, []Panel{{"throughput (transactions/s)", []Line{{"2pc+2pl", []float64{110, 220}}, {"2pc+occ", []float64{1230, 2470}}}}}) {
		t.Errorf("%v %+v", err, rec)
	}
}

// Reasons are those of the present figure, and only for claims not met, or better.
func TestReasons(t *testing.T) {
	rec := testRecord(t)
	f := *testFigure
	f.Claims = slices.Clone(f.Claims)
	for i := range f.Claims {
		f.Claims[i].Reason = "known"
	}
	f.Purpose = "Since\nthen."
	rec.reasons(&f)
	got := ""
	for _, c := range rec.Costs[0].Claims {
		got += c.Verdict + ":" + c.Reason + " "
	}
	if got != "met: met: SHORT:known for comparison: " || rec.Purpose != "Since then." {
		t.Errorf("%s, %q", got, rec.Purpose)
	}
	rec.Costs[0].Claims[2].Verdict = Met.String()
	if rec.reasons(&f); rec.Purpose != "" {
		t.Errorf("a reason without need: %q", rec.Purpose)
	}
}

// A claim that other costs decide is named with them, and counted by the deciding cost.
func TestConstantsThatDecide(t *testing.T) {
	rec := testRecord(t)
	set := func(cost, claim int, ours, verdict string) {
		c := &rec.Costs[cost].Claims[claim]
		c.Ours, c.Verdict = ours, verdict
	}
	set(1, 0, "1.50x", "SHORT") // CPU halved
	set(3, 1, "-20%", "SHORT")  // another disk
	page := Scoreboard([]Record{rec})
	for _, want := range []string{"| met | CPU halved: 1.50x, SHORT |  |", "| met | a sync of 0.1 ms: -20%, SHORT |  |",
		"Of the 2 that are met, 0 are with CPU halved, CPU doubled and every sync, too.",
		"the disk decides mean latency of 2pc+2pl over 2pc+occ, at the end of the axis in `test/fig1`; the processor decides throughput of"} {
		if flat := strings.Join(strings.Fields(page), " "); !strings.Contains(page, want) && !strings.Contains(flat, want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	rec.Costs[0].Claims[3].Note = "few committed"
	if text := rec.Claims(); !strings.Contains(text, "| no number: few committed |") {
		t.Errorf("a claim for comparison has no reason for its missing number:\n%s", text)
	}
	set(5, 0, "1.50x", "SHORT") // a variation of read-only transactions: no constant
	set(4, 0, "1.50x", "SHORT")
	if page := Scoreboard([]Record{rec}); !strings.Contains(page, "processor and disk decide throughput") {
		t.Errorf("the page does not count a claim that either decides:\n%s", page)
	}
	if text := rec.Claims(); !strings.Contains(text, "| 2.00x, met | 1.50x, SHORT | 2.00x |") {
		t.Errorf("another verdict is not named:\n%s", text)
	}
}

// The first panel is a table of numbers; of clients, the last of them are a sum.
func TestNumbersAndShares(t *testing.T) {
	rec := testRecord(t)
	for text, want := range map[string]string{
		rec.Numbers(): "| throughput (transactions/s); clients: | 30 | 60 | 90 | 120 | 150 | 200 | 250 | 300 |\n|---|---|---|---|---|---|---|---|---|\n| 2pc+2pl | 60 |",
		rec.Shares():  "| 2pc+2pl | 600 | 50 | 10% |\n| 2pc+occ | 300 | 100 | 10% |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	rec.Panels, rec.Seconds, rec.Over = nil, []float64{0.5, 1, 1.5}, []Panel{{"failed", []Line{{"some", []float64{10, 30, 5}}}}}
	if text := rec.Numbers(); text != "| failed; second: | 1 | 2 |\n|---|---|---|\n| some | 20 | 5 |\n" {
		t.Errorf("over time:\n%s", text)
	}
	rec.Seconds = []float64{5, 10, 15}
	if text := rec.Numbers(); text != "| failed; second: | 5 | 10 | 15 |\n|---|---|---|---|\n| some | 10 | 30 | 5 |\n" {
		t.Errorf("in longer pieces:\n%s", text)
	}
	rec.Spans, rec.Laws, rec.Held = []Span{{Protocol: "2pc+occ", Client: "here", Leader: "there", LawMS: 12.5, AloneMS: 12.5, MeasuredMS: 11}}, 2, 1
	if text := rec.SpanTable(); !strings.Contains(text, "| 2pc+occ | here | there | 12.5 | 12.5 | 11 |\n\n1 of 2 spans") {
		t.Errorf("%s", text)
	}
}
