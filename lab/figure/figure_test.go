package figure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/lab"
)

// model is a laboratory in which a protocol's throughput is its clients, and the first protocol is
// times as good as the second.
func model(times float64) func(context.Context, []lab.Experiment, int, func(done, total time.Duration)) ([]lab.Result, error) {
	return func(_ context.Context, specs []lab.Experiment, _ int, _ func(done, total time.Duration)) ([]lab.Result, error) {
		var out []lab.Result
		for _, s := range specs {
			r := lab.Result{Protocol: s.Protocol, Check: lab.Check{Checked: 10, Serializable: true}}
			r.ThroughputTPS, r.LatencyMS.Avg, r.ContentionSpanMS.Avg = float64(s.Clients), 100, 50
			r.Committed, r.CommittedByThird = 900, [3]int64{300, 300, 300}
			if s.Protocol == testFigure.Protocols[0] {
				r.ThroughputTPS *= times
				r.LatencyMS.Avg /= times
			}
			out = append(out, r)
		}
		return out, nil
	}
}

func testBase() lab.Experiment {
	s := d2pcBase()
	s.StatementCPU, s.StepCPU = 60*time.Microsecond, 40*time.Nanosecond
	return s
}

var testFigure = &Figure{
	Name: "test/fig1", Title: "A figure of the test", Source: "nowhere",
	Protocols: []string{"2pc+2pl", "2pc+occ"}, Axis: d2pcClients, Base: testBase(),
	Shows: []Measure{throughput, latency},
	Claims: []Claim{
		claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 2),
		claim(latency, "2pc+2pl", "2pc+occ", AtTheEnd, Change, -50),
		claim(throughput, "2pc+2pl", "2pc+occ", AtBest, Times, 4), // all values of the model are as good: the last is taken
		claim(latency, "2pc+occ", "2pc+2pl", AtTheEnd, Times, 0),
	},
	Purpose: "Of the test.",
}

func runTest(t *testing.T, opt Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), testFigure, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A claim is met within its tolerance of its number, either way; below it is short of it, and above
// it is better than claimed.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		times float64
		bands []Band
	}{
		{2, []Band{Met, Met, Short, Unscored}},
		{1.71, []Band{Met, Short, Short, Unscored}},
		{1.69, []Band{Short, Short, Short, Unscored}},
		{2.34, []Band{Met, Met, Short, Unscored}},
		{2.36, []Band{Better, Met, Short, Unscored}},
		{3.5, []Band{Better, Better, Met, Unscored}},
		{0.5, []Band{Short, Short, Short, Unscored}},
	} {
		r := runTest(t, Options{RunAll: model(c.times)})
		if len(r.Parts) != 6 {
			t.Fatalf("%d parts", len(r.Parts))
		}
		for _, p := range r.Parts {
			for i, v := range p.Verdicts {
				if v.Band != c.bands[i] {
					t.Errorf("%v times, costs %s: %s: %s is %s", c.times, p.Costs.Name, v.Claim.Text(), v.Claim.Format(v.Ours), v.Band)
				}
			}
			if v := p.Verdicts[0]; math.Abs(v.Ours-c.times) > 1e-9 || v.At != 300 {
				t.Errorf("%v times is found as %v at %d", c.times, v.Ours, v.At)
			}
		}
	}
}

// Ahead is met from no advantage on; AtMost is met up to its percentage.
func TestBoundsOfClaims(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		paper float64
		tps   float64 // of the row, over 1000 of the other
		band  Band
	}{
		{Ahead, 0, 999, Short}, {Ahead, 0, 1000, Met}, {Ahead, 0, 90_000, Met},
		{AtMost, 2, 981, Met}, {AtMost, 2, 1500, Met}, {AtMost, 2, 979, Short},
		{Change, 50, 1420, Short}, {Change, 50, 1430, Met}, {Change, 50, 1600, Better},
	} {
		g := &Grid{Figure: testFigure, Values: []int{1}, Cells: [][]lab.Result{{does(c.tps)}, {does(1000)}}}
		claim := claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, c.kind, c.paper)
		if v := claim.Judge(g); v.Band != c.band {
			t.Errorf("%v over 1000, claimed %s (%s): %s is %s", c.tps, claim.PaperText(), claim.Band(), claim.Format(v.Ours), v.Band)
		}
	}
}

