package workload

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"isochron/txn"
)

// Checked is a Mix with conditions on its rows that hold whatever was committed.
type Checked interface {
	// Check checks all rows of the benchmark at one read timestamp, and describes the violations;
	// it stops after a few.
	Check(rows iter.Seq[txn.Pair]) []string
}

// wrongMax bounds the reported violations.
const wrongMax = 20

// tpccBooks are the values that the conditions compare.
type tpccBooks struct {
	wrong      []string
	next       int64 // order of a district that is not written yet
	warehouses map[int]*warehouseBooks
	districts  map[[2]int]*districtBooks
	customers  map[[3]int]*customerBooks
	orders     map[[3]int]*orderBooks
}

type warehouseBooks struct{ ytd, districtsYTD, history int64 }

type districtBooks struct {
	next, ytd, history, lines, linesRecorded int64
	orders, open, maxOrder, maxOpen          int
	minOpen                                  int
}

type customerBooks struct{ balance, paid, deliveries, history, delivered, ordersDelivered int64 }

type orderBooks struct {
	customer, carrier, linesRecorded, lines, linesDelivered, amount int64
	there, open                                                     bool
}

// of returns the entry of a key, made if there is none.
func of[K comparable, V any](m map[K]*V, k K, fresh V) *V {
	if m[k] == nil {
		m[k] = &fresh
	}
	return m[k]
}

