package sourcedb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

// name_ is the dialect's name.
func (k *kit) name_() string { return k.dialect.name }

// do2 runs a statement that names no table.
func (k *kit) do2(b source.Branch, text string) source.Result {
	k.t.Helper()
	r, err := b.Execute(k.ctx, source.Statement{Text: text})
	if err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	return r
}

// long is a query of very many rows.
func (k *kit) long() string {
	if k.name_() == "postgres" {
		return "SELECT generate_series(1, 1000000000), repeat('x', 100)" // row by row
	}
	return "SELECT seq, repeat('x', 100) FROM seq_1_to_1000000000"
}

// waiting returns the number of statements with a text that the server runs.
func (k *kit) waiting(text string) (n int) {
	k.t.Helper()
	k.must(k.ctx.Err())
	var count string
	if k.name_() == "postgres" {
		count = k.pg("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND strpos(query, '" + text + "') > 0")
	} else {
		count = k.my("SELECT COUNT(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND INSTR(info, '" + text + "')")
	}
	if _, err := fmt.Sscan(count, &n); err != nil {
		k.t.Fatal(err)
	}
	return n
}

// pg runs statements as the superuser of a PostgreSQL and returns the first value.
func (k *kit) pg(text string) string {
	k.t.Helper()
	c, err := pgconn.Connect(k.ctx, fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", k.server.Superuser, k.server.Addr(), sourcetest.Database))
	k.must(err)
	defer c.Close(context.Background())
	results, err := c.Exec(k.ctx, text).ReadAll()
	k.must(err)
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}

// my is pg for a MariaDB.
func (k *kit) my(text string) string {
	k.t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.MultiStatements = k.server.Superuser, "tcp", k.server.Addr(), sourcetest.Database, true
	connector, err := mysql.NewConnector(cfg)
	k.must(err)
	db := sql.OpenDB(connector)
	defer db.Close()
	rows, err := db.QueryContext(k.ctx, text)
	k.must(err)
	defer rows.Close()
	value := ""
	for rows.Next() {
		k.must(rows.Scan(&value))
	}
	k.must(rows.Err())
	return value
}

// foreign prepares a transaction under any name; undo rolls it back.
func (k *kit) foreign(name string, row int) (undo func()) {
	k.t.Helper()
	insert := fmt.Sprintf("INSERT INTO %s VALUES (%d, 0)", k.table, row)
	if k.name_() == "postgres" {
		k.pg(fmt.Sprintf("BEGIN; %s; PREPARE TRANSACTION '%s'", insert, name))
		return func() { k.pg(fmt.Sprintf("ROLLBACK PREPARED '%s'", name)) }
	}
	global, branch, _ := strings.Cut(name, "/")
	format := 1 // not Isochron's, whatever the name
	if n, ok := source.ParseName(name); ok && n.Cluster != cluster || strings.HasPrefix(name, "isochron1") {
		format = mysqlFormat
	}
	xid := fmt.Sprintf("'%s','%s',%d", global, branch, format)
	k.my(fmt.Sprintf("XA START %s; %s; XA END %s; XA PREPARE %s", xid, insert, xid, xid))
	return func() { k.my("XA ROLLBACK " + xid) }
}
