package node

import (
	"fmt"
	"strings"
	"time"

	"isochron/coordinator"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
)

// How a cluster goes from one protocol to another (routing.Protocol). The order of
// an operator writes a wish into the directory. Every gateway then brings its
// transactions to an end (coordinator/turn.go), and every node tells the leader of
// the meta shard how far it has come. When all are drained that leader enters the
// new protocol into the directory; if a node is silent, or takes too long, it gives
// the switch up. Each shard goes over by an entry of its log (shard/switch.go).
//
// The wish is replicated and nobody else's memory is needed: if the leader is lost,
// or whoever gave the order, the next leader goes on, and begins to wait anew. Two
// that think that they lead do no harm: what they write is checked against the try.
//
// A node that is down keeps the switch from being entered, unless the operator says
// otherwise: it may be cut off, with clients who would lose their transactions. That
// is all that could be lost: a node that is down holds nothing that is not in logs,
// and one that comes back under the old protocol is refused until it has heard.

// switching is what a node knows of a switch under way.
type switching struct {
	row     protocol.Row // in force at this node
	tellAt  time.Duration
	try     uint64        // that this node drives, 0: none
	since   time.Duration // when it began to
	driveAt time.Duration
	writing bool
	toEnd   []txn.ID // transactions of its own that came to nothing
	told    map[txn.NodeID]toldDrained
}

type toldDrained struct {
	at   time.Duration
	left string
}

// The intervals of a switch, in ticks.
const (
	tellEvery  = 5
	driveEvery = 2
)

// silentAfter is when a node counts as silent that does not tell how far it has come.
func (n *Node) silentAfter() time.Duration { return 2 * n.cfg.Params.ElectionTimeout }

// Row is the protocol in force at this node.
func (n *Node) Row() protocol.Row { return n.turn.row }

// followProtocol goes by what the directory says.
func (n *Node) followProtocol() error {
	p, row := n.dir.Protocol, n.cfg.Row
	if p.Seq > 0 {
		var err error
		if row, err = protocol.LiveByName(p.Name); err != nil {
			return fmt.Errorf("the cluster has gone over to a protocol that this program does not have: %w", err)
		}
	}
	n.turn.row = row
	n.coord.FollowProtocol(p, row)
	return nil
}

// tickSwitch tells how far this node has come, and drives the switch if it leads.
func (n *Node) tickSwitch() {
	for _, id := range n.turn.toEnd {
		n.coord.Submit(&coordinator.Request{Op: coordinator.OpEnd, Txn: id})
	}
	n.turn.toEnd = nil
	now := n.now.Mono
	p := n.dir.Protocol
	if !p.Under() {
		n.turn.try, n.turn.told = 0, nil
		return
	}
	leader, leads := n.metaLeader()
	if now >= n.turn.tellAt && leader != 0 {
		n.turn.tellAt = now + tellEvery*n.cfg.Params.TickInterval
		n.send(txn.Whole(leader), txn.Message{Drained: &txn.Drained{Try: p.Try, Left: n.left()}})
	}
	switch {
	case !leads:
		n.turn.try, n.turn.told = 0, nil
	case n.turn.try != p.Try:
		n.turn.try, n.turn.since, n.turn.driveAt, n.turn.writing, n.turn.told = p.Try, now, now, false, map[txn.NodeID]toldDrained{}
	case now >= n.turn.driveAt && !n.turn.writing:
		n.turn.driveAt = now + driveEvery*n.cfg.Params.TickInterval
		n.drive(p)
	}
}

// nextSwitchWake is when tickSwitch has something to do.
func (n *Node) nextSwitchWake() time.Duration {
	p := n.dir.Protocol
	if len(n.turn.toEnd) > 0 {
		return 0
	}
	leader, leads := n.metaLeader()
	if !p.Under() || leader == 0 {
		return txn.Never
	}
	switch {
	case leads && n.turn.try != p.Try:
		return 0
	case leads && !n.turn.writing:
		return min(n.turn.tellAt, n.turn.driveAt)
	}
	return n.turn.tellAt
}

