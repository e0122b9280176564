package sourcedb

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/source"
)

// A cutter is between a driver and its server. On request it cuts the connection at a message with a given word in it:
// before the server receives it, or before the driver receives the server's reply.
type cutter struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	word    []byte // nil: no cut
	through bool
}

func newCutter(t *testing.T, target string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: l, target: target}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(near)
		}
	}()
	return c
}

// openThroughCutter returns a driver whose connections go through a cutter.
func (k *kit) openThroughCutter() (*cutter, source.Driver) {
	k.t.Helper()
	u, err := url.Parse(k.server.URL())
	k.must(err)
	c := newCutter(k.t, u.Host)
	u.Host = c.listener.Addr().String()
	if k.name_() == "postgres" {
		u.RawQuery = "sslmode=disable"
	}
	far, err := Open(u.String(), Options{})
	k.must(err)
	k.t.Cleanup(func() { _ = far.Close() })
	return c, far
}

// cut arms it for one message.
func (c *cutter) cut(word string, through bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.word, c.through = []byte(word), through
}

func (c *cutter) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer far.Close()
	var late atomic.Bool // the next reply is not forwarded
	go func() {
		defer near.Close()
		defer far.Close()
		buf := make([]byte, 1<<16)
		for {
			n, err := far.Read(buf)
			if err != nil {
				return
			}
			if late.Load() { // the rest of the reply, too
				for err == nil {
					_ = far.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
					_, err = far.Read(buf)
				}
				return
			}
			if _, err := near.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := near.Read(buf)
		if err != nil {
			return
		}
		c.mu.Lock()
		hit := c.word != nil && bytes.Contains(buf[:n], c.word)
		if hit {
			c.word = nil
			late.Store(true)
		}
		through := c.through
		c.mu.Unlock()
		if hit && !through {
			return
		}
		if _, err := far.Write(buf[:n]); err != nil {
			return
		}
	}
}

// A connection that breaks before the reply to a commit or prepare leaves the outcome unknown, and the source's later
// answer is right.
func TestUnknown(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		c, far := k.openThroughCutter()
		want, through := []string{}, 0
		for i, way := range []struct {
			prepare, through bool
		}{{false, false}, {false, true}, {true, false}, {true, true}} {
			n := k.name()
			b := k.beginAt(far, n, source.BranchOptions{Isolation: source.ReadCommitted})
			id := string(rune('1' + i))
			k.do(b, "INSERT INTO %s VALUES ("+id+", 0)")
			word, end := "COMMIT", b.Commit
			if way.prepare {
				word, end = "PREPARE", b.Prepare
			}
			c.cut(word, way.through)
			e := k.fails(end(k.ctx), codeLost)
			if !e.Unknown || !e.Gone || !e.Ends {
				t.Errorf("%+v: %+v", way, e)
			}
			// On a slow machine the end may overtake the message, so either outcome is possible; but it is only one,
			// and a message that was cut off has no effect.
			found := false
			if way.prepare {
				done, err := k.driver.Finish(k.ctx, n, true)
				k.must(err)
				found = done
			} else {
				probe, _ := k.begin(source.BranchOptions{Isolation: source.ReadCommitted})
				_, err := k.try(probe, "INSERT INTO %s VALUES ("+id+", 0)")
				found = err != nil
				k.must(probe.Rollback(k.ctx))
			}
			if found && !way.through {
				t.Errorf("%+v: what never arrived has happened", way)
			}
			through += count(found)
			if found {
				want = append(want, id, "0")
			}
		}
		if through == 0 {
			t.Error("nothing of what went through has happened")
		}
		k.has(want...)
		k.prepared(k.driver)
	})
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
