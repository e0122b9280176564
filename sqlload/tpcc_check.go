package sqlload

import (
	"context"
	"database/sql"
	"fmt"
)

// books are the values of one warehouse from which the twelve consistency conditions (3.3.2 of the
// specification) follow. They are read table by table and combined here, so that the check needs
// only simple queries.
type books struct {
	w, customers, delivered int // delivered: of each district when it was loaded
	ytd                     cents
	paidHere                cents
	districts               map[int]*districtBooks
	orders                  map[[2]int]*orderBooks    // by district and order
	customerOf              map[[2]int]*customerBooks // by district and customer
	found                   []string
}

type districtBooks struct {
	next, maxOrder, orders, linesWanted, lines int
	open, minOpen, maxOpen, deliveries         int
	ytd, paidHere                              cents
}

type orderBooks struct {
	customer, count, lines, linesDelivered int
	carried, open, exists                  bool
	amount                                 cents
}

type customerBooks struct{ balance, ytd, paid, delivered cents }

// tpccFoundMax bounds the violations reported for one warehouse.
const tpccFoundMax = 30

func (b *books) wrong(condition int, format string, args ...any) {
	if len(b.found) < tpccFoundMax {
		b.found = append(b.found, fmt.Sprintf("condition %d, warehouse %d: %s", condition, b.w, fmt.Sprintf(format, args...)))
	}
}

// Check judges every warehouse.
func (t *tpcc) Check(ctx context.Context, e *Env, _ *Report) ([]string, error) {
	var found []string
	for w := 1; w <= t.warehouses; w++ {
		b := &books{w: w, customers: t.customers(), delivered: t.customers() * 7 / 10,
			districts: map[int]*districtBooks{}, orders: map[[2]int]*orderBooks{}, customerOf: map[[2]int]*customerBooks{}}
		if err := b.read(ctx, e.DB()); err != nil {
			return nil, err
		}
		b.judge()
		found = append(found, b.found...)
	}
	return found, nil
}

func (b *books) district(d int) *districtBooks {
	if b.districts[d] == nil {
		b.districts[d] = new(districtBooks)
	}
	return b.districts[d]
}

func (b *books) order(d, o int) *orderBooks {
	if b.orders[[2]int{d, o}] == nil {
		b.orders[[2]int{d, o}] = new(orderBooks)
	}
	return b.orders[[2]int{d, o}]
}

func (b *books) customer(d, c int) *customerBooks {
	if b.customerOf[[2]int{d, c}] == nil {
		b.customerOf[[2]int{d, c}] = new(customerBooks)
	}
	return b.customerOf[[2]int{d, c}]
}

// read reads all tables, orders before what adds to them.
func (b *books) read(ctx context.Context, db *sql.DB) error {
	for _, q := range []struct {
		text string
		row  func(*sql.Rows) error
	}{
		{"SELECT w_ytd FROM warehouse WHERE w_id = ?", func(r *sql.Rows) error { return r.Scan(&b.ytd) }},
		{"SELECT d_id, d_next_o_id, d_ytd FROM district WHERE d_w_id = ?", b.readDistrict},
		{"SELECT o_d_id, o_id, o_c_id, o_ol_cnt, o_carrier_id FROM orders WHERE o_w_id = ?", b.readOrder},
		{"SELECT no_d_id, no_o_id FROM new_order WHERE no_w_id = ?", b.readOpen},
		{"SELECT ol_d_id, ol_o_id, COUNT(*), COUNT(ol_delivery_d), SUM(ol_amount) FROM order_line WHERE ol_w_id = ? GROUP BY ol_d_id, ol_o_id", b.readLines},
		{"SELECT c_d_id, c_id, c_balance, c_ytd_payment, c_delivery_cnt FROM customer WHERE c_w_id = ?", b.readCustomer},
		{"SELECT h_d_id, SUM(h_amount) FROM history WHERE h_w_id = ? GROUP BY h_d_id", b.readPaidHere},
		{"SELECT h_c_d_id, h_c_id, SUM(h_amount) FROM history WHERE h_c_w_id = ? GROUP BY h_c_d_id, h_c_id", b.readPaid},
	} {
		if err := query(ctx, db, q.text, []any{b.w}, q.row); err != nil {
			return fmt.Errorf("%s: %w", q.text, err)
		}
	}
	return nil
}

func (b *books) readDistrict(r *sql.Rows) error {
	var d, next int
	var ytd cents
	err := r.Scan(&d, &next, &ytd)
	b.district(d).next, b.district(d).ytd = next, ytd
	return err
}

func (b *books) readOrder(r *sql.Rows) error {
	var d, id int
	var o orderBooks
	var carrier sql.NullInt64
	err := r.Scan(&d, &id, &o.customer, &o.count, &carrier)
	o.carried, o.exists = carrier.Valid, true
	*b.order(d, id) = o
	db := b.district(d)
	db.orders++
	db.linesWanted += o.count
	db.maxOrder = max(db.maxOrder, id)
	return err
}

