package account

import (
	"net"
	"strings"
	"testing"
	"time"
)

// Each kind of statement has one row.
func TestOneRowOfEachKind(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rights() {
		if seen[r.Statement] {
			t.Errorf("%s has two rows", r.Statement)
		}
		seen[r.Statement] = true
	}
}

// From an address that has asked for an unknown name the leader is asked for known ones, too.
func TestStrangers(t *testing.T) {
	var s strangers
	now := time.Unix(1000, 0)
	if s.asks("h", false, now) {
		t.Error("the leader is asked for a known name at once")
	}
	if !s.asks("h", true, now) || !s.asks("h", false, now.Add(strangersFor-1)) || s.asks("other", false, now) || s.asks("h", false, now.Add(strangersFor)) {
		t.Error("the leader is asked as it should not be")
	}
}

// noCodec stores nothing.
type noCodec struct{}

func (noCodec) Decode([]byte) (Stored, error) { return Stored{}, nil }
func (noCodec) Encode(Stored) ([]byte, error) { return []byte("stored"), nil }
func (noCodec) Show(Stored) error             { return nil }

// An unknown account is asked for a password as a known one is, always the same, at every node.
func TestDecoy(t *testing.T) {
	var nodes [2]*Accounts
	for i := range nodes {
		a, err := New(nil, noCodec{}, "*"+strings.Repeat("A", 40))
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = a
		root := rootUser("x", time.Unix(1, 0))
		a.book.Store(bookOf(Stored{Users: []*User{root}}))
	}
	if got := nodes[0].decoy("x"); got != Native {
		t.Errorf("nobody has another than mysql_native_password, and x is asked for %s", got)
	}
	for _, a := range nodes {
		sha := &User{Name: Name{"%", "sha"}, Plugin: Sha2, Verifier: "x", Own: nothing}
		a.book.Store(bookOf(Stored{Users: []*User{rootUser("x", time.Unix(1, 0)), sha}}))
	}
	ways := map[string]int{}
	for i := range 200 {
		name := strings.Repeat("x", i)
		way := nodes[0].decoy(name)
		if again := nodes[1].decoy(name); again != way {
			t.Fatal("a name is asked in two ways")
		}
		ways[way]++
	}
	if len(ways) != 2 || ways[Sha2] < 60 || ways[Native] < 60 {
		t.Errorf("%v", ways)
	}
}

// An account without a password is refused from another machine. A locked one may prove its
// password (TestLockedAccount).
func TestWhoMayTry(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 9), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	open, locked, proved := &User{}, &User{Verifier: "x", Locked: true}, &User{Verifier: "x"}
	for _, c := range []struct {
		user *User
		from net.Addr
		want bool
	}{{open, near, true}, {open, far, false}, {locked, near, true}, {proved, far, true}} {
		if got := mayTry(noTLS{}, c.user, c.from); got != c.want {
			t.Errorf("%+v from %s: %v", c.user, c.from, got)
		}
	}
}

// noTLS is a client without TLS.
type noTLS struct{ Client }

func (noTLS) TLSEnabled() bool { return false }
