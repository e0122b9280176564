//go:build unix

package dialect

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

// tool finds a program of a Debian package, or skips the test and names the package.
func tool(t *testing.T, debian string, places ...string) string {
	t.Helper()
	for _, p := range places {
		found, _ := filepath.Glob(p)
		if len(found) > 0 {
			return found[len(found)-1]
		}
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	if os.Getenv("ISOCHRON_NEED_SOURCES") != "" {
		t.Fatalf("no %s here: install the Debian package %s", filepath.Base(places[0]), debian)
	}
	t.Skipf("no %s here: install the Debian package %s", filepath.Base(places[0]), debian)
	return ""
}

// asServer returns a command that runs as a user who may run a server: PostgreSQL refuses root.
func asServer(t *testing.T, who, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		return c
	}
	for _, n := range []string{who, "nobody"} {
		u, err := user.Lookup(n)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Skip("PostgreSQL does not run as root, and there is no user postgres or nobody")
	return nil
}

// serverDir is a directory that a server may use; its path is short, for its socket.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "dialect")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start starts a server and has it stopped when the test ends.
func start(t *testing.T, c *exec.Cmd) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT)
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = c.Process.Kill()
			<-done
		}
	})
	return &log
}

// postgres is a PostgreSQL of the test's own, reached by psql.
type postgres struct{ psql, dir string }

func startPostgres(t *testing.T) *postgres {
	t.Helper()
	server := tool(t, "postgresql", "/usr/lib/postgresql/*/bin/postgres", "postgres")
	initdb := tool(t, "postgresql", "/usr/lib/postgresql/*/bin/initdb", "initdb")
	psql := tool(t, "postgresql-client", "psql")
	dir := serverDir(t)
	data := filepath.Join(dir, "data")
	init := asServer(t, "postgres", dir, initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	log := start(t, asServer(t, "postgres", dir, server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=UTC"))
	p := &postgres{psql, dir}
	for try := 0; ; try++ {
		if out, err := p.script("SELECT 1"); err == nil {
			return p
		} else if try > 300 {
			t.Fatalf("PostgreSQL does not start: %v\n%s\n%s", err, out, log)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// script runs a script and returns psql's output. Fields are separated by \x1f, rows by \x1e.
func (p *postgres) script(text string) (string, error) {
	c := exec.Command(p.psql, "-X", "-q", "-A", "-h", p.dir, "-U", "postgres", "-d", "postgres", "-F", "\x1f", "-R", "\x1e", "-P", "null=\x1dNULL", "-P", "footer=off", "-v", "VERBOSITY=verbose")
	c.Stdin = strings.NewReader(text)
	out, err := c.CombinedOutput()
	return string(out), err
}

// startMariaDB starts a MariaDB of the test's own.
func startMariaDB(t *testing.T) *sql.DB {
	t.Helper()
	server := tool(t, "mariadb-server", "mariadbd", "/usr/sbin/mariadbd")
	install := tool(t, "mariadb-server", "mariadb-install-db", "/usr/bin/mariadb-install-db")
	dir := serverDir(t)
	data := filepath.Join(dir, "data")
	me := "mysql"
	if os.Getuid() != 0 {
		u, err := user.Current()
		if err != nil {
			t.Fatal(err)
		}
		me = u.Username
	}
	init := asServer(t, me, dir, install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	socket := filepath.Join(dir, "s")
	log := start(t, asServer(t, me, dir, server, "--no-defaults", "--datadir="+data, "--socket="+socket, "--skip-networking",
		"--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M", "--default-time-zone=+00:00",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci"))
	db, err := sql.Open("mysql", fmt.Sprintf("root@unix(%s)/?interpolateParams=true&charset=utf8mb4", socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for try := 0; ; try++ {
		if err := db.PingContext(context.Background()); err == nil {
			return db
		} else if try > 300 {
			t.Fatalf("MariaDB does not start: %v\n%s", err, log)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