func (b *books) readOpen(r *sql.Rows) error {
	var d, id int
	err := r.Scan(&d, &id)
	b.order(d, id).open = true
	db := b.district(d)
	if db.open++; db.open == 1 {
		db.minOpen, db.maxOpen = id, id
	}
	db.minOpen, db.maxOpen = min(db.minOpen, id), max(db.maxOpen, id)
	return err
}

func (b *books) readLines(r *sql.Rows) error {
	var d, id, lines, delivered int
	var amount cents
	err := r.Scan(&d, &id, &lines, &delivered, &amount)
	o := b.order(d, id)
	o.lines, o.linesDelivered, o.amount = lines, delivered, amount
	b.district(d).lines += lines
	if lines == delivered {
		b.customer(d, o.customer).delivered += amount
	}
	return err
}

func (b *books) readCustomer(r *sql.Rows) error {
	var d, id, deliveries int
	var balance, ytd cents
	err := r.Scan(&d, &id, &balance, &ytd, &deliveries)
	c := b.customer(d, id)
	c.balance, c.ytd = balance, ytd
	b.district(d).deliveries += deliveries
	return err
}

func (b *books) readPaidHere(r *sql.Rows) error {
	var d int
	var paid cents
	err := r.Scan(&d, &paid)
	b.district(d).paidHere = paid
	b.paidHere += paid
	return err
}

func (b *books) readPaid(r *sql.Rows) error {
	var d, id int
	var paid cents
	err := r.Scan(&d, &id, &paid)
	b.customer(d, id).paid = paid
	return err
}

// judge checks all conditions.
func (b *books) judge() {
	var sum cents
	for d := 1; d <= tpccDistricts; d++ {
		sum += b.district(d).ytd
		b.judgeDistrict(d, b.district(d))
	}
	if b.ytd != sum {
		b.wrong(1, "w_ytd is %v, and its districts' d_ytd add up to %v", b.ytd, sum)
	}
	if b.ytd != b.paidHere {
		b.wrong(8, "w_ytd is %v, and its history adds up to %v", b.ytd, b.paidHere)
	}
	for key, o := range b.orders {
		b.judgeOrder(key[0], key[1], o)
	}
	for key, c := range b.customerOf {
		if c.balance != c.delivered-c.paid {
			b.wrong(10, "customer %d.%d has c_balance %v, and orders of %v less payments of %v", key[0], key[1], c.balance, c.delivered, c.paid)
		}
		if c.balance+c.ytd != c.delivered {
			b.wrong(12, "customer %d.%d has c_balance %v and c_ytd_payment %v, and orders of %v", key[0], key[1], c.balance, c.ytd, c.delivered)
		}
	}
}

func (b *books) judgeDistrict(d int, x *districtBooks) {
	if x.next-1 != x.maxOrder || x.open > 0 && x.maxOpen != x.maxOrder {
		b.wrong(2, "district %d has d_next_o_id %d, its last order is %d, its last open one %d", d, x.next, x.maxOrder, x.maxOpen)
	}
	if x.open > 0 && x.maxOpen-x.minOpen+1 != x.open {
		b.wrong(3, "district %d has %d open orders, and they go from %d to %d", d, x.open, x.minOpen, x.maxOpen)
	}
	if x.linesWanted != x.lines {
		b.wrong(4, "the orders of district %d have a count of %d lines, and there are %d", d, x.linesWanted, x.lines)
	}
	if x.ytd != x.paidHere {
		b.wrong(9, "district %d has d_ytd %v, and its history adds up to %v", d, x.ytd, x.paidHere)
	}
	if x.orders-x.open != b.delivered+x.deliveries {
		b.wrong(11, "district %d has %d orders and %d open ones, %d were delivered before the load and %d since", d, x.orders, x.open, b.delivered, x.deliveries)
	}
}

func (b *books) judgeOrder(d, id int, o *orderBooks) {
	if !o.exists {
		b.wrong(6, "order %d of district %d has %d lines or is open, and is not there", id, d, o.lines)
		return
	}
	if o.carried == o.open {
		b.wrong(5, "order %d of district %d: it has a carrier: %v; it is open: %v", id, d, o.carried, o.open)
	}
	if o.count != o.lines {
		b.wrong(6, "order %d of district %d has %d lines, and a count of %d", id, d, o.lines, o.count)
	}
	if o.carried && o.linesDelivered != o.lines || !o.carried && o.linesDelivered != 0 {
		b.wrong(7, "order %d of district %d: it has a carrier: %v; %d of its %d lines are delivered", id, d, o.carried, o.linesDelivered, o.lines)
	}
}
