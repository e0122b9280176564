package protocol

import (
	"testing"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// Rows that stamp what they send measure as Natto does, all others as they did, and who is told how
// often does that.
func TestHowOftenLinksAreProbed(t *testing.T) {
	for _, c := range []struct {
		row  string
		told time.Duration
		want estimate.Probing
	}{
		{Default, 0, estimate.Probing{Every: time.Second, Window: time.Minute, TellAfter: 5}},
		{Default, 10 * time.Millisecond, estimate.Probing{Every: 10 * time.Millisecond, Window: 600 * time.Millisecond, TellAfter: 5}},
		{"natto-recsf", 0, estimate.Probing{Every: 10 * time.Millisecond, Window: time.Second, TellAfter: 10}},
		{"natto-ts", time.Second, estimate.Probing{Every: time.Second, Window: 20 * time.Second, TellAfter: 1}},
		{"carousel-basic", 0, estimate.Probing{Every: time.Second, Window: time.Minute, TellAfter: 5}},
	} {
		row, err := ByName(c.row)
		if err != nil {
			t.Fatal(err)
		}
		p := row.WithProbing(txn.Params{ProbeEvery: c.told}).WithDefaults()
		if got := row.Probing(p.ProbeEvery); got != c.want {
			t.Errorf("%s, told %v: %+v, not %+v", c.row, c.told, got, c.want)
		}
	}
}
