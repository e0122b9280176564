package sourcetest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"

	"github.com/go-sql-driver/mysql"

	"isochron/server/ports"
)

// mariadbSocket is the name of a server's socket in its directory.
const mariadbSocket = "s"

// MariaDB starts a MariaDB without a binary log. more are further arguments for the server.
func MariaDB(more ...string) (*Server, error) {
	install, err := find("mariadb-install-db", "mariadb-server")
	if err != nil {
		return nil, err
	}
	program, err := find("mariadbd", "mariadb-server")
	if err != nil {
		return nil, err
	}
	port, err := ports.Take(1)
	if err != nil {
		return nil, err
	}
	dir, err := directory("mariadb")
	if err != nil {
		port.Release()
		return nil, err
	}
	data, tmp := filepath.Join(dir, "data"), "--tmpdir="+dir // in a directory of several servers their temporary tables collide
	s := &Server{
		Kind: "mariadb", Port: port.Base, port: port, Superuser: "root", dir: dir, program: program, exec: mysqlExec,
		args: append([]string{
			"--no-defaults", "--datadir=" + data, tmp, "--socket=" + filepath.Join(dir, mariadbSocket), "--pid-file=" + filepath.Join(dir, "pid"),
			"--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", port.Base), "--skip-log-bin", "--innodb-buffer-pool-size=32M",
			"--innodb-log-file-size=16M", "--max-connections=300",
		}, more...),
	}
	if err := run(dir, install, "--no-defaults", "--datadir="+data, tmp, "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M"); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.Start(); err != nil {
		s.Close()
		return nil, err
	}
	err = mysqlExec(s, "", fmt.Sprintf("CREATE DATABASE %s; CREATE USER %s@'%%' IDENTIFIED BY '%s'; GRANT ALL ON %[1]s.* TO %[2]s@'%%'", Database, User, Password))
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// mysqlExec runs statements as the superuser.
func mysqlExec(s *Server, database, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startMax)
	defer cancel()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = s.Superuser, "tcp", s.Addr(), database
	cfg.MultiStatements, cfg.Logger = true, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(ctx, text)
	return err
}
