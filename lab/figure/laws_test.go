package figure

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"isochron/geo"
	"isochron/lab"
)

// lawful is a laboratory in which spans are those of the laws, and twice that with contention; one
// pair of one protocol is off by a fraction.
func lawful(t *testing.T, off float64) func(context.Context, []lab.Experiment, int, func(done, total time.Duration)) ([]lab.Result, error) {
	return func(_ context.Context, specs []lab.Experiment, _ int, _ func(done, total time.Duration)) ([]lab.Result, error) {
		var out []lab.Result
		for _, s := range specs {
			w, err := geo.Parse(s.WAN)
			law, ok := lab.LawOf(s.Protocol)
			if err != nil || !ok {
				t.Fatalf("%s over %s: %v", s.Protocol, s.WAN, err)
			}
			r := lab.Result{Protocol: s.Protocol, Check: lab.Check{Checked: 1, Serializable: true}}
			r.ContentionSpanMS.ByPair = map[string]map[string]lab.SpanPart{}
			for _, a := range w.Regions {
				r.ContentionSpanMS.ByPair[string(a)] = map[string]lab.SpanPart{}
				for _, b := range w.Regions {
					ms := float64(law.Span(w, a, b).Microseconds()) / 1000
					if s.Protocol == "carousel-fast" && a == "sf" && b == "fr" {
						ms *= 1 + off
					}
					if s.Clients > 3 {
						ms *= 2
					}
					r.ContentionSpanMS.ByPair[string(a)][string(b)] = lab.SpanPart{Avg: ms, Count: 1}
				}
			}
			out = append(out, r)
		}
		return out, nil
	}
}

// A figure of spans compares each pair with its formula, to the hundredth.
func TestFigureOfSpans(t *testing.T) {
	f, err := ByName("d2pc/fig15")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off   float64
		unmet int
	}{{0, 0}, {0.009, 0}, {0.011, 1}, {-0.02, 1}, {-1, 1}} {
		r, err := Run(t.Context(), f, Options{RunAll: lawful(t, c.off)})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Text()
		if got := strings.Count(text, "NOT MET"); got != c.unmet || len(r.Spans()) != 27 || r.unmet() != (c.unmet > 0) || strings.Count(text, "  met\n") != 27-c.unmet {
			t.Errorf("%v off: %d of %d are not met:\n%s", c.off, got, len(r.Spans()), text)
		}
		for _, want := range []string{"d2pc+occ: max over i of (L(a,i) + L(i,b) - L(a,b)) / 2", "150 clients", "hz        fr     30.0   30.0                       60.0  met"} {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q in\n%s", want, text)
			}
		}
	}
}

// The picture has a panel for each region of clients; the JSON report has the same numbers.
func TestPictureOfSpans(t *testing.T) {
	f, _ := ByName("d2pc/fig15")
	r, err := Run(t.Context(), f, Options{RunAll: lawful(t, 0)})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := r.Draw(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v %v", files, err)
	}
	svg, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range append([]string{f.Title, "clients in hz", "clients in sf", "clients in fr", "formula", "measured alone"}, f.Protocols...) {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the picture does not have %q", want)
		}
	}
	var back jsonReport
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || len(back.Laws) != 27 || back.Laws[2].LawMS != 30 || back.Laws[2].MeasuredMS != 60 || !back.Laws[2].Met {
		t.Errorf("%v: %+v", err, back.Laws)
	}
}

// Where a figure compares spans with formulas there are no conflicts, whatever its axis.
func TestFormulaFiguresHaveNoConflicts(t *testing.T) {
	seen := 0
	for _, f := range All() {
		if f.Alone == nil {
			continue
		}
		for _, v := range f.Axis.Values {
			s := *f.Alone
			f.Axis.Set(&s, v)
			if seen++; s.Zipf != 0 || s.CPU != 0 || s.Fsync != 0 {
				t.Errorf("%s at %s: rows are chosen by %v, a message costs %v and a sync %v", f.Name, f.Axis.Text(v), s.Zipf, s.CPU, s.Fsync)
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d settings of formulas", seen)
	}
}

// The setting of the formulas has one client a region and no costs.
func TestTheFormulaSettingHasNoCosts(t *testing.T) {
	s := d2pcAlone()
	if s.CPU != 0 || s.Fsync != 0 || s.Zipf != 0 || s.Clients != 3 {
		t.Errorf("%+v", s)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
