package sql

import (
	"context"
	"database/sql"
	"fmt"
	"isochron/sql/account"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// row is what is stored of an account, as a test compares it.
type row struct {
	Plugin, Password, Identity, SSL, Attributes string
	Locked                                      bool
	Rights                                      string
	Roles                                       []string
}

// walked is a cluster whose accounts are put back before each statement.
type walked struct {
	t     *testing.T
	g     *guarded
	db    *sql.DB // root's
	begin []byte
}

// The accounts of the walk: of one name at several hosts, the anonymous one, and a role.
func newWalked(t *testing.T) *walked {
	w := &walked{t: t, g: startGuarded(t, nil)}
	w.db = w.g.open(t, "va", "root", rootPassword, true)
	w.db.SetMaxOpenConns(1)
	must(t, w.db, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "CREATE PROCEDURE d.p() SELECT 1",
		"CREATE USER u IDENTIFIED BY 'pu'", "CREATE USER u@'10.%' IDENTIFIED BY 'p10'", "CREATE USER v IDENTIFIED BY 'pv'", "CREATE USER lone@'10.1.1.1' IDENTIFIED BY 'pl'",
		"CREATE ROLE r", "CREATE ROLE s", "GRANT SELECT ON *.* TO u", "GRANT INSERT, DELETE ON d.* TO u", "GRANT UPDATE ON d.t TO u", "GRANT EXECUTE ON PROCEDURE d.p TO u",
		"GRANT SELECT ON *.* TO v WITH GRANT OPTION", "GRANT SELECT ON d.* TO r", "GRANT r TO u", "GRANT r TO v WITH ADMIN OPTION")
	var err error
	if w.begin, err = w.g.servers["va"].gateway.store.Accounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *walked) accounts() *account.Accounts { return w.g.servers["va"].gateway.accounts }

func (w *walked) reset() {
	w.t.Helper()
	a := w.accounts()
	if err := w.g.servers["va"].gateway.store.ChangeAccounts(context.Background(), func([]byte) ([]byte, error) { return w.begin, nil }); err != nil {
		w.t.Fatal(err)
	}
	if err := a.AskLeader(); err != nil {
		w.t.Fatal(err)
	}
}

// stored are the rows of all accounts.
func (w *walked) stored() map[string]row {
	w.t.Helper()
	data, err := w.g.servers["va"].gateway.store.Accounts(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]row{}
	_, err = editStored(data, func(rd *mysql_db.Editor) {
		rd.VisitUsers(func(u *mysql_db.User) {
			attributes := ""
			if u.Attributes != nil {
				attributes = *u.Attributes
			}
			r := row{Plugin: u.Plugin, Password: u.AuthString, Identity: u.Identity, SSL: u.SslType + u.SslCipher + u.X509Issuer + u.X509Subject, Attributes: attributes, Locked: u.Locked, Rights: rightsIn(w.t, u.PrivilegeSet)}
			for _, e := range rd.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: u.Host, ToUser: u.User}) {
				r.Roles = append(r.Roles, fmt.Sprintf("%s@%s %v", e.FromUser, e.FromHost, e.WithAdminOption))
			}
			slices.Sort(r.Roles)
			if _, doubled := out[u.User+"@"+u.Host]; doubled {
				w.t.Errorf("%s@%s is stored twice", u.User, u.Host)
			}
			out[u.User+"@"+u.Host] = r
		})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// rightsIn are privileges in one order.
func rightsIn(t *testing.T, p mysql_db.PrivilegeSet) string {
	var out []string
	for _, s := range p.ToSlice() {
		out = append(out, "*."+s.String())
	}
	for _, wgo := range []bool{false, true} {
		for _, s := range p.ToSliceDynamic(wgo) {
			out = append(out, fmt.Sprint("*.", s, " ", wgo))
		}
	}
	for _, d := range p.GetDatabases() {
		for _, s := range d.ToSlice() {
			out = append(out, d.Name()+"."+s.String())
		}
		for _, tb := range d.GetTables() {
			for _, s := range tb.ToSlice() {
				out = append(out, d.Name()+"."+tb.Name()+"."+s.String())
			}
			for _, c := range tb.GetColumns() {
				t.Errorf("a privilege on the column %s", c.Name())
			}
		}
		for _, r := range d.GetRoutines() {
			for _, s := range r.ToSlice() {
				out = append(out, d.Name()+"."+r.RoutineName()+"()."+s.String())
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// try gives a statement, by the text protocol or prepared, and holds that one that is
// refused has changed nothing, and one that is done what change says; nil: it must be
// refused. The passwords of accounts change by hashes with salt: change names them.
func (w *walked) try(stmt string, prepared bool, change func(map[string]row)) (done bool) {
	w.t.Helper()
	w.reset()
	before := w.stored()
	var err error
	if prepared {
		var p *sql.Stmt
		if p, err = w.db.Prepare(stmt); err == nil {
			_, err = p.Exec()
			_ = p.Close()
		}
	} else {
		_, err = w.db.Exec(stmt)
	}
	after := w.stored()
	want := maps.Clone(before)
	if err == nil {
		if change == nil {
			w.t.Errorf("%s: it was accepted", stmt)
			return true
		}
		change(want)
	}
	for name := range after {
		if r := want[name]; r.Password == anyPassword && after[name].Password != "" && after[name].Password != before[name].Password {
			r.Password = after[name].Password
			want[name] = r
		}
	}
	for name := range want {
		if _, there := after[name]; !there {
			w.t.Errorf("%s (%v): %s is gone", stmt, err, name)
		}
	}
	for name, got := range after {
		if got, want := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want[name]); got != want {
			w.t.Errorf("%s (%v): %s is\n%s, want\n%s", stmt, err, name, got, want)
		}
	}
	return err == nil
}

const anyPassword = "another than before"

// option is one of CREATE USER or ALTER USER; nil: it must be refused.
type option struct {
	group, text string
	do          func(*row)
	password    string // with which the account then logs in
}

func nothing(*row) {}

func hashed(plugin string) func(*row) {
	return func(r *row) { r.Plugin, r.Password, r.Identity = plugin, anyPassword, "" }
}

// userOptions are those of MySQL's reference, and some of MariaDB's, in the order of its grammar.
func userOptions() []option {
	const native, sha2 = "mysql_native_password", "caching_sha2_password"
	ready := verifierOf("ready")
	limit := func(n string) func(*row) {
		return func(r *row) { r.Attributes = `{"max_user_connections":` + n + `}` }
	}
	return []option{
		{"auth", "IDENTIFIED BY 'new'", hashed(native), "new"},
		{"auth", "IDENTIFIED BY ''", func(r *row) { r.Plugin, r.Password = native, "" }, ""},
		{"auth", "IDENTIFIED WITH mysql_native_password BY 'new'", hashed(native), "new"},
		{"auth", "IDENTIFIED WITH caching_sha2_password BY 'new'", hashed(sha2), "new"},
		{"auth", "IDENTIFIED WITH 'mysql_native_password' AS '" + ready + "'", func(r *row) { r.Plugin, r.Password, r.Identity = native, ready, ready }, "ready"},
		{"auth", "IDENTIFIED WITH mysql_native_password AS 'no hash'", nil, ""},
		{"auth", "IDENTIFIED WITH caching_sha2_password AS 'no hash'", nil, ""},
		{"auth", "IDENTIFIED WITH sha256_password BY 'new'", nil, ""},
		{"auth", "IDENTIFIED WITH auth_socket", nil, ""},
		{"auth", "IDENTIFIED WITH authentication_ldap_simple AS 'x'", nil, ""},
		{"auth", "IDENTIFIED BY RANDOM PASSWORD", nil, ""},
		{"auth", "IDENTIFIED WITH mysql_native_password BY RANDOM PASSWORD", nil, ""},
		{"auth", "IDENTIFIED BY 'new' AND IDENTIFIED WITH authentication_fido", nil, ""},
		{"auth", "IDENTIFIED BY 'new' AND IDENTIFIED BY 'b' AND IDENTIFIED BY 'c'", nil, ""},
		{"auth", "IDENTIFIED WITH mysql_native_password BY 'x' INITIAL AUTHENTICATION IDENTIFIED BY 'y'", nil, ""},
		{"auth", "IDENTIFIED BY 'new' REPLACE 'pu'", nil, ""},
		{"auth", "IDENTIFIED BY 'new' RETAIN CURRENT PASSWORD", nil, ""},
		{"auth", "DISCARD OLD PASSWORD", nil, ""},
		{"auth", "ADD 2 FACTOR IDENTIFIED BY 'x'", nil, ""},
		{"auth", "MODIFY 2 FACTOR IDENTIFIED BY 'x'", nil, ""},
		{"auth", "DROP 2 FACTOR", nil, ""},
		{"auth", "IDENTIFIED VIA mysql_native_password USING 'x'", nil, ""},
		{"role", "DEFAULT ROLE r", nil, ""}, {"role", "DEFAULT ROLE NONE", nil, ""}, {"role", "DEFAULT ROLE ALL", nil, ""},
		{"tls", "REQUIRE NONE", nothing, ""}, {"tls", "REQUIRE SSL", func(r *row) { r.SSL = "ANY" }, ""}, {"tls", "REQUIRE X509", nil, ""},
		{"tls", "REQUIRE CIPHER 'c'", nil, ""}, {"tls", "REQUIRE ISSUER 'i'", nil, ""}, {"tls", "REQUIRE SUBJECT 's' AND ISSUER 'i'", nil, ""},
		{"limit", "WITH MAX_USER_CONNECTIONS 3", limit("3"), ""}, {"limit", "WITH MAX_USER_CONNECTIONS 0", nothing, ""},
		{"limit", "WITH MAX_QUERIES_PER_HOUR 5", nil, ""}, {"limit", "WITH MAX_UPDATES_PER_HOUR 5", nil, ""}, {"limit", "WITH MAX_CONNECTIONS_PER_HOUR 5", nil, ""},
		{"limit", "WITH MAX_QUERIES_PER_HOUR 0", nothing, ""}, {"limit", "WITH MAX_USER_CONNECTIONS 2 MAX_QUERIES_PER_HOUR 5", nil, ""},
		{"limit", "WITH MAX_USER_CONNECTIONS 99999999999999999999", nil, ""}, {"limit", "WITH MAX_STATEMENT_TIME 5", nil, ""},
		{"expire", "PASSWORD EXPIRE", nil, ""}, {"expire", "PASSWORD EXPIRE DEFAULT", nothing, ""}, {"expire", "PASSWORD EXPIRE NEVER", nothing, ""}, {"expire", "PASSWORD EXPIRE INTERVAL 90 DAY", nil, ""},
		{"history", "PASSWORD HISTORY DEFAULT", nothing, ""}, {"history", "PASSWORD HISTORY 3", nil, ""},
		{"reuse", "PASSWORD REUSE INTERVAL DEFAULT", nothing, ""}, {"reuse", "PASSWORD REUSE INTERVAL 3 DAY", nil, ""},
		{"current", "PASSWORD REQUIRE CURRENT", nil, ""}, {"current", "PASSWORD REQUIRE CURRENT DEFAULT", nothing, ""}, {"current", "PASSWORD REQUIRE CURRENT OPTIONAL", nothing, ""},
		{"failed", "FAILED_LOGIN_ATTEMPTS 3", nil, ""}, {"failed", "FAILED_LOGIN_ATTEMPTS 0", nothing, ""},
		{"locktime", "PASSWORD_LOCK_TIME 3", nil, ""}, {"locktime", "PASSWORD_LOCK_TIME UNBOUNDED", nil, ""},
		{"lock", "ACCOUNT LOCK", func(r *row) { r.Locked = true }, ""}, {"lock", "ACCOUNT UNLOCK", nothing, ""},
		{"about", "COMMENT 'a'", nil, ""}, {"about", `COMMENT 'a\\'`, nil, ""}, {"about", `ATTRIBUTE '{"a": 1}'`, nil, ""},
	}
}

// Every option of CREATE USER and ALTER USER, and every two: it is done, or refused, and
// nothing else of any account changes. Then the account and root log in as they should.
func TestUserOptions(t *testing.T) {
	w := newWalked(t)
	all := append([]option{{"none", "", nothing, ""}}, userOptions()...)
	done := map[string]bool{} // by the kind of statement and the option
	for i, a := range all {
		for _, b := range all[i:] {
			if a.group == b.group && a.text != b.text {
				continue
			}
			if a.text == b.text {
				b = option{"", "", nothing, ""}
			}
			do := func(r *row) { a.do(r); b.do(r) }
			if a.do == nil || b.do == nil {
				do = nil
			}
			for _, verb := range []string{"CREATE USER fresh ", "ALTER USER u ", "ALTER USER IF EXISTS u@'%' ", "ALTER USER root "} {
				account, had := "fresh@%", ""
				switch {
				case strings.Contains(verb, "root"):
					account, had = "root@%", rootPassword
				case strings.Contains(verb, "u@") || strings.Contains(verb, "USER u"):
					account, had = "u@%", "pu"
				}
				stmt := strings.Join(strings.Fields(verb+a.text+" "+b.text), " ")
				var change func(map[string]row)
				if do != nil {
					change = func(rows map[string]row) {
						r := rows[account]
						if r.Plugin == "" {
							r.Plugin = "mysql_native_password"
						}
						do(&r)
						rows[account] = r
					}
				}
				if !w.try(stmt, i%2 == 1, change) || change == nil {
					continue
				}
				kind, _, _ := strings.Cut(verb, " ")
				done[kind+a.text], done[kind+b.text] = true, true
				password := had
				for _, o := range []option{a, b} {
					if o.group == "auth" {
						password = o.password
					}
				}
				w.logsIn(stmt, account, password)
			}
		}
	}
	for _, o := range all {
		for _, kind := range []string{"CREATE", "ALTER"} {
			if o.do != nil && !done[kind+o.text] {
				t.Errorf("%s USER: %s is done nowhere", kind, o.text)
			}
		}
	}
}

// Every option over several accounts: an authentication is about the account before it, any
// other option about all of them; and one unknown account leaves all of them as they were.
func TestUserOptionsOfSeveral(t *testing.T) {
	w := newWalked(t)
	for _, o := range userOptions() {
		for _, c := range []struct {
			verb     string
			accounts []string
		}{
			{"CREATE USER fresh, other@'10.2.%' ", []string{"fresh@%", "other@10.2.%"}}, {"ALTER USER u, v ", []string{"u@%", "v@%"}},
			{"ALTER USER IF EXISTS nosuch, u@'10.%' , /* , */ u ", []string{"u@10.%", "u@%"}},
		} {
			change := func(rows map[string]row) {
				for j, account := range c.accounts {
					r := rows[account]
					if r.Plugin == "" {
						r.Plugin = "mysql_native_password"
					}
					if o.group != "auth" || j == len(c.accounts)-1 {
						o.do(&r)
					}
					rows[account] = r
				}
			}
			if o.do == nil {
				change = nil
			}
			if done := w.try(c.verb+o.text, false, change); !done && change != nil {
				t.Errorf("%s%s was refused", c.verb, o.text)
			}
		}
		for _, verb := range []string{"ALTER USER nosuch, u ", "ALTER USER u, nosuch ", "ALTER USER u, u@localhost, v ", "CREATE USER fresh, u "} {
			w.try(verb+o.text, false, nil)
		}
	}
}

// A locked account is refused with MySQL's error where the password is right, at every
// gateway, and is as it was when it is unlocked.
func TestLockedAccount(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "wa", "root", rootPassword, true)
	must(t, root, "CREATE USER n IDENTIFIED BY 'pn'", "CREATE USER s IDENTIFIED WITH caching_sha2_password BY 'ps' ACCOUNT LOCK", "GRANT CREATE USER ON *.* TO n")
	is := func(name, password string, code uint16) {
		t.Helper()
		for _, region := range testRegions {
			eventually(t, fmt.Sprintf("%s at %s: %d", name, region, code), func() bool {
				n, _, _ := codeOf(g.login(t, region, name, password, true))
				return n == code
			})
		}
	}
	is("n", "pn", 0)
	is("s", "ps", 3118)
	must(t, root, "ALTER USER n, s ACCOUNT LOCK")
	is("n", "pn", 3118)
	is("n", "wrong", 1045)
	is("s", "wrong", 1045)
	if err := g.login(t, "va", "n", "pn", true); err == nil || !strings.Contains(err.Error(), "Access denied for user 'n'@'127.0.0.1'. Account is locked.") {
		t.Error(err)
	}
	var shown string
	if err := root.QueryRow("SELECT GROUP_CONCAT(CONCAT(User, account_locked) ORDER BY User) FROM mysql.user").Scan(&shown); err != nil || shown != "nY,rootN,sY" {
		t.Errorf("mysql.user has %s (%v)", shown, err)
	}
	must(t, root, "ALTER USER n ACCOUNT UNLOCK", "ALTER USER s ACCOUNT UNLOCK")
	is("n", "pn", 0)
	is("s", "ps", 0)

	// The last account with every privilege cannot be locked, nor any account of a list with it.
	for _, stmt := range []string{"ALTER USER root ACCOUNT LOCK", "ALTER USER n, root ACCOUNT LOCK", "ALTER USER IF EXISTS root@'%' IDENTIFIED BY 'x' ACCOUNT /* , */ LOCK"} {
		_, err := root.Exec(stmt)
		wantCode(t, err, 1235, "42000")
	}
	is("n", "pn", 0)
	must(t, root, "CREATE USER boss IDENTIFIED BY 'pb'", "GRANT ALL ON *.* TO boss WITH GRANT OPTION")
	must(t, root, "ALTER USER root ACCOUNT LOCK")
	is("root", rootPassword, 3118)
	boss := g.open(t, "va", "boss", "pb", true)
	if _, err := boss.Exec("ALTER USER boss ACCOUNT LOCK"); err == nil {
		t.Error("the last administrator locked itself")
	}

	// One's own password is everybody's to change; one's own lock is not.
	must(t, boss, "ALTER USER root ACCOUNT UNLOCK", "REVOKE CREATE USER ON *.* FROM n")
	n := g.open(t, "va", "n", "pn", true)
	for _, stmt := range []string{"ALTER USER n ACCOUNT UNLOCK", "ALTER USER n IDENTIFIED BY 'x' REQUIRE NONE", "ALTER USER n, s IDENTIFIED BY 'x'", "ALTER USER s IDENTIFIED BY 'x'"} {
		if _, err := n.Exec(stmt); !isDenied(err) {
			t.Errorf("%s: %v", stmt, err)
		}
	}
	must(t, n, "ALTER USER n IDENTIFIED BY 'own'")
	is("n", "own", 0)
}

// logsIn holds that an account lets in who has its password, and no other, and so does root.
func (w *walked) logsIn(stmt, account, password string) {
	w.t.Helper()
	name, _, _ := strings.Cut(account, "@")
	locked := w.stored()[account].Locked
	if err := w.g.login(w.t, "va", name, password, true); (err != nil) != locked {
		w.t.Errorf("%s: then %s logs in: %v", stmt, account, err)
	}
	if password != "" {
		for _, wrong := range []string{"", "wrong"} {
			if w.g.login(w.t, "va", name, wrong, true) == nil {
				w.t.Errorf("%s: then %s logs in with %q", stmt, account, wrong)
			}
		}
	}
	if name != "root" {
		if w.g.login(w.t, "va", "root", "", true) == nil || w.g.login(w.t, "va", "root", rootPassword, true) != nil {
			w.t.Errorf("%s: then root's password is another", stmt)
		}
	}
}

// with is a change of one account.
func with(name string, do func(*row)) func(map[string]row) {
	return func(rows map[string]row) {
		r := rows[name]
		do(&r)
		rows[name] = r
	}
}

// givenRights adds and takes away words of an account's rights.
func givenRights(name string, add, take string) func(map[string]row) {
	return with(name, func(r *row) {
		all := slices.DeleteFunc(strings.Split(r.Rights, "; "), func(s string) bool { return s == "" || slices.Contains(strings.Split(take, "|"), s) })
		if add != "" {
			all = append(all, strings.Split(add, "|")...)
		}
		slices.Sort(all)
		r.Rights = strings.Join(slices.Compact(all), "; ")
	})
}

func givenRoles(name string, all ...string) func(map[string]row) {
	return with(name, func(r *row) { r.Roles = all })
}

func gone(names ...string) func(map[string]row) {
	return func(rows map[string]row) {
		for _, n := range names {
			delete(rows, n)
		}
	}
}

func same(map[string]row) {}

// wireRefuses reports whether the wire library's own parser refuses to prepare a statement,
// before this server sees it: an ALTER USER of more than one account, or of a lock.
func wireRefuses(stmt string) bool { return refusedByWire.MatchString(stmt) }

var refusedByWire = regexp.MustCompile(`(?i)^[\s/*!]*alter\s+user\b(.*,|.*\baccount\s+(un)?lock\b|.*\brequire\s+none\b)`)

// Every other statement about accounts, with each of its options: the account that it
// names is changed as it says, or nothing is.
func TestAccountStatements(t *testing.T) {
	w := newWalked(t)
	sel, ins, del := gms.PrivilegeType_Select.String(), gms.PrivilegeType_Insert.String(), gms.PrivilegeType_Delete.String()
	upd, exe := gms.PrivilegeType_Update.String(), gms.PrivilegeType_Execute.String()
	if strings.Contains(sel+ins+del+upd+exe, " ") {
		t.Fatal("names of privileges have changed")
	}
	for _, c := range []struct {
		stmt   string
		change func(map[string]row)
	}{
		{"DROP USER u", gone("u@%")}, {"DROP USER u, v", gone("u@%", "v@%")}, {"DROP USER u@'%'", gone("u@%")}, {"DROP USER u@'10.%'", gone("u@10.%")},
		{"DROP USER u@'10.1.1.1'", nil}, {"DROP USER u@localhost", nil}, {"DROP USER u@'127.0.0.1'", nil}, {"DROP USER lone", nil}, {"DROP USER nosuch", nil},
		{"DROP USER v, nosuch", nil}, {"DROP USER IF EXISTS nosuch", same}, {"DROP USER IF EXISTS u@localhost", same}, {"DROP USER IF EXISTS nosuch, lone@'10.1.1.1'", gone("lone@10.1.1.1")},
		{"CREATE USER u IDENTIFIED BY 'x'", nil}, {"CREATE USER IF NOT EXISTS u IDENTIFIED BY 'x' ACCOUNT LOCK", same}, {"CREATE USER n, u", nil},
		{"CREATE USER IF NOT EXISTS u WITH MAX_USER_CONNECTIONS 7", same},
		{"ALTER USER u@localhost IDENTIFIED BY 'x'", nil}, {"ALTER USER u@'10.1.1.1' IDENTIFIED BY 'x'", nil}, {"ALTER USER nosuch IDENTIFIED BY 'x'", nil}, {"ALTER USER IF EXISTS nosuch IDENTIFIED BY 'x'", same},
		{"ALTER USER u@'10.%' IDENTIFIED BY 'x'", with("u@10.%", func(r *row) { r.Password = anyPassword })}, {"ALTER USER u", same},
		{"ALTER USER u IDENTIFIED BY 'x', u@'10.%' IDENTIFIED WITH caching_sha2_password BY 'y'", func(rows map[string]row) {
			with("u@%", func(r *row) { r.Password = anyPassword })(rows)
			with("u@10.%", func(r *row) { r.Password, r.Plugin = anyPassword, "caching_sha2_password" })(rows)
		}},
		{"ALTER USER root ACCOUNT LOCK", nil}, {"ALTER USER u, root ACCOUNT LOCK", nil}, {"ALTER USER r ACCOUNT UNLOCK", with("r@%", func(r *row) { r.Locked = false })},
		{"/*! ALTER USER u ACCOUNT LOCK */", with("u@%", func(r *row) { r.Locked = true })}, {"ALTER USER u ATTRIBUTE 'x'", nil}, {"CREATE USER u5 ATTRIBUTE '\\0alter:lock,'", nil},
		{"CREATE USER n1 IDENTIFIED BY 'x', n2 ACCOUNT LOCK", func(rows map[string]row) {
			rows["n1@%"] = row{Plugin: "mysql_native_password", Password: anyPassword, Locked: true}
			rows["n2@%"] = row{Plugin: "mysql_native_password", Locked: true}
		}},
		{"ALTER USER USER() IDENTIFIED BY 'x'", nil}, {"ALTER USER CURRENT_USER() IDENTIFIED BY 'x'", nil},
		{"ALTER USER u IDENTIFIED WITH mysql_native_password", nil}, {"ALTER USER u IDENTIFIED WITH caching_sha2_password", nil}, {"ALTER USER u DEFAULT ROLE r", nil},
		{"RENAME USER u TO w", nil}, {"RENAME USER u TO w, v TO x", nil}, {"SET PASSWORD = 'x'", nil}, {"SET PASSWORD FOR u = 'x'", nil}, {"SET PASSWORD FOR u = PASSWORD('x')", nil},
		{"SET PASSWORD FOR u TO RANDOM", nil}, {"SET PASSWORD = 'x' REPLACE 'y'", nil}, {"SET PASSWORD = 'x' RETAIN CURRENT PASSWORD", nil},
		{"CREATE ROLE r9", func(rows map[string]row) { rows["r9@%"] = row{Plugin: "mysql_native_password", Locked: true} }}, {"CREATE ROLE r", nil}, {"CREATE ROLE IF NOT EXISTS r", same}, {"CREATE ROLE u", nil},
		{"CREATE ROLE r9 WITH ADMIN u", nil},
		{"DROP ROLE r", func(rows map[string]row) { gone("r@%")(rows); givenRoles("u@%")(rows); givenRoles("v@%")(rows) }}, {"DROP ROLE IF EXISTS nosuch", same}, {"DROP ROLE nosuch", nil}, {"DROP ROLE r@localhost", nil},
		{"SET ROLE r", nil}, {"SET ROLE NONE", nil}, {"SET ROLE ALL", nil}, {"SET ROLE DEFAULT", nil}, {"SET DEFAULT ROLE r TO u", nil}, {"SET DEFAULT ROLE NONE TO u", nil}, {"SET DEFAULT ROLE ALL TO u", nil},
		{"GRANT s TO u", givenRoles("u@%", "r@% false", "s@% false")}, {"GRANT r TO u WITH ADMIN OPTION", givenRoles("u@%", "r@% true")}, {"GRANT r TO v", same}, {"GRANT s TO nosuch", nil}, {"GRANT nosuch TO u", nil},
		{"GRANT s TO u@localhost", nil}, {"REVOKE r FROM u", givenRoles("u@%")}, {"REVOKE r FROM v", givenRoles("v@%")}, {"REVOKE nosuch FROM u", nil}, {"REVOKE IF EXISTS nosuch FROM u", same}, {"REVOKE r FROM nosuch IGNORE UNKNOWN USER", same},
		{"REVOKE r FROM u@localhost", nil},
		{"GRANT INSERT ON *.* TO u", givenRights("u@%", "*."+ins, "")}, {"GRANT INSERT ON *.* TO u@localhost", nil}, {"GRANT INSERT ON *.* TO u@'10.2.2.2'", nil}, {"GRANT INSERT ON *.* TO nosuch", nil},
		{"GRANT INSERT ON *.* TO u@'10.%'", givenRights("u@10.%", "*."+ins, "")}, {"GRANT INSERT ON *.* TO u IDENTIFIED BY 'x'", nil}, {"GRANT INSERT ON *.* TO u REQUIRE SSL", nil},
		{"GRANT INSERT ON *.* TO u WITH MAX_USER_CONNECTIONS 3", nil}, {"GRANT INSERT ON *.* TO u AS v", nil}, {"GRANT INSERT ON *.* TO u AS v WITH ROLE r", nil}, {"GRANT USAGE ON *.* TO u", same},
		{"GRANT SELECT (id) ON d.t TO v", nil}, {"GRANT SELECT ON d.t TO v", givenRights("v@%", "d.t."+sel, "")}, {"GRANT SELECT ON TABLE d.t TO v", givenRights("v@%", "d.t."+sel, "")},
		{"GRANT SELECT ON d.* TO v", givenRights("v@%", "d."+sel, "")}, {"GRANT SELECT ON `d\\_x`.* TO v", givenRights("v@%", "d_x."+sel, "")}, {"GRANT SELECT ON `d%`.* TO v", nil}, {"GRANT SELECT ON *.t TO v", nil},
		{"GRANT EXECUTE ON PROCEDURE d.p TO v", givenRights("v@%", "d.p()."+exe, "")}, {"GRANT EXECUTE ON FUNCTION d.f TO v", nil}, {"GRANT PROXY ON u TO v", nil}, {"REVOKE PROXY ON u FROM v", nil},
		{"GRANT AUDIT_ADMIN ON *.* TO v", nil}, {"GRANT CONNECTION_ADMIN ON *.* TO v", givenRights("v@%", "*.CONNECTION_ADMIN false", "")}, {"GRANT CONNECTION_ADMIN ON d.* TO v", nil},
		{"REVOKE SELECT ON *.* FROM u", givenRights("u@%", "", "*."+sel)}, {"REVOKE SELECT ON *.* FROM u@localhost", nil}, {"REVOKE INSERT ON d.* FROM u", givenRights("u@%", "", "d."+ins)},
		{"REVOKE ALL ON d.* FROM u", givenRights("u@%", "", "d."+ins+"|d."+del)}, {"REVOKE ALL ON d.t FROM u", givenRights("u@%", "", "d.t."+upd)}, {"REVOKE ALL ON *.* FROM u", givenRights("u@%", "", "*."+sel)},
		{"REVOKE ALL, GRANT OPTION FROM u", with("u@%", func(r *row) { r.Rights = "" })}, {"REVOKE ALL PRIVILEGES, GRANT OPTION FROM u, nosuch IGNORE UNKNOWN USER", with("u@%", func(r *row) { r.Rights = "" })},
		{"REVOKE SELECT (id) ON d.t FROM u", nil}, {"REVOKE EXECUTE ON PROCEDURE d.p FROM u", givenRights("u@%", "", "d.p()."+exe)}, {"REVOKE SELECT ON *.* FROM nosuch IGNORE UNKNOWN USER", same},
		{"FLUSH PRIVILEGES", same}, {"INSERT INTO mysql.user (User, Host) VALUES ('x', '%')", nil}, {"UPDATE mysql.user SET authentication_string = '' WHERE User = 'root'", nil},
		{"DELETE FROM mysql.user WHERE User = 'u'", nil}, {"TRUNCATE mysql.user", nil}, {"REPLACE INTO mysql.user (User, Host) VALUES ('x', '%')", nil}, {"DROP TABLE mysql.user", nil},
	} {
		for _, prepared := range []bool{false, true} {
			done := w.try(c.stmt, prepared, c.change)
			if !done && c.change != nil && !(prepared && wireRefuses(c.stmt)) {
				t.Errorf("%s (prepared: %v) was refused", c.stmt, prepared)
			}
			if _, there := w.stored()["v@%"]; done && there {
				w.logsIn(c.stmt, "v@%", "pv")
			}
			if c.change == nil {
				break
			}
		}
	}
}
