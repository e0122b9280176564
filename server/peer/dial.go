package peer

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"isochron/estimate"
	"isochron/txn"
)

// The bounds of the queue to a peer. Without a connection nothing is queued: old messages are of little use.
const (
	queueFramesMax = 1 << 15
	queueBytesMax  = 64 << 20
)

// The pauses between attempts to connect.
const (
	pauseMin = 100 * time.Millisecond
	pauseMax = 3 * time.Second
)

// writeWait bounds the writing of one piece: a peer that accepts nothing for so long is gone.
const (
	writeWait  = 5 * time.Second
	writePiece = 1 << 20
)

// link is the connection to one peer.
type link struct {
	t       *Transport
	to      txn.NodeID
	address string
	wake    chan struct{} // has one element when the queue may be non-empty
	now     chan struct{} // has one element when it should connect without a pause
	stop    chan struct{} // closed when the peer is removed, or the transport ends
	end     sync.Once

	mu      sync.Mutex
	queue   []byte // frames
	room    int64  // bound of queue in bytes; see shareQueues
	frames  int    // in the queue
	writing bool   // a batch taken from it is being written
	state   LinkState
	delays  *estimate.Delays // of this peer alone
	conn    net.Conn         // while it is up
	boot    uint64           // the start that answered; 0: an earlier version
}

// LinkState is the state of the connection to one peer.
type LinkState struct {
	Peer    txn.NodeID
	Address string
	Up      bool
	RTT     time.Duration  // the latest measured; 0: none yet on this connection
	Delay   estimate.Delay // estimated from the pings of the last window and an average over all; zero: none yet
	Error   string         // why it is down
	Sent    uint64         // frames queued so far
	Bytes   uint64         // written to the connection so far
	Dropped uint64         // frames lost because the queue was full, or the connection broke

	lastReceived time.Time // of the last pong, or the start of the connection
}

func newLink(t *Transport, to txn.NodeID, address string) *link {
	return &link{t: t, to: to, address: address, delays: t.cfg.Probing.Delays(),
		wake: make(chan struct{}, 1), now: make(chan struct{}, 1), stop: make(chan struct{}),
		room: queueBytesMax, state: LinkState{Peer: to, Address: address, Error: "not connected yet"}}
}

// Links returns the states of all connections.
func (t *Transport) Links() []LinkState {
	t.linksMu.RLock()
	defer t.linksMu.RUnlock()
	out := make([]LinkState, 0, len(t.links))
	// order: sorted below.
	for _, l := range t.links {
		l.mu.Lock()
		out = append(out, l.state)
		l.mu.Unlock()
	}
	slices.SortFunc(out, func(a, b LinkState) int { return cmp.Compare(a.Peer, b.Peer) })
	return out
}

// Idle reports whether all frames sent to connected peers have been written.
func (t *Transport) Idle() bool {
	t.linksMu.RLock()
	defer t.linksMu.RUnlock()
	// order: any busy one
	for _, l := range t.links {
		l.mu.Lock()
		busy := l.state.Up && (l.frames > 0 || l.writing)
		l.mu.Unlock()
		if busy {
			return false
		}
	}
	return true
}

// shareQueues divides QueueBytes among the connections. Half of a share may be queued while the other half is
// written. t.linksMu is held.
func (t *Transport) shareQueues() {
	if t.cfg.QueueBytes == 0 || len(t.links) == 0 {
		return
	}
	room := min(queueBytesMax, t.cfg.QueueBytes/2/int64(len(t.links)))
	// order: all get the same bound
	for _, l := range t.links {
		l.mu.Lock()
		l.room = room
		l.mu.Unlock()
	}
}

// Queued returns the bytes queued for connections.
func (t *Transport) Queued() (sum int64) {
	t.linksMu.RLock()
	defer t.linksMu.RUnlock()
	// order: a sum.
	for _, l := range t.links {
		l.mu.Lock()
		sum += int64(len(l.queue))
		l.mu.Unlock()
	}
	return sum
}

func (l *link) close() { l.end.Do(func() { close(l.stop) }) }

