package sim

import (
	"math"
	"testing"
	"time"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

func TestFixedPoint(t *testing.T) {
	for _, u := range []uint64{1, 2, 3, 1000, 1 << 40, 1<<63 + 12345, ^uint64(0)} {
		want := 64 - math.Log2(float64(u))
		if got := float64(minusLog2(u)) / float64(fixedOne); math.Abs(got-want) > 1e-8 {
			t.Errorf("-log2(%d/2^64) is %v, want %v", u, got, want)
		}
	}
	for _, x := range []float64{0, 0.25, 0.5, 0.999, 1, 3.7, 8.99} {
		got := float64(exp2(uint64(x*float64(fixedOne)))) / float64(fixedOne)
		if !near(got, math.Exp2(x), 1e-7) {
			t.Errorf("2^%v is %v, want %v", x, got, math.Exp2(x))
		}
	}
}

// The mean is the delay of the map and the deviation the requested one, as far as a sample of a
// distribution with heavy tails shows it.
func TestParetoHasItsMeanAndDeviation(t *testing.T) {
	const mean, draws = 50 * time.Millisecond, 400_000
	for _, ratio := range []float64{0.05, 0.1, 0.3} {
		p, err := NewPareto(int64(ratio * 1e6))
		if err != nil {
			t.Fatal(err)
		}
		r := stream(1, 1)
		var sum, squares float64
		for range draws {
			d := float64(p.draw(r, mean)) / float64(mean)
			sum += d
			squares += d * d
		}
		m := sum / draws
		deviation := math.Sqrt(squares/draws - m*m)
		if !near(m, 1, 0.01) || !near(deviation, ratio, 0.15) {
			t.Errorf("ratio %v: the mean is %v of the delay, the deviation %v", ratio, m, deviation)
		}
	}
	if p, _ := NewPareto(0); p.on() {
		t.Error("zero jitter varies the delay")
	}
	if _, err := NewPareto(-1); err == nil {
		t.Error("a negative jitter is taken")
	}
}

// netem's Pareto has no heavy tail: a few in a hundred delays are the longest, the mean and four
// deviations. So its mean and its deviation are a little smaller.
func TestNetemsParetoIsCut(t *testing.T) {
	const mean, draws = 50 * time.Millisecond, 200_000
	for _, ratio := range []float64{0.05, 0.4, 3} {
		p, err := NewNetemPareto(int64(ratio * 1e6))
		if err != nil || !p.on() {
			t.Fatal(p, err)
		}
		r := stream(1, 1)
		var sum, squares, least, most float64
		longest := 0
		for i := range draws {
			d := float64(p.draw(r, mean))/float64(mean) - 1
			sum += d
			squares += d * d
			if least = min(least, d); i == 0 || d > most+1e-6 {
				most, longest = d, 0
			}
			if d > most-1e-6 {
				longest++
			}
		}
		m := sum / draws
		deviation := math.Sqrt(squares/draws - m*m)
		switch {
		case !near(most, 4*ratio, 1e-6), !near(least, -min(ratio*2/3, 1), 1e-3):
			t.Errorf("ratio %v: from %v to %v of the delay are added", ratio, least, most)
		case !near(float64(longest)/draws, 1/91.1, 0.1):
			t.Errorf("ratio %v: %d of %d are the longest", ratio, longest, draws)
		case ratio < 1 && (m > 0 || m < -0.1*ratio || deviation > ratio || deviation < 0.7*ratio):
			t.Errorf("ratio %v: the mean is off by %v, the deviation is %v", ratio, m, deviation)
		}
	}
	if p, err := NewNetemPareto(0); p.on() || err != nil {
		t.Error("zero jitter varies the delay")
	}
	if _, err := NewNetemPareto(-1); err == nil {
		t.Error("a negative jitter is taken")
	}
}

func TestExponentialHasItsMean(t *testing.T) {
	const mean, draws = time.Millisecond, 200_000
	r := stream(1, 2)
	var sum time.Duration
	beyond := 0
	for range draws {
		d := Exponential(r, mean)
		sum += d
		if d > mean {
			beyond++
		}
	}
	if !near(float64(sum/draws), float64(mean), 0.01) || !near(float64(beyond)/draws, 1/math.E, 0.01) {
		t.Errorf("the mean is %v, and %d of %d are above it", sum/draws, beyond, draws)
	}
}
