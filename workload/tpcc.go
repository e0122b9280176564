package workload

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"isochron/txn"
)

// tpcc is TPC-C's five transactions on rows by key. It is scaled down: few
// customers and items, so that little is loaded. What never changes (items,
// prices, names) is code and not rows, and a row that is absent is as it was at
// the opening. Everything of a warehouse lies in one part.
//
// Kinds of rows, by the first letter of their names; numbers after it say which:
//
//	w warehouse   its year's takings
//	d district    next order, its year's takings
//	c customer    balance, paid, payments, deliveries
//	i name index  the customer of a last name: only read, for the round it costs
//	s stock       quantity, ordered, orders, orders from afar
//	o order       customer, carrier (0: not delivered), lines
//	n new order   an order that is not delivered
//	l line        item, supplying warehouse, quantity, amount, delivered
//	h history     district, customer's warehouse, district and number, amount;
//	              named by the client and the client's count
//	x last order  of a customer
type tpcc struct {
	parts, warehouses int
	shares            [5]int // of a hundred, in the order of tpccKinds
	near              nearParts
	homes             Homes
	rowByRow          bool // new-order and payment change one row with each statement
	taxed             bool // new-order reads its warehouse, of which payment writes the takings
	opening           int  // orders of a district at the opening, none delivered
}

// The sizes. The specification has 3,000 customers in a district, with as many
// orders, and 100,000 items.
const (
	tpccDistricts = 10
	tpccCustomers = 120
	tpccItems     = 10_000
	tpccLinesMin  = 5
	tpccLinesMax  = 15
	tpccOpen      = 10 // opening, where orders are delivered
	tpccDigits    = 8  // of a number in a name
)

// tpccKinds are the transactions.
var tpccKinds = []struct {
	class string
	make  func(*tpcc, *Client) Job
}{
	{"new-order", (*tpcc).newOrder}, {"payment", (*tpcc).payment}, {"order-status", (*tpcc).orderStatus},
	{"delivery", (*tpcc).delivery}, {"stock-level", (*tpcc).stockLevel},
}

// newTPCC makes the benchmark with a mix of kinds.
func newTPCC(shares ...int) func(MixConfig) Mix {
	return func(cfg MixConfig) Mix { return makeTPCC(cfg, shares) }
}

// newTPCCRows is for clients that send a statement for each row, as those of SQL do, and
// not all whose rows are known beforehand in one.
func newTPCCRows(shares ...int) func(MixConfig) Mix {
	return func(cfg MixConfig) Mix {
		m := makeTPCC(cfg, shares)
		m.rowByRow = true
		return m
	}
}

// newTPCCTaxed is for the Bonspiel paper: a new order reads the tax of its warehouse, as in the
// specification, from the row whose takings each payment there writes. Nothing is delivered, and no
// order is there at the opening.
func newTPCCTaxed(shares ...int) func(MixConfig) Mix {
	return func(cfg MixConfig) Mix {
		m := makeTPCC(cfg, shares)
		m.taxed, m.opening = true, 0
		return m
	}
}

func makeTPCC(cfg MixConfig, shares []int) *tpcc {
	return &tpcc{parts: cfg.Parts, warehouses: cfg.Warehouses * cfg.Parts, shares: [5]int(shares), near: newNearParts(cfg.Parts), homes: cfg.Homes, opening: tpccOpen}
}

func (m *tpcc) Next(c *Client) Job {
	n := c.Rand.IntN(100)
	for i, k := range tpccKinds {
		if n -= m.shares[i]; n < 0 {
			j := k.make(m, c)
			j.Class = k.class
			return j
		}
	}
	panic("the mix does not add up to a hundred")
}

// row is the key of a row of a warehouse.
func (m *tpcc) row(kind byte, w int, more ...int) txn.Key {
	name := []byte{kind}
	for _, n := range append([]int{w}, more...) {
		digits := strconv.Itoa(n)
		name = append(name, "/00000000"[:1+tpccDigits-len(digits)]...)
		name = append(name, digits...)
	}
	return rowKey(tableMix, (w-1)%m.parts, string(name))
}

// under is the span of all rows whose names begin with this one's.
func (m *tpcc) under(kind byte, w int, more ...int) txn.Span {
	k := m.row(kind, w, more...)
	return txn.Span{Start: k + "/", End: k + "0"} // '0' follows '/'
}

