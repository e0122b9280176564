package sqlload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tpccLinesMax is the maximal number of lines of an order; it has at least five.
const tpccLinesMax = 15

// orderLine is one line of an order as the terminal asks for it.
type orderLine struct{ item, supply, quantity int }

// newOrder orders five to fifteen items, one in a hundred lines from another
// warehouse; one order in a hundred names an item that does not exist, and is
// rolled back for it.
func (c *terminal) newOrder() Txn {
	d, customer := c.district(), c.customerID()
	lines := make([]orderLine, c.between(5, tpccLinesMax))
	for i := range lines {
		lines[i] = orderLine{c.itemID(), c.w, c.between(1, 10)}
		if c.rand.IntN(100) == 0 {
			lines[i].supply = c.otherWarehouse()
		}
	}
	if c.rand.IntN(100) == 0 {
		lines[len(lines)-1].item = c.items() + 1
	}
	return Txn{Kind: "new-order", Body: func(ctx context.Context, tx *sql.Tx) error {
		o := &ordering{ctx: ctx, tx: tx, w: c.w, d: d, customer: customer, lines: lines}
		for _, step := range []func() error{o.readPrices, o.takeNumber, o.writeOrder, o.takeStock, o.writeLines} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}}
}

// ordering is a NewOrder under way.
type ordering struct {
	ctx            context.Context
	tx             *sql.Tx
	w, d, customer int
	id             int // of the order
	lines          []orderLine
	prices         map[int]cents
	info           []string // of each line: the stock's text for the district
}

// in is a list of question marks for so many values.
func in(n int) string { return "(" + strings.Repeat("?, ", n-1) + "?)" }

// readPrices reads all items in one statement; a missing one ends the order.
func (o *ordering) readPrices() error {
	var ids []any
	want := map[int]bool{}
	for _, l := range o.lines {
		if !want[l.item] {
			want[l.item] = true
			ids = append(ids, l.item)
		}
	}
	o.prices = map[int]cents{}
	rows, err := o.tx.QueryContext(o.ctx, "SELECT i_id, i_price FROM item WHERE i_id IN "+in(len(ids)), ids...)
	if err != nil {
		return err
	}
	return scan(rows, func(rows *sql.Rows) error {
		var id int
		var price cents
		err := rows.Scan(&id, &price)
		o.prices[id] = price
		return err
	})
}

// takeNumber takes the district's next order number, and reads the values for the bill.
func (o *ordering) takeNumber() error {
	var tax, discount, credit, last string
	if err := o.tx.QueryRowContext(o.ctx, "SELECT w_tax FROM warehouse WHERE w_id = ?", o.w).Scan(&tax); err != nil {
		return err
	}
	const district = "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE"
	if err := o.tx.QueryRowContext(o.ctx, district, o.w, o.d).Scan(&o.id, &tax); err != nil {
		return err
	}
	const customer = "SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
	if err := o.tx.QueryRowContext(o.ctx, customer, o.w, o.d, o.customer).Scan(&discount, &last, &credit); err != nil {
		return err
	}
	return ChangeOne(o.ctx, o.tx, "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?", o.id+1, o.w, o.d)
}

func (o *ordering) writeOrder() error {
	local := 1
	for _, l := range o.lines {
		if l.supply != o.w {
			local = 0
		}
	}
	_, err := o.tx.ExecContext(o.ctx, "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
		o.w, o.d, o.id, o.customer, time.Now(), len(o.lines), local)
	if err != nil {
		return err
	}
	_, err = o.tx.ExecContext(o.ctx, "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)", o.w, o.d, o.id)
	return err
}

// takeStock updates the stock of the lines in a global order, so that two orders do not deadlock.
func (o *ordering) takeStock() error {
	if len(o.prices) == 0 {
		return errRollback
	}
	o.info = make([]string, len(o.lines))
	at := make([]int, len(o.lines))
	for i, l := range o.lines {
		if _, ok := o.prices[l.item]; !ok {
			return errRollback // the item that does not exist
		}
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int {
		x, y := o.lines[a], o.lines[b]
		return slices.Compare([]int{x.supply, x.item}, []int{y.supply, y.item})
	})
	for _, i := range at {
		if err := o.takeLine(i); err != nil {
			return err
		}
	}
	return nil
}

func (o *ordering) takeLine(i int) error {
	l := o.lines[i]
	var quantity int
	var data string
	text := fmt.Sprintf("SELECT s_quantity, s_dist_%02d, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE", o.d)
	if err := o.tx.QueryRowContext(o.ctx, text, l.supply, l.item).Scan(&quantity, &o.info[i], &data); err != nil {
		return err
	}
	if quantity -= l.quantity; quantity < 10 {
		quantity += 91
	}
	remote := 0
	if l.supply != o.w {
		remote = 1
	}
	return ChangeOne(o.ctx, o.tx, `UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ?
		WHERE s_w_id = ? AND s_i_id = ?`, quantity, l.quantity, remote, l.supply, l.item)
}

// writeLines writes all lines in one statement.
func (o *ordering) writeLines() error {
	var rows []string
	var args []any
	for i, l := range o.lines {
		rows = append(rows, "(?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)")
		amount := o.prices[l.item] * cents(l.quantity)
		args = append(args, o.w, o.d, o.id, i+1, l.item, l.supply, l.quantity, amount.String(), o.info[i])
	}
	_, err := o.tx.ExecContext(o.ctx, "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES "+
		strings.Join(rows, ", "), args...)
	return err
}

