package peer

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// Two processes with one node's id would vote twice. Certificates do not tell them
// apart, for a copied directory has them too. So each start of a node has a name of
// its own, drawn at random, and tells the names of the starts before it. Whoever is
// connected to remembers, durably, the newest start that it let in of each node:
//
//   - A start that knows of the one that is remembered follows on it: an ordinary
//     restart, or a directory that was carried elsewhere. It is let in if nobody
//     hears the one before and it answers where the node is looked for; then the one
//     before is refused for ever.
//   - One that does not know of it is of an older copy, which may have forgotten
//     what it promised, and is refused for ever.
//
// Nodes tell each other once a second what they remember and whom they hear, so that
// a node that is cut off from one of them is not taken for gone.

// Boot is one start of a node.
type Boot struct {
	Start uint64   `cbor:"1,keyasint" yaml:"start"` // counts the starts of a directory from 1; 0: a version that tells none
	ID    uint64   `cbor:"2,keyasint" yaml:"id"`    // drawn at random
	Past  []uint64 `cbor:"3,keyasint,omitempty" yaml:"past,omitempty,flow"`
	// Empty: the node is a gateway, and has nothing that a copy could have forgotten.
	Empty bool `cbor:"4,keyasint,omitempty" yaml:"empty,omitempty"`
}

// pastMax bounds the starts that a Life remembers, the newest of them.
const pastMax = 500

// Next is the start after this one.
func (l Boot) Next(id uint64) Boot {
	if l.Start == 0 {
		return Boot{Start: 1, ID: id, Empty: l.Empty}
	}
	past := append(slices.Clone(l.Past), l.ID)
	return Boot{Start: l.Start + 1, ID: id, Past: past[max(0, len(past)-pastMax):], Empty: l.Empty}
}

// follows reports whether the start knows of the one that is remembered, or began
// so much later that it need not.
func (l Boot) follows(k Known) bool {
	return l.Start > k.Start && (l.Empty || slices.Contains(l.Past, k.ID) || uint64(len(l.Past)) >= pastMax && l.Start-pastMax > k.Start)
}

// Known is what is remembered of a peer: the newest start of it that was let in.
type Known struct {
	Node  txn.NodeID `yaml:"node"`
	Start uint64     `yaml:"start"`
	ID    uint64     `yaml:"id"`
	Since time.Time  `yaml:"since"` // when that was
}

// newer orders starts of one node; of two that began from the same one any order will do.
func (k Known) newer(than Known) bool {
	return cmp.Or(cmp.Compare(k.Start, than.Start), cmp.Compare(k.ID, than.ID)) > 0
}

// bootReport is what a node tells of another, each second.
type bootReport struct {
	Node     txn.NodeID `cbor:"1,keyasint"`
	Start    uint64     `cbor:"2,keyasint"`
	ID       uint64     `cbor:"3,keyasint"`
	Received uint64     `cbor:"4,keyasint,omitempty"` // milliseconds ago, and one; 0: it is not heard
}

// claimsMax bounds the claims of one node.
const claimsMax = 1024

type claims struct {
	at   time.Time
	list []bootReport
}

// received is a connection on which a peer is heard.
type received struct {
	node txn.NodeID
	life uint64
	at   time.Time // when last
}

// The times by which a start is told from the one before it.
const (
	// Who is silent for longer is taken for gone, though its connection stands: pings
	// come once a second.
	quiet = 2500 * time.Millisecond
	// So long a new start may ask before it has answered at its address, where it is
	// called at once; then it is told what is wrong.
	settling = 5 * time.Second
	// Claims hold so long.
	claimsHold = quiet
)

// LivesConfig is what a node remembers when it starts.
type LivesConfig struct {
	Self  txn.NodeID
	Own   Boot
	Known []Known
	// Save makes it durable what is known, all of it. It may take its time.
	Save func([]Known) error
}

// BootRegistry is what a node knows of the starts of nodes. Its methods may be called by
// any goroutine.
type BootRegistry struct {
	cfg       LivesConfig
	receiving func() []received // this node's own connections

	mu     sync.Mutex
	known  map[txn.NodeID]Known
	found  map[txn.NodeID]uint64 // the start that answers at a peer's address
	asks   map[txn.NodeID]asks   // who asks to be let in
	others map[txn.NodeID]claims
}

// asks is a start that has not answered at its address yet.
type asks struct {
	life  uint64
	since time.Time
}

// NewLives begins with what a node remembers.
func NewLives(cfg LivesConfig) *BootRegistry {
	l := &BootRegistry{cfg: cfg, receiving: func() []received { return nil },
		known: map[txn.NodeID]Known{}, asks: map[txn.NodeID]asks{}, found: map[txn.NodeID]uint64{}, others: map[txn.NodeID]claims{}}
	for _, k := range cfg.Known {
		l.known[k.Node] = k
	}
	return l
}

// answersAt notes which start answers at a peer's address.
func (l *BootRegistry) answersAt(node txn.NodeID, life Boot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found[node] = life.ID
}

// holds reports whether a start is the one that is remembered.
func (l *BootRegistry) holds(node txn.NodeID, life uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[node].ID == life
}

