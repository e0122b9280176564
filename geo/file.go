package geo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A map in a file:
//
//	name: mine                # optional; the file's name without it
//	regions: [va, wa, pr]     # in the order in which they are shown
//	intra_ms: 0.3             # optional: between machines of one region
//	rtt_ms:                   # every pair, once; or both ways, then equal
//	  va: {wa: 67, pr: 80}
//	  wa: {pr: 136}
type wanFile struct {
	Name    string                        `yaml:"name"`
	Regions []Region                      `yaml:"regions"`
	IntraMS float64                       `yaml:"intra_ms"`
	RTTMS   map[Region]map[Region]float64 `yaml:"rtt_ms"`
}

// fileBytesMax is more than 64 regions can need.
const fileBytesMax = 1 << 20

func readFile(path string) (WAN, error) {
	f, err := os.Open(path)
	if err != nil {
		return WAN{}, fmt.Errorf("the WAN file cannot be read: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, fileBytesMax+1))
	if err != nil {
		return WAN{}, fmt.Errorf("the WAN file cannot be read: %w", err)
	}
	if len(data) > fileBytesMax {
		return WAN{}, fmt.Errorf("%s: a WAN file has at most %d bytes", path, fileBytesMax)
	}
	return ParseFile(path, data)
}

// ParseFile parses the content of a WAN file; path is used in its errors and, if the
// file has no name, as the map's name.
func ParseFile(path string, data []byte) (WAN, error) {
	var f wanFile
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			return WAN{}, fmt.Errorf("%s: the file is empty; it needs regions and rtt_ms", path)
		}
		return WAN{}, fmt.Errorf("%s: %s", path, Complaint(err, nil))
	}
	if f.Name == "" {
		base := filepath.Base(path)
		f.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	w, err := f.wan()
	if err != nil {
		return WAN{}, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// File returns the map in the form that ParseFile reads, to the microsecond.
func (w WAN) File() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %q\nregions: [", w.Name)
	for i, r := range w.Regions {
		fmt.Fprintf(&b, "%s%s", strings.Repeat(", ", min(i, 1)), r)
	}
	fmt.Fprintf(&b, "]\nintra_ms: %s\nrtt_ms:\n", millis(w.intra))
	for i, r := range w.Regions[:len(w.Regions)-1] {
		fmt.Fprintf(&b, "  %s: {", r)
		for j, to := range w.Regions[i+1:] {
			fmt.Fprintf(&b, "%s%s: %s", strings.Repeat(", ", min(j, 1)), to, millis(w.RTT(r, to)))
		}
		fmt.Fprintf(&b, "}\n")
	}
	return []byte(b.String())
}

func millis(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d.Microseconds())/1000) }

// Complaint returns the YAML reader's first complaint about a file in one line, without the file's
// contents: the file may be the wrong one, and contain a secret. key returns the
// text for an unknown key; nil: only the line number is reported.
func Complaint(err error, key func(name string) string) string {
	s := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	var lines []string
	for _, l := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		l = strings.TrimSpace(l)
		where, rest, _ := strings.Cut(l, ": ")
		if !strings.HasPrefix(where, "line ") {
			where, rest = "", l
		} else {
			where += ": "
		}
		if name, ok := strings.CutPrefix(rest, "field "); ok && strings.Contains(name, " not found in type ") {
			name, _, _ = strings.Cut(name, " not found in type ")
			messages := "there is no such key"
			if key != nil {
				messages = key(name)
			}
			lines = append(lines, where+messages)
			continue
		}
		if strings.HasPrefix(rest, "cannot unmarshal") || strings.HasPrefix(rest, "invalid map key") {
			lines = append(lines, where+"the value has another type than the key takes, or this is another file than intended")
			continue
		}
		if at := strings.IndexAny(rest, "`'\""); at >= 0 {
			rest = strings.TrimSpace(rest[:at]) + " ..."
		}
		lines = append(lines, where+rest)
	}
	return strings.Join(lines, "; ")
}

func (f *wanFile) wan() (WAN, error) {
	if err := f.checkRegions(); err != nil {
		return WAN{}, err
	}
	intra, err := delay(f.IntraMS)
	if err != nil {
		return WAN{}, fmt.Errorf("intra_ms: %w", err)
	}
	w := WAN{Name: f.Name, Regions: f.Regions, rtt: map[[2]Region]time.Duration{}, intra: intra}
	// Sorted, so that the error names the same entry of several bad ones.
	for _, a := range sortedKeys(f.RTTMS) {
		for _, b := range sortedKeys(f.RTTMS[a]) {
			if err := w.set(a, b, f.RTTMS[a][b]); err != nil {
				return WAN{}, fmt.Errorf("rtt_ms: %s to %s: %w", a, b, err)
			}
		}
	}
	for i, a := range w.Regions {
		for _, b := range w.Regions[i+1:] {
			if _, ok := w.rtt[[2]Region{a, b}]; !ok {
				return WAN{}, fmt.Errorf("rtt_ms: %s to %s is missing", a, b)
			}
		}
	}
	return w, nil
}

func (f *wanFile) checkRegions() error {
	if len(f.Regions) == 0 || len(f.Regions) > regionsMax {
		return fmt.Errorf("regions: %d of them; there must be 1 to %d", len(f.Regions), regionsMax)
	}
	for i, r := range f.Regions {
		if !r.Valid() {
			return fmt.Errorf("regions: %q is not a name: use 1 to 32 lower-case letters, digits, - and _, a letter first", r)
		}
		if slices.Contains(f.Regions[:i], r) {
			return fmt.Errorf("regions: %s is listed twice", r)
		}
	}
	return nil
}

// set records one entry of rtt_ms and checks it against its mirror.
func (w WAN) set(a, b Region, ms float64) error {
	for _, r := range []Region{a, b} {
		if !w.Has(r) {
			return fmt.Errorf("%q is not one of the regions", r)
		}
	}
	if a == b {
		return errors.New("a delay inside a region is given by intra_ms")
	}
	d, err := delay(ms)
	if err != nil {
		return err
	}
	if mirror, ok := w.rtt[[2]Region{a, b}]; ok && mirror != d {
		return fmt.Errorf("%v here, but %v the other way round; a round trip is the same from both ends", d, mirror)
	}
	w.rtt[[2]Region{a, b}] = d
	w.rtt[[2]Region{b, a}] = d
	return nil
}

func delay(ms float64) (time.Duration, error) {
	if math.IsNaN(ms) || ms < 0 || ms > float64(rttMax/time.Millisecond) {
		return 0, fmt.Errorf("%v ms is not between 0 and %d", ms, rttMax/time.Millisecond)
	}
	return time.Duration(math.Round(ms*1000)) * time.Microsecond, nil
}

func sortedKeys[V any](m map[Region]V) []Region {
	keys := make([]Region, 0, len(m))
	// order: sorted below.
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
