package peer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"isochron/txn"
)

// version of the protocol between nodes. It increases when an older node could not understand a newer one.
const version = 1

// helloMax bounds the first frames, which are received before any check.
const helloMax = 16 << 10

// handshakeWait bounds TLS and hello together.
const handshakeWait = 10 * time.Second

// hello is the first frame of a connection.
type hello struct {
	Version  uint32     `cbor:"1,keyasint"`
	Cluster  string     `cbor:"2,keyasint"`
	From     txn.NodeID `cbor:"3,keyasint"`
	To       txn.NodeID `cbor:"4,keyasint"`
	Settings string     `cbor:"5,keyasint,omitempty"` // that all nodes must share; not in a query
	Question bool       `cbor:"6,keyasint,omitempty"`
	Founders string     `cbor:"7,keyasint,omitempty"` // that the first nodes must share
	Boot     Boot       `cbor:"8,keyasint,omitzero"`  // of the sender; not in a query
}

// welcome replies to hello. If Refused is set the connection is over.
type welcome struct {
	Version uint32 `cbor:"1,keyasint"`
	Refused string `cbor:"2,keyasint,omitempty"`
	Code    Code   `cbor:"3,keyasint,omitempty"` // of the refusal
	Ago     uint64 `cbor:"4,keyasint,omitempty"` // with CodeTwice: milliseconds since the last contact with the other start
	Boot    Boot   `cbor:"5,keyasint,omitzero"`  // of the sender, also with a refusal
}

// greet sends hello on a new connection and awaits the welcome. It returns the start that answers with a refusal
// too.
func greet(conn net.Conn, h hello) (Boot, error) {
	if _, err := conn.Write(appendFrame(nil, kindHello, txn.Encode(h))); err != nil {
		return Boot{}, err
	}
	k, content, err := readFrame(conn, helloMax)
	if err != nil {
		return Boot{}, fmt.Errorf("it does not reply to hello: %w", err)
	}
	var w welcome
	if k != kindWelcome {
		return Boot{}, fmt.Errorf("it replies to hello with a frame of kind %d", k)
	}
	if err := txn.Decode(content, &w); err != nil {
		return Boot{}, err
	}
	if w.Refused != "" {
		return w.Boot, refusal{reason: fmt.Sprintf("refused: %q", w.Refused), peerReason: w.Refused, code: w.Code, ago: time.Duration(w.Ago) * time.Millisecond}
	}
	return w.Boot, nil
}

// receive performs the handshake on an accepted connection.
func (t *Transport) receive(conn *tls.Conn) (hello, error) {
	if err := conn.SetDeadline(time.Now().Add(handshakeWait)); err != nil {
		return hello{}, err
	}
	if err := conn.Handshake(); err != nil {
		return hello{}, explain(err)
	}
	k, content, err := readFrame(conn, helloMax)
	if err != nil {
		return hello{}, fmt.Errorf("it sends no hello: %w", explain(err))
	}
	var h hello
	if k != kindHello {
		return hello{}, fmt.Errorf("its first frame is of kind %d and not a hello", k)
	}
	if err := txn.Decode(content, &h); err != nil {
		return hello{}, err
	}
	w := welcome{Version: version}
	wrong := t.check(h, conn.ConnectionState())
	if wrong == nil && !h.Question {
		w.Boot = t.own()
		wrong = t.admit(h.From, h.Boot)
	}
	if wrong != nil {
		var no refusal
		_ = errors.As(wrong, &no)
		w.Refused, w.Code, w.Ago = wrong.Error(), no.code, uint64(no.ago.Milliseconds())
	}
	if _, err := conn.Write(appendFrame(nil, kindWelcome, txn.Encode(w))); err != nil {
		return h, errors.Join(wrong, err)
	}
	return h, errors.Join(wrong, conn.SetDeadline(time.Time{}))
}

// check returns the fault of a hello.
func (t *Transport) check(h hello, state tls.ConnectionState) error {
	switch {
	case h.Version != version:
		return fmt.Errorf("its protocol version is %d, this node's %d: run the same Isochron on all nodes", h.Version, version)
	case h.Cluster != t.cfg.Cluster:
		return fmt.Errorf("it belongs to cluster %.64q, this node to cluster %q", h.Cluster, t.cfg.Cluster)
	case h.To != t.cfg.Self:
		return fmt.Errorf("it connects to node %d, and this is node %d: check the addresses in its configuration", h.To, t.cfg.Self)
	}
	if err := t.cfg.Credentials.identify(state, h.From); err != nil {
		return err
	}
	if h.Question {
		return nil
	}
	if t.link(h.From) == nil {
		if t.cfg.Removed != nil {
			if reason := t.cfg.Removed(h.From); reason != "" {
				return refusal{reason: reason, code: CodeRemoved}
			}
		}
		return fmt.Errorf("it is node %d, which is not a peer of this node: it is not a member of the cluster, was removed, or is not known here yet", h.From)
	}
	if h.Settings != t.cfg.Settings {
		return fmt.Errorf("its settings are %.500q, this node's %q: all nodes need the same configuration", h.Settings, t.cfg.Settings)
	}
	if h.Founders != "" && t.cfg.Founders != "" && h.Founders != t.cfg.Founders {
		return fmt.Errorf("its first nodes are %.500q, this node's %q: the nodes of the first configurations must be the same at all nodes, also after nodes were added or removed", h.Founders, t.cfg.Founders)
	}
	return nil
}

// explain describes the most common failures of TLS; none of them is an accident of the network.
func explain(err error) error {
	var unverified *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var remote *net.OpError
	switch {
	case errors.As(err, &unverified):
		return refusal{reason: fmt.Sprintf("its certificate is not of this cluster, or of another node: %v", err)}
	case errors.As(err, &record):
		return refusal{reason: fmt.Sprintf("it does not speak TLS: %v", err)}
	case errors.As(err, &remote) && remote.Op == "remote error": // an alert, which TLS 1.3 delivers with the first read
		return refusal{reason: fmt.Sprintf("it rejects this node's certificate, so it is of another cluster: %v", err)}
	}
	return err
}
