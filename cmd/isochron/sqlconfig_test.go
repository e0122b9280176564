package main

import (
	"fmt"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/server/deploy"
	isosql "isochron/sql"
	"isochron/sql/sqltest"
)

// The times of a node's configuration become system variables, which take all that the
// configuration takes, and nothing beside it.
func TestTimesOfTheConfiguration(t *testing.T) {
	const year = "8760h"
	for _, c := range []struct {
		variable    string
		set         func(*deploy.SQL, string)
		least, most string
		below       int64 // a value that neither takes
		above       int64
	}{
		{"wait_timeout", func(s *deploy.SQL, v string) { s.WaitTimeout = v }, "1s", year, 0, 31536001},
		{"interactive_timeout", func(s *deploy.SQL, v string) { s.InteractiveTimeout = v }, "1s", year, 0, 31536001},
		{"net_write_timeout", func(s *deploy.SQL, v string) { s.WriteTimeout = v }, "1s", year, 0, 31536001},
		{"isochron_idle_transaction_timeout", func(s *deploy.SQL, v string) { s.IdleTransactionTimeout = v }, "0s", year, -1, 31536001},
		{"innodb_lock_wait_timeout", func(s *deploy.SQL, v string) { s.LockWaitTimeout = v }, "1s", "1073741824s", 0, 1<<30 + 1},
		{"isochron_statement_timeout", func(s *deploy.SQL, v string) { s.StatementTimeout = v }, "0s", "2147483647ms", -1, 1 << 31},
		{"isochron_source_timeout", func(s *deploy.SQL, v string) { s.SourceTimeout = v }, "1s", "1h", 0, 3601},
		{"isochron_commit_timeout", func(s *deploy.SQL, v string) { s.CommitTimeout = v }, "1s", "1h", 0, 3601},
	} {
		server := func(values map[string]int64) error {
			s, err := isosql.NewServer(sqltest.NewCluster("va").Gateway("va"), isosql.Config{Variables: values})
			if err == nil {
				s.Close()
			}
			return err
		}
		for _, text := range []string{c.least, c.most} {
			var s deploy.SQL
			c.set(&s, text)
			values, err := s.Variables()
			if err != nil || len(values) != 1 {
				t.Fatalf("%s: %s is %v (%v)", c.variable, text, values, err)
			}
			if err := server(values); err != nil {
				t.Errorf("%s = %s: %v", c.variable, text, err)
			}
			if _, v, _ := gms.SystemVariables.GetGlobal(c.variable); v != values[c.variable] {
				t.Errorf("%s is %v, want %d", c.variable, v, values[c.variable])
			}
		}
		for _, n := range []int64{c.below, c.above} {
			if server(map[string]int64{c.variable: n}) == nil {
				t.Errorf("%s took %d", c.variable, n)
			}
			var s deploy.SQL
			unit := "s"
			if c.variable == "isochron_statement_timeout" {
				unit = "ms"
			}
			c.set(&s, fmt.Sprint(n)+unit)
			if _, err := s.Variables(); err == nil || !strings.Contains(err.Error(), "is no time from") {
				t.Errorf("%s: the configuration took %d%s (%v)", c.variable, n, unit, err)
			}
		}
		v, _, _ := gms.SystemVariables.GetGlobal(c.variable)
		if err := gms.SystemVariables.SetGlobal(gms.NewEmptyContext(), c.variable, v.GetDefault()); err != nil {
			t.Fatal(err)
		}
	}
}
