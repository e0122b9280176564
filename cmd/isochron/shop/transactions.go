package shop

import (
	"context"
	"database/sql"

	"isochron/geo"
	"isochron/sqlload"
)

// newPurchase is a home customer's order. With goods it takes one to three
// products off their shelves, which stand all over the world; without, it is an
// order of a service, and all its rows are at home.
func (c *client) newPurchase(goods bool) func(context.Context, *sql.Tx) error {
	customer := 1 + c.rand.Int64N(customersPerRegion)
	order := c.rand.Int64() // a random number, so that no counter is fought over
	var bought []int64
	total := int64(500)
	if goods {
		for range 1 + c.rand.IntN(3) {
			product := 1 + c.rand.Int64N(products)
			bought = append(bought, product)
			total += priceCents(product)
		}
	}
	return func(ctx context.Context, tx *sql.Tx) error {
		if err := c.placeOrder(ctx, tx, customer, order, total); err != nil {
			return err
		}
		for line, product := range bought {
			if err := c.takeOff(ctx, tx, order, int64(line), product); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c *client) placeOrder(ctx context.Context, tx *sql.Tx, customer, order, total int64) error {
	var balance int64
	err := tx.QueryRowContext(ctx, "SELECT balance_cents FROM customers WHERE region = ? AND id = ?",
		string(c.region), customer).Scan(&balance)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO orders (region, id, customer, total_cents) VALUES (?, ?, ?, ?)",
		string(c.region), order, customer, total)
	if err != nil {
		return err
	}
	return sqlload.ChangeOne(ctx, tx, "UPDATE customers SET balance_cents = balance_cents - ? WHERE region = ? AND id = ?",
		total, string(c.region), customer)
}

func (c *client) takeOff(ctx context.Context, tx *sql.Tx, order, line, product int64) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO order_lines (region, order_id, line, product, quantity) VALUES (?, ?, ?, ?, 1)",
		string(c.region), order, line, product)
	if err != nil {
		return err
	}
	return sqlload.ChangeOne(ctx, tx, "UPDATE products SET stock = stock - 1 WHERE id = ?", product)
}

// newTransfer moves money from a home customer to one of another region.
func (c *client) newTransfer() func(context.Context, *sql.Tx) error {
	from, to := 1+c.rand.Int64N(customersPerRegion), 1+c.rand.Int64N(customersPerRegion)
	there := c.elsewhere()
	amount := 1 + c.rand.Int64N(1000)
	const add = "UPDATE customers SET balance_cents = balance_cents + ? WHERE region = ? AND id = ?"
	return func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlload.ChangeOne(ctx, tx, add, -amount, string(c.region), from); err != nil {
			return err
		}
		return sqlload.ChangeOne(ctx, tx, add, amount, string(there), to)
	}
}

// elsewhere is a region that is not the client's own.
func (c *client) elsewhere() geo.Region {
	for {
		if r := c.crowd.Regions[c.rand.IntN(len(c.crowd.Regions))]; r != c.region {
			return r
		}
	}
}
