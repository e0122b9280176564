package shard

import (
	"isochron/coverage"
	"isochron/decide"
	"isochron/raftgroup"
	"isochron/txn"
)

// Acknowledgements that bypass the leader (D2PC section 3.3). A replica that has a vote on its disk
// acknowledges it to the co-coordinator of its region, which forwards it to the coordinator. The
// coordinator knows that a majority has the vote when the leader does, or sooner. decide/durable.go
// specifies which votes are acknowledged.

// Durable acknowledges the votes among entries that are durable here.
func (m *machine) Durable(e raftgroup.Entries[command]) {
	if !m.cfg.Spec.Decide.Bypasses() {
		return
	}
	for at, commands := range e.All() {
		for _, c := range commands {
			if c.Vote != nil && (*Replica)(m).acknowledges(c.Vote, at.Term, e.Term) {
				ack := c.Vote.ack(m.cfg.ID)
				ack.Replica, ack.Term, ack.Index = m.cfg.Self, at.Term, at.Index
				m.env.Acknowledge(ack, m.lead != nil && m.lead.term == at.Term)
			}
		}
	}
}

// acknowledges reports whether a vote of a durable entry is acknowledged in a term.
func (r *Replica) acknowledges(v *voteCmd, entry, term uint64) bool {
	if r.cfg.Params.InjectedBugs.CountOldAcks && entry != term {
		return len(v.Voters) > 0
	}
	r.cfg.Params.Rules.HitIf(entry != term && len(v.Voters) > 0, coverage.EntryOfTerm)
	leader, _ := r.group.Leader()
	return decide.Durable{
		Self: r.cfg.Self, Leader: leader, Coordinator: v.Attempt.Node, Participants: len(v.Participants), Addressed: len(v.Voters) > 0,
		Term: term, Entry: entry, OnAppend: r.cfg.Spec.Reveal.OnItsAppend(txn.Class{Participants: 1}),
	}.Acknowledged()
}

// ack returns the Ack of a vote, without the fields of the acknowledging replica.
func (v *voteCmd) ack(s txn.ShardID) *txn.Ack {
	return &txn.Ack{
		Shard: s, Attempt: v.Attempt, Txn: v.Txn, Participants: v.Participants, Proposed: v.Proposed,
		Voters: v.Voters, Outgoing: v.Outgoing, Open: len(v.Deps) > 0 || v.Doomed, AwaitsDecision: !v.OnePhase, Region: v.Age.Region,
	}
}
