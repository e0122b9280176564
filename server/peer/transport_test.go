package peer

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/estimate"
	"isochron/server/ports"
	"isochron/txn"
)

// testTimeout bounds a test's waits on a busy machine.
const testTimeout = 30 * time.Second

// credentials writes a node's files and loads them.
func credentials(t *testing.T, a *Authority, node txn.NodeID) *Credentials {
	t.Helper()
	dir := t.TempDir()
	ca, _, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := a.Issue(node)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"ca": ca, "crt": cert, "key": key} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := LoadCredentials(a.cluster, node, filepath.Join(dir, "ca"), filepath.Join(dir, "crt"), filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func authority(t *testing.T, cluster string) *Authority {
	t.Helper()
	a, err := NewAuthority(cluster)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// records collects log lines.
type records struct {
	mu sync.Mutex
	b  strings.Builder
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *records) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// testNode is a transport and its received messages.
type testNode struct {
	*Transport
	got chan string
	log *records
}

// newNode starts a node; edit may change its configuration.
func newNode(t *testing.T, c *Credentials, listen string, peers map[txn.NodeID]string, edit func(*Config)) testNode {
	t.Helper()
	n := testNode{got: make(chan string, 10_000), log: new(records)}
	cfg := Config{
		Self: c.node, Cluster: c.cluster, Settings: "as all", Listen: listen, Peers: peers, Credentials: c,
		Log:     slog.New(slog.NewTextHandler(n.log, nil)),
		Deliver: func(from txn.NodeID, b []byte) { n.got <- fmt.Sprintf("%d: %s", from, b) },
		Answer:  func(q []byte) []byte { return append([]byte("answer to "), q...) },
	}
	if edit != nil {
		edit(&cfg)
	}
	var err error
	if n.Transport, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	n.Start()
	t.Cleanup(n.Close)
	return n
}

// twoAddresses are addresses of nodes 1 and 2 without a listener.
func twoAddresses(t *testing.T) map[txn.NodeID]string {
	t.Helper()
	c, err := ports.Take(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	return map[txn.NodeID]string{1: ports.Address(c.Base), 2: ports.Address(c.Base + 1)}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(testTimeout); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// sendUntil sends until one message arrives: messages sent before the connection are lost.
func sendUntil(t *testing.T, from, to testNode) {
	t.Helper()
	eventually(t, "a message arrives", func() bool {
		from.Send(to.cfg.Self, []byte("hi"))
		select {
		case got := <-to.got:
			return got == fmt.Sprintf("%d: hi", from.cfg.Self)
		case <-time.After(20 * time.Millisecond):
			return false
		}
	})
}

func TestDeliversReconnectsMeasuresAnswers(t *testing.T) {
	a := authority(t, "aa")
	c1, c2 := credentials(t, a, 1), credentials(t, a, 2)
	peers := twoAddresses(t)
	n1, n2 := newNode(t, c1, peers[1], peers, nil), newNode(t, c2, peers[2], peers, nil)
	sendUntil(t, n1, n2)
	sendUntil(t, n2, n1)
	eventually(t, "a round trip is measured", func() bool { return n1.Links()[0].RTT > 0 })

	n2.Close()
	eventually(t, "the loss is noticed", func() bool { return !n1.Links()[0].Up })
	sendUntil(t, n1, newNode(t, c2, peers[2], peers, nil))

	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	got, err := Ask(ctx, c2, 1, peers[1], []byte("why"))
	if err != nil || string(got) != "answer to why" {
		t.Errorf("reply: %q, %v", got, err)
	}
}

// Messages of one connection keep their order, large ones among them.
func TestKeepsOrder(t *testing.T) {
	a := authority(t, "aa")
	peers := twoAddresses(t)
	n1, n2 := newNode(t, credentials(t, a, 1), peers[1], peers, nil), newNode(t, credentials(t, a, 2), peers[2], peers, nil)
	sendUntil(t, n1, n2)
	const n = 1000
	for i := range n {
		n1.Send(2, fmt.Appendf(nil, "%d%s", i, strings.Repeat(" ", i%50*100)))
	}
	for i := 0; i < n; {
		select {
		case got := <-n2.got:
			if got == "1: hi" {
				continue
			}
			if strings.TrimSpace(got) != fmt.Sprintf("1: %d", i) {
				t.Fatalf("message %d is %.20q", i, got)
			}
			i++
		case <-time.After(testTimeout):
			t.Fatalf("only %d messages came", i)
		}
	}
}

func TestRefusesUnauthenticatedPeers(t *testing.T) {
	a, other := authority(t, "aa"), authority(t, "aa")
	for _, c := range []struct {
		name     string
		stranger *Credentials
		edit     func(*Config)
		message  string // in the log of the node that is reached
	}{
		{"another cluster's authority", credentials(t, other, 2), nil, "not of this cluster"},
		{"another cluster's name", credentials(t, authority(t, "bb"), 2), nil, "not of this cluster"},
		{"another node's certificate", credentials(t, a, 3), func(c *Config) { c.Self = 2 }, "it claims to be node 2, and its certificate belongs to node3.aa.isochron"},
		{"an unknown node", credentials(t, a, 9), nil, "not a peer of this node"},
		{"other settings", credentials(t, a, 2), func(c *Config) { c.Settings = "as none" }, "same configuration"},
		{"another cluster in the hello", credentials(t, a, 2), func(c *Config) { c.Cluster = "bb" }, "it belongs to cluster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			peers := twoAddresses(t)
			n1 := newNode(t, credentials(t, a, 1), peers[1], peers, nil)
			n2 := newNode(t, c.stranger, peers[2], peers, c.edit)
			// Both connect: either may refuse first. The stranger must end without a connection, and the refusal
			// must be logged.
			eventually(t, "the reason is logged", func() bool {
				return strings.Contains(n1.log.String(), c.message) || strings.Contains(n2.log.String(), c.message)
			})
			eventually(t, "node 1 warns", func() bool { return strings.Contains(n1.log.String(), "level=WARN") })
			n2.Send(1, []byte("evil"))
			if n2.Links()[0].Up {
				t.Error("the stranger is connected")
			}
			select {
			case got := <-n1.got:
				t.Errorf("the stranger's %q was accepted", got)
			default:
			}
		})
	}
}

// Garbage ends only its own connection.
func TestGarbageDoesNoHarm(t *testing.T) {
	a := authority(t, "aa")
	c2 := credentials(t, a, 2)
	peers := twoAddresses(t)
	n1 := newNode(t, credentials(t, a, 1), peers[1], peers, nil)
	good := hello{Version: version, Cluster: "aa", From: 2, To: 1, Settings: "as all"}
	for name, speak := range map[string]func(t *testing.T) net.Conn{
		"no TLS":   func(t *testing.T) net.Conn { return write(t, raw(t, peers[1]), []byte("GET / HTTP/1.1\r\n\r\n")) },
		"no hello": func(t *testing.T) net.Conn { return write(t, secured(t, c2, peers[1]), []byte("garbage, no frame")) },
		"hello of garbage": func(t *testing.T) net.Conn {
			return write(t, secured(t, c2, peers[1]), appendFrame(nil, kindHello, []byte("\xff\xff")))
		},
		"endless hello": func(t *testing.T) net.Conn { return write(t, secured(t, c2, peers[1]), []byte("\x01\xff\xff\xff\xff")) },
		"oversized frame": func(t *testing.T) net.Conn {
			return write(t, greeted(t, c2, peers[1], good), []byte("\x03\xff\xff\xff\xff"))
		},
		"kind unknown": func(t *testing.T) net.Conn {
			return write(t, greeted(t, c2, peers[1], good), []byte("\x63\x00\x00\x00\x00"))
		},
		"kind misplaced": func(t *testing.T) net.Conn {
			return write(t, greeted(t, c2, peers[1], good), appendFrame(nil, kindAnswer, nil))
		},
		"pong of garbage": func(t *testing.T) net.Conn {
			b := appendFrame(appendFrame(nil, kindPong, []byte("123456789")), kindPong, []byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
			return write(t, greeted(t, c2, peers[1], good), append(b, 0, 0, 0, 0, 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := speak(t)
			defer conn.Close()
			_ = conn.SetReadDeadline(time.Now().Add(testTimeout))
			if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("the connection was left open: %v", err)
			}
		})
	}
	sendUntil(t, newNode(t, c2, peers[2], peers, nil), n1)
}

// Idle connections, twice as many as the bound, keep no peer and no operator out.
func TestIdleUnauthenticatedConnectionsDoNotBlockPeers(t *testing.T) {
	a := authority(t, "aa")
	peers := twoAddresses(t)
	n1 := newNode(t, credentials(t, a, 1), peers[1], peers, nil)
	for range 2 * unauthenticatedMax {
		conn := raw(t, peers[1])
		t.Cleanup(func() { _ = conn.Close() })
	}
	c2 := credentials(t, a, 2)
	answer, err := Ask(t.Context(), c2, 1, peers[1], []byte("x"))
	if err != nil || string(answer) != "answer to x" {
		t.Errorf("a query: %q, %v", answer, err)
	}
	sendUntil(t, newNode(t, c2, peers[2], peers, nil), n1)
	if n := n1.door.Unauthenticated(); n > unauthenticatedMax {
		t.Errorf("%d strangers", n)
	}
	if !strings.Contains(n1.log.String(), "too many unauthenticated connections") {
		t.Error("the log has no warning")
	}
}

func raw(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, testTimeout)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func secured(t *testing.T, c *Credentials, address string) net.Conn {
	t.Helper()
	conn := tls.Client(raw(t, address), c.dialing(1))
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return conn
}

func greeted(t *testing.T, c *Credentials, address string, h hello) net.Conn {
	t.Helper()
	conn := secured(t, c, address)
	if _, err := greet(conn, h); err != nil {
		t.Fatal(err)
	}
	return conn
}

func write(t *testing.T, conn net.Conn, b []byte) net.Conn {
	t.Helper()
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	return conn
}

// idleLink is a link to node 2, idleLinkTo one to another node; neither runs.
func idleLink() *link { return idleLinkTo(2) }

func idleLinkTo(id txn.NodeID) *link {
	return newLink(&Transport{cfg: Config{Probing: estimate.ProbingOf(time.Second, false)}}, id, "")
}

// Frames beyond a queue's bound are dropped and counted.
func TestQueueIsBounded(t *testing.T) {
	l := idleLink()
	l.put(kindEnvelope, []byte("lost"))
	l.up(nil, Boot{})
	for range queueFramesMax + 7 {
		l.put(kindEnvelope, []byte("m"))
	}
	if l.state.Dropped != 8 || l.frames != queueFramesMax {
		t.Errorf("dropped %d and kept %d; want 8 dropped", l.state.Dropped, l.frames)
	}
	l.grab(nil)
	l.put(kindEnvelope, make([]byte, queueBytesMax))
	l.put(kindEnvelope, make([]byte, 1))
	if l.state.Dropped != 9 || l.frames != 1 {
		t.Errorf("dropped %d and kept %d; want bytes to be bounded too", l.state.Dropped, l.frames)
	}
}

// The queues to all peers share a bound, and each accepts one frame of any length.
func TestQueuesShareTheirMemory(t *testing.T) {
	tr := &Transport{cfg: Config{QueueBytes: 80_000}, links: map[txn.NodeID]*link{}}
	for id := txn.NodeID(2); id < 6; id++ {
		tr.links[id] = idleLinkTo(id)
		tr.links[id].up(nil, Boot{})
	}
	tr.shareQueues()
	for _, l := range tr.links {
		for range 100 {
			l.put(kindEnvelope, make([]byte, 1000))
		}
	}
	if sum := tr.Queued(); sum > 40_000 || sum < 30_000 {
		t.Errorf("%d bytes queued; half of 80,000 may be, while the other half is written", sum)
	}
	l := tr.links[2]
	l.grab(nil)
	if l.put(kindEnvelope, make([]byte, 1<<20)); l.frames != 1 {
		t.Error("an empty queue refuses a long frame, which could then never be sent")
	}
}

func TestCredentialsRefused(t *testing.T) {
	a := authority(t, "aa")
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pems := func(a *Authority) (ca, cert, key string) {
		caPEM, _, err := a.PEM()
		if err != nil {
			t.Fatal(err)
		}
		certPEM, keyPEM, err := a.Issue(1)
		if err != nil {
			t.Fatal(err)
		}
		return put(fmt.Sprintf("%p.ca", a), caPEM), put(fmt.Sprintf("%p.crt", a), certPEM), put(fmt.Sprintf("%p.key", a), keyPEM)
	}
	ca, cert, key := pems(a)
	otherCA, _, otherKey := pems(authority(t, "aa"))
	for _, c := range []struct {
		node          txn.NodeID
		ca, cert, key string
		message       string
	}{
		{2, ca, cert, key, "belongs to node1.aa.isochron, and this node is node2.aa.isochron"},
		{1, otherCA, cert, key, "is not valid under"},
		{1, ca, cert, otherKey, "cannot be used"},
		{1, put("junk", []byte("junk")), cert, key, "holds no certificate"},
		{1, filepath.Join(dir, "nowhere"), cert, key, "cannot be read"},
	} {
		if _, err := LoadCredentials("aa", c.node, c.ca, c.cert, c.key); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v, want %q", err, c.message)
		}
	}
}
