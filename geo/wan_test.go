package geo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

func mustParse(t *testing.T, spec string) WAN {
	t.Helper()
	w, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPublishedMapsAreWhole(t *testing.T) {
	for _, name := range append(Names(), "uniform:100ms", "uniform:7ms:3") {
		checkWhole(t, mustParse(t, name))
	}
}

// The smaller maps of one provider are parts of the largest.
func TestPartsOfAMapAgree(t *testing.T) {
	whole := mustParse(t, "alibaba6")
	for _, name := range []string{"alibaba5", "alibaba3", "asia3"} {
		part := mustParse(t, name)
		for _, a := range part.Regions {
			for _, b := range part.Regions {
				if part.RTT(a, b) != whole.RTT(a, b) {
					t.Errorf("%s: %s to %s: %v, and %v in the whole", name, a, b, part.RTT(a, b), whole.RTT(a, b))
				}
			}
		}
	}
}

func checkWhole(t *testing.T, w WAN) {
	t.Helper()
	for _, a := range w.Regions {
		if !a.Valid() {
			t.Errorf("%s: bad region name %q", w.Name, a)
		}
		if w.RTT(a, a) != w.Intra() {
			t.Errorf("%s: inside %s: %v", w.Name, a, w.RTT(a, a))
		}
		for _, b := range w.Regions {
			if _, ok := w.rtt[[2]Region{a, b}]; a != b && !ok {
				t.Errorf("%s: %s to %s is missing", w.Name, a, b)
			}
			if w.RTT(a, b) != w.RTT(b, a) || w.RTT(a, b) < 0 {
				t.Errorf("%s: %s to %s: %v and %v", w.Name, a, b, w.RTT(a, b), w.RTT(b, a))
			}
		}
	}
}

func TestDelays(t *testing.T) {
	for _, c := range []struct {
		wan  string
		a, b Region
		want time.Duration
	}{
		{"azure5", "va", "wa", 67 * ms},
		{"azure5", "sg", "nsw", 87 * ms},
		{"azure5", "pr", "sg", 149 * ms},
		{"azure5", "wa", "nsw", 175 * ms},
		{"azure5", "va", "va", 0},
		{"alibaba6", "sz", "va", 229 * ms},
		{"alibaba6", "hz", "hz", 250 * time.Microsecond},
		{"alibaba3", "fr", "hz", 231 * ms},
		{"asia3", "sz", "bj", 40 * ms},
		{"geotp4", "bj", "ldn", 251 * ms},
		{"uniform:100ms:3", "r1", "r3", 100 * ms},
		{"lan", "r1", "r5", 500 * time.Microsecond},
		{"star:10ms:50ms", "r1", "r3", 50 * ms},
		{"star:10ms:50ms", "r2", "r3", 60 * ms},
	} {
		if got := mustParse(t, c.wan).RTT(c.a, c.b); got != c.want {
			t.Errorf("%s: %s to %s: %v, want %v", c.wan, c.a, c.b, got, c.want)
		}
	}
	if n := len(mustParse(t, "uniform:1ms").Regions); n != 5 {
		t.Errorf("uniform has %d regions, want 5", n)
	}
}

func TestScale(t *testing.T) {
	w := mustParse(t, "azure5")
	if got := w.Scale(0.1).RTT("va", "wa"); got != 6700*time.Microsecond {
		t.Errorf("a tenth of 67 ms is %v", got)
	}
	if got := w.Scale(0).RTT("va", "wa"); got != 0 {
		t.Errorf("nothing of 67 ms is %v", got)
	}
	if w.RTT("va", "wa") != 67*ms {
		t.Error("Scale changed the map it was called on")
	}
	checkWhole(t, mustParse(t, "alibaba6").Scale(0.0137))
}

func TestBounds(t *testing.T) {
	w := mustParse(t, "azure5")
	for _, c := range []struct {
		leader   Region
		replicas []Region
		want     time.Duration
	}{
		{"va", w.Regions, 80 * ms},                    // itself, wa, pr
		{"sg", w.Regions, 149 * ms},                   // itself, nsw, pr
		{"va", []Region{"va", "wa", "sg"}, 67 * ms},   // itself, wa
		{"va", []Region{"va"}, 0},                     // itself
		{"va", []Region{"va", "va", "va"}, 0},         // three machines of one region
		{"va", []Region{"wa", "pr", "sg"}, 80 * ms},   // asked from outside
		{"va", []Region{"va", "wa"}, 67 * ms},         // both
		{"pr", []Region{"pr", "va", "wa"}, 80 * ms},   // itself, va
		{"nsw", []Region{"nsw", "sg", "va"}, 87 * ms}, // itself, sg
	} {
		if got := w.QuorumRTT(c.leader, c.replicas); got != c.want {
			t.Errorf("quorum of %v from %s: %v, want %v", c.replicas, c.leader, got, c.want)
		}
	}
	if got := w.MaxRTT("va", []Region{"wa", "sg", "pr"}); got != 214*ms {
		t.Errorf("farthest: %v", got)
	}
}

func TestParseErrorsNameTheFault(t *testing.T) {
	for spec, want := range map[string]string{
		"mars":             "unknown WAN \"mars\"",
		"uniform:":         "is not a round trip",
		"uniform:-1ms":     "is not a round trip",
		"uniform:5ms:0":    "is not a number of regions",
		"uniform:5ms:many": "is not a number of regions",
		"./none.yaml":      "none.yaml",
		"natto3*0":         "is not a number of machines",
		"natto3*22":        "is not a number of machines",
		"mars*2":           "unknown WAN \"mars\"",
	} {
		_, err := Parse(spec)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v; want it to say %q", spec, err, want)
		}
	}
}

