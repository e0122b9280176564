package account

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
)

// Of the accounts that match, that of the most specific host is taken, in whatever order they
// were made.
func TestTheMostSpecificAccount(t *testing.T) {
	hosts := []string{"%", "10.%", "10.1.%", "10.1.2._", "10.1.2.3", "10.1.2.0/24", "10.1.0.0/16", "10.1.2.0/255.255.255.0", "10.0.0.0/255.0.0.0", "localhost", "local%", "fd00::1", "fd00::/16", "app.example.com"}
	for _, c := range []struct {
		address, want string // hosts, from the most specific on
	}{
		{"10.1.2.3", "10.1.2.3 10.1.2.0/24 10.1.0.0/16 10.1.2.0/255.255.255.0 10.0.0.0/255.0.0.0 10.1.2._ 10.1.% 10.% %"},
		{"10.1.2.30", "10.1.2.0/24 10.1.0.0/16 10.1.2.0/255.255.255.0 10.0.0.0/255.0.0.0 10.1.% 10.% %"},
		{"::ffff:10.1.2.3", "10.1.2.3 10.1.2.0/24 10.1.0.0/16 10.1.2.0/255.255.255.0 10.0.0.0/255.0.0.0 10.1.2._ 10.1.% 10.% %"},
		{"10.2.2.3", "10.0.0.0/255.0.0.0 10.% %"},
		{"127.0.0.1", "localhost local% %"},
		{"::1", "localhost local% %"},
		{"fd00:0::1", "fd00::1 fd00::/16 %"},
		{"192.168.0.1", "%"},
		{"app.example.com", "app.example.com %"},
	} {
		for _, reversed := range []bool{false, true} {
			made := slices.Clone(hosts)
			if reversed {
				slices.Reverse(made)
			}
			db, _ := scratch()
			ed := db.Editor()
			for _, h := range made {
				ed.PutUser(&mysql_db.User{User: "u", Host: h, PrivilegeSet: mysql_db.NewPrivilegeSet()})
			}
			ed.Close()
			var got []string
			for {
				u := bookOf(db).find("u", c.address)
				if u == nil {
					break
				}
				got = append(got, u.host)
				ed = db.Editor()
				ed.RemoveUser(mysql_db.UserPrimaryKey{User: "u", Host: u.host})
				ed.Close()
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: %v, want %s", c.address, got, c.want)
			}
		}
	}
}

// The host goes before the name: the anonymous account of a more specific host is taken, and of
// equal hosts that with the name.
func TestTheAnonymousAccount(t *testing.T) {
	for _, c := range []struct{ accounts, want string }{
		{"u@% @%", "u@%"}, {"@% u@%", "u@%"}, {"u@% @localhost", "@localhost"}, {"@localhost u@localhost u@%", "u@localhost"},
		{"@127.% u@127.0.%", "u@127.0.%"}, {"other@localhost @%", "@%"}, {"other@%", ""},
	} {
		db, _ := scratch()
		ed := db.Editor()
		for _, a := range strings.Fields(c.accounts) {
			name, host, _ := strings.Cut(a, "@")
			ed.PutUser(&mysql_db.User{User: name, Host: host, PrivilegeSet: mysql_db.NewPrivilegeSet()})
		}
		ed.Close()
		got := ""
		if u := bookOf(db).find("u", "127.0.0.1"); u != nil {
			got = u.user + "@" + u.host
		}
		if got != c.want {
			t.Errorf("of %s: %q, want %q", c.accounts, got, c.want)
		}
	}
}

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"%", "", true}, {"a%", "abc", true}, {"a%c", "abc", true}, {"a%c", "abd", false}, {"%.%.1", "10.0.0.1", true}, {"a_c", "abc", true}, {"a_c", "ac", false},
		{"%%", "x", true}, {"_", "", false}, {"10.1.%", "10.1", false}, {"%a%b", "xaab", true}, {"%a%b", "xba", false},
	} {
		if got := matchPattern(c.pattern, c.text); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
	for _, host := range []string{"10.0.0.0/33", "10.0.0.0/255.0.255.0", "10.0.0.1/8", "x/y", "10.0.0.0/", "/", "fd00::/255.0.0.0"} {
		if _, ok := matchHost(host, "10.0.0.1"); ok {
			t.Errorf("%s matches", host)
		}
	}
}

// Accounts that a former release has stored with loopback addresses are of localhost, with their
// roles; those that no client could use are left out, and their roles are given to no account.
func TestStoredLoopbackAccounts(t *testing.T) {
	db, saved := scratch()
	ed := db.Editor()
	for _, a := range []string{"a@127.0.0.1", "b@127.0.0.1", "b@localhost", "c@::1", "c@127.0.0.1", "r@%"} {
		name, host, _ := strings.Cut(a, "@")
		ed.PutUser(&mysql_db.User{User: name, Host: host, AuthString: a, PrivilegeSet: mysql_db.NewPrivilegeSet()})
	}
	for _, to := range []string{"a@127.0.0.1", "b@127.0.0.1", "c@127.0.0.1"} {
		name, host, _ := strings.Cut(to, "@")
		ed.PutRoleEdge(&mysql_db.RoleEdge{FromUser: "r", FromHost: "%", ToUser: name, ToHost: host})
	}
	if err := db.Persist(gms.NewEmptyContext(), ed); err != nil {
		t.Fatal(err)
	}
	ed.Close()
	for range 2 { // and again, of what was stored then
		next, kept := scratch()
		if err := load(next, saved.data); err != nil {
			t.Fatal(err)
		}
		ed = next.Editor()
		var got []string
		ed.VisitUsers(func(u *mysql_db.User) {
			roles := ed.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: u.Host, ToUser: u.User})
			got = append(got, fmt.Sprintf("%s@%s was %s, %d", u.User, u.Host, u.AuthString, len(roles)))
		})
		slices.Sort(got)
		want := "a@localhost was a@127.0.0.1, 1; b@localhost was b@localhost, 0; c@localhost was c@127.0.0.1, 1; r@% was r@%, 0"
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		for _, to := range []string{"127.0.0.1", "::1"} {
			for _, name := range []string{"a", "b", "c"} {
				if n := len(ed.GetToUserRoleEdges(mysql_db.RoleEdgesToKey{ToHost: to, ToUser: name})); n > 0 {
					t.Errorf("%s@%s has %d roles", name, to, n)
				}
			}
		}
		if err := next.Persist(gms.NewEmptyContext(), ed); err != nil {
			t.Fatal(err)
		}
		ed.Close()
		saved = kept
	}
}
