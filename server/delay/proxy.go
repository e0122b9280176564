package delay

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// connectionsMax bounds a proxy's clients; more are refused.
const connectionsMax = 4096

// dialPatience bounds the target's reply to a connection.
const dialPatience = 10 * time.Second

// Proxy is one link: a port that leads to a target, with a delay.
type Proxy struct {
	listener net.Listener
	target   string
	rtt      atomic.Int64 // nanoseconds
	late     lateness
	done     chan struct{} // closed by Close
	running  sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool
}

// Listen opens a link: connections to address, such as 127.0.0.1:0, are forwarded to target, a host and port, with rtt
// for a round trip, at least 0.
func Listen(address, target string, rtt time.Duration) (*Proxy, error) {
	if rtt < 0 {
		return nil, fmt.Errorf("a round trip of %v is shorter than none", rtt)
	}
	if _, _, err := net.SplitHostPort(target); err != nil {
		return nil, fmt.Errorf("%q is no host and port to lead to: %w", target, err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("a delay proxy cannot listen: %w", err)
	}
	p := &Proxy{listener: l, target: target, late: newLateness(), done: make(chan struct{}), open: map[net.Conn]bool{}}
	p.SetRTT(rtt)
	p.running.Go(p.accept)
	return p, nil
}

// Addr returns its listen address, a host and port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// RTT returns the present round trip.
func (p *Proxy) RTT() time.Duration { return time.Duration(p.rtt.Load()) }

// SetRTT changes the delay of later data; less than 0 is 0. Data under way keeps its delay and is not overtaken.
func (p *Proxy) SetRTT(rtt time.Duration) { p.rtt.Store(int64(max(0, rtt))) }

// Lateness returns the lateness so far.
func (p *Proxy) Lateness() Lateness { return p.late.sum() }

// Close cuts all connections and stops listening.
func (p *Proxy) Close() error {
	p.mu.Lock()
	select {
	case <-p.done:
		p.mu.Unlock()
		return nil
	default:
		close(p.done)
	}
	err := p.listener.Close()
	for c := range p.open {
		_ = c.Close() // it is cut either way
	}
	p.mu.Unlock()
	p.running.Wait()
	return err
}

// accept accepts connections until the proxy is closed.
func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // usually no descriptors are left: others will be closed
			p.pause(10 * time.Millisecond)
			continue
		}
		if p.keep(c) {
			p.running.Go(func() { p.serve(c) })
		}
	}
}

// keep registers a connection, or closes it if there are too many or the proxy is closed.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
	default:
		if len(p.open) < 2*connectionsMax {
			p.open[c] = true
			return true
		}
	}
	_ = c.Close() // refused
	return false
}

// drop closes a connection that is no longer needed.
func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	_ = c.Close() // all data was sent, or cannot be
}

// pause waits; false: the proxy was closed meanwhile.
func (p *Proxy) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return false
	case <-t.C:
		return true
	}
}

// serve serves one connection.
func (p *Proxy) serve(client net.Conn) {
	defer p.drop(client)
	// The client is connected already; over the link it would be one round trip later.
	rtt := p.RTT()
	if !p.pause(rtt) {
		return
	}
	there := newPipe(p)
	p.running.Go(func() { there.read(client) })
	defer there.stop()
	if !p.pause(rtt / 2) {
		return
	}
	target, err := net.DialTimeout("tcp", p.target, dialPatience)
	if err != nil || !p.keep(target) {
		return // the client's connection is closed, as with a server that is down
	}
	defer p.drop(target)
	back := newPipe(p)
	defer back.stop()
	p.running.Go(func() { back.read(target) })
	ends := make(chan bool, 2)
	p.running.Go(func() { ends <- there.write(target) })
	p.running.Go(func() { ends <- back.write(client) })
	if whole := <-ends; whole { // one direction has ended normally: the other may continue
		<-ends
	}
}
