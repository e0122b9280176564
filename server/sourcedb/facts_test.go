package sourcedb

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
)

func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		f, err := k.driver.Facts(k.ctx)
		k.must(err)
		want, most := source.Postgres, 64
		if k.name_() == "mariadb" {
			want, most = source.MySQL, -1
		}
		if f.Dialect != want || f.PreparedMax != most || f.Version == "" || !strings.HasSuffix(f.Identity[:strings.Index(f.Identity, sourcetest.Database)+4], sourcetest.Database) {
			t.Errorf("%+v", f)
		}
		if len(f.Warnings) > 0 {
			t.Errorf("warnings about a server that is in order: %q", f.Warnings)
		}
		if hinted := strings.Contains(fmt.Sprint(f.Hints), "GRANT PROCESS"); hinted != (want == source.MySQL) {
			t.Errorf("hints of an ordinary account: %q", f.Hints)
		}
	})
}

// A server that cannot prepare reports it in its facts and in the error.
func TestNothingCanBePrepared(t *testing.T) {
	apart(t, map[string][]string{"postgres": {"-c", "max_prepared_transactions=0", "-c", "fsync=off"}}, func(t *testing.T, k *kit) {
		f, err := k.driver.Facts(k.ctx)
		k.must(err)
		if f.PreparedMax != 0 || len(f.Warnings) != 2 || !strings.Contains(f.Warnings[0], "max_prepared_transactions is 0") {
			t.Errorf("%+v", f)
		}
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		err = b.Prepare(k.ctx)
		if e := k.fails(err, 1399); !e.Ends || e.Unknown || !strings.Contains(e.Text, "max_prepared_transactions") {
			t.Errorf("%+v", e)
		}
		k.finish(k.driver, n, true, false)
		k.has()
	})
}

func TestTooManyPrepared(t *testing.T) {
	apart(t, map[string][]string{"postgres": {"-c", "max_prepared_transactions=1"}}, func(t *testing.T, k *kit) {
		b, n := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		k.must(b.Prepare(k.ctx))
		b, _ = k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (2, 20)")
		if e := k.fails(b.Prepare(k.ctx), 1041); !e.Ends || e.Unknown {
			t.Errorf("%+v", e)
		}
		k.finish(k.driver, n, true, true)
		k.has("1", "10")
	})
}

func TestMyFacts(t *testing.T) {
	good := map[string]string{"version": "10.11.6-MariaDB", "innodb_flush_log_at_trx_commit": "1", "wsrep_on": "OFF", "log_bin": "OFF"}
	for name, c := range map[string]struct {
		key, value string
		most       int
		warns      string // "": nothing
	}{
		"in order":    {"", "", -1, ""},
		"Galera":      {"wsrep_on", "ON", 0, "Galera"},
		"old MariaDB": {"version", "10.4.30-MariaDB", 0, "10.5"},
		"old MySQL":   {"version", "5.7.44", -1, "5.7.44"},
		"MySQL":       {"version", "8.0.40", -1, ""},
		"binary log":  {"log_bin", "ON", -1, "binary log"},
		"lazy":        {"innodb_flush_log_at_trx_commit", "2", -1, "power cut"},
		"strict":      {"innodb_flush_log_at_trx_commit", "3", -1, ""},
		"read-only":   {"read_only", "ON", -1, "read_only"},
	} {
		v := map[string]string{}
		for key, value := range good {
			v[key] = value
		}
		v[c.key] = c.value
		f := myFacts(v, "db")
		if f.PreparedMax != c.most || (c.warns == "") != (len(f.Warnings) == 0) || !strings.Contains(fmt.Sprint(f.Warnings), c.warns) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if a, b := myFacts(map[string]string{"server_uuid": "u1"}, "db"), myFacts(map[string]string{"server_uuid": "u2"}, "db"); a.Identity == b.Identity {
		t.Error("two servers, one identity")
	}
}

func TestTables(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		other := k.table + "b"
		text := fmt.Sprintf("CREATE TABLE %s (b INT NOT NULL, a VARCHAR(20) NOT NULL, c DECIMAL(10,2), d INT, UNIQUE (c, d), PRIMARY KEY (a, b)); CREATE INDEX %[1]s_i ON %[1]s (d)", other)
		if k.name_() == "postgres" {
			text += fmt.Sprintf("; ALTER TABLE %s OWNER TO agent; CREATE UNIQUE INDEX ON %[1]s (d) WHERE d > 0; CREATE UNIQUE INDEX ON %[1]s (lower(a)); CREATE TABLE %[1]s_hidden (a int)", other)
		} else {
			text += fmt.Sprintf("; CREATE UNIQUE INDEX p ON %s (a(3))", other)
		}
		k.must(k.server.Exec(text))
		tables, err := k.driver.Tables(k.ctx)
		k.must(err)
		i := slices.IndexFunc(tables, func(t source.Table) bool { return t.Name == other })
		if i < 0 {
			t.Fatalf("%s is not among %v", other, tables)
		}
		got := tables[i]
		types := []string{"integer", "character varying(20)", "numeric(10,2)", "integer"}
		if k.name_() == "mariadb" {
			types = []string{"int(11)", "varchar(20)", "decimal(10,2)", "int(11)"}
		}
		for j, want := range []source.Column{{Name: "b"}, {Name: "a"}, {Name: "c", Null: true}, {Name: "d", Null: true}} {
			want.Type = types[j]
			if k.name_() == "mariadb" && want.Name == "a" {
				want.Collation = "latin1_swedish_ci"
			}
			if got.Columns[j] != want {
				t.Errorf("column %d is %+v, want %+v", j, got.Columns[j], want)
			}
		}
		if fmt.Sprint(got.Key, got.Unique) != "[a b] [[c d]]" {
			t.Errorf("keys %v, %v", got.Key, got.Unique)
		}
		if slices.ContainsFunc(tables, func(t source.Table) bool { return t.Name == other+"_hidden" }) {
			t.Error("a table is listed that the account may not read")
		}
	})
}

