package sourcedb

import (
	"context"
	"net"
)

// The Go driver for MySQL has a goroutine for each connection that watches the context of its statement. It is woken
// when a statement begins and when it ends, which costs as much as the statement's trip. Here the goroutine that
// cancels the context closes the socket of the statement, and no goroutine is woken for the others.

// socketOf is the key of a context in which the dialler stores its socket.
type socketOf struct{}

// dialSocket connects for the Go driver.
func dialSocket(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	socket, err := d.DialContext(ctx, network, address)
	if kept, ok := ctx.Value(socketOf{}).(*net.Conn); ok && err == nil {
		*kept = socket
	}
	return socket, err
}

// watched returns a context for the Go driver's call, which the driver does not watch, and a function that ends the
// watch over the caller's context; call it once the whole result has been read.
func (c *myConn) watched(ctx context.Context) (context.Context, func()) {
	if ctx.Done() == nil {
		return ctx, func() {}
	}
	stop := context.AfterFunc(ctx, func() {
		c.given.Store(true) // before the socket is closed: the reader that notices checks given
		_ = c.socket.Close()
	})
	return context.WithoutCancel(ctx), func() { stop() }
}

// valid reports whether the connection is usable, as far as known.
func (c *myConn) valid() bool { return !c.given.Load() && c.c.IsValid() }