// payment is by a customer of the client's own warehouse, fifteen in a hundred
// times by one of another.
func (c *terminal) payment() Txn {
	d := c.district()
	payer := c.customer(c.w, d)
	if c.rand.IntN(100) >= 85 {
		payer = c.customer(c.otherWarehouse(), c.district())
	}
	amount := cents(c.between(100, 500000))
	return Txn{Kind: "payment", Body: func(ctx context.Context, tx *sql.Tx) error {
		if err := ChangeOne(ctx, tx, "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", amount.String(), c.w); err != nil {
			return err
		}
		if err := ChangeOne(ctx, tx, "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?", amount.String(), c.w, d); err != nil {
			return err
		}
		var w, name string
		if err := tx.QueryRowContext(ctx, "SELECT w_name FROM warehouse WHERE w_id = ?", c.w).Scan(&w); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT d_name FROM district WHERE d_w_id = ? AND d_id = ?", c.w, d).Scan(&name); err != nil {
			return err
		}
		customer, err := payer.find(ctx, tx)
		if err != nil {
			return err
		}
		if err := c.pay(ctx, tx, payer, customer, d, amount); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO history (h_w_id, h_id, h_d_id, h_c_w_id, h_c_d_id, h_c_id, h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			c.w, c.next.Add(1), d, payer.w, payer.d, customer, time.Now(), amount.String(), w+"    "+name)
		return err
	}}
}

// pay changes the customer; for one with bad credit it also writes a note.
func (c *terminal) pay(ctx context.Context, tx *sql.Tx, p customerName, customer, d int, amount cents) error {
	var credit, data string
	const read = "SELECT c_credit, c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE"
	if err := tx.QueryRowContext(ctx, read, p.w, p.d, customer).Scan(&credit, &data); err != nil {
		return err
	}
	if credit == "BC" {
		data = fmt.Sprintf("%d %d %d %d %d %v|%s", customer, p.d, p.w, d, c.w, amount, data)
		data = data[:min(len(data), 500)]
	}
	return ChangeOne(ctx, tx, `UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, c_data = ?
		WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?`, amount.String(), amount.String(), data, p.w, p.d, customer)
}

// orderStatus reads a customer's last order.
func (c *terminal) orderStatus() Txn {
	p := c.customer(c.w, c.district())
	return Txn{Kind: "order-status", Body: func(ctx context.Context, tx *sql.Tx) error {
		customer, err := p.find(ctx, tx)
		if err != nil {
			return err
		}
		var balance cents
		var first, last string
		const read = "SELECT c_balance, c_first, c_last FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
		if err := tx.QueryRowContext(ctx, read, p.w, p.d, customer).Scan(&balance, &first, &last); err != nil {
			return err
		}
		var order, count, lines int
		var carrier sql.NullInt64
		const newest = "SELECT o_id, o_ol_cnt, o_carrier_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1"
		if err := tx.QueryRowContext(ctx, newest, p.w, p.d, customer).Scan(&order, &count, &carrier); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?", p.w, p.d, order)
		if err != nil {
			return err
		}
		err = scan(rows, func(rows *sql.Rows) error {
			var item, supply, quantity int
			var amount cents
			lines++
			return rows.Scan(&item, &supply, &quantity, &amount)
		})
		if err == nil && lines != count {
			err = fmt.Errorf("order %d of district %d.%d has %d lines, and a count of %d", order, p.w, p.d, lines, count)
		}
		return err
	}}
}

// delivery delivers the oldest open order of each district, all in one transaction.
func (c *terminal) delivery() Txn {
	carrier := c.between(1, 10)
	return Txn{Kind: "delivery", Body: func(ctx context.Context, tx *sql.Tx) error {
		for d := 1; d <= tpccDistricts; d++ {
			if err := c.deliver(ctx, tx, d, carrier); err != nil {
				return err
			}
		}
		return nil
	}}
}

func (c *terminal) deliver(ctx context.Context, tx *sql.Tx, d, carrier int) error {
	var order, customer int
	const oldest = "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE"
	err := tx.QueryRowContext(ctx, oldest, c.w, d).Scan(&order)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // nothing to deliver: the specification lets it be skipped
	}
	if err != nil {
		return err
	}
	if err := ChangeOne(ctx, tx, "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?", c.w, d, order); err != nil {
		return err
	}
	const whose = "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?"
	if err := tx.QueryRowContext(ctx, whose, c.w, d, order).Scan(&customer); err != nil {
		return err
	}
	if err := ChangeOne(ctx, tx, "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?", carrier, c.w, d, order); err != nil {
		return err
	}
	const lines = "UPDATE order_line SET ol_delivery_d = ? WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
	if _, err := tx.ExecContext(ctx, lines, time.Now(), c.w, d, order); err != nil {
		return err
	}
	var sum cents
	const amounts = "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"
	if err := tx.QueryRowContext(ctx, amounts, c.w, d, order).Scan(&sum); err != nil {
		return err
	}
	return ChangeOne(ctx, tx, "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
		sum.String(), c.w, d, customer)
}

// stockLevel counts the items of the last twenty orders that run low.
func (c *terminal) stockLevel() Txn {
	d, threshold := c.district(), c.between(10, 20)
	return Txn{Kind: "stock-level", Body: func(ctx context.Context, tx *sql.Tx) error {
		var next, low int
		if err := tx.QueryRowContext(ctx, "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?", c.w, d).Scan(&next); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT COUNT(DISTINCT s_i_id) FROM order_line JOIN stock ON s_i_id = ol_i_id
			WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ? AND s_w_id = ? AND s_quantity < ?`, c.w, d, next-20, next, c.w, threshold).Scan(&low)
	}}
}