// A range is met from its least, with its tolerance, to its most, with its own.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		tps   float64 // of the row, over 1000 of the other
		band  Band
	}{
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 5).upTo(13), 4240, Short},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 5).upTo(13), 4260, Met},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 5).upTo(13), 15_200, Met},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 5).upTo(13), 15_400, Better},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Change, -20).upTo(-40), 835, Short},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Change, -20).upTo(-40), 825, Met},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Change, -20).upTo(-40), 535, Met},
		{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Change, -20).upTo(-40), 525, Better},
	} {
		g := &Grid{Figure: testFigure, Values: []int{1}, Cells: [][]lab.Result{{does(c.tps)}, {does(1000)}}}
		if v := c.claim.Judge(g); v.Band != c.band {
			t.Errorf("%v over 1000, claimed %s (%s): %s is %s", c.tps, c.claim.PaperText(), c.claim.Band(), c.claim.Format(v.Ours), v.Band)
		}
	}
	if c := claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 5).upTo(13); c.PaperText() != "5.00x to 13.00x" || c.Band() != "4.25x to 15.29x" {
		t.Errorf("%s, %s", c.PaperText(), c.Band())
	}
}

// A Below claim's protocol has less than each of several; the worst value is the one with the most.
func TestBelow(t *testing.T) {
	f := *testFigure
	f.Protocols = []string{"2pc+2pl", "2pc+occ", "d2pc+occ"}
	g := &Grid{Figure: &f, Values: []int{1, 2}, Cells: [][]lab.Result{{does(10), does(30)}, {does(20), does(40)}, {does(50), does(25)}}}
	for where, want := range map[Where]Verdict{AtTheStart: {Ours: 0.5, At: 1, Band: Met}, AtTheEnd: {Ours: 1.2, At: 2, Band: Short}, AtWorst: {Ours: 1.2, At: 2, Band: Short}, AtBest: {Ours: 0.5, At: 1, Band: Met}} {
		c := claim(throughput, "2pc+2pl", "2pc+occ|d2pc+occ", where, Below, 0)
		if v := c.Judge(g); v.Ours != want.Ours || v.At != want.At || v.Band != want.Band || c.PaperText() != "less" || c.Band() != "up to 1.00x" {
			t.Errorf("%s, %s: %+v", c.Text(), c.Band(), v)
		}
	}
}

// A protocol at the end of the axis relative to its start; both are run again under other costs.
func TestAcross(t *testing.T) {
	g := &Grid{Figure: testFigure, Values: []int{30, 60, 90}, Cells: [][]lab.Result{{does(100), does(1), does(110)}, {does(1), does(1), does(1)}}}
	level, below := claim(throughput, "2pc+2pl", "2pc+2pl", Across, Level, 0), claim(throughput, "2pc+2pl", "2pc+2pl", Across, Below, 0)
	if v := level.Judge(g); math.Abs(v.Ours-10) > 1e-9 || v.At != 90 || v.Band != Met {
		t.Errorf("%+v", v)
	}
	v := below.Judge(g)
	if v.Ours != 1.1 || v.Band != Short {
		t.Errorf("%+v", v)
	}
	if got := (&Part{Grid: g, Verdicts: []Verdict{v}}).claimed(); !slices.Equal(got, []asked{{"2pc+2pl", 90}, {"2pc+2pl", 30}}) {
		t.Errorf("both ends are run again, not %v", got)
	}
	g.Cells[0][0].Committed = 1
	if v := level.Judge(g); v.Band != NoNumber {
		t.Errorf("where the start is no number: %+v", v)
	}
}

// Runs with few commits, or with rising or falling throughput, give no numbers, on either side of a
// claim.
func TestNoNumbers(t *testing.T) {
	few, drifting := does(200), does(200)
	few.Committed, few.CommittedByThird = lab.CommitsMin-1, [3]int64{100, 100, 99}
	drifting.CommittedByThird = [3]int64{400, 300, 200}
	claim := claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 2)
	for _, bad := range []lab.Result{few, drifting} {
		for _, cells := range [][][]lab.Result{{{bad}, {does(100)}}, {{does(200)}, {bad}}} {
			v := claim.Judge(&Grid{Figure: testFigure, Values: []int{1}, Cells: cells})
			if v.Band != NoNumber || !strings.Contains(v.Reason, "commit") {
				t.Errorf("%+v", v)
			}
		}
	}
}

