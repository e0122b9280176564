package geo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of a map.
const (
	regionsMax = 64
	rttMax     = time.Minute
)

// WAN is a matrix of round-trip times between named regions.
type WAN struct {
	Name    string
	Regions []Region
	rtt     map[[2]Region]time.Duration // both directions of every pair
	intra   time.Duration
}

// RTT is the round trip between two regions; within one it is Intra.
func (w WAN) RTT(a, b Region) time.Duration {
	if a == b {
		return w.intra
	}
	return w.rtt[[2]Region{a, b}]
}

// Intra is the round trip between two machines of one region, 0 unless the map specifies it.
func (w WAN) Intra() time.Duration { return w.intra }

// Has reports whether the WAN has the region.
func (w WAN) Has(r Region) bool { return slices.Contains(w.Regions, r) }

// Scale returns the map with every delay multiplied by f, which must not be negative.
// The arithmetic is on integers (parts per million, then nanoseconds), so that
// a simulation is the same on every processor.
func (w WAN) Scale(f float64) WAN {
	if f < 0 || math.IsNaN(f) || f > 1e6 {
		panic(fmt.Sprintf("geo: a WAN cannot be scaled by %v", f))
	}
	ppm := int64(math.Round(f * 1e6))
	scale := func(d time.Duration) time.Duration {
		us, ns := int64(d)/1000, int64(d)%1000
		return time.Duration(us*ppm/1000 + ns*ppm/1_000_000)
	}
	out := WAN{
		Name:    w.Name,
		Regions: slices.Clone(w.Regions),
		rtt:     make(map[[2]Region]time.Duration, len(w.rtt)),
		intra:   scale(w.intra),
	}
	// order: fills a map key by key.
	for pair, d := range w.rtt {
		out.rtt[pair] = scale(d)
	}
	return out
}

// Parse parses a command-line argument: the name of a published
// map, "uniform:100ms" (five regions) or "uniform:100ms:3" (three), "star:10ms:50ms"
// (distances of the first of three regions to the others), one of these with several machines in each
// region ("natto3*4"), or the path of a YAML file.
func Parse(spec string) (WAN, error) {
	if w, ok := published(spec); ok {
		return w, nil
	}
	if name, count, ok := cutMachines(spec); ok {
		return parseMachines(spec, name, count)
	}
	if rest, ok := strings.CutPrefix(spec, "uniform:"); ok {
		return parseUniform(spec, rest)
	}
	if rest, ok := strings.CutPrefix(spec, "star:"); ok {
		return parseStar(spec, rest)
	}
	if looksLikePath(spec) {
		return readFile(spec)
	}
	return WAN{}, fmt.Errorf("unknown WAN %q: use %s, uniform:100ms, uniform:100ms:3, star:10ms:50ms, one of these with so many machines in each region (natto3*4), or a YAML file (a path with a / or ending in .yaml or .yml)",
		spec, strings.Join(Names(), ", "))
}

func looksLikePath(spec string) bool {
	return strings.ContainsRune(spec, '/') || strings.HasSuffix(spec, ".yaml") || strings.HasSuffix(spec, ".yml")
}

func parseUniform(spec, rest string) (WAN, error) {
	delay, count, hasCount := strings.Cut(rest, ":")
	d, err := time.ParseDuration(delay)
	if err != nil || d < 0 || d > rttMax {
		return WAN{}, fmt.Errorf("WAN %q: %q is not a round trip between 0s and %v; write for example uniform:100ms", spec, delay, rttMax)
	}
	n := 5
	if hasCount {
		n, err = strconv.Atoi(count)
		if err != nil || n < 1 || n > regionsMax {
			return WAN{}, fmt.Errorf("WAN %q: %q is not a number of regions between 1 and %d", spec, count, regionsMax)
		}
	}
	return uniform(spec, d, n, 0), nil
}

// parseStar parses the distances of the first region r1 to the others; the distance of two others is
// the sum of theirs.
func parseStar(spec, rest string) (WAN, error) {
	w := WAN{Name: spec, Regions: []Region{"r1"}, rtt: map[[2]Region]time.Duration{}}
	rays := map[Region]time.Duration{"r1": 0}
	for text := range strings.SplitSeq(rest, ":") {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > rttMax/2 || len(w.Regions) == regionsMax {
			return WAN{}, fmt.Errorf("WAN %q: %q is not one of at most %d round trips between 0s and %v; write for example star:10ms:50ms", spec, text, regionsMax-1, rttMax/2)
		}
		r := Region(fmt.Sprintf("r%d", len(w.Regions)+1))
		for _, other := range w.Regions {
			w.rtt[[2]Region{r, other}], w.rtt[[2]Region{other, r}] = d+rays[other], d+rays[other]
		}
		w.Regions, rays[r] = append(w.Regions, r), d
	}
	return w, nil
}

// uniform returns n regions r1 to rn, every two of them d apart.
func uniform(name string, d time.Duration, n int, intra time.Duration) WAN {
	w := WAN{Name: name, rtt: map[[2]Region]time.Duration{}, intra: intra}
	for i := range n {
		w.Regions = append(w.Regions, Region(fmt.Sprintf("r%d", i+1)))
	}
	for _, a := range w.Regions {
		for _, b := range w.Regions {
			if a != b {
				w.rtt[[2]Region{a, b}] = d
			}
		}
	}
	return w
}
