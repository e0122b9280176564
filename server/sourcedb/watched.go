package sourcedb

import (
	"context"
	"net"
)

// The Go driver for MySQL has a goroutine for each connection that watches the context of what runs
// there: it is woken when a statement begins and again when it ends, which costs as much as the
// statement does on its way. Here a statement that is given up has its socket closed by who ends
// the context, and nobody is woken for the others.

// socketOf is the key of a context in which a dialler leaves the socket that it opens.
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

// watched gives the context for the Go driver's call, which it does not watch, and what ends the
// watch over the caller's, to be called when all of the call's answer has been read.
func (c *myConn) watched(ctx context.Context) (context.Context, func()) {
	if ctx.Done() == nil {
		return ctx, func() {}
	}
	stop := context.AfterFunc(ctx, func() {
		c.given.Store(true) // before the end of the socket: whoever hears of that looks here
		_ = c.socket.Close()
	})
	return context.WithoutCancel(ctx), func() { stop() }
}

// valid reports whether the connection can be used, as far as is known here.
func (c *myConn) valid() bool { return !c.given.Load() && c.c.IsValid() }
