package sql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
)

const rootPassword = "Wurzel"

// guarded are gateways of one cluster with users and TLS.
type guarded struct {
	servers map[string]*Server
	ca      string // file
	roots   *x509.CertPool
}

func startGuarded(t *testing.T, edit func(*Config)) *guarded {
	t.Helper()
	cert, ca := testCertificate(t)
	g := &guarded{servers: map[string]*Server{}, ca: filepath.Join(t.TempDir(), "ca.crt"), roots: x509.NewCertPool()}
	if !g.roots.AppendCertsFromPEM(ca) {
		t.Fatal("no certificate")
	}
	if err := os.WriteFile(g.ca, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	cluster := sqltest.NewCluster(testRegions...)
	for _, region := range testRegions {
		cfg := Config{FailedLoginDelay: -1, Log: slog.New(slog.DiscardHandler), Root: verifierOf(rootPassword), TLS: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}}}
		if edit != nil {
			edit(&cfg)
		}
		s, err := NewServer(cluster.Gateway(region), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		g.servers[region] = s
	}
	return g
}

func (g *guarded) open(t *testing.T, region, user, password string, secure bool) *sql.DB {
	t.Helper()
	return g.openWith(t, region, user, password, secure, 64<<20)
}

// openWith is open for a driver that sends statements up to a length.
func (g *guarded) openWith(t *testing.T, region, user, password string, secure bool, packetBytes int) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Passwd, cfg.Logger = "tcp", g.servers[region].Addr().String(), user, password, &mysql.NopLogger{}
	cfg.MaxAllowedPacket = packetBytes
	cfg.Timeout, cfg.ReadTimeout = time.Minute, time.Minute
	if secure {
		cfg.TLS = &tls.Config{RootCAs: g.roots, ServerName: "localhost", MinVersion: tls.VersionTLS12}
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// login is what comes of a new connection.
func (g *guarded) login(t *testing.T, region, user, password string, secure bool) error {
	t.Helper()
	db := g.open(t, region, user, password, secure)
	defer db.Close()
	return db.Ping()
}

func codeOf(err error) (number uint16, state, message string) {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		return my.Number, string(my.SQLState[:]), my.Message
	}
	return 0, "", fmt.Sprint(err)
}

func wantCode(t *testing.T, err error, number uint16, state string) {
	t.Helper()
	if n, s, _ := codeOf(err); n != number || s != state {
		t.Errorf("got %v, want %d (%s)", err, number, state)
	}
}

func must(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Both kinds of passwords, with and without TLS, right and wrong.
func TestPasswords(t *testing.T) {
	g := startGuarded(t, nil)
	must(t, g.open(t, "va", "root", rootPassword, false),
		"CREATE USER nat IDENTIFIED WITH mysql_native_password BY 'n1'",
		"CREATE USER sha IDENTIFIED WITH caching_sha2_password BY 's1'",
		"CREATE USER IF NOT EXISTS sha IDENTIFIED BY 'other'",
		"CREATE USER tls IDENTIFIED BY 't1' REQUIRE SSL")
	for _, region := range testRegions {
		for _, good := range []struct {
			user, password string
			secure         bool
		}{{"root", rootPassword, false}, {"root", rootPassword, true}, {"nat", "n1", false}, {"nat", "n1", true},
			{"sha", "s1", true}, {"sha", "s1", true}, {"tls", "t1", true}} { // the second time from the cache
			if err := g.login(t, region, good.user, good.password, good.secure); err != nil {
				t.Errorf("%s in %s, TLS %v: %v", good.user, region, good.secure, err)
			}
		}
		for _, bad := range []struct {
			user, password string
			secure         bool
		}{{"root", "wrong", false}, {"root", "", true}, {"nat", "n2", false}, {"nat", "", false}, {"sha", "s2", true}, {"sha", "", true},
			{"sha", "s", true}, {"nobody", "x", false}, {"nobody", "x", true}, {"nobody", "", false}, {"", "", false}, {"", "x", true},
			{"tls", "t1", false}} {
			err := g.login(t, region, bad.user, bad.password, bad.secure)
			if n, _, _ := codeOf(err); n == 3159 && !bad.secure && (bad.user == "nobody" || bad.user == "") {
				continue // asked as if it were somebody with caching_sha2_password
			}
			wantCode(t, err, 1045, "28000")
			using := "NO"
			if bad.password != "" {
				using = "YES"
			}
			want := fmt.Sprintf("Access denied for user '%s'@'127.0.0.1' (using password: %s)", bad.user, using)
			if _, _, message := codeOf(err); message != want {
				t.Errorf("%s: %q, want %q", bad.user, message, want)
			}
		}
		err := g.login(t, region, "sha", "s1", false)
		wantCode(t, err, 3159, "HY000")
		if _, _, m := codeOf(err); !strings.Contains(m, "over TLS only") {
			t.Errorf("caching_sha2_password without TLS: %q", m)
		}
	}
}

func TestTLSDemanded(t *testing.T) {
	g := startGuarded(t, func(c *Config) { c.RequireTLS = true })
	for _, password := range []string{rootPassword, "wrong", ""} {
		wantCode(t, g.login(t, "va", "root", password, false), 3159, "HY000")
	}
	if err := g.login(t, "va", "root", rootPassword, true); err != nil {
		t.Error(err)
	}
	wantCode(t, g.login(t, "va", "root", "wrong", true), 1045, "28000")
}

// A changed password and a dropped user count at every gateway at the next login.
func TestUsersEverywhereAtOnce(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "wa", "root", rootPassword, true)
	for i := range 5 {
		must(t, root, fmt.Sprintf("CREATE USER u%d IDENTIFIED WITH caching_sha2_password BY 'a%d'", i, i))
		for _, region := range testRegions {
			if err := g.login(t, region, fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i), true); err != nil {
				t.Errorf("%s, just created: %v", region, err)
			}
		}
		must(t, root, fmt.Sprintf("ALTER USER u%d IDENTIFIED WITH caching_sha2_password BY 'b%d'", i, i))
		for _, region := range testRegions {
			if err := g.login(t, region, fmt.Sprintf("u%d", i), fmt.Sprintf("b%d", i), true); err != nil {
				t.Errorf("%s, password just changed: %v", region, err)
			}
			eventually(t, "the old password is refused", func() bool {
				n, _, _ := codeOf(g.login(t, region, fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i), true))
				return n == 1045
			})
		}
	}
	must(t, root, "DROP USER u0")
	for _, region := range testRegions {
		eventually(t, "a dropped user is refused", func() bool {
			n, _, _ := codeOf(g.login(t, region, "u0", "b0", true))
			return n == 1045
		})
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("%s: not in %v", what, hang)
}

