package sourcetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
)

// Ask returns the result of a superuser's query in the ordinary account's database, every value as text and NULL as "".
func (s *Server) Ask(ctx context.Context, query string) ([][]string, error) {
	if s.Kind == "postgres" {
		return s.askPostgres(ctx, query)
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.Logger = s.Superuser, "tcp", s.Addr(), Database, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	names, err := rows.Columns()
	var out [][]string
	for err == nil && rows.Next() {
		cells, at := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			at[i] = &cells[i]
		}
		if err = rows.Scan(at...); err != nil {
			break
		}
		row := make([]string, len(names))
		for i, c := range cells {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return out, errors.Join(err, rows.Err(), rows.Close())
}

func (s *Server) askPostgres(ctx context.Context, query string) (out [][]string, err error) {
	c, err := pgconn.Connect(ctx, fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", s.Superuser, s.Addr(), Database))
	if err != nil {
		return nil, err
	}
	defer c.Close(ctx)
	results, err := c.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, values := range r.Rows {
			row := make([]string, len(values))
			for i, v := range values {
				row[i] = string(v)
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// Prepared returns the names of all prepared transactions at the server.
func (s *Server) Prepared(ctx context.Context) (names []string, err error) {
	query := "SELECT gid FROM pg_prepared_xacts ORDER BY gid"
	if s.Kind == "mariadb" {
		query = "XA RECOVER"
	}
	rows, err := s.Ask(ctx, query)
	for _, row := range rows {
		names = append(names, row[len(row)-1])
	}
	return names, err
}

// Foreign prepares a foreign transaction under a name at the server, if there is none yet: background work must leave it
// alone.
func (s *Server) Foreign(ctx context.Context, name string) error {
	names, err := s.Prepared(ctx)
	if err != nil || strings.Contains(strings.Join(names, "\n"), name) {
		return err
	}
	if err := s.Exec("CREATE TABLE IF NOT EXISTS foreigners (id bigint PRIMARY KEY)"); err != nil {
		return err
	}
	text := "XA START '%[1]s'; INSERT INTO foreigners VALUES (7); XA END '%[1]s'; XA PREPARE '%[1]s'"
	if s.Kind == "postgres" {
		text = "BEGIN; INSERT INTO foreigners VALUES (7); PREPARE TRANSACTION '%s'"
	}
	return s.Exec(fmt.Sprintf(text, name))
}
