package workload

import (
	"context"
	"slices"

	"isochron/txn"
)

// change changes rows: all in one round, or one after the other. A nil result leaves a row
// unchanged.
func (m *tpcc) change(ctx context.Context, t txn.Txn, keys []txn.Key, to func(i int, value []byte) []byte) error {
	size := len(keys)
	if m.rowByRow {
		size = 1
	}
	for from := 0; from < len(keys); from += size {
		res, err := t.Read(ctx, txn.Read{Gets: keys[from : from+size], ForWrite: true})
		if err != nil {
			return err
		}
		for i, value := range res.Values {
			if changed := to(from+i, value); changed != nil {
				t.Put(keys[from+i], changed)
			}
		}
	}
	return nil
}

// newOrder orders some items, one line in a hundred from another warehouse. One order in a hundred
// names an item that does not exist and is rolled back for it. All its rows are known beforehand:
// one round, and one for the tax where it is read.
func (m *tpcc) newOrder(c *Client) Job {
	w, d, customer := m.home(c), district(c), tpccCustomer(c)
	lines := make([]tpccLine, 0, tpccLinesMax)
	for range tpccLinesMin + c.Rand.IntN(tpccLinesMax-tpccLinesMin+1) {
		l := tpccLine{nonUniform(c, 8191, tpccItems), w, 1 + c.Rand.IntN(10)}
		if c.Rand.IntN(100) == 0 {
			l.supply = m.other(c, w)
		}
		// An item is in an order once.
		if !slices.ContainsFunc(lines, func(o tpccLine) bool { return o.item == l.item && o.supply == l.supply }) {
			lines = append(lines, l)
		}
	}
	bad := c.Rand.IntN(100) == 0
	gets := []txn.Key{m.row('d', w, d), m.row('c', w, d, customer)}
	for _, l := range lines {
		gets = append(gets, m.row('s', l.supply, l.item))
	}
	return Job{Body: func(ctx context.Context, t txn.Txn) error {
		if m.taxed {
			if _, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.row('w', w)}}); err != nil {
				return err
			}
		}
		o := 0
		err := m.change(ctx, t, gets, func(i int, value []byte) []byte {
			switch {
			case i == 1 || bad && !m.rowByRow: // it is known before anything is written
				return nil
			case i == 0:
				dist := m.openDistrict().read(value)
				o = int(dist[0])
				dist[0]++
				return dist.encode()
			}
			l := lines[i-2]
			return takeStock(openStock(l.supply, l.item).read(value), l, w).encode()
		})
		if err != nil {
			return err
		}
		if bad {
			return errGiveUp
		}
		for _, row := range m.orderRows(w, d, o, customer, lines) {
			t.Put(row.Key, row.Value)
		}
		return nil
	}}
}

// takeStock is a stock after one line of an order of a warehouse.
func takeStock(s fields, l tpccLine, w int) fields {
	if s[0] -= int64(l.quantity); s[0] < 10 {
		s[0] += 91
	}
	s[1] += int64(l.quantity)
	s[2]++
	if l.supply != w {
		s[3]++
	}
	return s
}

// customerName is a customer as named at a terminal: three in five by last name, which costs a read
// of the index first.
type customerName struct {
	w, d, number int
	byName       bool
}

func (m *tpcc) customer(c *Client, w, d int) customerName {
	return customerName{w, d, tpccCustomer(c), c.Rand.IntN(100) < 60}
}

// payment is by a customer of the client's own warehouse, fifteen times in a
// hundred by one of another. By number it takes one round, by name two.
func (m *tpcc) payment(c *Client) Job {
	w, d := m.home(c), district(c)
	p := m.customer(c, w, d)
	if c.Rand.IntN(100) < 15 {
		p = m.customer(c, m.other(c, w), district(c))
	}
	amount, id := 100+c.Rand.Int64N(499_901), c.nextID()
	customer := m.row('c', p.w, p.d, p.number)
	first := []txn.Key{m.row('w', w), m.row('d', w, d), customer}
	if p.byName {
		first[2] = m.row('i', p.w, p.d, p.number)
	}
	return Job{Body: func(ctx context.Context, t txn.Txn) error {
		pays := func(value []byte) []byte {
			cust := openCustomer.read(value)
			cust[0], cust[1], cust[2] = cust[0]-amount, cust[1]+amount, cust[2]+1
			return cust.encode()
		}
		var held []txn.Write // rows written after the last round
		takes := func(i int, row fields, column int) []byte {
			row[column] += amount
			if p.byName && !m.rowByRow {
				held = append(held, txn.Write{Key: first[i], Value: row.encode()})
				return nil
			}
			return row.encode()
		}
		err := m.change(ctx, t, first, func(i int, value []byte) []byte {
			switch {
			case i == 0:
				return takes(i, openWarehouse.read(value), 0)
			case i == 1:
				return takes(i, m.openDistrict().read(value), 1)
			case p.byName:
				return nil
			}
			return pays(value)
		})
		if err == nil && p.byName {
			err = m.change(ctx, t, []txn.Key{customer}, func(_ int, value []byte) []byte {
				for _, w := range held {
					t.Put(w.Key, w.Value)
				}
				return pays(value)
			})
		}
		if err != nil {
			return err
		}
		t.Put(m.row('h', w, c.Process, int(id%idsMax)), fields{int64(d), int64(p.w), int64(p.d), int64(p.number), amount}.encode())
		return nil
	}}
}

