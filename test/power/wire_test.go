package power

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/go-sql-driver/mysql"
)

// wire is between the clients and the nodes. When the power is cut it is cut as well: no client
// receives anything any longer, and none connects until it is joined again.
type wire struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	joined chan struct{} // closed while it is whole
}

func newWire() *wire {
	w := &wire{conns: map[net.Conn]struct{}{}, joined: make(chan struct{})}
	mysql.RegisterDialContext("tcp", w.dial)
	return w
}

var errCut = errors.New("the power is cut")

func (w *wire) dial(ctx context.Context, address string) (net.Conn, error) {
	w.mu.Lock()
	joined := w.joined
	w.mu.Unlock()
	select {
	case <-joined:
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errCut}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.joined != joined { // it was cut meanwhile
		_ = conn.Close()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errCut}
	}
	w.conns[conn] = struct{}{}
	return conn, nil
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.joined = make(chan struct{})
	// order: all are closed.
	for c := range w.conns {
		_ = c.Close()
	}
	clear(w.conns)
}

func (w *wire) join() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.joined)
}
