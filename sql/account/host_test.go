package account

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
			var s Stored
			for _, h := range made {
				s.Users = append(s.Users, &User{Name: Name{h, "u"}, Own: nothing})
			}
			var got []string
			for {
				u := bookOf(s).find("u", c.address)
				if u == nil {
					break
				}
				got = append(got, u.Host)
				s.Users = slices.DeleteFunc(s.Users, func(o *User) bool { return o.Name == u.Name })
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
		var s Stored
		for _, a := range strings.Fields(c.accounts) {
			s.Users = append(s.Users, &User{Name: nameOf(a), Own: nothing})
		}
		got := ""
		if u := bookOf(s).find("u", "127.0.0.1"); u != nil {
			got = u.User + "@" + u.Host
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

// nameOf is user@host.
func nameOf(text string) Name {
	user, host, _ := strings.Cut(text, "@")
	return Name{host, user}
}

// Accounts that a former release has stored with loopback addresses are of localhost, with their
// roles; those that no client could use are left out, and their roles are given to no account.
func TestStoredLoopbackAccounts(t *testing.T) {
	s := Stored{Roles: map[Name][]Given{}}
	for _, a := range []string{"a@127.0.0.1", "b@127.0.0.1", "b@localhost", "c@::1", "c@127.0.0.1", "r@%"} {
		s.Users = append(s.Users, &User{Name: nameOf(a), Verifier: a, Own: nothing})
	}
	for _, to := range []string{"a@127.0.0.1", "b@127.0.0.1", "c@127.0.0.1"} {
		s.Roles[nameOf(to)] = []Given{{Role: nameOf("r@%")}}
	}
	for range 2 { // and again, of what is stored then
		b := bookOf(s)
		var got []string
		for _, u := range b.users { // order: sorted below
			got = append(got, fmt.Sprintf("%s@%s was %s, %d", u.User, u.Host, u.Verifier, len(b.roles[u.Name])))
		}
		slices.Sort(got)
		want := "a@localhost was a@127.0.0.1, 1; b@localhost was b@localhost, 0; c@localhost was c@127.0.0.1, 1; r@% was r@%, 0"
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
		for to := range b.roles { // order: each by itself
			if to != to.canonical() {
				t.Errorf("%v has roles", to)
			}
		}
		s = b.stored()
	}
}
