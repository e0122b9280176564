package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"isochron/geo"
)

// Name is the database that the shop lives in.
const Name = "shop"

// The size of the shop, and what each row begins with.
const (
	customersPerRegion = 200
	products           = 500
	firstBalanceCents  = 1_000_000
	firstStock         = 1_000_000
)

// home places each row in the region that its first key column names.
const home = `COMMENT='isochron: {"spread":"region","column":"region"}'`

// schema is the shop's tables; the products are spread over as many shards as
// there are regions.
func schema(regions int) []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS customers (
			region VARCHAR(16) NOT NULL,
			id BIGINT NOT NULL,
			name VARCHAR(64) NOT NULL,
			balance_cents BIGINT NOT NULL,
			PRIMARY KEY (region, id)
		) ` + home,
		`CREATE TABLE IF NOT EXISTS orders (
			region VARCHAR(16) NOT NULL,
			id BIGINT NOT NULL,
			customer BIGINT NOT NULL,
			total_cents BIGINT NOT NULL,
			PRIMARY KEY (region, id)
		) ` + home,
		`CREATE TABLE IF NOT EXISTS order_lines (
			region VARCHAR(16) NOT NULL,
			order_id BIGINT NOT NULL,
			line BIGINT NOT NULL,
			product BIGINT NOT NULL,
			quantity BIGINT NOT NULL,
			PRIMARY KEY (region, order_id, line)
		) ` + home,
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS products (
			id BIGINT NOT NULL PRIMARY KEY,
			name VARCHAR(64) NOT NULL,
			price_cents BIGINT NOT NULL,
			stock BIGINT NOT NULL
		) COMMENT='isochron: {"spread":"hash","shards":%d}'`, regions),
	}
}

// CreateDatabase makes the shop's database, if need be. db is connected to none.
func CreateDatabase(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+Name); err != nil {
		return fmt.Errorf("cannot create the database %s: %w", Name, err)
	}
	return nil
}

// Load creates the shop and fills it, each region through its own port. Existing rows stay: loading
// twice is loading once. progress receives each step before it begins.
func Load(ctx context.Context, dbs map[geo.Region]*sql.DB, regions []geo.Region, progress func(string)) error {
	first := dbs[regions[0]]
	for _, ddl := range schema(len(regions)) {
		progress("creating table " + strings.Fields(ddl)[5])
		if _, err := first.ExecContext(ctx, ddl); err != nil {
			return fmt.Errorf("cannot create the tables of the shop: %w", err)
		}
	}
	for _, r := range regions {
		progress("loading the customers of " + string(r))
		if err := loadCustomers(ctx, dbs[r], r); err != nil {
			return fmt.Errorf("cannot load the customers of %s: %w", r, err)
		}
	}
	progress("loading the products")
	if err := loadProducts(ctx, first); err != nil {
		return fmt.Errorf("cannot load the products: %w", err)
	}
	return nil
}

// loadCustomers fills one region in one statement: all of it is there or none.
func loadCustomers(ctx context.Context, db *sql.DB, region geo.Region) error {
	there, err := exists(ctx, db, "SELECT id FROM customers WHERE region = ? AND id = 1", string(region))
	if there || err != nil {
		return err
	}
	var rows []string
	for i := 1; i <= customersPerRegion; i++ {
		rows = append(rows, fmt.Sprintf("('%s', %d, 'customer %d of %s', %d)", region, i, i, region, firstBalanceCents))
	}
	return retry(ctx, func() error {
		_, err := db.ExecContext(ctx, "INSERT INTO customers (region, id, name, balance_cents) VALUES "+strings.Join(rows, ", "))
		return err
	})
}

func loadProducts(ctx context.Context, db *sql.DB) error {
	there, err := exists(ctx, db, "SELECT id FROM products WHERE id = 1")
	if there || err != nil {
		return err
	}
	var rows []string
	for i := 1; i <= products; i++ {
		rows = append(rows, fmt.Sprintf("(%d, 'product %d', %d, %d)", i, i, priceCents(int64(i)), firstStock))
	}
	return retry(ctx, func() error {
		_, err := db.ExecContext(ctx, "INSERT INTO products (id, name, price_cents, stock) VALUES "+strings.Join(rows, ", "))
		return err
	})
}

// priceCents is a product's price, which never changes.
func priceCents(product int64) int64 { return 100 + product%17*25 }

func exists(ctx context.Context, db *sql.DB, query string, args ...any) (bool, error) {
	var id int64
	err := retry(ctx, func() error { return db.QueryRowContext(ctx, query, args...).Scan(&id) })
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