// Check compares the rows with the twelve conditions of the specification's clause 3.3.2, whose
// opening sums are those of this benchmark's opening.
func (m *tpcc) Check(rows iter.Seq[txn.Pair]) []string {
	b := &tpccBooks{next: m.openDistrict()[0], warehouses: map[int]*warehouseBooks{}, districts: map[[2]int]*districtBooks{},
		customers: map[[3]int]*customerBooks{}, orders: map[[3]int]*orderBooks{}}
	for p := range rows {
		kind, n := numbers(rowName(p.Key))
		b.enter(kind, n, fields(parseList(p.Value)))
	}
	for _, k := range slices.SortedFunc(maps.Keys(b.orders), compare3) {
		b.judgeOrder(k, b.orders[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys(b.customers), compare3) {
		b.judgeCustomer(k, b.customers[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys(b.districts), func(x, y [2]int) int { return slices.Compare(x[:], y[:]) }) {
		b.judgeDistrict(k, b.districts[k])
	}
	for _, w := range slices.Sorted(maps.Keys(b.warehouses)) {
		x := b.warehouses[w]
		b.hold(1, x.ytd == x.districtsYTD, "warehouse %d took %d, its districts %d", w, x.ytd, x.districtsYTD)
		b.hold(8, x.ytd == x.history, "warehouse %d took %d, and its history adds up to %d", w, x.ytd, x.history)
	}
	return b.wrong
}

func compare3(x, y [3]int) int { return slices.Compare(x[:], y[:]) }

func (b *tpccBooks) hold(condition int, holds bool, format string, args ...any) {
	if !holds && len(b.wrong) < wrongMax {
		b.wrong = append(b.wrong, fmt.Sprintf("condition %d: ", condition)+fmt.Sprintf(format, args...))
	}
}

func (b *tpccBooks) district(w, d int) *districtBooks {
	return of(b.districts, [2]int{w, d}, districtBooks{next: b.next})
}

// columns are the counts of numbers in a row's name and in its value, by kind.
var columns = map[byte][2]int{'w': {1, 1}, 'd': {2, 2}, 'c': {3, 4}, 's': {2, 4}, 'o': {3, 3}, 'n': {3, 1}, 'l': {4, 5}, 'h': {3, 5}, 'x': {3, 1}}

// enter adds a row to the books.
func (b *tpccBooks) enter(kind byte, n []int, v fields) {
	if want, ok := columns[kind]; !ok || len(n) != want[0] || len(v) != want[1] {
		b.hold(0, false, "a row %q %v has the columns %v", kind, n, v)
		return
	}
	switch kind {
	case 'w':
		of(b.warehouses, n[0], warehouseBooks{}).ytd = v[0]
	case 'd':
		x := b.district(n[0], n[1])
		x.next, x.ytd = v[0], v[1]
		of(b.warehouses, n[0], warehouseBooks{}).districtsYTD += v[1]
	case 'c':
		x := of(b.customers, [3]int(n), customerBooks{})
		x.balance, x.paid, x.deliveries = v[0], v[1], v[3]
	case 'o':
		x, d := of(b.orders, [3]int(n), orderBooks{}), b.district(n[0], n[1])
		x.there, x.customer, x.carrier, x.linesRecorded = true, v[0], v[1], v[2]
		d.orders, d.maxOrder, d.linesRecorded = d.orders+1, max(d.maxOrder, n[2]), d.linesRecorded+v[2]
	case 'n':
		d := b.district(n[0], n[1])
		of(b.orders, [3]int(n), orderBooks{}).open = true
		if d.open++; d.open == 1 || n[2] < d.minOpen {
			d.minOpen = n[2]
		}
		d.maxOpen = max(d.maxOpen, n[2])
	case 'l':
		x := of(b.orders, [3]int(n[:3]), orderBooks{})
		x.lines, x.linesDelivered, x.amount = x.lines+1, x.linesDelivered+v[4], x.amount+v[3]
		b.district(n[0], n[1]).lines++
	case 'h':
		of(b.warehouses, n[0], warehouseBooks{}).history += v[4]
		b.district(n[0], int(v[0])).history += v[4]
		of(b.customers, [3]int{int(v[1]), int(v[2]), int(v[3])}, customerBooks{}).history += v[4]
	}
}

func (b *tpccBooks) judgeOrder(k [3]int, o *orderBooks) {
	b.hold(5, o.there && o.open == (o.carrier == 0), "order %v is there: %v, open: %v, its carrier is %d", k, o.there, o.open, o.carrier)
	b.hold(6, o.linesRecorded == o.lines, "order %v has a count of %d lines, and has %d", k, o.linesRecorded, o.lines)
	delivered := int64(0)
	if o.carrier != 0 {
		delivered = o.lines
		c := of(b.customers, [3]int{k[0], k[1], int(o.customer)}, customerBooks{})
		c.delivered += o.amount
		c.ordersDelivered++
	}
	b.hold(7, o.linesDelivered == delivered, "of order %v %d lines are delivered, not %d", k, o.linesDelivered, delivered)
}

func (b *tpccBooks) judgeCustomer(k [3]int, c *customerBooks) {
	b.hold(10, c.balance == c.delivered-c.history, "customer %v has %d, got %d and paid %d", k, c.balance, c.delivered, c.history)
	b.hold(11, c.deliveries == c.ordersDelivered, "customer %v had %d deliveries, and %d orders are delivered", k, c.deliveries, c.ordersDelivered)
	b.hold(12, c.balance+c.paid == c.delivered, "customer %v has %d and a paid sum of %d, but received %d", k, c.balance, c.paid, c.delivered)
}

func (b *tpccBooks) judgeDistrict(k [2]int, d *districtBooks) {
	b.hold(2, d.next-1 == int64(d.maxOrder) && (d.open == 0 || d.maxOpen == d.maxOrder),
		"district %v has %d for its next order, its last is %d, its last open one %d", k, d.next, d.maxOrder, d.maxOpen)
	b.hold(3, d.open == 0 || d.maxOpen-d.minOpen+1 == d.open, "district %v has %d open orders, from %d to %d", k, d.open, d.minOpen, d.maxOpen)
	b.hold(4, d.linesRecorded == d.lines, "the orders of district %v have a count of %d lines, and have %d", k, d.linesRecorded, d.lines)
	b.hold(9, d.ytd == d.history, "district %v took %d, and its history adds up to %d", k, d.ytd, d.history)
}
