package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The joins: customers lie in their region, the other tables by hash or in the first region.
const customers = 60

var tables = []string{
	`CREATE TABLE customer_of (region VARCHAR(20), id INT, name VARCHAR(20), class INT, PRIMARY KEY (region, id), KEY (class))
		COMMENT='isochron: {"spread":"region","column":"region"}'`,
	`CREATE TABLE sale (id INT PRIMARY KEY, region VARCHAR(20), customer INT, total INT, KEY (region, customer))
		COMMENT='isochron: {"spread":"hash","shards":5,"columns":["id"]}'`,
	`CREATE TABLE line (sale INT, n INT, product INT, quantity INT, PRIMARY KEY (sale, n), KEY (product))
		COMMENT='isochron: {"spread":"hash","shards":5,"columns":["sale"]}'`,
	`CREATE TABLE product (id INT PRIMARY KEY, name VARCHAR(20), kind INT, KEY (kind))
		COMMENT='isochron: {"spread":"hash","shards":5,"columns":["id"]}'`,
	`CREATE TABLE kind (id INT PRIMARY KEY, name VARCHAR(20))`,
}

// joined are the twenty joins; {here} is the first region.
var joined = []string{
	"SELECT s.id, c.name FROM sale s JOIN customer_of c ON c.region = s.region AND c.id = s.customer WHERE s.id = 7",
	"SELECT s.id, l.n, l.quantity FROM sale s JOIN line l ON l.sale = s.id WHERE s.id IN (3, 4, 5, 6)",
	"SELECT c.name, s.total FROM customer_of c JOIN sale s ON s.region = c.region AND s.customer = c.id WHERE c.region = '{here}' AND c.id < 20",
	"SELECT l.sale, p.name FROM line l JOIN product p ON p.id = l.product WHERE l.sale < 10",
	"SELECT l.sale, p.name, k.name FROM line l JOIN product p ON p.id = l.product JOIN kind k ON k.id = p.kind WHERE l.sale = 9",
	"SELECT c.name, p.name FROM sale s JOIN customer_of c ON c.region = s.region AND c.id = s.customer JOIN line l ON l.sale = s.id JOIN product p ON p.id = l.product WHERE s.id BETWEEN 10 AND 19",
	"SELECT c.name, p.name, k.name FROM customer_of c JOIN sale s ON s.region = c.region AND s.customer = c.id JOIN line l ON l.sale = s.id JOIN product p ON p.id = l.product JOIN kind k ON k.id = p.kind WHERE c.region = '{here}' AND c.id = 5",
	"SELECT c.id, COUNT(s.id) FROM customer_of c LEFT JOIN sale s ON s.region = c.region AND s.customer = c.id WHERE c.region = '{here}' GROUP BY c.id",
	"SELECT p.id, SUM(l.quantity) FROM product p LEFT JOIN line l ON l.product = p.id WHERE p.kind = 2 GROUP BY p.id",
	"SELECT k.name, COUNT(*), SUM(l.quantity) FROM line l JOIN product p ON p.id = l.product JOIN kind k ON k.id = p.kind GROUP BY k.name ORDER BY 1",
	"SELECT COUNT(*) FROM sale s JOIN line l ON l.sale = s.id",
	"SELECT a.id, b.id FROM product a JOIN product b ON b.kind = a.kind AND b.id > a.id WHERE a.id < 5",
	"SELECT id FROM sale WHERE id < 30 AND customer IN (SELECT id FROM customer_of WHERE region = '{here}' AND class = 1)",
	"SELECT id FROM sale s WHERE id < 30 AND EXISTS (SELECT 1 FROM line l WHERE l.sale = s.id AND l.quantity > 3)",
	"SELECT id FROM product p WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.product = p.id)",
	"SELECT s.id, (SELECT SUM(quantity) FROM line l WHERE l.sale = s.id) FROM sale s WHERE s.id < 20",
	"SELECT s.id FROM sale s WHERE s.total > (SELECT AVG(total) FROM sale)",
	"SELECT d.kind, d.n, k.name FROM (SELECT kind, COUNT(*) AS n FROM product GROUP BY kind) d JOIN kind k ON k.id = d.kind",
	"WITH big AS (SELECT * FROM sale WHERE total > 50) SELECT a.id FROM big a JOIN big b ON b.id = a.id + 1",
	"SELECT c.name, t.total FROM customer_of c, LATERAL (SELECT SUM(total) AS total FROM sale s WHERE s.region = c.region AND s.customer = c.id) t WHERE c.region = '{here}' AND c.id < 9",
}

// joins fills the tables and measures the joins, each twice.
func (m *meter) joins(ctx context.Context, regions []string) error {
	db, err := m.open()
	if err != nil {
		return err
	}
	defer db.Close()
	m.loadName, m.off = "joins", true
	for _, text := range append(append([]string(nil), tables...), rowsOf(regions)...) {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text[:min(len(text), 80)], err)
		}
	}
	m.off = false
	for range 2 {
		for _, text := range joined {
			rows, err := db.QueryContext(ctx, strings.ReplaceAll(text, "{here}", regions[0]))
			if err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			for rows.Next() {
				continue // its rows do not matter
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
	}
	return nil
}

// rowsOf are the insertions.
func rowsOf(regions []string) []string {
	var c, s, l, p, k []string
	for i := range customers {
		for _, r := range regions {
			c = append(c, fmt.Sprintf("('%s', %d, 'c%d', %d)", r, i, i, i%7))
		}
	}
	for i := range 4 * customers {
		s = append(s, fmt.Sprintf("(%d, '%s', %d, %d)", i, regions[i%len(regions)], i*13%customers, i*37%101))
		for n := range 3 {
			l = append(l, fmt.Sprintf("(%d, %d, %d, %d)", i, n, (i*7+n*11)%45, 1+(i+n)%5))
		}
	}
	for i := range 50 {
		p = append(p, fmt.Sprintf("(%d, 'p%d', %d)", i, i, i%5))
	}
	for i := range 5 {
		k = append(k, fmt.Sprintf("(%d, 'k%d')", i, i))
	}
	into := func(table string, rows []string) string {
		return "INSERT INTO " + table + " VALUES " + strings.Join(rows, ", ")
	}
	return []string{into("customer_of", c), into("sale", s), into("line", l), into("product", p), into("kind", k)}
}
