package peer

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"isochron/estimate"
	"isochron/preauth"
	"isochron/txn"
)

// Config of a Transport.
type Config struct {
	Self        txn.NodeID
	Cluster     string
	Settings    string // settings that all nodes must share; compared as text
	Founders    string // shared by all nodes that have them
	Listen      string
	Peers       map[txn.NodeID]string // addresses of the others
	Credentials *Credentials
	Log         *slog.Logger

	// Deliver receives the content of each envelope.
	Deliver func(from txn.NodeID, envelope []byte)
	// Carry, if set, sends pings: it calls send immediately or later, so that an added delay of the link is
	// measured too.
	Carry func(to txn.NodeID, frame []byte, send func(frame []byte))
	// Deaf, if set, reports the peers whose frames are dropped.
	Deaf func(from txn.NodeID) bool
	// Answer returns the reply to a query.
	Answer func(question []byte) []byte
	// Removed, if set, returns the text for a former member that was removed; "" if the node is not known to
	// be one.
	Removed func(id txn.NodeID) string
	// TurnedAway, if set, is called with a peer's permanent refusal of this node and its text for people. It may
	// be called repeatedly.
	TurnedAway func(by txn.NodeID, code Code, reason string)
	// QueueBytes bounds the bytes queued for all peers and being written; 0: each connection has its own bound.
	QueueBytes int64
	// Probing is the measurement of the links by pings; 0: every second. The interval must be at most 5 s,
	// since a silent peer is given up after 15 s.
	Probing estimate.Probing
}

// incomingMax bounds the authenticated connections: two for each peer (the end of an old one may be unnoticed)
// and some queries. strangersMax bounds the others separately; beyond it the oldest is closed.
const (
	incomingMax        = 256
	unauthenticatedMax = 512
)

// Transport is one node's connections. Its methods are safe for concurrent use.
type Transport struct {
	cfg      Config
	listener net.Listener
	linksMu  sync.RWMutex
	links    map[txn.NodeID]*link
	started  bool
	begun    time.Time
	stop     chan struct{}
	stopOnce sync.Once
	running  sync.WaitGroup
	door     *preauth.Limiter

	boots    *BootRegistry // may be nil
	mu       sync.Mutex
	incoming map[net.Conn]*caller
	known    int                      // authenticated ones in incoming
	warned   map[string]time.Time     // by address: time of the last logged refusal
	twice    map[txn.NodeID]time.Time // since when a peer reports another start of this node
}

// caller is the peer of an accepted connection; from is 0 before its hello.
type caller struct {
	from     txn.NodeID
	boot     uint64
	received time.Time
}

// New opens the port; Start begins to use it.
func New(cfg Config) (*Transport, error) {
	cfg.Probing = cmp.Or(cfg.Probing, estimate.ProbingOf(time.Second, false))
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("the port for the other nodes cannot be opened: %w (is this node running already? to use another address, set it in peer_listen and in the nodes of every configuration)", err)
	}
	t := &Transport{
		cfg: cfg, listener: l, links: map[txn.NodeID]*link{}, begun: time.Now(),
		stop: make(chan struct{}), door: preauth.NewLimiter(unauthenticatedMax), incoming: map[net.Conn]*caller{}, warned: map[string]time.Time{}, twice: map[txn.NodeID]time.Time{},
	}
	for id, address := range cfg.Peers {
		if id != cfg.Self {
			t.links[id] = newLink(t, id, address)
		}
	}
	t.shareQueues()
	return t, nil
}

// Start accepts connections and connects to the peers.
func (t *Transport) Start() {
	t.running.Go(t.accept)
	if t.boots != nil {
		t.running.Go(t.reportBoots)
	}
	t.linksMu.Lock()
	defer t.linksMu.Unlock()
	t.started = true
	for _, l := range t.links {
		t.running.Go(l.run)
	}
}

// SetPeers connects to new peers and disconnects from those left out. A peer that stays keeps its address.
func (t *Transport) SetPeers(peers map[txn.NodeID]string) {
	for _, id := range t.setPeers(peers) {
		t.hangUp(id, 0) // it then reconnects and receives the reason
	}
}

// setPeers returns the peers left out.
func (t *Transport) setPeers(peers map[txn.NodeID]string) (gone []txn.NodeID) {
	t.linksMu.Lock()
	defer t.linksMu.Unlock()
	if t.stopped() {
		return nil
	}
	// order: each is closed by itself
	for id, l := range t.links {
		if _, stays := peers[id]; !stays {
			l.close()
			delete(t.links, id)
			gone = append(gone, id)
		}
	}
	// order: each is started by itself
	for id, address := range peers {
		if id == t.cfg.Self || t.links[id] != nil {
			continue
		}
		l := newLink(t, id, address)
		t.links[id] = l
		if t.started {
			t.running.Go(l.run)
		}
	}
	t.shareQueues()
	return gone
}

func (t *Transport) link(id txn.NodeID) *link {
	t.linksMu.RLock()
	defer t.linksMu.RUnlock()
	return t.links[id]
}

// Addr returns the listener's address.
func (t *Transport) Addr() net.Addr { return t.listener.Addr() }

// Send queues an envelope for a peer. It never waits; a frame beyond the queue's bound, or to an unknown peer, is
// lost.
func (t *Transport) Send(to txn.NodeID, envelope []byte) { t.send(to, kindEnvelope, envelope) }

