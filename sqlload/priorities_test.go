package sqlload

import (
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// paid is a load whose payments took 1 to 100 ms under low priority and 1 to 10 under high, each as
// often, beside 60 and 30 jobs in two turns of 3 s each.
func paid() *Priorities {
	p := &Priorities{Turn: 3 * time.Second, Turns: 4}
	for i, most := range []int64{low: 100, high: 10} {
		p.paid[i] = hdr.New(1, time.Hour.Microseconds(), 3)
		for ms := range most {
			_ = p.paid[i].RecordValue((ms + 1) * 1000)
		}
	}
	p.batches[low].Store(60)
	p.batches[high].Store(30)
	p.counted.Store(200)
	p.unknownOutcomes.Store(3)
	return p
}

// Percentiles, rates of jobs in the turns of each priority, and the ratio match the observations.
func TestFiguresOfPriorities(t *testing.T) {
	r := paid().report(201)
	near := func(got, want float64) bool { return got > want*0.999 && got < want*1.001 }
	for i, want := range []PriorityFigures{{"low", 100, 50, 95, 10}, {"high", 10, 5, 10, 5}} {
		if f := r.Figures[i]; f.Priority != want.Priority || f.Payments != want.Payments || !near(f.P50, want.P50) || !near(f.P95, want.P95) || f.Batches != want.Batches {
			t.Errorf("%+v, not %+v", f, want)
		}
	}
	if !near(r.Ratio, 10.0/95) || r.Aim != PriorityAim {
		t.Errorf("the ratio is %v, the aim %v", r.Ratio, r.Aim)
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "is 0.11 times that of low; the aim is 0.20") {
		t.Errorf("%v: %s", err, &out)
	}
}

// Acknowledged increments are in the rows, and those with an unknown outcome may be.
func TestBalanceOfPriorities(t *testing.T) {
	for sum, right := range map[int64]bool{199: false, 200: true, 203: true, 204: false} {
		if r := paid().report(sum); r.Balance != right || (r.Err() == nil) != right {
			t.Errorf("%d rows: %v, %v", sum, r.Balance, r.Err())
		}
	}
}

// A run in which no payment was made has no ratio.
func TestNoPayments(t *testing.T) {
	p := paid()
	p.paid[low].Reset()
	if r := p.report(200); r.Ratio != 0 || r.Figures[low].P95 != 0 {
		t.Errorf("%+v", r)
	}
}
