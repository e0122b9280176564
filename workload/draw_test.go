package workload

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The search that ends one step early draws as its weights, leaves three of four ranks out, and
// draws the first of a million twice as often.
func TestTheLastProbeLeavesRanksOut(t *testing.T) {
	z := newZipf(1000, 900)
	want, got := z.probed(), make([]float64, 1000)
	r := rand.New(rand.NewPCG(3, 4))
	const draws = 400_000
	for range draws {
		got[z.drawLastProbe(r)]++
	}
	sum, never := uint64(0), 0
	for rank, w := range want {
		expected := draws * float64(w) / float64(z.upTo[999])
		if sum += w; math.Abs(got[rank]-expected) > 6*math.Sqrt(expected)+0.5 {
			t.Errorf("rank %d was drawn %v times, not %v", rank, got[rank], expected)
		}
		if w == 0 {
			never++
		}
	}
	if sum != z.upTo[999] || never < 700 || never > 800 {
		t.Errorf("the weights add up to %d of %d, %d ranks are never drawn", sum, z.upTo[999], never)
	}
	million := newZipf(1_000_000, 700)
	all := float64(million.upTo[len(million.upTo)-1])
	first, exact, hottest := 100*float64(million.probed()[0])/all, 100*float64(million.weight(0))/all, 0.0
	for _, w := range million.probed() {
		hottest = max(hottest, 100*float64(w)/all)
	}
	if math.Abs(exact-0.48) > 0.005 || math.Abs(hottest-1.00) > 0.05 {
		t.Errorf("the first rank has %.3f%%, the hottest %.3f%%, and %.3f%% exactly", first, hottest, exact)
	}
}

// Rows drawn by the last probe are spread over the parts as evenly as others.
func TestTheLastProbeIsSpreadEvenly(t *testing.T) {
	m := newTestMix(t, "retwis", MixConfig{Parts: 3, Keys: 30_000, ZipfMilli: 700, Draw: DrawLastProbe}).(*retwis)
	r, n := rand.New(rand.NewPCG(1, 1)), [3]int{}
	const draws = 60_000
	m.rows.build()
	for range draws {
		n[m.rows.part[m.rows.one(r)]]++
	}
	for part, have := range n {
		if math.Abs(float64(have)/draws-1.0/3) > 0.01 {
			t.Errorf("part %d has %d of %d draws", part, have, draws)
		}
	}
}

// With uniform homes every transaction begins anywhere, and other warehouses are others.
func TestUniformHomes(t *testing.T) {
	m := newTestMix(t, "tpcc-d2pc", MixConfig{Parts: 3, Warehouses: 2, Homes: HomesUniform}).(*tpcc)
	c, seen := seeded(23), map[int]int{}
	for range 6000 {
		w := m.home(c)
		seen[w]++
		if m.other(c, w) == w {
			t.Fatalf("%d is another than itself", w)
		}
	}
	for w := 1; w <= 6; w++ {
		if seen[w] < 850 || seen[w] > 1150 {
			t.Errorf("warehouse %d was drawn %d times of 6000", w, seen[w])
		}
	}
	away, all := 0, 0
	for range 3000 {
		p, j := &probe{}, m.Next(c)
		if j.Class != "new-order" || j.Body(t.Context(), p) != nil {
			continue
		}
		_, district := numbers(rowName(p.gets[0]))
		for _, k := range p.gets[2:] {
			if _, n := numbers(rowName(k)); n[0] != district[0] {
				away++
			}
			all++
		}
	}
	if share := float64(away) / float64(all); share < 0.005 || share > 0.02 {
		t.Errorf("%.4f of an order's lines are from another warehouse", share)
	}
}

func TestUnknownKnobs(t *testing.T) {
	for says, cfg := range map[string]MixConfig{"pinned or uniform": {Parts: 1, Homes: "far"}, "exact or last-probe": {Parts: 1, Draw: "zipf"}} {
		if _, err := NewMix("retwis", cfg); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v", err)
		}
	}
	if _, err := NewMix("retwis", MixConfig{Parts: 3, Keys: 5_000_000}); err != nil {
		t.Error(err)
	}
}
