package sqlload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// soundBooks are those of a warehouse whose every district has three customers,
// three orders, two of them delivered, and then one more that is delivered too.
func soundBooks() *books {
	b := &books{w: 1, customers: 3, delivered: 2, districts: map[int]*districtBooks{},
		orders: map[[2]int]*orderBooks{}, customerOf: map[[2]int]*customerBooks{}}
	for d := 1; d <= tpccDistricts; d++ {
		*b.district(d) = districtBooks{next: 5, maxOrder: 4, orders: 4, linesWanted: 20, lines: 20, open: 1, minOpen: 4, maxOpen: 4, deliveries: 1, ytd: 3000, paidHere: 3000}
		for o := 1; o <= 4; o++ {
			*b.order(d, o) = orderBooks{customer: min(o, 3), count: 5, lines: 5, linesDelivered: 5, carried: true, exists: true}
		}
		*b.order(d, 4) = orderBooks{customer: 3, count: 5, lines: 5, open: true, exists: true, amount: 700}
		b.order(d, 3).amount = 500
		for c := 1; c <= 3; c++ {
			*b.customer(d, c) = customerBooks{balance: -1000, ytd: 1000, paid: 1000}
		}
		*b.customer(d, 3) = customerBooks{balance: -500, ytd: 1000, paid: 1000, delivered: 500}
	}
	b.ytd, b.paidHere = 30_000, 30_000
	return b
}

// Each condition is reported where it is violated, and only with conditions that it implies.
func TestTPCCConditions(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(b *books)
		want string // the conditions found broken
	}{
		{"sound", func(*books) {}, ""},
		{"1 and 8: a payment is missing in w_ytd", func(b *books) { b.ytd -= 100 }, "1 8"},
		{"2: a number was skipped", func(b *books) { b.district(2).next++ }, "2"},
		{"2: the newest open order is another", func(b *books) { x := b.district(2); x.minOpen, x.maxOpen = 3, 3 }, "2"},
		{"3: a gap", func(b *books) { b.district(3).minOpen = 2 }, "3"},
		{"4: a line lost", func(b *books) { b.district(4).lines-- }, "4"},
		{"5: delivered and open", func(b *books) { b.order(5, 2).open = true }, "5"},
		{"6: an order with a line less", func(b *books) { b.order(6, 4).lines-- }, "6"},
		{"6: lines without an order", func(b *books) { b.order(6, 9).lines = 5 }, "6"},
		{"7: a line not delivered", func(b *books) { b.order(7, 1).linesDelivered-- }, "7"},
		{"7: a line delivered too soon", func(b *books) { b.order(7, 4).linesDelivered++ }, "7"},
		{"8: history lost in all", func(b *books) { b.paidHere -= 100 }, "8"},
		{"9: history lost in a district", func(b *books) { b.district(9).paidHere -= 100 }, "9"},
		{"10: a payment not in the history", func(b *books) { b.customer(10, 1).paid -= 100 }, "10"},
		{"11: a delivery not counted", func(b *books) { b.district(1).deliveries-- }, "11"},
		{"12: a payment not in c_ytd_payment", func(b *books) { b.customer(2, 2).ytd += 100 }, "12"},
	} {
		b := soundBooks()
		c.harm(b)
		b.judge()
		var broken []string
		for _, f := range b.found {
			var n int
			if _, err := fmt.Sscanf(f, "condition %d,", &n); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			broken = append(broken, fmt.Sprint(n))
		}
		slices.Sort(broken)
		if got := strings.Join(broken, " "); got != c.want {
			t.Errorf("%s: found %q: %v", c.name, got, b.found)
		}
	}
}
