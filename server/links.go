package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/server/peer"
	"isochron/txn"
)

// LinkChange is an operator's change of the links of a node whose wide area is emulated. Heal is applied
// first and undoes all earlier changes.
type LinkChange struct {
	Heal    bool                   `json:"heal,omitempty"`
	To      []txn.NodeID           `json:"to,omitempty"`       // cut: no message is sent to them
	From    []txn.NodeID           `json:"from,omitempty"`     // cut: no message is received from them
	DelayMS map[txn.NodeID]float64 `json:"delay_ms,omitempty"` // one way, of messages to them
}

// questionLinks is the prefix of a query with a LinkChange.
const questionLinks = "links "

// linkDelayMax bounds an added delay.
const linkDelayMax = time.Minute

// errNoEmulation is the error of a LinkChange at a node with real links.
var errNoEmulation = errors.New("the links of this node are real: they can be cut or delayed by command only with add_delays: true in the configuration")

// deafness is the set of peers whose frames are dropped. It is read for every frame.
type deafness struct {
	mu    sync.Mutex // of writers
	peers atomic.Pointer[map[txn.NodeID]bool]
}

// to reports whether the peer's frames are dropped.
func (d *deafness) to(peer txn.NodeID) bool {
	m := d.peers.Load()
	return m != nil && (*m)[peer]
}

// change replaces the set, or adds to it.
func (d *deafness) change(again bool, more []txn.NodeID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := map[txn.NodeID]bool{}
	if m := d.peers.Load(); m != nil && !again {
		// order: copies a set.
		for id := range *m {
			next[id] = true
		}
	}
	for _, id := range more {
		next[id] = true
	}
	d.peers.Store(&next)
}

// answerLinks executes a query's LinkChange.
func (p *Process) answerLinks(question []byte) (any, bool) {
	content, ok := bytes.CutPrefix(question, []byte(questionLinks))
	if !ok {
		return nil, false
	}
	type answer struct {
		Links []LinkReport `json:"links"`
		Error string       `json:"error,omitempty"`
	}
	var c LinkChange
	if err := json.Unmarshal(content, &c); err != nil {
		return answer{Error: "the change of links cannot be read: " + err.Error()}, true
	}
	if err := p.ChangeLinks(c); err != nil {
		return answer{Error: err.Error()}, true
	}
	return answer{Links: p.linkReports()}, true
}

// ChangeLinks cuts, delays or resets links of this node, all of the change or none of it. Changes are not
// stored: after a restart of the node all links are whole.
func (p *Process) ChangeLinks(c LinkChange) error {
	if !p.cfg.Emulate {
		return errNoEmulation
	}
	if err := p.checkLinks(c); err != nil {
		return err
	}
	if c.Heal {
		for _, n := range p.others() {
			oneWay := p.oneWay(geo.Region(n.Region))
			p.wan.tune(p.cfg.Self, txn.NodeID(n.ID), func(l *line) { l.cut, l.delay = false, oneWay })
		}
	}
	p.deaf.change(c.Heal, c.From)
	for _, id := range c.To {
		p.wan.tune(p.cfg.Self, id, func(l *line) { l.cut = true })
	}

	for id, ms := range c.DelayMS {
		p.wan.tune(p.cfg.Self, id, func(l *line) { l.delay = time.Duration(ms * float64(time.Millisecond)) })
	}
	p.cfg.Log.Warn("links changed by command", "heal", c.Heal, "cut_to", c.To, "cut_from", c.From, "delay_ms", c.DelayMS)
	return nil
}

func (p *Process) checkLinks(c LinkChange) error {
	others := p.others()
	isPeer := func(id txn.NodeID) error {
		if slices.ContainsFunc(others, func(n routing.Node) bool { return txn.NodeID(n.ID) == id }) {
			return nil
		}
		return fmt.Errorf("node %d is not a peer of node %d", id, p.cfg.Self)
	}
	var errs []error
	for _, ids := range [][]txn.NodeID{c.To, c.From} {
		for _, id := range ids {
			errs = append(errs, isPeer(id))
		}
	}
	// order: any of the errors will do.
	for id, ms := range c.DelayMS {
		errs = append(errs, isPeer(id))
		if !(ms >= 0 && ms <= float64(linkDelayMax.Milliseconds())) {
			errs = append(errs, fmt.Errorf("the delay to node %d must be between 0 and %v", id, linkDelayMax))
		}
	}
	for _, err := range errs {
		if err != nil {
			return err // one line
		}
	}
	return nil
}

// others returns the other nodes of the directory.
func (p *Process) others() []routing.Node {
	return slices.DeleteFunc(slices.Clone(p.runner.directory.Load().Nodes), func(n routing.Node) bool {
		return txn.NodeID(n.ID) == p.cfg.Self
	})
}

// oneWay returns the delay that the emulated map adds to messages to a region.
func (p *Process) oneWay(to geo.Region) time.Duration {
	if !p.cfg.Emulate {
		return 0
	}
	return p.cfg.WAN.RTT(p.region, to) / 2
}

// linkReports returns the reports of all links.
func (p *Process) linkReports() []LinkReport {
	out := []LinkReport{}
	for _, l := range p.peers.Links() {
		r := LinkReport{Peer: l.Peer, Address: l.Address, Up: l.Up, RTTMS: millis(l.RTT), AverageMS: millis(l.Delay.RoundTrip), P95MS: millis(l.Delay.P95), OneWayP95MS: millis(l.Delay.OneWayP95), Error: l.Error, Sent: l.Sent, Bytes: l.Bytes, Dropped: l.Dropped}
		p.wan.tune(p.cfg.Self, l.Peer, func(to *line) { r.CutTo, r.AddedMS = to.cut, float64(to.delay.Microseconds())/1000 })
		r.CutFrom = p.deaf.to(l.Peer)
		out = append(out, r)
	}
	return out
}

// tune reads or changes a line. Messages under way on it arrive.
func (w *wan) tune(from, to txn.NodeID, f func(*line)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.lines[pair{from, to}]; l != nil {
		f(l)
	}
}

// AskLinks changes a node's links and returns their present state.
func AskLinks(ctx context.Context, c *peer.Credentials, to Member, change LinkChange) ([]LinkReport, error) {
	content, err := json.Marshal(change)
	if err != nil {
		return nil, err
	}
	b, err := peer.Ask(ctx, c, to.ID, to.Address, append([]byte(questionLinks), content...))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Links []LinkReport `json:"links"`
		Error string       `json:"error"`
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, fmt.Errorf("the reply cannot be decoded: %w", err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Links, nil
}