func does(tps float64) (r lab.Result) {
	r.Protocol, r.ThroughputTPS = "some", tps
	r.Committed, r.CommittedByThird = 900, [3]int64{300, 300, 300}
	return r
}

// The best value is found wherever it is, and a protocol without commits is no advantage.
func TestBestAndNone(t *testing.T) {
	g := &Grid{Figure: testFigure, Values: []int{1, 2, 3}, Cells: [][]lab.Result{
		{does(10), does(90), does(10)}, {does(10), does(10), does(0)},
	}}
	if v := testFigure.Claims[2].Judge(g); v.Ours != 9 || v.At != 2 || v.Band != Better {
		t.Errorf("at best: %+v", v)
	}
	worst := claim(throughput, "2pc+2pl", "2pc+occ", AtWorst, Times, 1)
	if v := worst.Judge(g); v.Ours != 1 || v.At != 1 || v.Band != Met {
		t.Errorf("at worst: %+v", v)
	}
	peak := claim(throughput, "2pc+2pl", "2pc+occ", AtPeak, Times, 9)
	g.Cells[1][0] = does(30)
	if v := peak.Judge(g); v.Ours != 3 || v.At != 2 || v.Band != Short {
		t.Errorf("each at its peak: %+v", v)
	}
	if got := (&Part{Grid: g, Verdicts: []Verdict{peak.Judge(g)}}).claimed(); !slices.Equal(got, []asked{{"2pc+2pl", 2}, {"2pc+occ", 1}}) {
		t.Errorf("both peaks are run again, not %v", got)
	}
	g.Cells[1][2] = lab.Result{}
	if v := testFigure.Claims[0].Judge(g); !math.IsNaN(v.Ours) || v.Band != NoNumber {
		t.Errorf("over a protocol that was not run: %+v", v)
	}
	g.Cells[1][2] = does(0)
	if v := testFigure.Claims[0].Judge(g); !math.IsNaN(v.Ours) || v.Band != NoNumber || v.Claim.Format(v.Ours) != "none" {
		t.Errorf("over nothing: %+v", v)
	}
}

// All experiments differ only in the protocol, the parameter and the costs; under other costs only
// the values of the claims are run again.
func TestExperiments(t *testing.T) {
	inner := model(2)
	var all []lab.Experiment
	r := runTest(t, Options{Quick: true, Seed: 7, Parallel: 3,
		RunAll: func(ctx context.Context, specs []lab.Experiment, atOnce int, p func(done, total time.Duration)) ([]lab.Result, error) {
			if all = append(all, specs...); atOnce != 3 {
				t.Errorf("%d in parallel", atOnce)
			}
			return inner(ctx, specs, atOnce, p)
		}})
	alike := testBase()
	alike.Seed, alike.Duration, alike.Warmup = 7, quickDuration, quickWarmup
	want := []lab.Experiment{}
	for i, set := range []func(*lab.Experiment){
		func(*lab.Experiment) {},
		func(s *lab.Experiment) { s.CPU, s.CoordinatorCPU, s.StatementCPU, s.StepCPU = 10e3, 10e3, 30e3, 20 },
		func(s *lab.Experiment) { s.CPU, s.CoordinatorCPU, s.StatementCPU, s.StepCPU = 40e3, 40e3, 120e3, 80 },
		func(s *lab.Experiment) { s.Fsync = 100 * time.Microsecond },
		func(s *lab.Experiment) { s.Fsync = 250 * time.Microsecond }, // with one of 1 ms nothing would differ
		func(s *lab.Experiment) { s.ReadOnly = "" },
	} {
		for _, row := range testFigure.Protocols {
			for _, clients := range append([]int{30}, 300)[min(i, 1):] {
				s := alike
				s.Protocol, s.Clients = row, clients
				set(&s)
				want = append(want, s)
			}
		}
	}
	if fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("the experiments are\n%+v\nand not\n%+v", all, want)
	}
	if c := r.Parts[2].Grid.Cells[0][0]; len(r.Parts) != 6 || c.ThroughputTPS != 600 || c.Protocol != testFigure.Protocols[0] {
		t.Errorf("a result is in the wrong place: %+v", c)
	}
}

