package sim

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Events run in the order of their times, those of one time in the order of their creation.
func TestTheAgendaKeepsTheOrder(t *testing.T) {
	type made struct{ at, order int }
	var a agenda
	var ran []made
	rng, now, waiting := rand.New(rand.NewPCG(5, 6)), 0, 0
	for order := range 20_000 {
		at := now + rng.IntN(50)
		a.add(time.Duration(at), noChain, func() { ran = append(ran, made{at, order}) })
		for waiting++; waiting > 0 && rng.IntN(100) < 49; waiting-- {
			now = int(a.next())
			a.pop().run()
		}
	}
	for ; waiting > 0; waiting-- {
		a.pop().run()
	}
	if !a.empty() || len(ran) != 20_000 || len(a.events) > 10_000 {
		t.Fatalf("%d of 20000 events ran, in %d slots", len(ran), len(a.events))
	}
	for i := 1; i < len(ran); i++ {
		if p, e := ran[i-1], ran[i]; p.at > e.at || p.at == e.at && p.order > e.order {
			t.Fatalf("the event %v ran before %v", p, e)
		}
	}
}