// judge lets a start of a peer in and remembers it, or says why not; fresh tells
// that it was another that was remembered. The address is where the peer is looked for.
func (l *BootRegistry) judge(node txn.NodeID, life Boot, address string, now time.Time) (fresh bool, no error) {
	if life.Start == 0 {
		return false, nil // of a version that tells none
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	have, some := l.known[node]
	if some && have.ID == life.ID {
		return false, nil
	}
	if some && !life.follows(have) {
		return false, refusal{code: CodeStale, reason: staleText(node, life, have)}
	}
	if some {
		if ago, received := l.received(have, now); received {
			return false, refusal{code: CodeTwice, ago: ago, reason: fmt.Sprintf(
				"node %d is running already, at %s, heard %.1f s ago; this one is a copy of its data directory, and two would vote twice: stop one of them for good", node, address, ago.Seconds())}
		}
	}
	if l.found[node] != life.ID {
		return false, l.unfound(node, life, address, now)
	}
	return some, l.remember(now, Known{Node: node, Start: life.Start, ID: life.ID})
}

// unfound is for a start that does not answer where the node is looked for: it could
// take no part, and might be a copy that keeps the node itself from coming back.
func (l *BootRegistry) unfound(node txn.NodeID, life Boot, address string, now time.Time) refusal {
	if l.asks[node].life != life.ID {
		l.asks[node] = asks{life.ID, now}
	}
	if now.Sub(l.asks[node].since) < settling {
		return refusal{code: codeWait, reason: "it has started anew, and is called at its address first"}
	}
	return refusal{code: CodeElsewhere, reason: fmt.Sprintf("node %d has started anew, and does not answer at %s, where this node looks for it: "+
		"if it was moved, put its new address into the nodes of every configuration; if it is a copy, stop it", node, address)}
}

func staleText(node txn.NodeID, life Boot, have Known) string {
	return fmt.Sprintf("node %d has run since with a newer data directory (its start %d, let in on %s; this is start %d of another copy), "+
		"and this one may have forgotten what it promised: it is refused for ever. Leave it down; if the newer one is lost too, put a new node in its place (add-node, then replace-replica --from %d)",
		node, have.Start, have.Since.UTC().Format(time.DateTime), life.Start, node)
}

// received is how long ago a start was heard, by this node or another, if it may be
// running still.
func (l *BootRegistry) received(k Known, now time.Time) (ago time.Duration, ok bool) {
	best := quiet
	for _, h := range l.receiving() {
		if h.node == k.Node && h.life == k.ID {
			best = min(best, now.Sub(h.at))
		}
	}
	// order: the shortest is taken.
	for _, o := range l.others {
		since := now.Sub(o.at)
		if since > claimsHold {
			continue
		}
		for _, c := range o.list {
			if c.Node == k.Node && c.ID == k.ID && c.Received > 0 {
				best = min(best, since+time.Duration(c.Received-1)*time.Millisecond)
			}
		}
	}
	return max(best, 0), best < quiet
}

// remember makes durable what is known from now on.
func (l *BootRegistry) remember(now time.Time, news ...Known) error {
	next := make(map[txn.NodeID]Known, len(l.known)+len(news))
	// order: copies a map.
	for n, k := range l.known {
		next[n] = k
	}
	for _, k := range news {
		k.Since = now.UTC().Truncate(time.Second)
		next[k.Node] = k
	}
	if l.cfg.Save != nil {
		if err := l.cfg.Save(sorted(next)); err != nil {
			return fmt.Errorf("it is not let in, for what must be remembered of it cannot be written: %w", err)
		}
	}
	l.known = next
	return nil
}

func sorted(known map[txn.NodeID]Known) []Known {
	out := make([]Known, 0, len(known))
	// order: sorted below.
	for _, k := range known {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Known) int { return cmp.Compare(a.Node, b.Node) })
	return out
}

// reports is what the other nodes are told.
func (l *BootRegistry) reports(now time.Time) []bootReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	received := map[txn.NodeID]uint64{}
	for _, h := range l.receiving() {
		if ago := max(now.Sub(h.at), 0); h.life == l.known[h.node].ID && ago < quiet {
			if ms := uint64(ago.Milliseconds()) + 1; received[h.node] == 0 || ms < received[h.node] {
				received[h.node] = ms
			}
		}
	}
	var out []bootReport
	for _, k := range sorted(l.known) {
		out = append(out, bootReport{k.Node, k.Start, k.ID, received[k.Node]})
	}
	return out[:min(len(out), claimsMax)]
}

// learn takes in what a peer tells. News are the nodes of which it knows a newer
// start; an error is that there is one of this node itself.
func (l *BootRegistry) learn(from txn.NodeID, list []bootReport, now time.Time) (news []txn.NodeID, err error) {
	if len(list) > claimsMax {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.others[from] = claims{now, list}
	var newer []Known
	for _, c := range list {
		k := Known{Node: c.Node, Start: c.Start, ID: c.ID}
		switch {
		case c.Node == l.cfg.Self:
			own := Known{Node: c.Node, Start: l.cfg.Own.Start, ID: l.cfg.Own.ID}
			if k.newer(own) {
				k.Since = now
				reason := staleText(c.Node, l.cfg.Own, k)
				err = refusal{code: CodeStale, reason: reason, peerReason: reason}
			}
		case k.newer(l.known[c.Node]):
			newer, news = append(newer, k), append(news, c.Node)
		}
	}
	if len(newer) > 0 {
		if failed := l.remember(now, newer...); failed != nil {
			return nil, err // it is told again in a second
		}
	}
	return news, err
}
