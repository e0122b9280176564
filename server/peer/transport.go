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
	Settings    string // what all nodes must have in common; compared as text
	Founders    string // what all nodes that have it must have in common
	Listen      string
	Peers       map[txn.NodeID]string // where the others listen
	Credentials *Credentials
	Log         *slog.Logger

	// Deliver is given the content of each envelope that a peer sent.
	Deliver func(from txn.NodeID, envelope []byte)
	// Carry, if set, is how pings leave: it calls send at once or later, so that
	// an added delay of the link is measured too.
	Carry func(to txn.NodeID, frame []byte, send func(frame []byte))
	// Deaf, if set, says of whom nothing is heard: its frames are thrown away.
	Deaf func(from txn.NodeID) bool
	// Answer is given a question and returns its answer.
	Answer func(question []byte) []byte
	// Removed, if set, says of a node that is no peer that it was one and was removed,
	// in words that the node is told; "" if that is not known.
	Removed func(id txn.NodeID) string
	// TurnedAway, if set, hears that a peer will not have this node for good, in words
	// for people. It may come again.
	TurnedAway func(by txn.NodeID, code Code, reason string)
	// QueueBytes is what waits for the connections to all peers, and what of it is being
	// written, at most; 0: each has a bound of its own.
	QueueBytes int64
	// Probing is how the ways to the peers are measured, by pings; 0: each second. At least each 5 s,
	// for whom nothing is heard of is given up after 15.
	Probing estimate.Probing
}

// incomingMax bounds the connections of those who have said who they are: two for each
// peer (an old one may not have noticed its end), and some questions. strangersMax
// bounds the others, apart from these; beyond it the oldest goes.
const (
	incomingMax  = 256
	strangersMax = 512
)

// Transport is one node's connections. Its methods may be called by any goroutine.
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

	lives    *BootRegistry // may be nil
	mu       sync.Mutex
	incoming map[net.Conn]*caller
	known    int                      // of these, those that have said who they are
	warned   map[string]time.Time     // by address: when a refusal was last logged
	twice    map[txn.NodeID]time.Time // since when a peer says that another life of this node runs
}

// caller is a connection that a peer has made; before it has said who it is, nobody's.
type caller struct {
	from     txn.NodeID
	life     uint64
	received time.Time
}

// New opens the port; Start begins to use it.
func New(cfg Config) (*Transport, error) {
	cfg.Probing = cmp.Or(cfg.Probing, estimate.ProbingOf(time.Second, false))
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("the port for the other nodes cannot be opened: %w (is this node running already? another address goes into peer_listen, and into the nodes of every configuration)", err)
	}
	t := &Transport{
		cfg: cfg, listener: l, links: map[txn.NodeID]*link{}, begun: time.Now(),
		stop: make(chan struct{}), door: preauth.NewDoor(strangersMax), incoming: map[net.Conn]*caller{}, warned: map[string]time.Time{}, twice: map[txn.NodeID]time.Time{},
	}
	for id, address := range cfg.Peers {
		if id != cfg.Self {
			t.links[id] = newLink(t, id, address)
		}
	}
	t.shareQueues()
	return t, nil
}

// Start accepts connections and makes those to the peers.
func (t *Transport) Start() {
	t.running.Go(t.accept)
	if t.lives != nil {
		t.running.Go(t.reportBoots)
	}
	t.linksMu.Lock()
	defer t.linksMu.Unlock()
	t.started = true
	for _, l := range t.links {
		t.running.Go(l.run)
	}
}

// SetPeers connects to those that are new, and no longer to those that are left
// out. A peer that stays keeps its address.
func (t *Transport) SetPeers(peers map[txn.NodeID]string) {
	for _, id := range t.setPeers(peers) {
		t.hangUp(id, 0) // so that it asks, and is told
	}
}

// setPeers returns those that are left out.
func (t *Transport) setPeers(peers map[txn.NodeID]string) (gone []txn.NodeID) {
	t.linksMu.Lock()
	defer t.linksMu.Unlock()
	if t.stopped() {
		return nil
	}
	// order: each is ended by itself.
	for id, l := range t.links {
		if _, stays := peers[id]; !stays {
			l.close()
			delete(t.links, id)
			gone = append(gone, id)
		}
	}
	// order: each is begun by itself.
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

// Addr is where the transport listens.
func (t *Transport) Addr() net.Addr { return t.listener.Addr() }

// Send queues an envelope for a peer. It never waits: what does not fit, and
// what is for nobody, is lost.
func (t *Transport) Send(to txn.NodeID, envelope []byte) { t.send(to, kindEnvelope, envelope) }

func (t *Transport) send(to txn.NodeID, k Kind, content []byte) {
	if l := t.link(to); l != nil {
		l.put(k, content)
	}
}

// Close ends all connections and waits for what served them.
func (t *Transport) Close() {
	t.stopOnce.Do(func() { close(t.stop) })
	t.door.End()
	_ = t.listener.Close()
	t.linksMu.Lock()
	// order: all are ended.
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
			t.warn("strangers", "too many connections do not say who they are: the oldest was closed", "from", conn.RemoteAddr().String(), "most", strangersMax)
		}
		t.running.Go(func() { t.serve(guest) })
	}
}

// note remembers a connection, so that Close ends it; false if that was before.
func (t *Transport) note(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped() {
		return false
	}
	t.incoming[conn] = new(caller)
	return true
}

// place is for a connection that has said who it is, if there is room.
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
			t.spread() // that it is not, any more
		}
	}()
	h, err := t.receive(conn)
	if err == nil {
		err = t.place(raw)
		placed = err == nil
	}
	if codeOf(err) == codeWait {
		return // a matter of a moment
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

// silence is after how long without a frame a connection is given up. Pings
// come as Config.Probing has it.
const silence = 15 * time.Second

// take hands over what a peer sends until the connection ends; alive is called about
// once a second while it is heard.
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
			return fmt.Errorf("a frame of kind %d where none belongs", k)
		}
	}
}

// carry sends a ping or a pong the way that envelopes go.
func (t *Transport) carry(to txn.NodeID, k Kind, content []byte) {
	if t.cfg.Carry == nil {
		t.send(to, k, content)
		return
	}
	t.cfg.Carry(to, content, func(b []byte) { t.send(to, k, b) })
}

// warnEvery bounds how often the same stranger is logged; warnedMax how many are remembered.
const (
	warnEvery = 10 * time.Second
	warnedMax = 1000
)

// warn logs what who did, unless it was logged just now.
func (t *Transport) warn(who, what string, args ...any) {
	now := time.Now()
	t.mu.Lock()
	last, known := t.warned[who]
	if len(t.warned) >= warnedMax {
		clear(t.warned)
	}
	fresh := !known || now.Sub(last) >= warnEvery
	if fresh {
		t.warned[who] = now
	}
	t.mu.Unlock()
	if fresh {
		t.cfg.Log.Warn(what, args...)
	}
}