func TestFailures(t *testing.T) {
	broken := *testFigure
	broken.Protocols = []string{"2pc+2pl", "paxos-commit"}
	if _, err := Run(t.Context(), &broken, Options{RunAll: model(1)}); err == nil || !strings.Contains(err.Error(), "paxos-commit") {
		t.Errorf("an unknown protocol: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Run(ctx, testFigure, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is stopped: %v", err)
	}
}

// The report lists claims met and not met, and names wrong experiments.
func TestReport(t *testing.T) {
	r := runTest(t, Options{Quick: true, RunAll: model(2)})
	text := r.Text()
	for _, want := range []string{"throughput of 2pc+2pl over 2pc+occ", "clients 300", "1.70x to 2.35x  2.00x  met", "3.40x to 4.71x  2.00x  SHORT", "-               2.00x  for comparison", "Why: Of the test.", "-42% to -59%    -50%   met", "A quick run", "all are serializable", "Costs CPU halved"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not have %q:\n%s", want, text)
		}
	}
	r.Parts[1].Grid.Cells[1][0].Check = lab.Check{Checked: 1, Anomalies: []string{"G2: a cycle"}}
	if text := r.Text(); !strings.Contains(text, "WRONG") || !strings.Contains(text, "2pc+occ at clients 300, costs CPU halved: not serializable: G2: a cycle") {
		t.Errorf("a wrong experiment is not reported:\n%s", text)
	}
	path, err := r.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back jsonReport
	if err := json.Unmarshal(data, &back); err != nil || len(back.Parts) != 6 || len(back.Parts[0].Experiments) != 4 || *back.Parts[0].Claims[0].Ours != 2 || back.Parts[0].Claims[2].Band != "SHORT" || back.Purpose != testFigure.Purpose {
		t.Errorf("%v: %+v", err, back)
	}
}

// A small figure in the laboratory itself.
func TestAFigureForReal(t *testing.T) {
	f := *testFigure
	f.Base.Keys = 2000
	f.Axis.Quick = []int{6, 12}
	f.Shows = []Measure{throughput, latency, commitLatency, retwisWriting, lockingTime}
	r, err := Run(t.Context(), &f, Options{Quick: true, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range f.Shows {
		for _, row := range f.Protocols {
			if few, many := r.Parts[0].Grid.of(m, row, 0), r.Parts[0].Grid.of(m, row, 1); few <= 0 || m.Name == "throughput" && many <= few {
				t.Errorf("%s of %s is %v, and %v with twice the clients", m.Name, row, few, many)
			}
		}
	}
	if wrong := r.Wrong(); wrong != nil {
		t.Error(wrong)
	}
	g := r.Parts[0].Grid
	cell := g.Cells[0][1]
	writers := cell.ByClass["add-user"].Committed + cell.ByClass["follow"].Committed + cell.ByClass["post-tweet"].Committed
	all := g.of(retwisWriting, f.Protocols[0], 1)*float64(writers) + cell.ByClass["timeline"].CommitMS.Avg*float64(cell.ByClass["timeline"].Committed)
	if got := all / float64(cell.Committed); math.Abs(got/cell.CommitMS.Avg-1) > 0.01 {
		t.Errorf("writers and readers take %v together, all take %v", got, cell.CommitMS.Avg)
	}
}

// Every figure is drawn completely, and the legend names each protocol.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	for _, f := range append(All(), testFigure) {
		if f.Alone != nil {
			continue // see TestFigureOfSpans
		}
		g := &Grid{Figure: f, Values: f.Axis.Values}
		axis := f.Axis.Label
		if f.Over != nil {
			axis = "seconds"
		}
		for i := range f.Protocols {
			cells := make([]lab.Result, len(g.Values))
			for at := range cells {
				cells[at].Series = []lab.Piece{{UntilS: 1, ThroughputTPS: 5}, {UntilS: 2, ThroughputTPS: float64(10 * i)}}
				cells[at].ThroughputTPS = float64((i + 1) * (at + 3) * 10)
				cells[at].LatencyMS.Avg = float64(900 / (i + 1))
			}
			g.Cells = append(g.Cells, cells)
		}
		files, err := (&Report{Figure: f, Parts: []*Part{{Grid: g}}}).Draw(dir)
		if err != nil || len(files) != 2 {
			t.Fatalf("%s: %v %v", f.Name, files, err)
		}
		svg, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append([]string{f.Title, axis, "transactions/s", "<path", filepath.Base(f.Name)}, f.Protocols...) {
			if !strings.Contains(html.UnescapeString(string(svg)), want) {
				t.Errorf("%s does not have %q", files[0], want)
			}
		}
		data, err := os.ReadFile(files[1])
		if err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() < 900 {
			t.Errorf("%s is no picture: %v", files[1], err)
		}
	}
}