// Grants of every level, at other gateways and in sessions that are open.
func TestGrants(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "CREATE TABLE d.s (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)",
		"CREATE USER u IDENTIFIED BY 'p'")
	u := g.open(t, "pr", "u", "p", true)
	u.SetMaxOpenConns(1)
	number := func(stmt string) uint16 {
		_, err := u.Exec(stmt)
		n, state, _ := codeOf(err)
		if err != nil && state != "42000" {
			t.Errorf("%s: %v, want the state 42000", stmt, err)
		}
		return n
	}
	expect := func(stmt string, want ...uint16) {
		t.Helper()
		eventually(t, fmt.Sprintf("%s: %v", stmt, want), func() bool {
			got := number(stmt)
			for _, w := range want {
				if err := w; got == err {
					return true
				}
			}
			return false
		})
	}
	expect("SELECT * FROM d.t", 1044, 1142)
	must(t, root, "GRANT SELECT ON d.t TO u")
	expect("SELECT * FROM d.t", 0)
	expect("SELECT * FROM d.s", 1142)
	expect("INSERT INTO d.t VALUES (2)", 1142)
	must(t, root, "GRANT INSERT ON d.* TO u")
	expect("INSERT INTO d.s VALUES (2)", 0)
	expect("DELETE FROM d.s WHERE id > 0", 1142)
	expect("CREATE USER v", 1227)
	expect("GRANT ALL ON *.* TO u", 1142, 1044, 1045)
	expect("ALTER USER root IDENTIFIED BY 'x'", 1227)
	rows, err := g.open(t, "wa", "root", rootPassword, true).Query("SHOW GRANTS FOR u")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	if got := strings.Join(all, "; "); !strings.Contains(got, "GRANT SELECT ON `d`.`t` TO `u`@`%`") || !strings.Contains(got, "GRANT INSERT ON `d`.* TO `u`@`%`") {
		t.Errorf("SHOW GRANTS: %s", got)
	}
	must(t, root, "GRANT ALL ON *.* TO u")
	expect("DELETE FROM d.s WHERE id > 0", 0)
	must(t, root, "REVOKE ALL ON *.* FROM u", "REVOKE INSERT ON d.* FROM u")
	expect("INSERT INTO d.s VALUES (3)", 1142, 1044)
	if _, err := root.Exec("DELETE FROM mysql.user"); err == nil {
		t.Error("the table of users was written at one gateway alone")
	}
}

