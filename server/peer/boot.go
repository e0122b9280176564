package peer

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// Two processes with one node's id would vote twice. Certificates do not distinguish them, since a copied
// directory has them too. So each start of a node has a random name and lists the names of the starts before it.
// Each peer durably records the newest start it has admitted of every node:
//
//   - A start that lists the recorded one follows it: an ordinary restart, or a directory moved to another
//     place. It is admitted if no node receives from the earlier start and the new one answers at the node's
//     address; then the earlier start is refused permanently.
//   - A start that does not list it is of an older copy, which may lack promises, and is refused permanently.
//
// Once a second nodes send each other the starts they have recorded and the peers they receive from, so that a
// node cut off from one of them does not count as gone.

// Boot is one start of a node.
type Boot struct {
	Start uint64   `cbor:"1,keyasint" yaml:"start"` // counts the starts of a directory from 1; 0: an earlier version
	ID    uint64   `cbor:"2,keyasint" yaml:"id"`    // random
	Past  []uint64 `cbor:"3,keyasint,omitempty" yaml:"past,omitempty,flow"`
	// Empty: the node is a gateway, so a copy can lack no promise.
	Empty bool `cbor:"4,keyasint,omitempty" yaml:"empty,omitempty"`
}

// pastMax bounds a Boot's list of earlier starts; the newest are kept.
const pastMax = 500

// Next returns the start after this one.
func (l Boot) Next(id uint64) Boot {
	if l.Start == 0 {
		return Boot{Start: 1, ID: id, Empty: l.Empty}
	}
	past := append(slices.Clone(l.Past), l.ID)
	return Boot{Start: l.Start + 1, ID: id, Past: past[max(0, len(past)-pastMax):], Empty: l.Empty}
}

// follows reports whether the start lists the recorded one, or is so much later that its list need not reach
// back to it.
func (l Boot) follows(k Known) bool {
	return l.Start > k.Start && (l.Empty || slices.Contains(l.Past, k.ID) || uint64(len(l.Past)) >= pastMax && l.Start-pastMax > k.Start)
}

// Known is the newest start admitted of a peer.
type Known struct {
	Node  txn.NodeID `yaml:"node"`
	Start uint64     `yaml:"start"`
	ID    uint64     `yaml:"id"`
	Since time.Time  `yaml:"since"` // time of its admission
}

// newer orders the starts of one node; the order of two that follow the same start is arbitrary.
func (k Known) newer(than Known) bool {
	return cmp.Or(cmp.Compare(k.Start, than.Start), cmp.Compare(k.ID, than.ID)) > 0
}

// bootReport is a node's report about another, sent every second.
type bootReport struct {
	Node     txn.NodeID `cbor:"1,keyasint"`
	Start    uint64     `cbor:"2,keyasint"`
	ID       uint64     `cbor:"3,keyasint"`
	Received uint64     `cbor:"4,keyasint,omitempty"` // milliseconds since the last receipt, plus one; 0: nothing is received
}

// claimsMax bounds one node's reports.
const claimsMax = 1024

type claims struct {
	at   time.Time
	list []bootReport
}

// received is a connection on which a peer sends.
type received struct {
	node txn.NodeID
	boot uint64
	at   time.Time // of the last receipt
}

// Times that decide whether an earlier start is gone.
const (
	// A start from which nothing is received for longer counts as gone, even with an open connection:
	// pings come every second.
	quiet = 2500 * time.Millisecond
	// A new start may ask this long before it has answered at its address, to which a connection is made
	// immediately; then it receives the reason.
	settling = 5 * time.Second
	// Reports are valid this long.
	claimsHold = quiet
)

// BootRegistryConfig has a node's records at its start.
type BootRegistryConfig struct {
	Self  txn.NodeID
	Own   Boot
	Known []Known
	// Save makes all records durable. It may take long.
	Save func([]Known) error
}

