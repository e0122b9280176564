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

// Switching the protocol of a cluster (routing.Protocol). An operator's command
// writes the desired protocol into the directory. Every gateway then drains its
// transactions (coordinator/protocol_switch.go), and every node reports its progress to the leader of
// the meta shard. When all are drained that leader enters the
// new protocol into the directory; if a node does not report, or takes too long, it cancels
// the switch. Each shard switches by an entry of its log (shard/protocol_switch.go).
//
// The desired protocol is replicated and no other state is needed: if the leader is lost,
// or the client that gave the command, the next leader continues, and restarts the time limit. Two
// nodes that both consider themselves leader do no harm: their writes are checked against the try.
//
// A node that is down blocks the switch, unless the operator allows it: the node may be partitioned,
// with clients that would lose their transactions. Nothing else
// could be lost: a node that is down holds nothing that is not in logs,
// and one that returns under the old protocol is refused until it has received the new directory.

// switching is a node's state of a protocol switch.
type switching struct {
	params       Params
	first        protocol.Spec // the cluster's first protocol
	coord        *coordinator.Coordinator
	participants *hostedParticipants
	directory    *directoryView
	outbox       *outbox
	tracer       *tracer

	spec     protocol.Spec // in force at this node
	reportAt time.Duration
	try      uint64        // the switch that this node drives, 0: none
	since    time.Duration // start of driving
	driveAt  time.Duration
	writing  bool
	toEnd    []txn.ID // its own failed transactions
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

// silentAfter returns the time after which a node without reports counts as silent.
func (s *switching) silentAfter() time.Duration { return 2 * s.params.ElectionTimeout }

// follow applies the protocol of the directory.
func (s *switching) follow() error {
	p, spec := s.directory.dir.Protocol, s.first
	if p.Seq > 0 {
		var err error
		if spec, err = protocol.LiveByName(p.Name); err != nil {
			return fmt.Errorf("the cluster has switched to a protocol that this program does not have: %w", err)
		}
	}
	s.spec, s.participants.arrivals = spec, spec.Arrive.SetsArrivalTime()
	s.coord.FollowProtocol(p, spec)
	return nil
}

// tick reports this node's progress, and drives the switch if it leads.
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

// nextWake returns the time at which tick has work.
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

// left describes what this node has not drained yet.
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

// drive enters the new protocol when all are drained, or cancels the switch.
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

// undrained names a silent node, and one that is not drained, with its remaining work.
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

// changeProtocol ends the try: it enters the new protocol, or cancels the switch if there is a reason.
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

// endSwitch returns the directory after the switch; false if the switch is not in progress.
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

// Switch is a node's state during a protocol switch.
type Switch struct {
	Protocol routing.Protocol // in its directory
	Left     string           // the work not drained yet; "": nothing, or no switch is in progress
}

// Switch returns the state of a switch in progress.
func (n *Node) Switch() Switch {
	s := Switch{Protocol: n.dir.Protocol}
	if s.Protocol.Under() {
		s.Left = n.protocolSwitch.left()
	}
	return s
}

// Spec is the protocol in force at this node.
func (n *Node) Spec() protocol.Spec { return n.protocolSwitch.spec }
