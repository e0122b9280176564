package delay

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// The bounds of one direction of a connection: pieces, and bytes in each.
const (
	pieceBytes    = 16 << 10
	pieces        = 256
	bytesInFlight = pieces * pieceBytes
)

// piece is the result of one read. One without data is the end of the stream.
type piece struct {
	data []byte
	due  time.Time
	cut  bool // an abnormal end
}

// pipe is one direction of one connection: a reader adds pieces, a writer forwards them when due.
type pipe struct {
	proxy   *Proxy
	queue   chan piece
	stopped chan struct{}
	once    sync.Once
}

func newPipe(p *Proxy) *pipe {
	return &pipe{proxy: p, queue: make(chan piece, pieces), stopped: make(chan struct{})}
}

// stop makes the reader add nothing more and the writer wait no longer.
func (l *pipe) stop() { l.once.Do(func() { close(l.stopped) }) }

// read reads from a connection until its end.
func (l *pipe) read(from net.Conn) {
	buf := make([]byte, pieceBytes)
	for {
		n, err := from.Read(buf)
		due := time.Now().Add(l.proxy.RTT() / 2)
		if n > 0 && !l.put(piece{data: append([]byte(nil), buf[:n]...), due: due}) {
			return
		}
		if err != nil {
			l.put(piece{due: due, cut: !errors.Is(err, io.EOF)})
			return
		}
	}
}

func (l *pipe) put(one piece) bool {
	select {
	case l.queue <- one:
		return true
	case <-l.stopped:
	case <-l.proxy.done:
	}
	return false
}

// write forwards pieces; whole: up to a normal end, which was passed to the other side.
func (l *pipe) write(to net.Conn) (whole bool) {
	for {
		select {
		case one := <-l.queue:
			if !l.wait(one.due) {
				return false
			}
			if len(one.data) == 0 {
				return !one.cut && closeWrite(to) == nil
			}
			if _, err := to.Write(one.data); err != nil {
				return false
			}
		case <-l.stopped:
			return false
		case <-l.proxy.done:
			return false
		}
	}
}

// wait waits until a piece is due, and records its lateness.
func (l *pipe) wait(due time.Time) bool {
	if left := time.Until(due); left > 0 {
		t := time.NewTimer(left)
		defer t.Stop()
		select {
		case <-t.C:
		case <-l.stopped:
			return false
		case <-l.proxy.done:
			return false
		}
	}
	l.proxy.late.note(time.Since(due))
	return true
}

// closeWrite ends the stream to the other side.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
