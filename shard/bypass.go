package shard

import (
	"isochron/group"
	"isochron/txn"
)

// Acknowledgements past the leader (D2PC section 3.3). A replica that has a vote
// on its disk says so to the co-coordinator of its region, which passes it on to
// the coordinator: there it is known that a majority has the vote as soon as the
// leader itself knows, or sooner.

// Durable tells of the votes among entries that are durable here. An entry
// of an older term is not told of: having it does not keep a leader without it
// from being elected. The leader of its term tells of it once it is committed.
func (m *machine) Durable(e group.Entries[command]) {
	if !m.cfg.Row.Decide.Bypasses() {
		return
	}
	for at, commands := range e.All() {
		if at.Term != e.Term && !m.cfg.Params.Bugs.CountOldAcks {
			continue
		}
		for _, c := range commands {
			if c.Vote == nil || len(c.Vote.Voters) == 0 || at.Term == e.Term && !(*Replica)(m).tellsMore(c.Vote) {
				continue // who leads now says nothing of an older term's votes, and nobody of those that name no voters
			}
			ack := c.Vote.ack(m.cfg.ID)
			ack.Replica, ack.Term, ack.Index = m.cfg.Self, at.Term, at.Index
			m.env.Acknowledge(ack, m.lead != nil && m.lead.term == at.Term)
		}
	}
}

// tellsMore reports whether an acknowledgement tells anybody more than raft does. Of a
// vote that is the only one, whose coordinator stands beside the leader, followers tell
// it nothing: their appends reach the same node at the same time. The leader's own does
// if its locks wait for a pre-commit.
func (r *Replica) tellsMore(v *voteCmd) bool {
	leader, _ := r.group.Leader()
	if len(v.Participants) != 1 || v.Attempt.Node != leader {
		return true
	}
	return r.cfg.Self == leader && !r.cfg.Row.Reveal.OnItsAppend(txn.Class{Participants: 1})
}

// ack is the news of a vote without that of a replica.
func (v *voteCmd) ack(s txn.ShardID) *txn.Ack {
	return &txn.Ack{
		Shard: s, Attempt: v.Attempt, Txn: v.Txn, Participants: v.Participants, Proposed: v.Proposed,
		Voters: v.Voters, Outgoing: v.Outgoing, Open: len(v.Deps) > 0 || v.Doomed, AwaitsDecision: !v.OnePhase,
	}
}

// address enters the members whose majorities commit a vote.
func (l *leadership) address(v *voteCmd) {
	if l.r.cfg.Row.Decide.Bypasses() {
		v.Voters, v.Outgoing, _ = l.r.group.Members()
	}
}

// spreadNo tells the co-coordinators that the attempt will abort.
func (l *leadership) spreadNo(p *txn.Prepare) {
	if l.r.cfg.Row.Decide.Bypasses() && len(p.Participants) > 1 {
		l.r.env.Acknowledge(&txn.Ack{Shard: l.r.cfg.ID, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants, No: true}, true)
	}
}

// reportAgain tells of a vote that an earlier leader has logged.
func (l *leadership) reportAgain(p *prepared) {
	open, doomed := l.conditional(p.Attempt)
	l.sendVote(p.Attempt.Node, txn.Vote{Attempt: p.Attempt, Yes: true, Proposed: p.Proposed, Open: open, Doomed: doomed, AwaitsDecision: true})
	if l.r.cfg.Row.Decide.Bypasses() && !doomed {
		l.r.env.Acknowledge(p.ack(l.r.cfg.ID), true)
	}
}