// BootRegistry has a node's records of the starts of nodes. Its methods are safe for concurrent use.
type BootRegistry struct {
	cfg       BootRegistryConfig
	receiving func() []received // this node's own connections

	mu     sync.Mutex
	known  map[txn.NodeID]Known
	found  map[txn.NodeID]uint64 // the start that answered at a peer's address
	asks   map[txn.NodeID]asks   // starts that wait for admission
	others map[txn.NodeID]claims
}

// asks is a start that has not answered at its address yet.
type asks struct {
	boot  uint64
	since time.Time
}

// NewBootRegistry returns a registry with a node's records.
func NewBootRegistry(cfg BootRegistryConfig) *BootRegistry {
	l := &BootRegistry{cfg: cfg, receiving: func() []received { return nil },
		known: map[txn.NodeID]Known{}, asks: map[txn.NodeID]asks{}, found: map[txn.NodeID]uint64{}, others: map[txn.NodeID]claims{}}
	for _, k := range cfg.Known {
		l.known[k.Node] = k
	}
	return l
}

// answersAt notes which start answered at a peer's address.
func (l *BootRegistry) answersAt(node txn.NodeID, life Boot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found[node] = life.ID
}

// holds reports whether a start is the recorded one.
func (l *BootRegistry) holds(node txn.NodeID, life uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[node].ID == life
}

// judge admits a start of a peer and records it, or returns the refusal; fresh: another start was recorded
// before. address is where this node connects to the peer.
func (l *BootRegistry) judge(node txn.NodeID, life Boot, address string, now time.Time) (fresh bool, no error) {
	if life.Start == 0 {
		return false, nil // an earlier version
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
				"node %d is running already, at %s, last contact %.1f s ago; this one is a copy of its data directory, and two would vote twice: stop one of them for good", node, address, ago.Seconds())}
		}
	}
	if l.found[node] != life.ID {
		return false, l.unfound(node, life, address, now)
	}
	return some, l.remember(now, Known{Node: node, Start: life.Start, ID: life.ID})
}

// unfound is the refusal of a start that does not answer at the node's address: it could take no part, and might
// be a copy that keeps the node itself from returning.
func (l *BootRegistry) unfound(node txn.NodeID, life Boot, address string, now time.Time) refusal {
	if l.asks[node].boot != life.ID {
		l.asks[node] = asks{life.ID, now}
	}
	if now.Sub(l.asks[node].since) < settling {
		return refusal{code: codeWait, reason: "it has restarted, and is first contacted at its address"}
	}
	return refusal{code: CodeElsewhere, reason: fmt.Sprintf("node %d has restarted and does not answer at its address %s: "+
		"if it was moved, set its new address in the nodes of every configuration; if it is a copy, stop it", node, address)}
}

func staleText(node txn.NodeID, life Boot, have Known) string {
	return fmt.Sprintf("node %d has run since with a newer data directory (its start %d, admitted on %s; this is start %d of another copy), "+
		"and this one may lack promises made since: it is refused permanently. Leave it down; if the newer one is lost too, replace it by a new node (add-node, then replace-replica --from %d)",
		node, have.Start, have.Since.UTC().Format(time.DateTime), life.Start, node)
}

// received returns the time since this node or another received from a start; ok: the start may still be running.
func (l *BootRegistry) received(k Known, now time.Time) (ago time.Duration, ok bool) {
	best := quiet
	for _, h := range l.receiving() {
		if h.node == k.Node && h.boot == k.ID {
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

// remember records starts durably.
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
			return fmt.Errorf("not admitted, because its start cannot be recorded: %w", err)
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

// reports returns the reports to send to the other nodes.
func (l *BootRegistry) reports(now time.Time) []bootReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	received := map[txn.NodeID]uint64{}
	for _, h := range l.receiving() {
		if ago := max(now.Sub(h.at), 0); h.boot == l.known[h.node].ID && ago < quiet {
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

// learn processes a peer's reports. News are the nodes with a newer start in it; the error is a
// newer start of this node itself.
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
			return nil, err // it is reported again in a second
		}
	}
	return news, err
}
