package test

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestMariaDBClient talks to each region's port with the command-line client.
func TestMariaDBClient(t *testing.T) {
	program, err := exec.LookPath("mariadb")
	if err != nil {
		t.Skip("LEFT OUT: the mariadb client is not installed (apt-get install mariadb-client)")
	}
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		ctx, cancel := context.WithTimeout(context.Background(), endless)
		defer cancel()
		for i := range s.regions {
			got := mariadb(t, ctx, program, s.dsns[i], fmt.Sprintf(
				"BEGIN; INSERT INTO kv VALUES (%d, %d, 9); SAVEPOINT a; DELETE FROM kv; ROLLBACK TO a; COMMIT; SELECT id, v FROM kv WHERE grp = 9 ORDER BY id", i*10, i))
			want := ""
			for j := range i + 1 {
				want += fmt.Sprintf("%d\t%d\n", j*10, j)
			}
			if got != want {
				t.Errorf("from %s the client read\n%swant\n%s", s.regions[i], got, want)
			}
		}
	})
}

// mariadb runs a text in the client and returns its output.
func mariadb(t *testing.T, ctx context.Context, program, dsn, text string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := strings.Cut(cfg.Addr, ":")
	args := []string{"--no-defaults", "--batch", "--skip-column-names", "-h", host, "-P", port, "-u", cfg.User, "-e", text, cfg.DBName}
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("mariadb %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestDriver uses what applications use of the Go driver, from every region:
// prepared statements, transactions of its own, types, the id of a row inserted.
func TestDriver(t *testing.T) {
	onEveryProtocol(t, func(t *testing.T, s *stage) {
		s.exec(`CREATE TABLE things (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40), price DECIMAL(10,2), made DATETIME, UNIQUE KEY by_name (name))`)
		made := time.Date(2024, 2, 29, 12, 30, 0, 0, time.UTC)
		for i, db := range s.pools {
			id := insertThing(t, db, fmt.Sprintf("thing %d", i), made)
			var name, price, when string
			err := s.pools[(i+1)%len(s.pools)].QueryRow("SELECT name, price, made FROM things WHERE id = ?", id).Scan(&name, &price, &when)
			if err != nil {
				t.Fatal(err)
			}
			if name != fmt.Sprintf("thing %d", i) || price != "19.90" || when != "2024-02-29 12:30:00" {
				t.Errorf("inserted in %s, read %q %q %q next door", s.regions[i], name, price, when)
			}
			if _, err := db.Exec("INSERT INTO things (name) VALUES (?)", name); number(err) != 1062 {
				t.Errorf("a name twice gave %v, want error 1062", err)
			}
		}
	})
}

// insertThing inserts in a transaction and returns the new row's id.
func insertThing(t *testing.T, db *sql.DB, name string, made time.Time) int64 {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	result, err := tx.Exec("INSERT INTO things (name, price, made) VALUES (?, ?, ?)", name, "19.90", made)
	if err != nil {
		t.Fatal(err)
	}
	id, err := result.LastInsertId()
	if err != nil || id == 0 {
		t.Fatalf("the new row's id is %d, %v", id, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return id
}
