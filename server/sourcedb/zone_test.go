package sourcedb

import (
	"fmt"
	"strings"
	"testing"

	"isochron/source"
)

// Each statement reads and writes times in its own session's time zone: in branches and alone, on one connection that others
// have used, after failures and savepoints.
func TestZonesOfStatements(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d := k.open(Options{Connections: 1})
		column, text := "ts TIMESTAMP NULL", "DATE_FORMAT(ts, '%H:%i')"
		if k.name_() == "postgres" {
			column, text = "ts TIMESTAMPTZ", "to_char(ts, 'HH24:MI')"
		}
		k.must(k.server.Exec(fmt.Sprintf("ALTER TABLE %s ADD %s", k.table, column)))
		in := func(b source.Branch, zone, text string) (source.Result, error) {
			return b.Execute(k.ctx, source.Statement{Text: strings.ReplaceAll(text, "%s", k.table), Zone: zone})
		}
		is := func(r source.Result, err error, want string) {
			t.Helper()
			k.must(err)
			if len(r.Rows) != 1 || string(r.Rows[0][0]) != want {
				t.Fatalf("%s, want %s", r.Rows, want)
			}
		}
		read := "SELECT " + text + " FROM %s WHERE id = 1"
		_, err := d.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{}, source.Statement{
			Text: fmt.Sprintf("INSERT INTO %s VALUES (1, 1, '2024-01-01 12:00:00')", k.table), Zone: "+05:30"})
		k.must(err)
		for _, zone := range []struct{ name, want string }{{"+05:30", "12:00"}, {"", "06:30"}, {"-02:30", "04:00"}} {
			r, err := d.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{}, source.Statement{Text: strings.ReplaceAll(read, "%s", k.table), Zone: zone.name})
			is(r, err, zone.want)
			b := k.beginAt(d, k.name(), source.BranchOptions{})
			r, err = in(b, zone.name, read)
			is(r, err, zone.want)
			r, err = in(b, "+01:00", read)
			is(r, err, "07:30")
			_, err = in(b, "+01:00", "SAVEPOINT a")
			k.must(err)
			r, err = in(b, "+02:00", read)
			is(r, err, "08:30")
			_, err = in(b, "+02:00", "ROLLBACK TO SAVEPOINT a")
			k.must(err)
			r, err = in(b, "+02:00", read)
			is(r, err, "08:30")
			if _, err = in(b, "+03:00", "SELECT nothing FROM %s"); err == nil {
				t.Fatal("a column that is not there was read")
			}
			r, err = in(b, "+02:00", read)
			is(r, err, "08:30")
			if zone.name == "" {
				k.must(b.Commit(k.ctx))
			} else {
				k.must(b.Rollback(k.ctx))
			}
		}
	})
}

// An unknown or invalid zone is an error without effect, and later statements run in their own zone.
func TestAZoneThatASourceDoesNotHave(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d := k.open(Options{Connections: 1})
		for _, zone := range []string{"Mars/Olympus", "+01:00'; DROP TABLE x; --", "a\\"} {
			s := source.Statement{Text: fmt.Sprintf("INSERT INTO %s VALUES (1, 1)", k.table), Zone: zone}
			_, err := d.(source.OneTripDriver).Once(k.ctx, k.name(), source.BranchOptions{}, s)
			k.fails(err, codeUnknownZone)
			b := k.beginAt(d, k.name(), source.BranchOptions{})
			_, err = b.Execute(k.ctx, s)
			k.fails(err, codeUnknownZone)
			k.do(b, "INSERT INTO %s VALUES (2, 2)")
			_, err = b.Execute(k.ctx, s)
			k.fails(err, codeUnknownZone)
			k.do(b, "UPDATE %s SET v = 3 WHERE id = 2")
			k.must(b.Rollback(k.ctx))
		}
		k.has()
	})
}
