package shop

import (
	"context"
	"database/sql"
	"fmt"

	"isochron/geo"
)

// Books are the sums that no transaction changes.
type Books struct {
	Customers, Orders, Products, Lines int64 // how many there are
	BalanceCents, TotalCents           int64
	Stock, Sold                        int64
}

// Check adds the shop up, in one transaction, and reports whether anything was lost or made of
// nothing.
func Check(ctx context.Context, db *sql.DB, regions []geo.Region) (Books, error) {
	var b Books
	err := retry(ctx, func() error {
		var err error
		b, err = add(ctx, db)
		return err
	})
	if err != nil {
		return b, fmt.Errorf("cannot read the shop's books: %w", err)
	}
	return b, b.balance(int64(len(regions)))
}

func add(ctx context.Context, db *sql.DB) (Books, error) {
	var b Books
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return b, err
	}
	sums := []struct {
		query      string
		count, sum *int64
	}{
		{"SELECT COUNT(*), SUM(balance_cents) FROM customers", &b.Customers, &b.BalanceCents},
		{"SELECT COUNT(*), SUM(total_cents) FROM orders", &b.Orders, &b.TotalCents},
		{"SELECT COUNT(*), SUM(stock) FROM products", &b.Products, &b.Stock},
		{"SELECT COUNT(*), SUM(quantity) FROM order_lines", &b.Lines, &b.Sold},
	}
	for _, s := range sums {
		// NULL of an empty table; and a sum may come as a number with a point.
		var sum sql.NullFloat64
		if err := tx.QueryRowContext(ctx, s.query).Scan(s.count, &sum); err != nil {
			_ = tx.Rollback() // the first error is the one to report
			return b, err
		}
		*s.sum = int64(sum.Float64)
	}
	return b, tx.Commit()
}

func (b Books) balance(regions int64) error {
	customers, goods := regions*customersPerRegion, int64(products)
	switch {
	case b.Customers != customers:
		return fmt.Errorf("the shop has %d customers, expected %d", b.Customers, customers)
	case b.Products != goods:
		return fmt.Errorf("the shop has %d products, expected %d", b.Products, goods)
	case b.BalanceCents+b.TotalCents != customers*firstBalanceCents:
		return fmt.Errorf("the shop's money does not add up: %d cents in accounts and %d in orders, expected a sum of %d",
			b.BalanceCents, b.TotalCents, customers*firstBalanceCents)
	case b.Stock+b.Sold != goods*firstStock:
		return fmt.Errorf("the shop's goods do not add up: %d in stock and %d sold, expected a sum of %d", b.Stock, b.Sold, goods*firstStock)
	}
	return nil
}