// Gateways that change users at once lose none.
func TestUsersChangedAtOnce(t *testing.T) {
	g := startGuarded(t, nil)
	const each = 8
	var all sync.WaitGroup
	for _, region := range testRegions {
		db := g.open(t, region, "root", rootPassword, false)
		all.Go(func() {
			for i := range each {
				if _, err := db.Exec(fmt.Sprintf("CREATE USER %s%d IDENTIFIED BY 'p'", region, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var n int
	if err := g.open(t, "va", "root", rootPassword, false).QueryRow("SELECT COUNT(*) FROM mysql.user WHERE user <> 'root'").Scan(&n); err != nil || n != each*len(testRegions) {
		t.Errorf("%d users, want %d (%v)", n, each*len(testRegions), err)
	}
}

// Without a password nobody comes from another machine, and no port is opened to one.
func TestNoPassword(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"} {
		if _, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Address: address}); err == nil || !strings.Contains(err.Error(), "let anyone in") {
			t.Errorf("%s without a password: %v", address, err)
		}
	}
	if _, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{RequireTLS: true}); err == nil {
		t.Error("TLS was demanded without a certificate")
	}
}

// The mariadb client, where there is one.
func TestMariadbClientLogsIn(t *testing.T) {
	path, err := exec.LookPath("mariadb")
	if err != nil {
		t.Skip("there is no mariadb client")
	}
	g := startGuarded(t, func(c *Config) { c.RequireTLS = true })
	host, port, _ := strings.Cut(g.servers["va"].Addr().String(), ":")
	run := func(password string, args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, append([]string{"--no-defaults", "-h", host, "-P", port, "-u", "root", "-BN", "-e", "SELECT 7"}, args...)...)
		cmd.Env = append(os.Environ(), "MYSQL_PWD="+password)
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if out, err := run(rootPassword, "--ssl-ca="+g.ca, "--ssl-verify-server-cert"); err != nil || out != "7" {
		t.Errorf("%s (%v)", out, err)
	}
	if out, err := run("wrong", "--ssl-ca="+g.ca, "--ssl-verify-server-cert"); err == nil || !strings.Contains(out, "1045 (28000)") {
		t.Errorf("a wrong password: %s (%v)", out, err)
	}
	if out, err := run(rootPassword, "--skip-ssl"); err == nil || !strings.Contains(out, "3159") {
		t.Errorf("without TLS: %s (%v)", out, err)
	}
}

// A client has the password and the rights of the account with the most specific host, and of no
// other; the loopback addresses are localhost.
func TestLoginsOfTheMostSpecificAccount(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "CREATE USER u IDENTIFIED BY 'any'", "GRANT ALL ON *.* TO u")
	is := func(password, account string) {
		t.Helper()
		eventually(t, fmt.Sprintf("%q is of %s", password, account), func() bool {
			if account == "" {
				n, _, _ := codeOf(g.login(t, "va", "u", password, true))
				return n == 1045
			}
			var current string
			db := g.open(t, "va", "u", password, true)
			return db.QueryRow("SELECT CURRENT_USER()").Scan(&current) == nil && current == account
		})
	}
	is("any", "u@%")
	must(t, root, "CREATE USER u@'127.%' IDENTIFIED BY 'pattern'")
	is("pattern", "u@127.%")
	is("any", "")
	must(t, root, "CREATE USER u@'127.0.0.0/8' IDENTIFIED BY 'network'")
	is("network", "u@127.0.0.0/8")
	is("pattern", "")
	if _, err := g.open(t, "va", "u", "network", true).Exec("INSERT INTO d.t VALUES (1)"); !isDenied(err) {
		t.Errorf("it has the rights of u@%%: %v", err)
	}
	must(t, root, "DROP USER u@'127.0.0.0/8'", "CREATE USER u@'127.0.0.1' IDENTIFIED BY 'here'")
	is("here", "u@localhost")
	if _, err := g.open(t, "va", "u", "here", true).Exec("INSERT INTO d.t VALUES (1)"); !isDenied(err) {
		t.Errorf("it has the rights of u@%%: %v", err)
	}
	for _, again := range []string{"CREATE USER u@localhost", "CREATE USER u@'::1'"} {
		if _, err := root.Exec(again); err == nil {
			t.Errorf("%s: it is there already", again)
		}
	}
	must(t, root, "GRANT SELECT ON d.t TO u@'::1'", "ALTER USER u@'127.0.0.1' IDENTIFIED BY 'new'")
	is("new", "u@localhost")
	must(t, g.open(t, "va", "u", "new", true), "SELECT * FROM d.t")
	must(t, root, "DROP USER u@'127.0.0.1'")
	is("pattern", "u@127.%")

	// The anonymous account could take the logins of stronger ones.
	must(t, root, "CREATE USER maker IDENTIFIED BY 'pm'", "GRANT CREATE USER ON *.* TO maker")
	if _, err := g.open(t, "va", "maker", "pm", true).Exec("CREATE USER ''@localhost IDENTIFIED BY 'x'"); !isDenied(err) {
		t.Errorf("an anonymous account beside root: %v", err)
	}
}
