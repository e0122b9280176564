package rounds_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/rounds"
	"isochron/sql/table"
	"isochron/txn"
)

// batched is a shop whose reads that depend on nothing begin in one round.
type batched struct {
	*shop
	begun  []string // tables whose reads have begun together
	after  []string // tables that were read later
	closed int
}

func (b *batched) Read(ctx context.Context, a *table.Access, lock txn.Lock, wait txn.Wait, columns []int) ([][]expr.Value, error) {
	b.after = append(b.after, a.Desc.Record.Name)
	return b.shop.Read(ctx, a, lock, wait, columns)
}

func (b *batched) ReadFirst(ctx context.Context, list []rounds.Request) (out []exec.Source, err error) {
	if len(b.begun) > 0 {
		return nil, errors.New("reads begin together once")
	}
	for _, q := range list {
		rows, err := b.shop.Read(ctx, q.Access, txn.LockNone, 0, q.Columns)
		if err != nil {
			return nil, err
		}
		b.begun = append(b.begun, q.Access.Desc.Record.Name)
		out = append(out, &closes{exec.Rows(rows), b})
	}
	return out, nil
}

type closes struct {
	exec.Source
	of *batched
}

func (c *closes) Close() { c.of.closed++ }

// Reads that depend on nothing begin in one round; the others follow, and EXPLAIN shows which is which.
func TestReadsThatBeginTogether(t *testing.T) {
	s := newShop(t)
	for _, tc := range []struct{ text, rows, begun, after string }{
		{"SELECT COUNT(*) FROM customers, orders", "20", "customers orders", ""},
		{"SELECT COUNT(*) FROM customers a JOIN customers b ON a.city = b.city AND a.id < b.id", "1", "", "customers customers"},
		{"SELECT COUNT(*) FROM customers a JOIN customers b ON a.name = b.name WHERE a.id < 3 AND b.id > 1", "1", "customers customers", ""},
		{"SELECT id FROM customers UNION ALL SELECT customer FROM orders WHERE id = 11 ORDER BY id", "1;1;2;3;4", "customers orders", ""},
		{"SELECT id FROM orders WHERE total > (SELECT AVG(total) FROM orders) ORDER BY id", "11;12", "orders orders", ""},
		{"WITH q AS (SELECT id FROM orders) SELECT COUNT(*) FROM q a JOIN q b JOIN customers", "100", "orders customers", ""},
		{"SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM orders) q, customers GROUP BY n", "5,4", "orders customers", ""},
		// A lookup and what a subquery bounds wait; nothing begins alone.
		{"SELECT o.id, name FROM orders o JOIN customers c ON c.id = o.customer ORDER BY o.id", "10,ann;11,ann;12,bob", "", "orders customers"},
		{"SELECT name FROM customers WHERE id IN (SELECT customer FROM orders) ORDER BY id", "ann;bob", "", "orders customers"},
		{"SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id) ORDER BY id", "ann;bob", "", "customers orders"},
		{"SELECT COUNT(*) FROM orders a, customers b JOIN customers c ON c.id = b.id", "20", "orders customers", "customers"},
		// What locks waits, and what no row can match is not read.
		{"SELECT COUNT(*) FROM customers, orders FOR SHARE", "20", "", "customers orders"},
		{"SELECT COUNT(*) FROM customers, orders WHERE customers.id = NULL", "0", "", ""},
		{"SELECT name, (SELECT MAX(total) FROM orders) FROM customers WHERE id = NULL", "", "", ""},
	} {
		p, err := s.compile(tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		steps, err := p.Steps(clock{}, s.c)
		if err != nil {
			t.Fatal(err)
		}
		b, m := &batched{shop: s}, &balance{most: 1 << 30}
		from, err := p.Execute(context.Background(), clock{}, s.c, b, m)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		rows, err := shownRows(p, from)
		from.Close()
		if got := strings.Join(b.begun, " "); err != nil || rows != tc.rows || got != tc.begun || strings.Join(b.after, " ") != tc.after {
			t.Errorf("%s: %s, %v; began with %q, then %q", tc.text, rows, err, got, b.after)
		}
		together := 0
		for _, step := range steps {
			if step.Together {
				together++
			}
		}
		if together != len(b.begun) || m.held != 0 || b.closed < len(b.begun) {
			t.Errorf("%s: %d steps begin together, %d bytes are held, %d reads were closed", tc.text, together, m.held, b.closed)
		}
	}
}

// Reads that have begun are closed with a statement that fails.
func TestBegunReadsOfAStatementThatFails(t *testing.T) {
	s := newShop(t)
	p, err := s.compile("SELECT COUNT(*) FROM customers, orders")
	if err != nil {
		t.Fatal(err)
	}
	b := &batched{shop: s}
	from, err := p.Execute(context.Background(), clock{}, s.c, b, &balance{most: 8})
	if err == nil {
		_, err = from.Next(context.Background())
		from.Close()
	}
	if err == nil || b.closed != 2 {
		t.Errorf("%v, %d reads were closed", err, b.closed)
	}
}
