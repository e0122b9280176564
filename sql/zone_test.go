package sql

import (
	"testing"

	"isochron/txn"
)

// Each statement takes the session's time zone to its source, whatever way it goes there.
func TestZonesGoToSources(t *testing.T) {
	f := startSources(t)
	var zones []string
	note := func(s txn.Statement) (txn.Result, error) {
		zones = append(zones, s.Zone)
		return txn.Result{Columns: []txn.Column{{Name: "id", Type: "int"}, {Name: "item", Type: "varchar"}, {Name: "qty", Type: "decimal(10,2)"}}}, nil
	}
	f.my.Answer = note
	is := func(want ...string) {
		t.Helper()
		if len(zones) != len(want) {
			t.Fatalf("zones are %q, want %q", zones, want)
		}
		for i := range want {
			if zones[i] != want[i] {
				t.Fatalf("zones are %q, want %q", zones, want)
			}
		}
		zones = nil
	}
	f.c.exec("SET time_zone = '+05:30'")
	for range 3 { // read, and with its values taken out
		f.c.exec("UPDATE orders SET qty = 1 WHERE id = 7")
	}
	is("+05:30", "+05:30", "+05:30")
	f.c.exec("DELETE FROM orders WHERE id = ?", 7)
	f.c.exec("SET time_zone = 'Europe/Paris'")
	f.c.exec("DELETE FROM orders WHERE id = ?", 7)
	is("+05:30", "Europe/Paris")
	f.c.exec("SET time_zone = '+00:00'")
	f.c.exec("DELETE FROM orders WHERE id = 7")
	f.c.exec("SET time_zone = 'UTC'")
	f.c.exec("DELETE FROM orders WHERE id = 7")
	f.c.exec("SET time_zone = '-01:00'")
	is("", "")
	f.c.exec("BEGIN")
	f.c.exec("SELECT * FROM orders a JOIN accounts b ON a.id = b.id") // the engine asks for the rows
	f.c.exec("ROLLBACK")
	is("-01:00")
}
