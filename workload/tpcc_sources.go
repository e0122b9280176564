package workload

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"isochron/txn"
)

// tpccSources is one transaction of TPC-C over external databases, as GeoTP measures it (section
// 7.3, figure 9): payments alone, or new orders alone (tpccSourcesMix has all five), without
// transactions that name an item that does not exist. Each source has Warehouses of them, and the
// items whose number it is sent to.
//
// A client is at home in one warehouse of the source that Central gives. A transaction is at that
// source alone, or, as often as DistributedMilli, at others too, Spread in all: the customer of a
// payment, and the lines of an order with their items and stocks. Statements go in the
// specification's order, in Rounds packets; a change relative to a row's value is one statement, as
// UPDATE is. A row has one value: the benchmark compares waits.
type tpccSources struct {
	sourceMix
	statements func(m *tpccSources, c *Client, places []int) []txn.SourceStatement
}

// tpccSourcesLength is the fewest statements of one of them, and so the most packets.
const tpccSourcesLength = 4

func newPaymentsAtSources(cfg MixConfig) Mix {
	return &tpccSources{sourceMix{cfg}, (*tpccSources).payment}
}

func newOrdersAtSources(cfg MixConfig) Mix {
	return &tpccSources{sourceMix{cfg}, (*tpccSources).newOrder}
}

func (*tpccSources) Rows() iter.Seq[txn.Write] { return func(func(txn.Write) bool) {} }

// Next implements Mix.
func (m *tpccSources) Next(c *Client) Job {
	class, places := m.placesFromHome(c)
	return m.job(class, m.statements(m, c, places))
}

// job sends statements in packets: in fewer, if it has fewer.
func (m *tpccSources) job(class string, statements []txn.SourceStatement) Job {
	rounds := min(m.Rounds, len(statements))
	return Job{Class: class, Body: func(ctx context.Context, t txn.Txn) error { return m.execute(ctx, t, statements, rounds) }}
}

// placesFromHome are those of a transaction, its home first.
func (m *tpccSources) placesFromHome(c *Client) (class string, places []int) {
	places = []int{m.home(c)}
	if c.Rand.IntN(1000) >= m.DistributedMilli {
		return ClassCentral, places
	}
	for _, place := range c.Rand.Perm(len(m.Sources)) {
		if place != places[0] && len(places) < m.Spread {
			places = append(places, place)
		}
	}
	return ClassDistributed, places
}

// warehouse is one of those at a place: the client's own at its home.
func (m *tpccSources) warehouse(c *Client, home bool) int {
	if home {
		return 1 + c.Process%m.Warehouses
	}
	return 1 + c.Rand.IntN(m.Warehouses)
}

// at is a statement on a row of a kind of tpcc.
func (m *tpccSources) at(place int, verb, kind string, numbers ...int) txn.SourceStatement {
	name := kind
	for _, n := range numbers {
		name += fmt.Sprintf("/%d", n)
	}
	s := txn.SourceStatement{Source: m.Sources[place], Records: []txn.Key{txn.Key(name)}}
	if s.Text, s.Writes = verb+" "+name, verb == "PUT"; s.Writes {
		s.Text += " x"
	}
	return s
}

// payment updates the warehouse and the district first, the hottest rows of a warehouse.
func (m *tpccSources) payment(c *Client, places []int) []txn.SourceStatement {
	home, far := places[0], places[len(places)-1]
	w := m.warehouse(c, true)
	d, cw, cd := district(c), w, district(c)
	if far != home {
		cw = m.warehouse(c, false)
	}
	customer, id := tpccCustomer(c), c.nextID()
	out := []txn.SourceStatement{m.at(home, "PUT", "w", w), m.at(home, "PUT", "d", w, d)}
	if c.Rand.IntN(100) < 60 {
		out = append(out, m.at(far, "GET", "i", cw, cd, customer))
	}
	return append(out, m.at(far, "PUT", "c", cw, cd, customer), m.at(home, "PUT", "h", w, c.Process, int(id)))
}

// sourceOrder is a new order over sources; its lines are in the order of their items, so that two
// orders do not deadlock.
type sourceOrder struct {
	home, warehouse, district, id, customer int
	lines                                   []sourceLine
}

// sourceLine is one line of an order: an item, and the place of its stock.
type sourceLine struct{ place, supply, item int }

func (m *tpccSources) newOrder(c *Client, places []int) []txn.SourceStatement {
	return m.orderStatements(c, m.drawOrder(c, places))
}

// drawOrder draws an order of the client's own warehouse, with lines at all its places in turn.
func (m *tpccSources) drawOrder(c *Client, places []int) sourceOrder {
	home, w, d, id := places[0], m.warehouse(c, true), district(c), int(c.nextID())
	var lines []sourceLine
	for i := range tpccLinesMin + c.Rand.IntN(tpccLinesMax-tpccLinesMin+1) {
		l := sourceLine{place: places[i%len(places)], supply: w, item: nonUniform(c, 8191, tpccItems)}
		l.item += l.place - l.item%len(m.Sources)
		if l.place != home {
			l.supply = m.warehouse(c, false)
		}
		if !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	slices.SortFunc(lines, func(a, b sourceLine) int { return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.supply, b.supply)) })
	return sourceOrder{home, w, d, id, tpccCustomer(c), lines}
}

// orderStatements returns an order's statements.
func (m *tpccSources) orderStatements(c *Client, o sourceOrder) []txn.SourceStatement {
	home, w, d, id := o.home, o.warehouse, o.district, o.id
	out := []txn.SourceStatement{m.at(home, "GET", "w", w), m.at(home, "GET", "c", w, d, o.customer), m.at(home, "PUT", "d", w, d),
		m.at(home, "PUT", "o", w, d, c.Process, id), m.at(home, "PUT", "n", w, d, c.Process, id)}
	for i, l := range o.lines {
		out = append(out, m.at(l.place, "GET", "item", l.item), m.at(l.place, "PUT", "s", l.supply, l.item), m.at(home, "PUT", "l", w, d, c.Process, id, i))
	}
	return out
}
