package sqlload

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// The tables of the specification. The history has a key of its own, for
// a table without one is no good to a server that divides tables by key.
var tpccTables = []Table{
	{"warehouse", `w_id INT NOT NULL PRIMARY KEY, w_name VARCHAR(10), w_street_1 VARCHAR(20), w_street_2 VARCHAR(20), w_city VARCHAR(20),
		w_state CHAR(2), w_zip CHAR(9), w_tax DECIMAL(4,4) NOT NULL, w_ytd DECIMAL(12,2) NOT NULL`, "w_id"},
	{"district", `d_w_id INT NOT NULL, d_id INT NOT NULL, d_name VARCHAR(10), d_street_1 VARCHAR(20), d_street_2 VARCHAR(20), d_city VARCHAR(20),
		d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(12,2) NOT NULL, d_next_o_id INT NOT NULL,
		PRIMARY KEY (d_w_id, d_id)`, "d_w_id"},
	{"customer", `c_w_id INT NOT NULL, c_d_id INT NOT NULL, c_id INT NOT NULL, c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16) NOT NULL,
		c_street_1 VARCHAR(20), c_street_2 VARCHAR(20), c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16), c_since DATETIME,
		c_credit CHAR(2) NOT NULL, c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4) NOT NULL, c_balance DECIMAL(12,2) NOT NULL,
		c_ytd_payment DECIMAL(12,2) NOT NULL, c_payment_cnt INT NOT NULL, c_delivery_cnt INT NOT NULL, c_data VARCHAR(500),
		PRIMARY KEY (c_w_id, c_d_id, c_id), KEY customer_name (c_w_id, c_d_id, c_last, c_first)`, "c_w_id"},
	{"history", `h_w_id INT NOT NULL, h_id BIGINT NOT NULL, h_d_id INT NOT NULL, h_c_w_id INT NOT NULL, h_c_d_id INT NOT NULL, h_c_id INT NOT NULL,
		h_date DATETIME, h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24), PRIMARY KEY (h_w_id, h_id)`, "h_w_id"},
	{"orders", `o_w_id INT NOT NULL, o_d_id INT NOT NULL, o_id INT NOT NULL, o_c_id INT NOT NULL, o_entry_d DATETIME, o_carrier_id INT,
		o_ol_cnt INT NOT NULL, o_all_local INT NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id), KEY orders_customer (o_w_id, o_d_id, o_c_id, o_id)`, "o_w_id"},
	{"new_order", `no_w_id INT NOT NULL, no_d_id INT NOT NULL, no_o_id INT NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)`, "no_w_id"},
	{"order_line", `ol_w_id INT NOT NULL, ol_d_id INT NOT NULL, ol_o_id INT NOT NULL, ol_number INT NOT NULL, ol_i_id INT NOT NULL, ol_supply_w_id INT,
		ol_delivery_d DATETIME, ol_quantity INT, ol_amount DECIMAL(6,2) NOT NULL, ol_dist_info CHAR(24),
		PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)`, "ol_w_id"},
	{"item", `i_id INT NOT NULL PRIMARY KEY, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2) NOT NULL, i_data VARCHAR(50)`, "i_id"},
	{"stock", `s_w_id INT NOT NULL, s_i_id INT NOT NULL, s_quantity INT NOT NULL, s_dist_01 CHAR(24), s_dist_02 CHAR(24), s_dist_03 CHAR(24),
		s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24), s_dist_10 CHAR(24),
		s_ytd INT NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL, s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)`, "s_w_id"},
}

// firstPayment is the sum every customer has paid when the load is over.
const firstPayment cents = 1000

// loadTime is when everything was that is loaded.
const loadTime = "'2026-01-01 00:00:00'"

// Load fills all tables as 4.3.3 of the specification has it.
func (t *tpcc) Load(ctx context.Context, e *Env) error {
	e.Log("loading %d items", t.items())
	err := fill(ctx, e, "item (i_id, i_im_id, i_name, i_price, i_data)", t.items(), func(i int) string {
		r := t.seeded(e, 1, i)
		return fmt.Sprintf("(%d, %d, '%s', %v, '%s')", i+1, 1+r.IntN(10000), letters(r, 14+r.IntN(11)), cents(100+r.IntN(9901)), original(r))
	})
	for w := 1; w <= t.warehouses && err == nil; w++ {
		e.Log("loading warehouse %d of %d", w, t.warehouses)
		err = t.loadWarehouse(ctx, e, w)
	}
	return err
}

// seeded is a source of chance for one row, the same however the loaders share the work.
func (t *tpcc) seeded(e *Env, table uint64, row int) *rand.Rand {
	return rand.New(rand.NewPCG(e.Seed^table<<56, uint64(row)))
}

// original: one in ten goods carries the word.
func original(r *rand.Rand) string {
	text := letters(r, 26+r.IntN(25))
	if r.IntN(10) > 0 {
		return text
	}
	at := r.IntN(len(text) - 8)
	return text[:at] + "ORIGINAL" + text[at+8:]
}

// address is two streets, a city, a state and a zip code.
func address(r *rand.Rand) string {
	return fmt.Sprintf("'%s', '%s', '%s', '%s', '%04d11111'", letters(r, 10+r.IntN(11)), letters(r, 10+r.IntN(11)), letters(r, 10+r.IntN(11)), letters(r, 2), r.IntN(10000))
}

