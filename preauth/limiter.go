package preauth

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Limiter holds a port's unauthenticated connections; it is safe for many goroutines and uses the clock.
type Limiter struct {
	mu              sync.Mutex
	unauthenticated *Unauthenticated
	dropped         atomic.Int64
	ended           chan struct{}
	once            sync.Once
}

// NewLimiter returns a Limiter with so many places.
func NewLimiter(most int) *Limiter {
	return &Limiter{unauthenticated: NewUnauthenticated(most), ended: make(chan struct{})}
}

// lookEvery is the interval at which a newcomer checks for a free place.
const lookEvery = 2 * time.Millisecond

// Admit accepts a connection. It may wait, at most SpokenMin, and may close another; false if
// the Limiter was ended meanwhile. It must be called by one goroutine: the one that accepts.
func (d *Limiter) Admit(remote net.Addr, g ClientConn) bool {
	host := HostKey(remote)
	for {
		d.mu.Lock()
		dropped, wait := d.unauthenticated.Enter(time.Now(), host, g)
		d.mu.Unlock()
		if dropped != nil {
			d.dropped.Add(1)
			_ = dropped.Close()
		}
		if wait == 0 {
			return true
		}
		select {
		case <-time.After(min(wait, lookEvery)):
		case <-d.ended:
			return false
		}
	}
}

// Leave frees the place of a connection that has logged in or ended.
func (d *Limiter) Leave(g ClientConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unauthenticated.Leave(g)
}

// End wakes Admit permanently.
func (d *Limiter) End() { d.once.Do(func() { close(d.ended) }) }

// Unauthenticated is the present number of connections.
func (d *Limiter) Unauthenticated() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unauthenticated.Len()
}

// Dropped is the number of connections evicted since the start.
func (d *Limiter) Dropped() int64 { return d.dropped.Load() }

// HostKey returns an address without its port. Of IPv6 it is the /64 network, which
// one customer usually has entirely.
func HostKey(a net.Addr) string {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := ap.Addr().Unmap().WithZone("")
	if ip.Is4() || ip.IsLoopback() {
		return ip.String()
	}
	p, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return p.String()
}

// MeteredConn is a ClientConn that records whether bytes were received.
type MeteredConn struct {
	net.Conn
	received atomic.Bool
}

// Read implements net.Conn.
func (c *MeteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.received.Load() {
		c.received.Store(true)
	}
	return n, err
}

// Spoke implements ClientConn.
func (c *MeteredConn) Spoke() bool { return c.received.Load() }