// orderStatus reads a customer's last order: the customer, then the order, with the index before if
// it is by name.
func (m *tpcc) orderStatus(c *Client) Job {
	p := m.customer(c, m.home(c), district(c))
	return Job{ReadOnly: true, Body: func(ctx context.Context, t txn.Txn) error {
		if p.byName {
			if _, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.row('i', p.w, p.d, p.number)}}); err != nil {
				return err
			}
		}
		res, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.row('c', p.w, p.d, p.number), m.row('x', p.w, p.d, p.number)}})
		if err != nil || res.Values[1] == nil {
			return err
		}
		o := int(fields{}.read(res.Values[1])[0])
		_, err = t.Read(ctx, txn.Read{Gets: []txn.Key{m.row('o', p.w, p.d, o)}, Scans: []txn.Scan{{Span: m.under('l', p.w, p.d, o)}}})
		return err
	}}
}

// delivery delivers the oldest open order of each district, in three rounds: the orders, their
// lines, their customers.
func (m *tpcc) delivery(c *Client) Job {
	w, carrier := m.home(c), 1+c.Rand.Int64N(10)
	return Job{Body: func(ctx context.Context, t txn.Txn) error {
		oldest := txn.Read{ForWrite: true}
		for d := 1; d <= tpccDistricts; d++ {
			oldest.Scans = append(oldest.Scans, txn.Scan{Span: m.under('n', w, d), Limit: 1})
		}
		res, err := t.Read(ctx, oldest)
		if err != nil {
			return err
		}
		inside := txn.Read{ForWrite: true}
		for i, found := range res.Pairs {
			if len(found) == 0 {
				continue // a district without open orders is left out
			}
			_, n := numbers(rowName(found[0].Key))
			t.Delete(found[0].Key)
			inside.Gets = append(inside.Gets, m.row('o', w, i+1, n[2]))
			inside.Scans = append(inside.Scans, txn.Scan{Span: m.under('l', w, i+1, n[2])})
		}
		if len(inside.Gets) == 0 {
			return nil
		}
		if res, err = t.Read(ctx, inside); err != nil {
			return err
		}
		return m.deliver(ctx, t, carrier, inside.Gets, res)
	}}
}

// deliver marks orders and their lines, and charges the customers.
func (m *tpcc) deliver(ctx context.Context, t txn.Txn, carrier int64, orders []txn.Key, in txn.ReadResult) error {
	charge := txn.Read{ForWrite: true}
	due := make([]int64, len(orders))
	for i, k := range orders {
		order := fields{0, 0, 0}.read(in.Values[i])
		order[1] = carrier
		t.Put(k, order.encode())
		for _, p := range in.Pairs[i] {
			line := fields{}.read(p.Value)
			due[i] += line[3]
			line[4] = 1
			t.Put(p.Key, line.encode())
		}
		_, n := numbers(rowName(k))
		charge.Gets = append(charge.Gets, m.row('c', n[0], n[1], int(order[0])))
	}
	res, err := t.Read(ctx, charge)
	if err != nil {
		return err
	}
	for i, k := range charge.Gets {
		cust := openCustomer.read(res.Values[i])
		cust[0], cust[3] = cust[0]+due[i], cust[3]+1
		t.Put(k, cust.encode())
	}
	return nil
}

// stockRecent is the number of a district's last orders that stockLevel reads.
const stockRecent = 20

// stockLevel reads which items of a district's last orders run low: the district, the lines, the
// stock.
func (m *tpcc) stockLevel(c *Client) Job {
	w, d := m.home(c), 1+c.Process/m.warehouses%tpccDistricts
	return Job{ReadOnly: true, Body: func(ctx context.Context, t txn.Txn) error {
		res, err := t.Read(ctx, txn.Read{Gets: []txn.Key{m.row('d', w, d)}})
		if err != nil {
			return err
		}
		next := int(m.openDistrict().read(res.Values[0])[0])
		recent := txn.Span{Start: m.row('l', w, d, max(1, next-stockRecent)), End: m.row('l', w, d, next)}
		if res, err = t.Read(ctx, txn.Read{Scans: []txn.Scan{{Span: recent}}}); err != nil {
			return err
		}
		var stock []txn.Key
		for _, p := range res.Pairs[0] {
			stock = append(stock, m.row('s', w, int(fields{}.read(p.Value)[0])))
		}
		if len(stock) == 0 {
			return nil
		}
		slices.Sort(stock)
		_, err = t.Read(ctx, txn.Read{Gets: slices.Compact(stock)})
		return err
	}}
}
