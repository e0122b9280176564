package sources

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
)

// TPC-C runs over warehouses that lie at four sources, two of each kind, and its twelve
// consistency conditions hold.
func TestTPCC(t *testing.T) {
	c := begin(t)
	w, err := sqlload.New("tpcc", sqlload.Options{Warehouses: 4, Scale: 0.003})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sourcetest.Server{house.my, house.my2} { // theirs is of that name too
		if err := s.Exec("RENAME TABLE orders TO orders_aside"); err != nil {
			t.Fatal(err)
		}
		defer s.Exec("DROP TABLE orders; RENAME TABLE orders_aside TO orders")
	}
	for _, table := range w.Tables() {
		for _, s := range []*sourcetest.Server{house.pg, house.pg2, house.my, house.my2} {
			stmts := []string{fmt.Sprintf("CREATE TABLE %s (%s)", table.Name, table.Columns)}
			if s.Kind == "postgres" {
				stmts = append(table.Postgres(), fmt.Sprintf("GRANT ALL ON %s TO %s", table.Name, sourcetest.User))
			}
			if err := s.Exec(strings.Join(stmts, "; ")); err != nil {
				t.Fatal(table.Name, err)
			}
		}
		if table.Name == "item" {
			c.exec("CALL isochron.import_broadcast_table('testtpcc.item', 'pg_a,my_a,pg_b,my_b')")
		} else {
			c.exec(fmt.Sprintf("CALL isochron.import_sharded_table('testtpcc.%s', '%s', 'hash', 'pg_a,my_a,pg_b,my_b')", table.Name, table.Home))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	e, err := sqlload.Target{Addresses: []string{house.door.Addr().String()}, User: "root", Database: "testtpcc", Connections: 12}.Open(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := w.Load(ctx, e); err != nil {
		t.Fatal(err)
	}
	report, err := sqlload.Run(ctx, e, w, sqlload.Plan{Name: "tpcc", Clients: 4, For: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	found, err := sqlload.Judge(ctx, e, w, report)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
	if report.Total.Commits == 0 {
		t.Error("nothing was committed")
	}
}
