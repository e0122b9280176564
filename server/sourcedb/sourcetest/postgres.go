package sourcetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/server/ports"
)

// Postgres starts a PostgreSQL that can prepare 64 transactions. more are further arguments for the server, before the usual
// ones: "-c", "max_prepared_transactions=0".
func Postgres(more ...string) (*Server, error) {
	initdb, err := find("initdb", "postgresql", "/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return nil, err
	}
	program, err := find("postgres", "postgresql", "/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return nil, err
	}
	port, err := ports.Take(1)
	if err != nil {
		return nil, err
	}
	dir, err := directory("postgres")
	if err != nil {
		port.Release()
		return nil, err
	}
	data := filepath.Join(dir, "data")
	s := &Server{
		Kind: "postgres", Port: port.Base, port: port, Superuser: "super", dir: dir, program: program, exec: pgExec,
		args: append([]string{
			"-D", data, "-p", fmt.Sprint(port.Base), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + dir,
			"-c", "max_prepared_transactions=64", "-c", "shared_buffers=16MB", "-c", "deadlock_timeout=50ms",
		}, more...),
	}
	if err := run(dir, initdb, "-D", data, "-U", s.Superuser, "-E", "UTF8", "--locale=C", "--no-sync", "--auth=trust"); err != nil {
		s.Close()
		return nil, err
	}
	rules := fmt.Sprintf("local all all scram-sha-256\nhost all %s all trust\nhost all all all scram-sha-256\n", s.Superuser)
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.Start(); err != nil {
		s.Close()
		return nil, err
	}
	for _, text := range []string{
		fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", User, Password),
		fmt.Sprintf("CREATE DATABASE %s OWNER %s", Database, User),
	} {
		if err := pgExec(s, "", text); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// pgExec runs statements as the superuser.
func pgExec(s *Server, database, text string) error {
	if database == "" {
		database = "postgres"
	}
	ctx, cancel := context.WithTimeout(context.Background(), startMax)
	defer cancel()
	c, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", s.Superuser, s.Addr(), database))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, text).ReadAll()
	return err
}
