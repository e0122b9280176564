package ports

import (
	"net"
	"sync"
	"testing"
)

// No port is given twice, to however many ask at a time, until it is given back.
func TestNoPortTwice(t *testing.T) {
	const askers, each = 8, 20
	var wait sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]bool{}
	for range askers {
		wait.Go(func() {
			for range each {
				c, err := Take(2, 100)
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(c.Release)
				mu.Lock()
				for _, p := range []int{c.Base, c.Base + 1, c.Base + 100, c.Base + 101} {
					if seen[p] {
						t.Errorf("port %d was given twice", p)
					}
					seen[p] = true
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
}

// A port where a program listens is passed over.
func TestSkipsPortsInUse(t *testing.T) {
	a, err := Take(1)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", Address(a.Base)) // while it is claimed, so that no other process takes it
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a.Release()
	b, err := Take(1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	if b.Base == a.Base {
		t.Errorf("port %d was given while a program listens on it", a.Base)
	}
}

// A released port may be taken again, unless another process is quicker, which it is not each time.
func TestReleasesPorts(t *testing.T) {
	for range 100 {
		a, err := Take(1)
		if err != nil {
			t.Fatal(err)
		}
		a.Release()
		b, err := Take(1)
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
		if a.Base == b.Base {
			return
		}
	}
	t.Error("no port that was given back was given again")
}
