package test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/protocol"
)

// A statement whose time is up while it waits for another's lock releases the locks of its
// transaction, and the transaction returns that it is over.
func TestCutShortWhileWaiting(t *testing.T) {
	spec, err := protocol.ByName(protocol.Default)
	if err != nil {
		t.Fatal(err)
	}
	c := sharedCluster(t, spec)
	conn := func() *sql.Conn {
		pool, err := sql.Open("mysql", c.dsn(0, ""))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pool.Close() })
		k, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	exec := func(k *sql.Conn, statement string, code uint16) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := k.ExecContext(ctx, statement)
		var my *mysql.MySQLError
		switch {
		case code == 0 && err != nil, code != 0 && (!errors.As(err, &my) || my.Number != code):
			t.Fatalf("%s: %v, want %d", statement, err, code)
		}
	}
	one, two, three := conn(), conn(), conn()
	for _, s := range []string{"CREATE DATABASE cut", "CREATE TABLE cut.t (id INT PRIMARY KEY, v INT)", "INSERT INTO cut.t VALUES (1, 1), (2, 2)", "BEGIN", "SELECT * FROM cut.t WHERE id = 1 FOR UPDATE"} {
		exec(one, s, 0)
	}
	exec(two, "SET isochron_statement_timeout = 300", 0)
	exec(two, "BEGIN", 0)
	exec(two, "UPDATE cut.t SET v = 9 WHERE id = 2", 0)
	exec(two, "SELECT * FROM cut.t WHERE id = 1 FOR UPDATE", 3024)
	exec(three, "SET innodb_lock_wait_timeout = 5", 0)
	exec(three, "UPDATE cut.t SET v = 3 WHERE id = 2", 0)
	exec(two, "COMMIT", 1213)
	exec(two, "SELECT * FROM cut.t WHERE id = 1 FOR UPDATE", 3024) // its own transaction
	exec(one, "COMMIT", 0)
	exec(three, "UPDATE cut.t SET v = 3 WHERE id = 1", 0)
	var v int
	if err := three.QueryRowContext(t.Context(), "SELECT v FROM cut.t WHERE id = 2").Scan(&v); err != nil || v != 3 {
		t.Errorf("v is %d (%v)", v, err)
	}
}
