package shard

import (
	"isochron/coverage"
	"isochron/participant"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// How the transactions of a shard commit changes by an entry of its own log: the
// directory says what is wanted (Desired.Protocol), and the leader goes there when all
// that ran before has come to its end here.
//
// Invariant: no vote is undecided across such an entry, and no leader holds a lock,
// a wait or a revealed write across it. So whatever is undecided in the log is of
// the protocol that the log says, and whoever leads next restores it by that one.
//
// The leader sees to it alone. As soon as another protocol is wanted it votes on
// nothing more and grants no locks; it ends those who hold locks and have not
// voted; those who have voted end by their decisions, which others find in the logs
// if a coordinator is lost. Then nothing is left, nothing can come, and the entry is
// proposed. That gateways have brought their transactions to an end before only
// saves the clients that trouble: safety never rests on what a gateway has said.
//
// Shards change one by one, and a transaction runs under one protocol everywhere:
// it says under which, a shard that has left that refuses it for ever, as a vote of
// No, and a shard that is not yet there has it ask again. At each shard all of the
// old protocol stands before all of the new one; so their orders make one.
//
// The record of an attempt (Prepare.Record) is taken under any protocol, also by a shard that
// waits for its votes to end: it may be what one of them waits for, here or elsewhere, and whoever
// writes it may have gone over already. Its entry is its commit, so it leaves nothing undecided,
// and until that is applied the shard waits for it as for any vote. There are as many as there are
// attempts to be ended, so that comes to an end. When the change is on its way into the log a
// record waits until it is there: its locks are not carried across, and two that write the
// same row must not both find it empty.
//
// Plain reads need no such word: what they show is checked at the prepare, or the
// leader answers for it by what it knows itself.

// protocolCmd says how transactions commit from its place in the log on.
type protocolCmd struct {
	Seq  uint64 `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

// applyProtocol reports whether another protocol holds from here on.
func (s *state) applyProtocol(c protocolCmd) bool {
	if c.Seq <= s.applied.Protocol.Seq {
		return false
	}
	if len(s.prepared) > 0 && !s.careless {
		panic("shard: the protocol changes while a vote is undecided")
	}
	s.applied.Protocol = c
	return true
}

// followProtocol has the replica go by what its log says. A leader begins with an
// empty lock table: the one it had is empty.
func (m *machine) followProtocol() {
	c := m.state.applied.Protocol
	if c.Seq == 0 {
		return
	}
	spec, err := protocol.LiveByName(c.Name)
	if err != nil {
		panic(&store.Failure{Doing: "reading in the log how transactions commit", Err: err})
	}
	m.cfg.Spec = spec
	if m.lead != nil {
		m.lead.newLocks()
		m.lead.arrivalQueue.Follow(spec.Yield)
		m.lead.early.Follow(spec.Reveal)
		m.env.Trace("shard %d: transactions commit by %s from now on (%d)", m.cfg.ID, c.Name, c.Seq)
	}
}

// switching is how far a leader has come from one protocol to the next.
type switching struct {
	state   *state               // has the protocol in force
	desired *participant.Desired // has the one that is wanted
	propose func(command) bool

	proposed uint64 // the newest change in this term
}

// seq numbers the protocol in force.
func (s *switching) seq() uint64 { return s.state.applied.Protocol.Seq }

// leaves reports whether another protocol is wanted than the one that holds.
func (s *switching) leaves() bool { return s.desired.Protocol.Seq > s.seq() }

// refuses reports whether a transaction of this protocol comes too late.
func (s *switching) refuses(seq uint64) bool {
	return seq < s.seq() || seq == s.seq() && s.leaves()
}

// ahead reports whether a transaction of this protocol comes too early.
func (s *switching) ahead(seq uint64) bool { return seq > s.seq() }

// passes reports whether a Prepare is voted on whatever protocol it is of, and passing whether
// that makes a difference to it.
func passes(p *txn.Prepare) bool { return p.Record && p.OnePhase }

func (s *switching) passing(p *txn.Prepare) bool {
	return passes(p) && (s.refuses(p.ProtocolSeq) || s.ahead(p.ProtocolSeq))
}

// late reports whether a Prepare is refused.
func (s *switching) late(p *txn.Prepare) bool { return s.refuses(p.ProtocolSeq) && !passes(p) }

// early reports whether a Prepare has to be asked for again.
func (s *switching) early(p *txn.Prepare) bool {
	if passes(p) {
		return s.proposed > s.seq()
	}
	return s.ahead(p.ProtocolSeq)
}

// due reports whether another protocol is wanted, and not proposed yet.
func (s *switching) due() bool { return s.leaves() && s.proposed < s.desired.Protocol.Seq }

// enter proposes what is wanted. Nothing is undecided here, nor can come.
func (s *switching) enter() {
	want := s.desired.Protocol
	if s.propose(command{Switch: &protocolCmd{Seq: want.Seq, Name: want.Name}}) {
		s.proposed = want.Seq
	}
}

// changeProtocol takes the next step towards what is wanted.
func (l *leaderState) changeProtocol() {
	if !l.serving || !l.switching.due() {
		return
	}
	if !l.r.cfg.Params.InjectedBugs.SwitchUndrained {
		l.endUnvotedAll()
		l.r.cfg.Params.Rules.HitIf(!l.drained(), coverage.SwitchDrained)
		if !l.drained() {
			return
		}
	}
	l.switching.enter()
}

// endUnvotedAll ends all who hold locks here and have not voted.
func (l *leaderState) endUnvotedAll() {
	for _, h := range l.locks.Holders() {
		if h.Voted || l.locks.Holder(h.Txn) != h {
			continue // or it was undone with another
		}
		id := h.Txn
		l.r.env.Send(txn.Coordinator(id.Node), txn.Message{Wounded: &txn.Wounded{Shard: l.r.cfg.ID, Txn: id, ProtocolSeq: l.r.desired.Protocol.Seq}})
		l.locks.drop(id)
	}
	l.batcher.close()
}

// drained reports whether all that ran here has come to its end.
func (l *leaderState) drained() bool {
	return len(l.known.voting)+len(l.known.deciding)+len(l.known.waiting)+l.batcher.Len()+len(l.r.state.prepared) == 0 &&
		l.locks.Waiting() == 0 && len(l.locks.Holders()) == 0
}

// Drained reports whether nothing is left undecided, held or waited for where this
// replica leads; elsewhere others know.
func (r *Replica) Drained() bool { return !r.Serving() || r.lead.drained() }
