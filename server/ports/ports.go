package ports

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

// Ports are searched from first to below last. Systems assign connections those from 32768 (Linux) or 49152 (others).
const (
	first = 10_000
	last  = 32_000
)

// Claim has ports without a listener that no other user of this package receives.
type Claim struct {
	Base int // the lowest port
	kept []net.PacketConn
}

// Take claims n consecutive ports, and as many at each offset above them. It fails if there are none.
func Take(n int, offsets ...int) (*Claim, error) {
	// Processes begin at different places, so that they seldom try the same ports.
	span := last - first
	start := os.Getpid() % 1000 * 20
	for i := range span {
		c := &Claim{Base: first + (start+i)%span}
		if c.take(n, offsets) {
			return c, nil
		}
		c.Release()
	}
	return nil, fmt.Errorf("no %d free ports in a row from %d to %d on this machine: stop programs that listen on them", n, first, last)
}

func (c *Claim) take(n int, offsets []int) bool {
	for i := range n {
		if !c.one(c.Base + i) {
			return false
		}
		for _, offset := range offsets {
			if !c.one(c.Base + offset + i) {
				return false
			}
		}
	}
	return true
}

// one claims a port before it checks that it is free: in the other order two processes could both find it free.
func (c *Claim) one(port int) bool {
	if port >= last {
		return false
	}
	mark, err := net.ListenPacket("udp", Address(port))
	if err != nil {
		return false
	}
	c.kept = append(c.kept, mark)
	l, err := net.Listen("tcp", Address(port))
	return err == nil && l.Close() == nil
}

// Release releases the ports.
func (c *Claim) Release() {
	for _, mark := range c.kept {
		_ = mark.Close() // nothing was sent through it
	}
	c.kept = nil
}

// Address returns a port's address on the loopback interface.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