func (t *Transport) send(to txn.NodeID, k Kind, content []byte) {
	if l := t.link(to); l != nil {
		l.put(k, content)
	}
}

// Close ends all connections and waits for their goroutines.
func (t *Transport) Close() {
	t.stopOnce.Do(func() { close(t.stop) })
	t.door.End()
	_ = t.listener.Close()
	t.linksMu.Lock()
	// order: all are closed
	for _, l := range t.links {
		l.close()
	}
	t.linksMu.Unlock()
	t.mu.Lock()
	// order: all are closed.
	for c := range t.incoming {
		_ = c.Close()
	}
	t.mu.Unlock()
	t.running.Wait()
}

func (t *Transport) stopped() bool {
	select {
	case <-t.stop:
		return true
	default:
		return false
	}
}

// acceptPause follows a failure to accept, such as too many open files.
const acceptPause = 100 * time.Millisecond

func (t *Transport) accept() {
	for {
		conn, err := t.listener.Accept()
		if err != nil {
			if t.stopped() || errors.Is(err, net.ErrClosed) {
				return
			}
			t.warn("listener", "a connection could not be accepted", "err", err)
			select {
			case <-time.After(acceptPause):
			case <-t.stop:
				return
			}
			continue
		}
		guest, before := &preauth.MeteredConn{Conn: conn}, t.door.Dropped()
		if !t.door.Admit(conn.RemoteAddr(), guest) || !t.note(guest) {
			_ = conn.Close()
			continue // it is being closed
		}
		if t.door.Dropped() != before {
			t.warn("strangers", "too many unauthenticated connections: the oldest was closed", "from", conn.RemoteAddr().String(), "most", unauthenticatedMax)
		}
		t.running.Go(func() { t.serve(guest) })
	}
}

// note registers a connection that Close must end; false if Close was called before.
func (t *Transport) note(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped() {
		return false
	}
	t.incoming[conn] = new(caller)
	return true
}

// place counts an authenticated connection, if there is room.
func (t *Transport) place(guest *preauth.MeteredConn) error {
	t.door.Leave(guest)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known >= incomingMax {
		return errors.New("too many connections of nodes are open")
	}
	t.known++
	return nil
}

func (t *Transport) serve(raw *preauth.MeteredConn) {
	conn := tls.Server(raw, t.cfg.Credentials.accepting())
	placed, received := false, false
	defer func() {
		_ = raw.Close()
		t.door.Leave(raw)
		t.mu.Lock()
		delete(t.incoming, raw)
		if placed {
			t.known--
		}
		t.mu.Unlock()
		if received {
			t.spread() // reports that the peer's connection ended
		}
	}()
	h, err := t.receive(conn)
	if err == nil {
		err = t.place(raw)
		placed = err == nil
	}
	if codeOf(err) == codeWait {
		return // the peer asks again soon
	}
	if err != nil {
		host, _, _ := net.SplitHostPort(raw.RemoteAddr().String())
		t.warn(host, "a connection was refused", "from", raw.RemoteAddr().String(), "err", err)
		return
	}
	if h.Question {
		t.answer(conn)
		return
	}
	if received = t.identify(raw, h); !received {
		return
	}
	if err := t.take(conn, h.From, func() { t.readHello(raw) }); !t.stopped() {
		t.cfg.Log.Info("a connection of a peer ended", "peer", h.From, "err", err)
	}
}

// silence is the time for which a connection without a frame is kept.
const silence = 15 * time.Second

// take handles a peer's frames until the connection ends; alive is called for each ping.
func (t *Transport) take(conn *tls.Conn, from txn.NodeID, alive func()) error {
	r := newFrames(conn)
	for {
		k, content, err := r.next()
		if err != nil {
			return err
		}
		if t.cfg.Deaf != nil && t.cfg.Deaf(from) {
			continue
		}
		switch k {
		case kindEnvelope:
			t.cfg.Deliver(from, content)
		case kindLives:
			t.receiveBoots(from, content)
		case kindPing:
			alive()
			t.carry(from, kindPong, pongTo(content))
		case kindPong:
			if l := t.link(from); l != nil {
				l.pong(content)
			}
		default:
			return fmt.Errorf("an unexpected frame of kind %d", k)
		}
	}
}

// carry sends a ping or a pong the way envelopes are sent.
func (t *Transport) carry(to txn.NodeID, k Kind, content []byte) {
	if t.cfg.Carry == nil {
		t.send(to, k, content)
		return
	}
	t.cfg.Carry(to, content, func(b []byte) { t.send(to, k, b) })
}

// warnEvery bounds how often one stranger is logged, warnedMax how many are recorded.
const (
	warnEvery = 10 * time.Second
	warnedMax = 1000
)

// warn logs an event of a source at most once in warnEvery.
func (t *Transport) warn(source, what string, args ...any) {
	now := time.Now()
	t.mu.Lock()
	last, known := t.warned[source]
	if len(t.warned) >= warnedMax {
		clear(t.warned)
	}
	fresh := !known || now.Sub(last) >= warnEvery
	if fresh {
		t.warned[source] = now
	}
	t.mu.Unlock()
	if fresh {
		t.cfg.Log.Warn(what, args...)
	}
}