// metaLeader is who leads the meta shard, 0 if unknown, and whether that is this node.
func (n *Node) metaLeader() (leader txn.NodeID, leads bool) {
	r := n.replicas[txn.MetaShard]
	if r == nil {
		return 0, false
	}
	leader, _ = r.Leader()
	return leader, leader == n.cfg.ID && r.Serving()
}

// left says what keeps this node from being drained.
func (n *Node) left() string {
	var out []string
	if open, commits := n.coord.Unfinished(); open+commits > 0 {
		out = append(out, fmt.Sprintf("open transactions: %d, commits not finished everywhere: %d", open, commits))
	}
	for _, id := range n.order {
		if r := n.replicas[id]; !r.drained() {
			out = append(out, fmt.Sprintf("at shard %d undecided votes: %d, lock holders: %d", id, r.Undecided(), r.Holders()))
		}
	}
	return strings.Join(out, ", ")
}

func (n *Node) heardDrained(from txn.NodeID, m *txn.Drained) {
	if m.Try == n.turn.try && n.turn.told != nil {
		n.turn.told[from] = toldDrained{n.now.Mono, m.Left}
	}
}

// drive enters the new protocol when all are drained, or gives the switch up.
func (n *Node) drive(p routing.Protocol) {
	silent, waits := n.undrained(p)
	took := n.now.Mono - n.turn.since
	limit := time.Duration(p.LimitMillis) * time.Millisecond
	switch {
	case silent != "" && took >= min(limit, n.silentAfter()):
		n.changeProtocol(p.Try, silent)
	case n.cfg.Params.Bugs.SwitchUndrained, silent == "" && waits == "":
		n.changeProtocol(p.Try, "")
	case took >= limit:
		n.changeProtocol(p.Try, waits)
	}
}

// undrained names a node that is silent, and one that is not drained, with what it has left.
func (n *Node) undrained(p routing.Protocol) (silent, waits string) {
	for _, other := range n.dir.Nodes {
		told, ok := n.turn.told[txn.NodeID(other.ID)]
		name := fmt.Sprintf("node %d in %s", other.ID, other.Region)
		switch {
		case ok && n.now.Mono-told.at < n.silentAfter():
			if told.left != "" && waits == "" {
				waits = name + " is not drained, " + told.left
			}
		case p.Absent && n.now.Mono-n.turn.since >= n.silentAfter():
		case p.Absent:
			waits = name + " does not answer"
		case silent == "":
			silent = name + " does not answer"
		}
	}
	return silent, waits
}

// changeProtocol enters what the try leads to, or gives it up if there is a reason.
func (n *Node) changeProtocol(try uint64, givenUp string) {
	n.turn.writing = true
	n.trace("ends switch %d of the protocol: %q", try, givenUp)
	n.coord.Submit(&coordinator.Request{
		Op: coordinator.OpUpdate, From: coordinator.Start{Upkeep: true},
		Read: txn.Read{Gets: []txn.Key{txn.Key(routing.DirectoryKey)}, ForWrite: true},
		Then: func(rows []txn.Row) ([]txn.Write, bool) { return endSwitch(rows[0].Value, try, givenUp) },
		Done: func(r coordinator.Response) {
			n.turn.writing = false
			if (r.Err != nil || r.Undone) && !r.Txn.IsZero() {
				n.turn.toEnd = append(n.turn.toEnd, r.Txn)
			}
		},
	})
}

// endSwitch is the directory without the switch; false if it is not under way.
func endSwitch(raw []byte, try uint64, givenUp string) ([]txn.Write, bool) {
	d, err := routing.Decode(raw)
	if err != nil {
		return nil, false
	}
	ended := false
	if givenUp == "" {
		ended = d.Protocol.Enter(try)
	} else {
		ended = d.Protocol.GiveUp(try, givenUp)
	}
	d.Epoch++
	return []txn.Write{{Key: txn.Key(routing.DirectoryKey), Value: d.Encode()}}, ended
}

// Switch is how a node stands between two protocols.
type Switch struct {
	Protocol routing.Protocol // as its directory has it
	Left     string           // what keeps it from being drained, "": nothing, or no switch is under way
}

// Switch tells of a switch under way.
func (n *Node) Switch() Switch {
	s := Switch{Protocol: n.dir.Protocol}
	if s.Protocol.Under() {
		s.Left = n.left()
	}
	return s
}