const goodFile = `
regions: [va, wa, pr]
intra_ms: 0.3
rtt_ms:
  va: {wa: 67, pr: 80}
  pr: {wa: 136.5, va: 80}
`

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(goodFile), 0o600); err != nil {
		t.Fatal(err)
	}
	w := mustParse(t, path)
	checkWhole(t, w)
	if w.Name != "mine" || w.RTT("wa", "pr") != 136500*time.Microsecond || w.Intra() != 300*time.Microsecond {
		t.Errorf("read %+v", w)
	}
}

// A map that is written to a file and read again is the same.
func TestFileIsReadAgain(t *testing.T) {
	for _, name := range append(Names(), "uniform:7ms:1") {
		w := mustParse(t, name).Scale(0.03)
		again, err := ParseFile("copy.yaml", w.File())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, w.File())
		}
		if again.Name != w.Name || !slices.Equal(again.Regions, w.Regions) || again.Intra() != w.Intra().Truncate(time.Microsecond) {
			t.Errorf("%s: %+v, want %+v", name, again, w)
		}
		for _, a := range w.Regions {
			for _, b := range w.Regions {
				if a != b && again.RTT(a, b) != w.RTT(a, b).Truncate(time.Microsecond) {
					t.Errorf("%s: %s to %s is %v, want %v", name, a, b, again.RTT(a, b), w.RTT(a, b))
				}
			}
		}
	}
}

func TestFileErrorsNameTheFault(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "the file is empty"},
		{"regions: []", "regions: 0 of them"},
		{"regions: [va, va]", "va is listed twice"},
		{"regions: [VA]", `"VA" is not a name`},
		{"regions: [va, wa]", "va to wa is missing"},
		{"regions: [va, wa]\nrtt_ms: {va: {wa: -1}}", "va to wa: -1 ms is not between"},
		{"regions: [va, wa]\nrtt_ms: {va: {wa: .nan}}", "va to wa: NaN ms"},
		{"regions: [va, wa]\nrtt_ms: {va: {wa: 1}, wa: {va: 2}}", "the other way round"},
		{"regions: [va, wa]\nrtt_ms: {va: {xx: 1}}", `"xx" is not one of the regions`},
		{"regions: [va, wa]\nrtt_ms: {va: {va: 1}}", "given by intra_ms"},
		{"regions: [va]\nintra_ms: -2", "intra_ms: -2 ms"},
		{"regions: [va]\ncolour: red", "there is no such key"},
		{"regions: [va\n", "did not find expected"},
		{"regions: [va, wa]\nrtt_ms: {va: {wa: fast}}", "has another type than the key takes"},
	} {
		_, err := ParseFile("f.yaml", []byte(c.file))
		if err == nil {
			t.Errorf("%q was accepted", c.file)
			continue
		}
		if s := err.Error(); !strings.HasPrefix(s, "f.yaml: ") || !strings.Contains(s, c.want) || strings.Contains(s, "\n") {
			t.Errorf("%q: error %q; want one line with the file and %q", c.file, s, c.want)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add(goodFile)
	f.Add("regions: [va, wa]\nrtt_ms: {va: {wa: 1e3}}")
	f.Add("regions: &a [va]\nrtt_ms: {va: *a}")
	f.Fuzz(func(t *testing.T, file string) {
		w, err := ParseFile("f.yaml", []byte(file))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		checkWhole(t, w)
	})
}
