package delay

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// What one direction of a connection holds at most: so many pieces of so many bytes.
const (
	pieceBytes    = 16 << 10
	pieces        = 256
	bytesInFlight = pieces * pieceBytes
)

// piece is what was read at once. One without data is the end of the stream.
type piece struct {
	data []byte
	due  time.Time
	cut  bool // the end, and not a good one
}

// pipe is one direction of one connection: a reader puts pieces in, a writer hands them on when
// they are due.
type pipe struct {
	proxy   *Proxy
	queue   chan piece
	stopped chan struct{}
	once    sync.Once
}

func newPipe(p *Proxy) *pipe {
	return &pipe{proxy: p, queue: make(chan piece, pieces), stopped: make(chan struct{})}
}

// stop has the reader put nothing more in, and the writer wait no longer.
func (l *pipe) stop() { l.once.Do(func() { close(l.stopped) }) }

// read takes what comes from a connection until its end.
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

// write hands on what was read; whole: until its good end, which the other side was told of.
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

// wait waits until a piece is due, and notes how late it is then.
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

// closeWrite tells the other side that nothing more will come.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
