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
	params       Params
	first        protocol.Spec // what the cluster began with
	coord        *coordinator.Coordinator
	participants *hostedParticipants
	directory    *directoryView
	outbox       *outbox
	tracer       *tracer

	spec     protocol.Spec // in force at this node
	reportAt time.Duration
	try      uint64        // that this node drives, 0: none
	since    time.Duration // when it began to
	driveAt  time.Duration
	writing  bool
	toEnd    []txn.ID // transactions of its own that came to nothing
	drained  map[txn.NodeID]drainReport
}

type drainReport struct {
	at   time.Duration
	left string
}

// The intervals of a switch, in ticks.
const (
	reportEvery = 5
	driveEvery  = 2
)

// silentAfter is when a node counts as silent that does not tell how far it has come.
func (s *switching) silentAfter() time.Duration { return 2 * s.params.ElectionTimeout }

// follow goes by what the directory says.
func (s *switching) follow() error {
	p, spec := s.directory.dir.Protocol, s.first
	if p.Seq > 0 {
		var err error
		if spec, err = protocol.LiveByName(p.Name); err != nil {
			return fmt.Errorf("the cluster has gone over to a protocol that this program does not have: %w", err)
		}
	}
	s.spec, s.participants.arrivals = spec, spec.Arrive.SetsArrivalTime()
	s.coord.FollowProtocol(p, spec)
	return nil
}

// tick tells how far this node has come, and drives the switch if it leads.
func (s *switching) tick(now time.Duration) {
	for _, id := range s.toEnd {
		s.coord.Submit(&coordinator.Request{Op: coordinator.OpEnd, Txn: id})
	}
	s.toEnd = nil
	p := s.directory.dir.Protocol
	if !p.Under() {
		s.try, s.drained = 0, nil
		return
	}
	leader, leads := s.participants.metaLeader()
	if now >= s.reportAt && leader != 0 {
		s.reportAt = now + reportEvery*s.params.TickInterval
		s.outbox.send(txn.Whole(leader), txn.Message{Drained: &txn.Drained{Try: p.Try, Left: s.left()}})
	}
	switch {
	case !leads:
		s.try, s.drained = 0, nil
	case s.try != p.Try:
		s.try, s.since, s.driveAt, s.writing, s.drained = p.Try, now, now, false, map[txn.NodeID]drainReport{}
	case now >= s.driveAt && !s.writing:
		s.driveAt = now + driveEvery*s.params.TickInterval
		s.drive(now, p)
	}
}

// nextWake is when tick has something to do.
func (s *switching) nextWake() time.Duration {
	p := s.directory.dir.Protocol
	if len(s.toEnd) > 0 {
		return 0
	}
	leader, leads := s.participants.metaLeader()
	if !p.Under() || leader == 0 {
		return txn.Never
	}
	switch {
	case leads && s.try != p.Try:
		return 0
	case leads && !s.writing:
		return min(s.reportAt, s.driveAt)
	}
	return s.reportAt
}

// left says what keeps this node from being drained.
func (s *switching) left() string {
	var out []string
	if open, commits := s.coord.Unfinished(); open+commits > 0 {
		out = append(out, fmt.Sprintf("open transactions: %d, commits not finished everywhere: %d", open, commits))
	}
	return strings.Join(append(out, s.participants.left()...), ", ")
}

func (s *switching) observe(now time.Duration, from txn.NodeID, m *txn.Drained) {
	if m.Try == s.try && s.drained != nil {
		s.drained[from] = drainReport{now, m.Left}
	}
}

// drive enters the new protocol when all are drained, or gives the switch up.
func (s *switching) drive(now time.Duration, p routing.Protocol) {
	silent, waits := s.undrained(now, p)
	took := now - s.since
	limit := time.Duration(p.LimitMillis) * time.Millisecond
	switch {
	case silent != "" && took >= min(limit, s.silentAfter()):
		s.changeProtocol(p.Try, silent)
	case s.params.InjectedBugs.SwitchUndrained, silent == "" && waits == "":
		s.changeProtocol(p.Try, "")
	case took >= limit:
		s.changeProtocol(p.Try, waits)
	}
}

// undrained names a node that is silent, and one that is not drained, with what it has left.
func (s *switching) undrained(now time.Duration, p routing.Protocol) (silent, waits string) {
	for _, other := range s.directory.dir.Nodes {
		reported, ok := s.drained[txn.NodeID(other.ID)]
		name := fmt.Sprintf("node %d in %s", other.ID, other.Region)
		switch {
		case ok && now-reported.at < s.silentAfter():
			if reported.left != "" && waits == "" {
				waits = name + " is not drained, " + reported.left
			}
		case p.Absent && now-s.since >= s.silentAfter():
		case p.Absent:
			waits = name + " does not answer"
		case silent == "":
			silent = name + " does not answer"
		}
	}
	return silent, waits
}

// changeProtocol enters what the try leads to, or gives it up if there is a reason.
func (s *switching) changeProtocol(try uint64, givenUp string) {
	s.writing = true
	s.tracer.trace("ends switch %d of the protocol: %q", try, givenUp)
	s.coord.Submit(&coordinator.Request{
		Op: coordinator.OpUpdate, From: coordinator.Start{SystemTxn: true},
		Read: txn.Read{Gets: []txn.Key{txn.Key(routing.DirectoryKey)}, ForWrite: true},
		Then: func(rows []txn.Row) ([]txn.Write, bool) { return endSwitch(rows[0].Value, try, givenUp) },
		Done: func(r coordinator.Response) {
			s.writing = false
			if (r.Err != nil || r.Declined) && !r.Txn.IsZero() {
				s.toEnd = append(s.toEnd, r.Txn)
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
		s.Left = n.protocolSwitch.left()
	}
	return s
}

// Spec is the protocol in force at this node.
func (n *Node) Spec() protocol.Spec { return n.protocolSwitch.spec }
