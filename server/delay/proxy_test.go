package delay

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"isochron/server/ports"
)

// server listens until the test ends and serves each connection with a function.
func server(t *testing.T, do func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { defer c.Close(); do(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return l.Addr().String()
}

func echo(c net.Conn) { _, _ = io.Copy(c, c) }

func link(t *testing.T, target string, rtt time.Duration) *Proxy {
	t.Helper()
	p, err := Listen("127.0.0.1:0", target, rtt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func dial(t *testing.T, p *Proxy) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

// roundTrip sends a byte, waits for its echo, and returns the time taken.
func roundTrip(t *testing.T, c net.Conn) time.Duration {
	t.Helper()
	begun := time.Now()
	if _, err := c.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begun)
}

// No round trip is shorter than configured, the first one with its handshake than two; a change of
// the delay applies to data sent later.
func TestRoundTripsAreNoShorter(t *testing.T) {
	const rtt = 30 * time.Millisecond
	p := link(t, server(t, echo), rtt)
	c := dial(t, p)
	if took := roundTrip(t, c); took < 2*rtt {
		t.Errorf("connecting and one round trip took %v, less than twice %v", took, rtt)
	}
	for range 5 {
		if took := roundTrip(t, c); took < rtt {
			t.Errorf("a round trip took %v, less than %v", took, rtt)
		}
	}
	p.SetRTT(3 * rtt)
	if took := roundTrip(t, c); took < 3*rtt {
		t.Errorf("a round trip took %v, less than %v, after that was set", took, 3*rtt)
	}
	if l := p.Lateness(); l.Pieces != 14 || l.Max < l.P99 || l.P99 < l.P50 {
		t.Errorf("lateness is %v after 7 round trips", l)
	}
}

// Many connections in parallel, each of which sends more than a direction may hold: all bytes
// arrive in their order, and the end of the stream arrives while the answer is still being
// received.
func TestBytesKeepTheirOrder(t *testing.T) {
	p := link(t, server(t, echo), 2*time.Millisecond)
	var running sync.WaitGroup
	for i := range 20 {
		c := dial(t, p)
		sent := make([]byte, bytesInFlight+bytesInFlight/4)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(sent)
		running.Go(func() {
			if _, err := c.Write(sent); err != nil {
				t.Error(err)
			}
			if err := c.CloseWrite(); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			got, err := io.ReadAll(c)
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes came back, %v, of %d, or others", len(got), err, len(sent))
			}
		})
	}
	running.Wait()
}

// With a delay that becomes shorter no data overtakes earlier data.
func TestNothingOvertakes(t *testing.T) {
	p := link(t, server(t, echo), 100*time.Millisecond)
	c := dial(t, p)
	roundTrip(t, c)
	if _, err := c.Write([]byte("first ")); err != nil {
		t.Fatal(err)
	}
	for p.Lateness().Pieces == 2 { // until it has reached the server, and its echo is on its way
		time.Sleep(time.Millisecond)
	}
	p.SetRTT(0)
	if _, err := c.Write([]byte("second")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 12)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "first second" {
		t.Errorf("%q came, %v", got, err)
	}
}

// A client that does not read is sent only as much as the buffers hold: the sender must wait.
func TestBuffersAreBounded(t *testing.T) {
	stop := make(chan struct{})
	p := link(t, server(t, func(net.Conn) { <-stop }), 0)
	defer close(stop)
	c := dial(t, p)
	if err := c.SetWriteDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	n, err := c.Write(make([]byte, 100<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes were taken by a server that reads nothing: %v", n, err)
	}
}

// A server that is down, or that ends, closes the client's connection; Close ends all others.
func TestEnds(t *testing.T) {
	down, err := ports.Take(1)
	if err != nil {
		t.Fatal(err)
	}
	defer down.Release()
	for name, target := range map[string]string{"down": ports.Address(down.Base), "ends": server(t, func(net.Conn) {})} {
		if n, err := dial(t, link(t, target, time.Millisecond)).Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: %d bytes came", name, n)
		}
	}
	p := link(t, server(t, echo), time.Millisecond)
	c := dial(t, p)
	roundTrip(t, c)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes came through a closed proxy", n)
	}
	if len(p.open) != 0 {
		t.Errorf("%d connections are left after Close", len(p.open))
	}
	if err := p.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
}

// What makes no sense is refused.
func TestListenRefuses(t *testing.T) {
	for _, c := range []struct {
		address, target string
		rtt             time.Duration
	}{{"127.0.0.1:0", "127.0.0.1:1", -1}, {"127.0.0.1:0", "nowhere", 0}, {"nowhere", "127.0.0.1:1", 0}} {
		if p, err := Listen(c.address, c.target, c.rtt); err == nil {
			t.Errorf("%+v was taken", c)
			_ = p.Close()
		}
	}
}
