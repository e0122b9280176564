package preauth

import (
	"fmt"
	"net"
	"testing"
	"time"
)

type guest struct {
	spoke  bool
	closed bool
}

func (g *guest) Spoke() bool  { return g.spoke }
func (g *guest) Close() error { g.closed = true; return nil }

var start = time.Unix(1000, 0)

func at(d time.Duration) time.Time { return start.Add(d) }

// The oldest silent connection is evicted, but not before its minimal time has passed.
func TestTheOldestSilentIsEvicted(t *testing.T) {
	s := NewUnauthenticated(3)
	a, b, c, d := &guest{spoke: true}, &guest{}, &guest{}, &guest{}
	for i, g := range []*guest{a, b, c} {
		if dropped, wait := s.Enter(at(time.Duration(i)*time.Millisecond), "h", g); dropped != nil || wait != 0 {
			t.Fatalf("guest %d: %v, %v", i, dropped, wait)
		}
	}
	if dropped, wait := s.Enter(at(21*time.Millisecond), "h", d); dropped != nil || wait != SilentMin-20*time.Millisecond || s.Len() != 3 {
		t.Errorf("all are fresh: %v, %v", dropped, wait)
	}
	if dropped, wait := s.Enter(at(60*time.Millisecond), "h", d); dropped != ClientConn(b) || wait != 0 || s.Len() != 3 {
		t.Errorf("later: %v, %v", dropped, wait)
	}
	b.spoke, c.spoke, d.spoke = true, true, true
	e := &guest{}
	if dropped, wait := s.Enter(at(90*time.Millisecond), "h", e); dropped != nil || wait != 10*time.Millisecond {
		t.Errorf("all have begun: %v, %v", dropped, wait)
	}
	if dropped, _ := s.Enter(at(100*time.Millisecond), "h", e); dropped != ClientConn(a) {
		t.Errorf("the oldest that has spoken: %v", dropped)
	}
}

// An address with many connections has its own evicted; other addresses are not affected.
func TestAddressWithMostPays(t *testing.T) {
	s := NewUnauthenticated(8)
	honest := &guest{}
	s.Enter(at(0), "honest", honest)
	for i := range 100 {
		now := at(time.Duration(i) * time.Second)
		if dropped, wait := s.Enter(now, "flood", &guest{spoke: i%2 == 0}); dropped == ClientConn(honest) || wait != 0 {
			t.Fatalf("%d: %v, %v", i, dropped, wait)
		}
	}
	fresh := at(99*time.Second + time.Millisecond)
	for i := range 3 {
		if dropped, wait := s.Enter(fresh, fmt.Sprint("other", i), &guest{}); dropped == nil || dropped == ClientConn(honest) || wait != 0 {
			t.Errorf("another address: %v, %v", dropped, wait)
		}
	}
	if s.Len() != 8 {
		t.Errorf("%d strangers", s.Len())
	}
}

func TestLeaveIsOnce(t *testing.T) {
	s := NewUnauthenticated(2)
	a, b := &guest{}, &guest{}
	s.Enter(at(0), "h", a)
	s.Enter(at(0), "h", b)
	s.Leave(a)
	s.Leave(a)
	s.Leave(b)
	if s.Len() != 0 || len(s.hosts) != 0 {
		t.Errorf("%d strangers, %d hosts", s.Len(), len(s.hosts))
	}
}

// Waits double up to their bound, decay with time and end with a success, and the table never grows
// beyond its size.
func TestFailuresWait(t *testing.T) {
	f := NewFailures(DefaultDelays)
	var got []time.Duration
	for range 10 {
		got = append(got, f.Note(at(0), "k"))
	}
	want := []time.Duration{0, 0, 0, 250, 500, 1000, 2000, 4000, 5000, 5000}
	for i := range want {
		if got[i] != want[i]*time.Millisecond {
			t.Errorf("failure %d waits %v, want %v ms", i+1, got[i], int(want[i]))
		}
	}
	if d := f.Note(at(2*time.Minute), "k"); d != 0 {
		t.Errorf("after two minutes: %v", d) // 10/4 + 1
	}
	f.Note(at(2*time.Minute), "k")
	f.Forget("k")
	if d := f.Note(at(2*time.Minute), "k"); d != 0 {
		t.Errorf("after a success: %v", d)
	}
	for i := range 3 * DefaultDelays.Size {
		f.Note(at(0), fmt.Sprint(i))
	}
	if f.Len() != DefaultDelays.Size || f.order.Len() != f.Len() {
		t.Errorf("%d keys are remembered", f.Len())
	}
}

func TestHostKey(t *testing.T) {
	for address, want := range map[string]string{"10.1.2.3:99": "10.1.2.3", "[::1]:5": "::1", "[2001:db8:1:2:3:4:5:6]:7": "2001:db8:1:2::/64", "[::ffff:10.1.2.3]:9": "10.1.2.3"} {
		a, err := net.ResolveTCPAddr("tcp", address)
		if err != nil || HostKey(a) != want {
			t.Errorf("%s: %q, %v", address, HostKey(a), err)
		}
	}
}
