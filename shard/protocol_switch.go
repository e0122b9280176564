package shard

import (
	"isochron/coverage"
	"isochron/participant"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// Switching the protocol of a shard by an entry of its log. The directory has the desired protocol
// (Desired.Protocol); the leader enters it when all transactions of the old one have ended here.
//
// Invariant: no vote is undecided across such an entry, and no leader holds a lock,
// a wait or a revealed write across it. So every undecided vote belongs to the protocol in
// force in the log, and the next leader restores it by that protocol.
//
// The leader ensures this alone. As soon as another protocol is desired, it votes on nothing more
// and grants no locks; it aborts the holders that have not voted; voted ones end by their
// decisions, which other nodes find in the logs if a coordinator is lost. Then nothing is pending,
// nothing can arrive, and the entry is proposed. Gateways drain their transactions before, which
// only spares the clients retries: safety never depends on a gateway's report.
//
// Shards switch one by one, and a transaction runs under one protocol everywhere:
// its requests carry the number of that protocol. A shard that has left the protocol refuses them
// permanently, as a vote of No; a shard that has not yet reached it has the sender retry. At each shard
// all of the old protocol precedes all of the new one, so their serial orders combine into one.
//
// The record of an attempt (Prepare.Record) is accepted under any protocol, also by a shard that
// is draining: a pending vote, here or elsewhere, may wait for it, and the gateway that
// writes it may have switched already. Its entry is its commit, so it leaves nothing undecided,
// and until it is applied the shard waits for it as for any vote. There are at most as many records as
// attempts to be ended, so the drain terminates. While the switch is being logged a
// record waits until it is applied: its locks are not kept across the switch, and two records of the
// same row must not both find it empty.
//
// Plain reads need no number: they are validated at the prepare, or the
// leader answers from its own state.

// protocolCmd sets the protocol of the log entries after it.
type protocolCmd struct {
	Seq  uint64 `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

// applyProtocol reports whether the protocol changes.
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

// followProtocol applies the protocol in the log to the replica. A leader begins with a
// new lock table: the old one is empty.
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

// switching is the progress of a leader's protocol switch.
type switching struct {
	state   *state               // has the protocol in force
	desired *participant.Desired // has the desired protocol
	propose func(command) bool

	proposed uint64 // the newest switch proposed in this term
}

// seq returns the number of the protocol in force.
func (s *switching) seq() uint64 { return s.state.applied.Protocol.Seq }

// leaves reports whether a newer protocol than the one in force is desired.
func (s *switching) leaves() bool { return s.desired.Protocol.Seq > s.seq() }

// refuses reports whether a transaction of this protocol arrives too late.
func (s *switching) refuses(seq uint64) bool {
	return seq < s.seq() || seq == s.seq() && s.leaves()
}

// ahead reports whether a transaction of this protocol arrives too early.
func (s *switching) ahead(seq uint64) bool { return seq > s.seq() }

// passes reports whether a Prepare is accepted under any protocol, and passing whether
// it is accepted for that reason only.
func passes(p *txn.Prepare) bool { return p.Record && p.OnePhase }

func (s *switching) passing(p *txn.Prepare) bool {
	return passes(p) && (s.refuses(p.ProtocolSeq) || s.ahead(p.ProtocolSeq))
}

// late reports whether a Prepare is refused.
func (s *switching) late(p *txn.Prepare) bool { return s.refuses(p.ProtocolSeq) && !passes(p) }

// early reports whether a Prepare must be sent again later.
func (s *switching) early(p *txn.Prepare) bool {
	if passes(p) {
		return s.proposed > s.seq()
	}
	return s.ahead(p.ProtocolSeq)
}

// due reports whether another protocol is desired and not proposed yet.
func (s *switching) due() bool { return s.leaves() && s.proposed < s.desired.Protocol.Seq }

// enter proposes the desired protocol. Nothing is undecided here, and nothing can arrive.
func (s *switching) enter() {
	want := s.desired.Protocol
	if s.propose(command{Switch: &protocolCmd{Seq: want.Seq, Name: want.Name}}) {
		s.proposed = want.Seq
	}
}

// changeProtocol takes the next step towards the desired protocol.
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

// endUnvotedAll aborts all transactions that hold locks here and have not voted.
func (l *leaderState) endUnvotedAll() {
	for _, h := range l.locks.Holders() {
		if h.Voted || l.locks.Holder(h.Txn) != h {
			continue // or it was aborted by a cascade
		}
		id := h.Txn
		l.r.env.Send(txn.Coordinator(id.Node), txn.Message{Wounded: &txn.Wounded{Shard: l.r.cfg.ID, Txn: id, ProtocolSeq: l.r.desired.Protocol.Seq}})
		l.locks.drop(id)
	}
	l.batcher.close()
}

// drained reports whether all transactions of the old protocol have ended here.
func (l *leaderState) drained() bool {
	return len(l.known.voting)+len(l.known.deciding)+len(l.known.waiting)+l.batcher.Len()+len(l.r.state.prepared) == 0 &&
		l.locks.Waiting() == 0 && len(l.locks.Holders()) == 0
}

// Drained reports whether no attempt is undecided and no lock is held or waited for where this
// replica leads; a follower always returns true.
func (r *Replica) Drained() bool { return !r.Serving() || r.lead.drained() }