// numbers are those in a row's name.
func numbers(name string) (kind byte, n []int) {
	if name == "" {
		return 0, nil
	}
	for at := 2; at+tpccDigits <= len(name); at += tpccDigits + 1 {
		v, err := strconv.Atoi(name[at : at+tpccDigits])
		if err != nil {
			return 0, nil
		}
		n = append(n, v)
	}
	return name[0], n
}

// fields are a row's columns.
type fields []int64

func (f fields) encode() []byte { return formatList(f) }

// read is the columns of a row as it was read, or its columns at the opening.
func (f fields) read(value []byte) fields {
	if value == nil {
		return slices.Clone(f)
	}
	return fields(parseList(value))
}

// openings are the columns of rows that are not written yet.
var (
	openWarehouse = fields{0}
	openCustomer  = fields{0, 0, 0, 0}
)

// openDistrict is a district at the opening.
func (m *tpcc) openDistrict() fields { return fields{int64(m.opening) + 1, 0} }

func openStock(w, item int) fields { return fields{int64(10 + (w*31+item*17)%91), 0, 0, 0} }

// price is in cents, 1.00 to 100.00.
func price(item int) int64 { return 100 + int64(item)*7919%9901 }

// Rows are the orders at the opening.
func (m *tpcc) Rows() iter.Seq[txn.Write] {
	return func(yield func(txn.Write) bool) {
		for w := 1; w <= m.warehouses; w++ {
			for d := 1; d <= tpccDistricts; d++ {
				for o := 1; o <= m.opening; o++ {
					if !m.opened(w, d, o, yield) {
						return
					}
				}
			}
		}
	}
}

// opened yields the rows of one order that was there before all others.
func (m *tpcc) opened(w, d, o int, yield func(txn.Write) bool) bool {
	r := rand.New(rand.NewPCG(uint64(w)<<32|uint64(d), uint64(o)))
	customer, lines := 1+r.IntN(tpccCustomers), make([]tpccLine, tpccLinesMin+r.IntN(tpccLinesMax-tpccLinesMin+1))
	for i := range lines {
		lines[i] = tpccLine{1 + r.IntN(tpccItems), w, 1 + r.IntN(10)}
	}
	for _, write := range m.orderRows(w, d, o, customer, lines) {
		if !yield(write) {
			return false
		}
	}
	return true
}

// tpccLine is one line of an order.
type tpccLine struct{ item, supply, quantity int }

// orderRows are the rows of a new order.
func (m *tpcc) orderRows(w, d, o, customer int, lines []tpccLine) []txn.Write {
	rows := []txn.Write{
		{Key: m.row('o', w, d, o), Value: fields{int64(customer), 0, int64(len(lines))}.encode()},
		{Key: m.row('n', w, d, o), Value: fields{1}.encode()},
		{Key: m.row('x', w, d, customer), Value: fields{int64(o)}.encode()},
	}
	for i, l := range lines {
		amount := price(l.item) * int64(l.quantity)
		rows = append(rows, txn.Write{Key: m.row('l', w, d, o, i+1),
			Value: fields{int64(l.item), int64(l.supply), int64(l.quantity), amount, 0}.encode()})
	}
	return rows
}

// home returns where a transaction begins: in any warehouse, drawn again for each, or in the
// client's own for its life: one that is led from the client's region if there is any, else any.
func (m *tpcc) home(c *Client) int {
	if m.homes == HomesUniform {
		return 1 + c.Rand.IntN(m.warehouses)
	}
	parts := m.near.of(c.DB)
	each := m.warehouses / m.parts
	// Clients of one region may be numbered in steps: a multiplicative hash leaves
	// none of the warehouses out.
	i := int(uint32(c.Process)*2654435769>>8) % (each * len(parts))
	return 1 + parts[i%len(parts)] + i/len(parts)*m.parts
}

// other is not this warehouse, if there is another.
func (m *tpcc) other(c *Client, than int) int {
	if m.warehouses == 1 {
		return 1
	}
	return 1 + (than+c.Rand.IntN(m.warehouses-1))%m.warehouses
}

func district(c *Client) int { return 1 + c.Rand.IntN(tpccDistricts) }

// nonUniform is the specification's NURand from 1 to high, with 0 for its C.
func nonUniform(c *Client, a, high int) int {
	return (c.Rand.IntN(a+1)|(1+c.Rand.IntN(high)))%high + 1
}

func tpccCustomer(c *Client) int { return nonUniform(c, 1023, tpccCustomers) }