// loadWarehouse loads what belongs to one warehouse.
func (t *tpcc) loadWarehouse(ctx context.Context, e *Env, w int) error {
	ytd := firstPayment * cents(t.customers())
	err := fill(ctx, e, "warehouse (w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd)", 1, func(int) string {
		r := t.seeded(e, 2, w)
		return fmt.Sprintf("(%d, '%s', %s, 0.%04d, %v)", w, letters(r, 6+r.IntN(5)), address(r), r.IntN(2001), ytd*tpccDistricts)
	})
	if err != nil {
		return err
	}
	err = fill(ctx, e, "district (d_w_id, d_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip, d_tax, d_ytd, d_next_o_id)", tpccDistricts, func(d int) string {
		r := t.seeded(e, 3, w*tpccDistricts+d)
		return fmt.Sprintf("(%d, %d, '%s', %s, 0.%04d, %v, %d)", w, d+1, letters(r, 6+r.IntN(5)), address(r), r.IntN(2001), ytd, t.customers()+1)
	})
	if err != nil {
		return err
	}
	err = fill(ctx, e, `stock (s_w_id, s_i_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08,
		s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data)`, t.items(), func(i int) string {
		r := t.seeded(e, 4, w*t.items()+i)
		row := fmt.Sprintf("(%d, %d, %d", w, i+1, 10+r.IntN(91))
		for range tpccDistricts {
			row += ", '" + letters(r, 24) + "'"
		}
		return row + fmt.Sprintf(", 0, 0, 0, '%s')", original(r))
	})
	if err != nil {
		return err
	}
	if err := t.loadCustomers(ctx, e, w); err != nil {
		return err
	}
	return t.loadOrders(ctx, e, w)
}

// loadCustomers: the first thousand of a district have one last name each, so
// that a run finds every name; each has paid once.
func (t *tpcc) loadCustomers(ctx context.Context, e *Env, w int) error {
	n := t.customers()
	err := fill(ctx, e, `customer (c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since,
		c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data)`, n*tpccDistricts, func(i int) string {
		r := t.seeded(e, 5, w*n*tpccDistricts+i)
		d, c := i/n, i%n
		name := c
		if c >= tpccNames {
			name = nuRand(r, 255, 0, tpccNames-1, nuLastAtLoad)
		}
		credit := "GC"
		if r.IntN(10) == 0 {
			credit = "BC"
		}
		return fmt.Sprintf("(%d, %d, %d, '%s', 'OE', '%s', %s, '%016d', %s, '%s', 50000.00, 0.%04d, %v, %v, 1, 0, '%s')",
			w, d+1, c+1, letters(r, 8+r.IntN(9)), lastName(name), address(r), r.Int64N(1e16), loadTime, credit, r.IntN(5001),
			-firstPayment, firstPayment, letters(r, 300+r.IntN(201)))
	})
	if err != nil {
		return err
	}
	return fill(ctx, e, "history (h_w_id, h_id, h_d_id, h_c_w_id, h_c_d_id, h_c_id, h_date, h_amount, h_data)", n*tpccDistricts, func(i int) string {
		r := t.seeded(e, 6, w*n*tpccDistricts+i)
		return fmt.Sprintf("(%d, %d, %d, %d, %d, %d, %s, %v, '%s')", w, i, i/n+1, w, i/n+1, i%n+1, loadTime, firstPayment, letters(r, 12+r.IntN(13)))
	})
}

// loadOrders: one order of each customer, in an order of chance; the last three
// in ten are not delivered yet.
func (t *tpcc) loadOrders(ctx context.Context, e *Env, w int) error {
	n := t.customers()
	delivered := n * 7 / 10
	var customers [][]int
	for d := range tpccDistricts {
		customers = append(customers, t.seeded(e, 7, w*tpccDistricts+d).Perm(n))
	}
	lines := func(i int) int { return 5 + t.seeded(e, 8, w*n*tpccDistricts+i).IntN(tpccLinesMax-4) }
	err := fill(ctx, e, "orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)", n*tpccDistricts, func(i int) string {
		carrier := "NULL"
		if i%n < delivered {
			carrier = fmt.Sprint(1 + t.seeded(e, 9, i).IntN(10))
		}
		return fmt.Sprintf("(%d, %d, %d, %d, %s, %s, %d, 1)", w, i/n+1, i%n+1, customers[i/n][i%n]+1, loadTime, carrier, lines(i))
	})
	if err != nil {
		return err
	}
	open := n - delivered
	err = fill(ctx, e, "new_order (no_w_id, no_d_id, no_o_id)", open*tpccDistricts, func(i int) string {
		return fmt.Sprintf("(%d, %d, %d)", w, i/open+1, delivered+i%open+1)
	})
	if err != nil {
		return err
	}
	type line struct{ order, number int }
	var all []line
	for i := range n * tpccDistricts {
		for l := range lines(i) {
			all = append(all, line{i, l})
		}
	}
	return fill(ctx, e, "order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)", len(all), func(i int) string {
		r := t.seeded(e, 10, w<<32+i)
		o := all[i].order
		when, amount := loadTime, cents(0)
		if o%n >= delivered {
			when, amount = "NULL", cents(1+r.IntN(999999))
		}
		return fmt.Sprintf("(%d, %d, %d, %d, %d, %d, %s, 5, %v, '%s')", w, o/n+1, o%n+1, all[i].number+1, 1+r.IntN(t.items()), w, when, amount, letters(r, 24))
	})
}