// Connection errors have a reason and no password.
func TestCannotConnect(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		u, err := url.Parse(k.server.URL())
		k.must(err)
		for name, c := range map[string]struct {
			change func(u *url.URL)
			code   uint16
			gone   bool
		}{
			"wrong password": {func(u *url.URL) { u.User = url.UserPassword(sourcetest.User, "not-my-s3cret") }, 1045, false},
			"no such user":   {func(u *url.URL) { u.User = url.UserPassword("nobody_here", "my-s3cret") }, 1045, false},
			"no database":    {func(u *url.URL) { u.Path = "/nothing" }, 1049, false},
			"no server":      {func(u *url.URL) { u.Host = "127.0.0.1:1" }, codeCannotConnect, true},
			"no such host":   {func(u *url.URL) { u.Host = "nowhere.invalid:1" }, codeCannotConnect, true},
		} {
			v := *u
			c.change(&v)
			d, err := Open(v.String(), Options{})
			k.must(err)
			_, err = d.Facts(k.ctx)
			code := c.code
			if name == "no database" && k.name_() == "mariadb" {
				code = 1044 // an ordinary account does not receive that the database is missing
			}
			e := k.fails(err, code)
			if e.Gone != c.gone || !e.Ends || strings.Contains(e.Text, "s3cret") {
				t.Errorf("%s: %+v", name, e)
			}
			_, err = d.Begin(k.ctx, k.name(), source.BranchOptions{})
			k.fails(err, code)
			k.must(d.Close())
		}
	})
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://u:s3cret@h:1/d":                           "",
		"postgresql://u:s3cret@h/d?sslmode=allow":             "",
		"mysql://u:s3cret@h/d?tls=skip-verify":                "",
		"mariadb://u:s3cret@h:3306/d":                         "",
		"postgres://u:s3cret%zz@h/d":                          "cannot be parsed",
		"postgres://u:s3cret@h:port/d":                        "cannot be parsed",
		"postgres://u:s3cret@h/d?sslmode=perhaps":             "cannot be parsed",
		"mysql://u:s3cret@h/d?tls=perhaps":                    "tls=perhaps",
		"mysql://u:s3cret@h/d?multi=1":                        "multi",
		"mysql://u:s3cret@/d?socket=/run/s":                   "",
		"mysql://u:s3cret@localhost/d?socket=/run/s":          "",
		"mysql://u:s3cret@h/d?socket=/run/s":                  "no other host than localhost",
		"mysql://u:s3cret@localhost:3306/d?socket=/run/s":     "no other host than localhost",
		"mysql://u:s3cret@localhost/d?socket=s":               "the absolute path",
		"mysql://u:s3cret@localhost/d?socket=/run/s&tls=true": "a socket and tls",
		"postgres://u:s3cret@/d?host=/run/postgresql":         "",
		"oracle://u:s3cret@h/d":                               "postgres://... or mysql://...",
		"mysql://h/d":                                         "names no user",
		"mysql://u:s3cret@h/":                                 "names no database",
	} {
		d, err := Open(address, Options{Password: "other-s3cret"})
		if err == nil {
			err = d.Close()
		}
		switch {
		case want == "" && err != nil, want != "" && err == nil, want != "" && !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v", address, err)
		case err != nil && strings.Contains(err.Error(), "s3cret"):
			t.Errorf("%s: the error contains the password: %v", address, err)
		}
	}
	if _, err := Open("mysql://u@h/d", Options{Connections: ConnectionsMax + 1}); err == nil {
		t.Error("any number of connections is taken")
	}
}
