package peer

import (
	"errors"
	"net"
	"time"

	"isochron/txn"
)

// SetBoots sets the registry with this node's start and those of its peers. It is called before Start.
func (t *Transport) SetBoots(l *BootRegistry) {
	l.receiving = t.receives
	t.boots = l
}

// own returns this node's start.
func (t *Transport) own() Boot {
	if t.boots == nil {
		return Boot{}
	}
	return t.boots.cfg.Own
}

// admit admits a peer's start and ends the connections of the one before.
func (t *Transport) admit(from txn.NodeID, life Boot) error {
	l := t.link(from)
	if t.boots == nil || l == nil {
		return nil
	}
	fresh, err := t.boots.judge(from, life, l.address, time.Now())
	if fresh && err == nil {
		t.cfg.Log.Info("a peer has restarted", "peer", from, "start", life.Start)
		t.hangUp(from, life.ID)
	}
	if codeOf(err) == codeWait {
		l.hurry()
	}
	return err
}

// hangUp ends the connections with a node, except with one of its starts.
func (t *Transport) hangUp(node txn.NodeID, but uint64) {
	t.mu.Lock()
	// order: all are closed.
	for c, g := range t.incoming {
		if g.from == node && (but == 0 || g.boot != 0 && g.boot != but) {
			_ = c.Close()
		}
	}
	t.mu.Unlock()
	if l := t.link(node); l != nil {
		l.leave(but)
		l.hurry()
	}
}

// identify notes a connection's peer; false: it is no longer admitted.
func (t *Transport) identify(conn net.Conn, h hello) bool {
	t.mu.Lock()
	if g := t.incoming[conn]; g != nil {
		g.from, g.boot, g.received = h.From, h.Boot.ID, time.Now()
	}
	t.mu.Unlock()
	// A newer start may have been admitted meanwhile, when this connection was not identified yet.
	return t.link(h.From) != nil && (t.boots == nil || h.Boot.Start == 0 || t.boots.holds(h.From, h.Boot.ID))
}

// readHello notes a receipt on a connection.
func (t *Transport) readHello(conn net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.incoming[conn]; g != nil {
		g.received = time.Now()
	}
}

// receives lists the peers' connections.
func (t *Transport) receives() []received {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []received
	// order: all are listed
	for _, g := range t.incoming {
		if g.from != 0 {
			out = append(out, received{g.from, g.boot, g.received})
		}
	}
	return out
}

// bootsEvery is the interval of reports to the peers.
const bootsEvery = time.Second

// reportBoots sends them.
func (t *Transport) reportBoots() {
	tick := time.NewTicker(bootsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.spread()
		case <-t.stop:
			return
		}
	}
}

// spread sends them now.
func (t *Transport) spread() {
	if t.boots == nil || t.stopped() {
		return
	}
	content := txn.Encode(t.boots.reports(time.Now()))
	t.linksMu.RLock()
	var to []txn.NodeID
	// order: each receives its own frame
	for id, l := range t.links {
		if l != nil && l.reports() {
			to = append(to, id)
		}
	}
	t.linksMu.RUnlock()
	for _, id := range to {
		t.carry(id, kindLives, content)
	}
}

// receiveBoots processes a peer's reports of others and of this node.
func (t *Transport) receiveBoots(from txn.NodeID, content []byte) {
	var list []bootReport
	if t.boots == nil || txn.Decode(content, &list) != nil {
		return
	}
	news, err := t.boots.learn(from, list, time.Now())
	for _, id := range news {
		t.boots.mu.Lock()
		life := t.boots.known[id].ID
		t.boots.mu.Unlock()
		t.hangUp(id, life)
	}
	var no refusal
	if errors.As(err, &no) && t.cfg.TurnedAway != nil {
		t.cfg.TurnedAway(from, no.code, no.peerReason)
	}
}
