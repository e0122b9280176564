package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// startMax bounds the installation and the start of the server.
	startMax = 90 * time.Second
	// statementMax bounds one statement at the server, in seconds.
	statementMax = 2
	// mysqlMode is MySQL 8's default sql_mode, as far as MariaDB has it.
	mysqlMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
)

// yardstick is a MariaDB server in a temporary directory, and one connection to it.
type yardstick struct {
	dir  string
	cmd  *exec.Cmd
	db   *sql.DB
	conn *sql.Conn
}

// program finds a program of the server.
func program(name string) (string, error) {
	if p, err := exec.LookPath(name); err == nil {
		return p, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/usr/libexec"} {
		p := filepath.Join(dir, name)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s not found: install mariadb-server", name)
}

// memory is a directory in memory where there is one: definitions are synced, and there are thousands.
// Elsewhere it is empty, the system's own choice.
func memory() string {
	if os.Getenv("TMPDIR") == "" {
		if i, err := os.Stat("/dev/shm"); err == nil && i.IsDir() {
			return "/dev/shm"
		}
	}
	return ""
}

// startYardstick installs and starts a server that listens on a socket only.
func startYardstick() (*yardstick, error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	server, err := program("mariadbd")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(memory(), "sqltrial")
	if err != nil {
		return nil, err
	}
	y := &yardstick{dir: dir}
	who, err := user.Current()
	if err != nil {
		y.close()
		return nil, err
	}
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	ctx, cancel := context.WithTimeout(context.Background(), startMax)
	defer cancel()
	out, err := exec.CommandContext(ctx, install, "--no-defaults", "--datadir="+data, "--user="+who.Username,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M").CombinedOutput()
	if err != nil {
		y.close()
		return nil, fmt.Errorf("%s: %w: %s", install, err, bytes.TrimSpace(out))
	}
	y.cmd = exec.Command(server, "--no-defaults", "--datadir="+data, "--tmpdir="+dir, "--socket="+socket,
		"--user="+who.Username, "--skip-networking", "--skip-log-bin", "--innodb-buffer-pool-size=32M",
		"--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=0",
		"--innodb-flush-method=nosync", "--max-allowed-packet=1M", "--innodb-doublewrite=0", "--sync-frm=0", "--default-time-zone=+00:00",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci")
	if err := y.cmd.Start(); err != nil {
		y.cmd = nil
		y.close()
		return nil, err
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "root", "unix", socket, &mysql.NopLogger{}
	cfg.ReadTimeout = 5 * statementMax * time.Second
	cfg.Collation = "utf8mb4_general_ci"
	cfg.Params = map[string]string{
		"sql_mode": "'" + mysqlMode + "'", "max_statement_time": fmt.Sprint(statementMax), "lock_wait_timeout": "1",
		"innodb_lock_wait_timeout": "1", "time_zone": "'+00:00'",
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		y.close()
		return nil, err
	}
	y.db = sql.OpenDB(connector)
	for {
		if y.conn, err = y.db.Conn(ctx); err == nil {
			return y, nil
		}
		if ctx.Err() != nil {
			y.close()
			return nil, fmt.Errorf("the server did not start within %v: %w", startMax, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (y *yardstick) close() {
	if y.conn != nil {
		y.conn.Close()
	}
	if y.db != nil {
		y.db.Close()
	}
	if y.cmd != nil {
		y.cmd.Process.Kill() // its data is removed next
		y.cmd.Wait()
	}
	os.RemoveAll(y.dir)
}

// reconnect replaces a connection that a statement has ended.
func (y *yardstick) reconnect() {
	y.conn.Close()
	if c, err := y.db.Conn(context.Background()); err == nil {
		y.conn = c
	}
}

// code is the server's error number; 0 without an error, -1 for an error of the connection.
func code(err error) int {
	var m *mysql.MySQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &m):
		return int(m.Number)
	}
	return -1
}

// prepare returns the error number of preparing the text; 0 also where the statement parses and the
// server does not prepare its kind (1295).
func (y *yardstick) prepare(text string) int {
	stmt, err := y.conn.PrepareContext(context.Background(), text)
	if err == nil {
		stmt.Close()
	}
	n := code(err)
	if n == -1 {
		y.reconnect()
	}
	if n == 1295 {
		return 0
	}
	return n
}

func (y *yardstick) exec(text string) int {
	_, err := y.conn.ExecContext(context.Background(), text)
	n := code(err)
	if n == -1 {
		y.reconnect()
	}
	return n
}

// answer is what a query returned: the types of its columns and its rows.
type answer struct {
	code  int
	names []string
	types []string
	rows  [][]sql.RawBytes
}

// maxRows bounds the rows of an answer that are kept.
const maxRows = 2000

func (y *yardstick) query(text string) answer {
	rows, err := y.conn.QueryContext(context.Background(), text)
	if err != nil {
		n := code(err)
		if n == -1 {
			y.reconnect()
		}
		return answer{code: n}
	}
	defer rows.Close()
	var a answer
	types, err := rows.ColumnTypes()
	if err != nil {
		return answer{code: -1}
	}
	for _, t := range types {
		a.types = append(a.types, t.DatabaseTypeName())
		a.names = append(a.names, t.Name())
	}
	for rows.Next() && len(a.rows) < maxRows {
		row, into := make([]sql.RawBytes, len(types)), make([]any, len(types))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return answer{code: -1}
		}
		for i := range row {
			if row[i] != nil {
				row[i] = append(sql.RawBytes{}, row[i]...)
			}
		}
		a.rows = append(a.rows, row)
	}
	a.code = code(rows.Err())
	return a
}
