package workload

import (
	"cmp"
	"slices"
	"sync"

	"isochron/txn"
)

// tpccSourcesShares are the five transactions of TPC-C in a hundred, in their order: the rest are
// payments.
var tpccSourcesShares = struct{ newOrder, orderStatus, delivery, stockLevel int }{45, 4, 4, 4}

// Bounds of the recorded orders of a district.
const (
	tpccOpenOrders   = 256 // that are not delivered; the oldest are dropped
	tpccLatestOrders = 20  // that a stock level reads
)

// tpccSourcesMix is all five transactions of TPC-C over external databases, in the specification's
// shares. Payments and new orders may be distributed; the three others are at their client's home
// alone.
//
// A statement over sources names its rows, so transactions that read an index elsewhere (the oldest
// open order, the last of a customer, the latest twenty) use a record of the drawn orders kept
// here. It may contain an order that did not commit: its rows are then read as absent. A statement
// for all lines of an order is one for its first line.
type tpccSourcesMix struct {
	tpccSources
	mu     sync.Mutex
	placed map[tpccPlace]*tpccOrders
}

// tpccPlace is a district of a warehouse of a source.
type tpccPlace struct{ place, warehouse, district int }

// tpccOrders are those of a district, the oldest first.
type tpccOrders struct{ open, latest []tpccOrder }

// tpccOrder is one order, by the names of its rows, with the items at its own source.
type tpccOrder struct {
	process, id, customer int
	items                 []int
}

// put adds one, and drops the oldest beyond the bounds.
func (o *tpccOrders) put(one tpccOrder) {
	o.open, o.latest = append(o.open, one), append(o.latest, one)
	o.open = o.open[max(0, len(o.open)-tpccOpenOrders):]
	o.latest = o.latest[max(0, len(o.latest)-tpccLatestOrders):]
}

func newTPCCAtSources(cfg MixConfig) Mix {
	return &tpccSourcesMix{tpccSources: tpccSources{sourceMix: sourceMix{cfg}}, placed: map[tpccPlace]*tpccOrders{}}
}

// Next implements Mix.
func (m *tpccSourcesMix) Next(c *Client) Job {
	shares, drawn := tpccSourcesShares, c.Rand.IntN(100)
	isOrder := drawn < shares.newOrder
	if payments := 100 - shares.newOrder - shares.orderStatus - shares.delivery - shares.stockLevel; isOrder || drawn < shares.newOrder+payments {
		class, places := m.placesFromHome(c)
		if isOrder {
			return m.job(class, m.newOrderKept(c, places))
		}
		return m.job(class, m.payment(c, places))
	}
	home, w := m.home(c), m.warehouse(c, true)
	switch left := 100 - drawn; {
	case left > shares.delivery+shares.stockLevel:
		return m.job(ClassCentral, m.orderStatus(c, home, w))
	case left > shares.stockLevel:
		return m.job(ClassCentral, m.delivery(c, home, w))
	}
	return m.job(ClassCentral, m.stockLevel(c, home, w))
}

// district returns the record of one; the caller may read and change it until it unlocks mu.
func (m *tpccSourcesMix) district(place, w, d int) *tpccOrders {
	key := tpccPlace{place, w, d}
	if m.placed[key] == nil {
		m.placed[key] = &tpccOrders{}
	}
	return m.placed[key]
}

// newOrderKept is a new order, recorded for the other transactions.
func (m *tpccSourcesMix) newOrderKept(c *Client, places []int) []txn.SourceStatement {
	o := m.drawOrder(c, places)
	m.mu.Lock()
	defer m.mu.Unlock()
	one := tpccOrder{process: c.Process, id: o.id, customer: o.customer}
	for _, l := range o.lines {
		if l.place == o.home {
			one.items = append(one.items, l.item)
		}
	}
	m.district(o.home, o.warehouse, o.district).put(one)
	return m.orderStatements(c, o)
}

// orderStatus reads a customer and the last of the orders.
func (m *tpccSourcesMix) orderStatus(c *Client, home, w int) []txn.SourceStatement {
	d, customer, byName := district(c), tpccCustomer(c), c.Rand.IntN(100) < 60
	m.mu.Lock()
	defer m.mu.Unlock()
	latest := m.district(home, w, d).latest
	if len(latest) > 0 { // the latest order of the district, if there is one
		customer = latest[len(latest)-1].customer
	}
	out := []txn.SourceStatement{m.at(home, "GET", "d", w, d)}
	if byName {
		out = append(out, m.at(home, "GET", "i", w, d, customer))
	}
	out = append(out, m.at(home, "GET", "c", w, d, customer))
	for _, o := range latest[max(0, len(latest)-1):] {
		out = append(out, m.at(home, "GET", "o", w, d, o.process, o.id), m.at(home, "GET", "l", w, d, o.process, o.id, 0))
	}
	return out
}

// delivery delivers the oldest open order of each district, which it removes from the record in one
// step: otherwise two deliveries of a warehouse would wait for each other's first row.
func (m *tpccSourcesMix) delivery(_ *Client, home, w int) []txn.SourceStatement {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []txn.SourceStatement
	for d := 1; d <= tpccDistricts; d++ {
		orders := m.district(home, w, d)
		if len(orders.open) == 0 {
			out = append(out, m.at(home, "GET", "n", w, d))
			continue
		}
		o := orders.open[0]
		orders.open = orders.open[1:]
		out = append(out, m.at(home, "PUT", "n", w, d, o.process, o.id), m.at(home, "PUT", "o", w, d, o.process, o.id),
			m.at(home, "PUT", "l", w, d, o.process, o.id, 0), m.at(home, "PUT", "c", w, d, o.customer))
	}
	return out
}

// stockLevel reads the stock of the items of a district's latest orders here.
func (m *tpccSourcesMix) stockLevel(c *Client, home, w int) []txn.SourceStatement {
	d := district(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	out := []txn.SourceStatement{m.at(home, "GET", "d", w, d)}
	var items []int
	for _, o := range m.district(home, w, d).latest {
		out = append(out, m.at(home, "GET", "l", w, d, o.process, o.id, 0))
		items = append(items, o.items...)
	}
	slices.SortFunc(items, cmp.Compare[int])
	for _, item := range slices.Compact(items) {
		out = append(out, m.at(home, "GET", "s", w, item))
	}
	return out
}
