package estimate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Hottest returns the hottest of the selected records, and no more than requested.
func TestHottest(t *testing.T) {
	w := NewTemperatures(TemperatureConfig{HalfLife: time.Second})
	now := time.Second
	for i := range 20 { // k07 is updated as often as k00, and k08 as k01
		for range 2 + i%7 {
			w.Updated(txn.Key(fmt.Sprintf("k%02d", i)), now)
		}
	}
	var got []txn.Key
	for _, x := range w.Hottest(now, 5, func(k txn.Key) bool { return k != "k06" }) {
		if x.Temperature != w.Of(x.Key, now) {
			t.Errorf("%s is %d, not %d", x.Key, x.Temperature, w.Of(x.Key, now))
		}
		got = append(got, x.Key)
	}
	if want := []txn.Key{"k13", "k05", "k12", "k19", "k04"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if cold := w.Hottest(now+time.Hour, 5, func(txn.Key) bool { return true }); len(cold) > 0 {
		t.Errorf("long after there are %v", cold)
	}
}
