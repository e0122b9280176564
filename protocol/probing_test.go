package protocol

import (
	"testing"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// Protocols with arrival times measure as Natto does, all others less often; a node that receives a
// report interval uses it.
func TestHowOftenLinksAreProbed(t *testing.T) {
	for _, c := range []struct {
		spec        string
		reportAfter time.Duration
		want        estimate.Probing
	}{
		{Default, 0, estimate.Probing{Every: time.Second, Window: time.Minute, ReportAfter: 5}},
		{Default, 10 * time.Millisecond, estimate.Probing{Every: 10 * time.Millisecond, Window: 600 * time.Millisecond, ReportAfter: 5}},
		{"natto-recsf", 0, estimate.Probing{Every: 10 * time.Millisecond, Window: time.Second, ReportAfter: 10}},
		{"natto-ts", time.Second, estimate.Probing{Every: time.Second, Window: 20 * time.Second, ReportAfter: 1}},
		{"carousel-basic", 0, estimate.Probing{Every: time.Second, Window: time.Minute, ReportAfter: 5}},
	} {
		spec, err := ByName(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		p := spec.WithProbing(txn.Params{ProbeEvery: c.reportAfter}).WithDefaults()
		if got := spec.Probing(p.ProbeEvery); got != c.want {
			t.Errorf("%s, report after %v: %+v, not %+v", c.spec, c.reportAfter, got, c.want)
		}
	}
}