// Definitions are valid: their claims are of their protocols, their quick values among all, the
// last the same.
func TestDefinitions(t *testing.T) {
	for _, f := range All() {
		if got, err := ByName(f.Name); err != nil || got != f {
			t.Errorf("%s is not found: %v", f.Name, err)
		}
		if !f.Base.AdmissionOff {
			t.Errorf("%s: gateways bound the tries that contend, which no paper has", f.Name)
		}
		q, v := f.Axis.Quick, f.Axis.Values
		if f.Alone == nil && f.Over == nil && len(q) < 2 || q[len(q)-1] != v[len(v)-1] || !slices.IsSorted(v) {
			t.Errorf("%s: the values %v, quick %v", f.Name, v, q)
		}
		for _, c := range f.Claims {
			for _, row := range append(rivals(c.Over), c.Protocol) {
				if !slices.Contains(f.Protocols, row) {
					t.Errorf("%s: a claim of another protocol, %s: %s", f.Name, row, c.Text())
				}
			}
		}
	}
	if _, err := ByName("d2pc/fig99"); err == nil || !strings.Contains(err.Error(), "d2pc/fig5") {
		t.Errorf("a figure that is not there: %v", err)
	}
}

// A Level claim is met within a small difference, either way; the start of the axis is its first
// value.
func TestLevelAtTheStart(t *testing.T) {
	level := claim(throughput, "2pc+2pl", "2pc+occ", AtTheStart, Level, 0)
	for tps, met := range map[float64]bool{100: true, 114: true, 86: true, 116: false, 84: false} {
		g := &Grid{Figure: testFigure, Values: []int{30, 60}, Cells: [][]lab.Result{{does(tps), does(9000)}, {does(100), does(1)}}}
		if v := level.Judge(g); (v.Band == Met) != met || v.At != 30 {
			t.Errorf("%v over 100: %+v %s", tps, v, v.Band)
		}
	}
}