func (l *link) stopped() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// put queues a frame; without a connection it is dropped immediately. An empty queue accepts a frame of any
// length, which could not be sent otherwise.
func (l *link) put(k Kind, content []byte) {
	l.mu.Lock()
	l.state.Sent++
	if !l.state.Up || l.frames >= queueFramesMax || len(l.queue) > 0 && int64(len(l.queue)+len(content)) > l.room {
		l.state.Dropped++
		l.mu.Unlock()
		return
	}
	l.queue = appendFrame(l.queue, k, content)
	l.frames++
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// grab takes the queue and leaves a spare buffer.
func (l *link) grab(spare []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.queue
	l.queue, l.frames, l.writing = spare[:0], 0, true
	return out
}

// run connects, sends and reconnects until the link ends.
func (l *link) run() {
	pause := pauseMin
	for !l.stopped() {
		conn, life, err := l.connect()
		if err == nil {
			pause = pauseMin
			l.up(conn.NetConn(), life)
			l.t.cfg.Log.Info("connected to a peer", "peer", l.to, "address", l.address)
			err = l.use(conn)
			_ = conn.Close()
		}
		if l.stopped() {
			return
		}
		l.down(err)
		if passing(err) {
			pause = min(pause, retryMax)
		}
		select {
		case <-time.After(pause/2 + rand.N(pause/2)):
		case <-l.now:
		case <-l.stop:
			return
		}
		pause = min(2*pause, pauseMax)
	}
}

func (l *link) up(conn net.Conn, life Boot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.boot = conn, life.ID
	l.state.Up, l.state.Error, l.state.RTT, l.state.lastReceived = true, "", 0, time.Now()
}

// down logs the reason if it is new; a peer that is merely not running yet is not a warning.
func (l *link) down(err error) {
	l.mu.Lock()
	was := l.state
	l.state.Up, l.state.RTT, l.state.Error = false, 0, err.Error()
	l.state.Dropped += uint64(l.frames)
	l.queue, l.frames, l.writing, l.conn = nil, 0, false, nil
	l.mu.Unlock()
	if was.Error == err.Error() {
		return
	}
	var refused refusal
	if codeOf(err) == codeWait {
		l.t.cfg.Log.Debug("a peer is about to admit this node", "peer", l.to, "err", err)
		return
	}
	if errors.As(err, &refused) || was.Up {
		l.t.cfg.Log.Warn("no connection to a peer", "peer", l.to, "address", l.address, "err", err)
		return
	}
	l.t.cfg.Log.Info("no connection to a peer", "peer", l.to, "address", l.address, "err", err)
}

// hurry has a link without a connection connect without a pause.
func (l *link) hurry() {
	select {
	case l.now <- struct{}{}:
	default:
	}
}

// leave ends the connection to another start of the peer than this one.
func (l *link) leave(but uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil && l.boot != 0 && l.boot != but {
		_ = l.conn.Close()
	}
}

// reports reports whether the peer is connected and reports its start.
func (l *link) reports() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn != nil && l.boot != 0
}

// connect makes an authenticated connection to a start of the peer that may be admitted.
func (l *link) connect() (*tls.Conn, Boot, error) {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeWait)
	defer cancel()
	go func() {
		select {
		case <-l.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, life, err := dial(ctx, l.t.cfg.Credentials, l.address, hello{
		Version: version, Cluster: l.t.cfg.Cluster, From: l.t.cfg.Self, To: l.to, Settings: l.t.cfg.Settings, Founders: l.t.cfg.Founders, Boot: l.t.own()})
	l.t.turnedAway(l.to, err)
	if life.Start > 0 && l.t.boots != nil {
		l.t.boots.answersAt(l.to, life)
	}
	if err == nil {
		if err = l.t.admit(l.to, life); err != nil {
			_ = conn.Close()
		}
	}
	return conn, life, err
}

// dial connects to a node and sends hello, all within ctx. It returns the start that answers with a refusal too.
func dial(ctx context.Context, c *Credentials, address string, h hello) (*tls.Conn, Boot, error) {
	var d net.Dialer
	raw, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, Boot{}, err
	}
	var life Boot
	conn := tls.Client(raw, c.dialing(h.To))
	// Cancelling must not wait for a silent peer.
	undo := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	if err = conn.HandshakeContext(ctx); err == nil {
		life, err = greet(conn, h)
	}
	if !undo() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = raw.Close()
		return nil, life, explain(err)
	}
	return conn, life, nil
}

// use sends queued frames until the connection ends.
func (l *link) use(conn *tls.Conn) error {
	ended := make(chan error, 1)
	go func() { // the peer never writes: a read ends when the connection does
		_, err := conn.Read(make([]byte, 1))
		ended <- err
	}()
	ping := time.NewTicker(l.t.cfg.Probing.Every)
	defer ping.Stop()
	l.ping()
	var spare []byte
	var patient deadline
	for {
		select {
		case <-l.stop:
			return nil
		case err := <-ended:
			return fmt.Errorf("the peer closed the connection: %w", err)
		case <-ping.C:
			if l.isSilent() {
				return errors.New("the peer answers no ping")
			}
			l.ping()
		case <-l.wake:
			batch := l.grab(spare)
			if err := writeAll(conn, batch, &patient); err != nil {
				return err
			}
			l.wrote(len(batch))
			spare = keepSmall(batch)
		}
	}
}

// wrote counts written bytes.
func (l *link) wrote(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Bytes += uint64(bytes)
	l.writing = false
}

// writeAll writes in pieces, so that a long batch on a slow line does not count as a dead peer.
func writeAll(conn net.Conn, batch []byte, patient *deadline) error {
	for piece := range slices.Chunk(batch, writePiece) {
		if err := patient.after(writeWait, conn.SetWriteDeadline); err != nil {
			return err
		}
		if _, err := conn.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// spareMax is the largest buffer kept for the next batch.
const spareMax = 1 << 20

func keepSmall(b []byte) []byte {
	if cap(b) > spareMax {
		return nil
	}
	return b
}

// isSilent reports whether pings have gone unanswered for too long.
func (l *link) isSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.state.lastReceived) > silence
}

// frames reads frames from a connection that must not fall silent.
type frames struct {
	conn    net.Conn
	r       *bufio.Reader
	patient deadline
}

func newFrames(conn net.Conn) *frames {
	return &frames{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}
}

func (f *frames) next() (Kind, []byte, error) {
	if f.r.Buffered() < headerLen { // setting it for each frame is expensive
		if err := f.patient.after(silence, f.conn.SetReadDeadline); err != nil {
			return 0, nil, err
		}
	}
	return readFrame(f.r, FrameMax)
}
