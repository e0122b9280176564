package console

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"isochron/geo"
)

func TestMeter(t *testing.T) {
	m := NewMeter([]geo.Region{"va", "wa"})
	for i := range 100 {
		m.Commit("va", true, time.Duration(i+1)*time.Millisecond)
	}
	m.Commit("va", false, time.Second)
	m.Abort("va")
	m.Unknown("va")
	m.Span(1, "va", 80*time.Millisecond)
	m.Span(1, "nowhere", time.Hour)
	f := m.Total("va")
	if f.HomeCommits != 100 || f.WideCommits != 1 || f.Aborts != 1 || f.Unknown != 1 || f.Span.Count != 1 {
		t.Errorf("counted %+v", f)
	}
	near(t, "p50", f.Home.P50, 50*time.Millisecond)
	near(t, "p99", f.Home.P99, 99*time.Millisecond)
	near(t, "wide", f.Wide.P50, time.Second)
	near(t, "span", f.Span.P50, 80*time.Millisecond)
	if other := m.Total("wa"); other.HomeCommits != 0 || other.Home.P50 != 0 {
		t.Errorf("the other region has %+v", other)
	}
}

// A measurement older than the window leaves it, and stays in the total.
func TestMeterDropsOldSamples(t *testing.T) {
	m := NewMeter([]geo.Region{"va"})
	m.Commit("va", true, time.Millisecond)
	m.Abort("va")
	for range windowSlots - 1 {
		m.Turn()
	}
	if f := m.Window("va"); f.HomeCommits != 1 || f.Aborts != 1 {
		t.Errorf("dropped too soon: %+v", f)
	}
	m.Turn()
	if f := m.Window("va"); f.HomeCommits != 0 || f.Aborts != 0 {
		t.Errorf("not dropped: %+v", f)
	}
	if f := m.Total("va"); f.HomeCommits != 1 || f.Aborts != 1 {
		t.Errorf("the total forgot: %+v", f)
	}
	m.Reset()
	if f := m.Total("va"); f.HomeCommits != 0 {
		t.Errorf("after a reset: %+v", f)
	}
}

func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if d := got - want; d < -want/50 || d > want/50 {
		t.Errorf("%s is %v, want about %v", what, got, want)
	}
}

func someRows() []Row {
	return []Row{
		{Region: "va", Port: 4401, Bound: 80 * time.Millisecond, Figures: Figures{
			Over: 10 * time.Second, HomeCommits: 300, WideCommits: 21, Aborts: 4,
			Home: Quantiles{300, 82 * time.Millisecond, 95 * time.Millisecond},
			Wide: Quantiles{21, 301 * time.Millisecond, 420 * time.Millisecond},
			Span: Quantiles{350, 81 * time.Millisecond, 210 * time.Millisecond},
		}},
		{Region: "wa", Port: 4402, Bound: 136 * time.Millisecond},
	}
}

func TestTable(t *testing.T) {
	const want = `               |     home      p50      p99    bound        |     wide      p50 |  aborts     span
region    port |    per s       ms       ms       ms  ratio |    per s       ms |   per s       ms
va        4401 |     30.0     82.0     95.0     80.0   1.02 |      2.1    301.0 |     0.4     81.0
wa        4402 |      0.0        -        -    136.0      - |      0.0        - |     0.0        -
`
	if got := Table(someRows()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const wantLine = "va 32/s p50 82.0 bound 80.0 (1.02); wa 0/s p50 - bound 136.0 (-)"
	if got := Line(someRows()); got != wantLine {
		t.Errorf("got %s", got)
	}
}

func TestReport(t *testing.T) {
	r := Report{WAN: "azure5", WANScale: 1, Protocol: "p"}
	r.AddRows(someRows())
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Regions map[string]struct {
			Commits   int64
			Aborts    int64
			LatencyMS struct{ P50, P99 float64 } `json:"latency_ms"`
			Span      float64                    `json:"contention_span_ms"`
			Bound     float64                    `json:"bound_ms"`
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	va := got.Regions["va"]
	if va.Commits != 321 || va.Aborts != 4 || va.LatencyMS.P50 != 82 || va.LatencyMS.P99 != 95 || va.Span != 81 || va.Bound != 80 {
		t.Errorf("got %+v of\n%s", va, &b)
	}
}

// A screen redraws in place: up by as many lines as it wrote, each cleared to its end.
func TestScreen(t *testing.T) {
	var b strings.Builder
	s := NewScreen(&b)
	for _, text := range []string{"one\ntwo\n", "three\n"} {
		if err := s.Show(text); err != nil {
			t.Fatal(err)
		}
	}
	const want = "one\x1b[K\ntwo\x1b[K\n\x1b[J" + "\x1b[2A" + "three\x1b[K\n\x1b[J"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
}