// A variant is a protocol of the table in a setting of its own; under other costs only the values
// of a claim are run.
func TestVariants(t *testing.T) {
	f := *testFigure
	f.Protocols = []string{"few", "many", "2pc+2pl"}
	f.Variants = map[string]Variant{
		"few":  {"2pc+occ", func(s *lab.Experiment) { s.Keys = 10 }},
		"many": {"2pc+occ", func(s *lab.Experiment) { s.Keys = 1000 }},
	}
	f.Claims = []Claim{claim(throughput, "many", "few", AtTheEnd, Times, 2)}
	var all []string
	inner := model(1)
	r, err := Run(t.Context(), &f, Options{Quick: true, RunAll: func(ctx context.Context, specs []lab.Experiment, n int, p func(done, total time.Duration)) ([]lab.Result, error) {
		for _, s := range specs {
			all = append(all, fmt.Sprintf("%s/%d/%d", s.Protocol, s.Keys, s.Clients))
		}
		return inner(ctx, specs, n, p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "2pc+occ/10/30 2pc+occ/10/300 2pc+occ/1000/30 2pc+occ/1000/300 2pc+2pl/0/30 2pc+2pl/0/300" + strings.Repeat(" 2pc+occ/10/300 2pc+occ/1000/300", 5)
	if got := strings.Join(all, " "); got != want {
		t.Errorf("the experiments are %s", got)
	}
	if wrong := r.Wrong(); wrong != nil || !strings.Contains(r.Text(), "16 experiments") {
		t.Errorf("%v\n%s", wrong, r.Text())
	}
}

// A claim over rivals is over the best of them at each value, and all of them are run again under
// other costs.
func TestRivals(t *testing.T) {
	f := *testFigure
	f.Protocols = []string{"2pc+2pl", "2pc+occ", "d2pc+occ"}
	f.Base.ReadOnly = ""
	claim := claim(throughput, "2pc+2pl", "2pc+occ|d2pc+occ", AtBest, Times, 3)
	f.Claims = []Claim{claim}
	g := &Grid{Figure: &f, Values: []int{30, 60}, Cells: [][]lab.Result{{does(40), does(90)}, {does(10), does(20)}, {does(20), does(30)}}}
	if v := claim.Judge(g); v.Ours != 3 || v.At != 60 || v.Band != Met {
		t.Errorf("%+v", v)
	}
	g.Cells[2][1] = lab.Result{}
	if v := claim.Judge(g); v.Ours != 2 || v.At != 30 {
		t.Errorf("where a rival was not run: %+v", v)
	}
	r, err := Run(t.Context(), &f, Options{Quick: true, RunAll: model(2)})
	if err != nil || len(r.Parts) != 5 {
		t.Fatalf("%v, %d parts; without a choice of its own there is none to take back", err, len(r.Parts))
	}
	if !r.Parts[1].Grid.has("2pc+occ|d2pc+occ", 0) || !strings.Contains(r.Text(), "over the best of 2pc+occ, d2pc+occ") {
		t.Errorf("not all rivals were run again:\n%s", r.Text())
	}
}

// A figure over time reports each protocol piece by piece.
func TestOverTime(t *testing.T) {
	f := *testFigure
	f.Claims, f.Shows, f.Over = nil, nil, []PieceMeasure{throughputThen, failedThen}
	cells := func(tps float64) []lab.Result {
		r := does(1)
		r.Series = []lab.Piece{{UntilS: 0.5, ThroughputTPS: tps, FailedTPS: 7}, {UntilS: 1, ThroughputTPS: 2 * tps}}
		return []lab.Result{{}, r}
	}
	g := &Grid{Figure: &f, Values: []int{30, 300}, Cells: [][]lab.Result{cells(110), cells(220)}}
	text := (&Report{Figure: &f, Parts: []*Part{{Grid: g}}}).Text()
	for _, want := range []string{"throughput (transactions/s), until second", "0.5    110.0    220.0", "1    220.0    440.0", "0.5      7.0      7.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

// A Lower claim is compared with the least of the others, and more is better.
func TestLower(t *testing.T) {
	f := *testFigure
	f.Protocols = []string{"2pc+2pl", "2pc+occ", "d2pc+occ"}
	claim := claim(throughput, "2pc+2pl", "2pc+occ|d2pc+occ", AtTheEnd, Lower, 1.8).upTo(2.2)
	for mine, want := range map[float64]Band{10: Met, 20: Short, 5: Better} {
		g := &Grid{Figure: &f, Values: []int{30}, Cells: [][]lab.Result{{does(mine)}, {does(20)}, {does(90)}}}
		if v := claim.Judge(g); v.Band != want || v.Ours != 20/mine {
			t.Errorf("%v below 20: %+v, not %s", mine, v, want)
		}
	}
	if text := claim.Text(); !strings.Contains(text, "2pc+2pl below the best of") {
		t.Errorf("the text is %s", text)
	}
}

// A figure that names costs is judged under no others.
func TestFiguresWithTheirOwnCosts(t *testing.T) {
	f := *testFigure
	f.Claims, f.Costs = []Claim{claim(throughput, "2pc+2pl", "2pc+occ", AtTheEnd, Times, 2)}, []string{"CPU doubled"}
	r, err := Run(t.Context(), &f, Options{Quick: true, RunAll: model(1)})
	if err != nil || len(r.Parts) != 2 || r.Parts[1].Costs.Name != "CPU doubled" {
		t.Errorf("%v: %+v", err, r.Parts)
	}
}
