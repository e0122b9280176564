package workload

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"isochron/txn"
)

// All five transactions occur in their shares; each open order is delivered once, the oldest of
// each district first, and the record of orders is bounded.
func TestTPCCMixAtSources(t *testing.T) {
	made, err := NewMix("tpcc-sources", MixConfig{Warehouses: 1, Sources: []txn.ShardID{7, 8}, DistributedMilli: 300, Central: CentralFirst, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	mix, c := made.(*tpccSourcesMix), &Client{Rand: rand.New(rand.NewPCG(1, 2))}
	const all = 20_000
	counts, delivered := map[string]int{}, map[string]bool{}
	waiting := map[string][]string{} // orders of a district that are not delivered
	for range all {
		p := &packets{}
		if err := mix.Next(c).Body(context.Background(), p); err != nil || !p.last[len(p.last)-1] {
			t.Fatal(err, p.sent)
		}
		statements := slices.Concat(p.sent...)
		name := kindOfTPCC(statements)
		counts[name]++
		for _, s := range statements {
			order, isOpen := strings.CutPrefix(strings.TrimSuffix(s.Text, " x"), "PUT n/")
			if !isOpen {
				continue
			}
			district := strings.Join(strings.Split(order, "/")[:2], "/")
			if name == "new order" {
				waiting[district] = append(waiting[district], order)
				waiting[district] = waiting[district][max(0, len(waiting[district])-tpccOpenOrders):]
				continue
			}
			if delivered[order] || waiting[district][0] != order {
				t.Fatalf("%s is delivered, of %v", order, waiting[district][:1])
			}
			delivered[order], waiting[district] = true, waiting[district][1:]
		}
	}
	for name, share := range map[string]int{"new order": 45, "payment": 43, "order status": 4, "delivery": 4, "stock level": 4} {
		if n := counts[name] * 100; n < all*share*9/10 || n > all*share*11/10 {
			t.Errorf("%s: %d of %d, of a share of %d in a hundred", name, counts[name], all, share)
		}
	}
	for place, o := range mix.placed {
		if len(o.open) > tpccOpenOrders || len(o.latest) > tpccLatestOrders {
			t.Errorf("%v keeps %d and %d orders", place, len(o.open), len(o.latest))
		}
	}
	if len(delivered) == 0 {
		t.Error("nothing was delivered")
	}
}

// kindOfTPCC identifies a transaction by its first row.
func kindOfTPCC(statements []txn.SourceStatement) string {
	kind := func(i int) string {
		return strings.Split(strings.Fields(statements[min(i, len(statements)-1)].Text)[1], "/")[0]
	}
	switch {
	case kind(0) == "w" && statements[0].Writes:
		return "payment"
	case kind(0) == "w":
		return "new order"
	case kind(0) == "n":
		return "delivery"
	case kind(1) == "i" || kind(1) == "c":
		return "order status"
	}
	return "stock level"
}
