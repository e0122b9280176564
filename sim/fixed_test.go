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

// The mean is the delay of the map and the deviation what was asked for, as far
// as a sample of a law with heavy tails shows it.
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
		t.Error("no jitter is one")
	}
	if _, err := NewPareto(-1); err == nil {
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
		t.Errorf("the mean is %v, and %d of %d are beyond it", sum/draws, beyond, draws)
	}
}
