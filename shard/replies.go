package shard

import "isochron/txn"

// replySender sends a leader's answers about attempts.
type replySender struct {
	cfg       *Config
	switching *switching
	rows      *latestRows // read by 2FI transactions
	known     *attempts
}

// vote sends a vote. A No carries the number of the protocol in force.
func (s replySender) vote(to txn.NodeID, v txn.Vote) {
	v.Shard = s.cfg.ID
	if v.Refused != 0 {
		v.ProtocolSeq = s.switching.seq()
	}
	if u := s.known.undecided(v.Attempt); v.Yes && u != nil {
		v.Rows, v.AssumesAborted, v.PriorityAborted = s.read(u), u.AssumesAborted, u.PriorityAborted
	}
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{Vote: &v})
}

// serve sends a 2FI transaction's reads to the node that asked for its vote, before the vote is durable.
func (s replySender) serve(to txn.NodeID, v *voteCmd) {
	if rows := s.read(v); len(rows) > 0 {
		s.cfg.Env.Send(txn.Coordinator(to), txn.Message{FixedSetReads: &txn.FixedSetReads{Shard: s.cfg.ID, Attempt: v.Attempt, Rows: rows}})
	}
}

// read returns the rows that a 2FI transaction with an undecided vote reads here. They are unchanged
// since the vote, at whichever leader: no other transaction can write them before its decision.
func (s replySender) read(v *voteCmd) []txn.Row {
	if v == nil || v.FixedSet == nil {
		return nil
	}
	rows := make([]txn.Row, len(v.FixedSet.Reads))
	for i, k := range v.FixedSet.Reads {
		rows[i] = s.rows.row(k)
	}
	return rows
}

// finding sends the state of an attempt in the log.
func (s replySender) finding(to txn.NodeID, f txn.InquireReply) {
	f.Shard = s.cfg.ID
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{InquireReply: &f})
}

// ack acknowledges the outcome of an attempt.
func (s replySender) ack(to txn.NodeID, a txn.Attempt) {
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{DecideAck: &txn.DecideAck{Shard: s.cfg.ID, Attempt: a}})
}

// spread sends a vote to the co-coordinators, in protocols that have them.
func (s replySender) spread(v *voteCmd) {
	if s.cfg.Spec.Decide.Bypasses() {
		s.cfg.Env.Acknowledge(v.ack(s.cfg.ID), true)
	}
}

// spreadNo notifies the co-coordinators that the attempt will abort.
func (s replySender) spreadNo(p *txn.Prepare) {
	if s.cfg.Spec.Decide.Bypasses() && len(p.Participants) > 1 {
		s.cfg.Env.Acknowledge(&txn.Ack{Shard: s.cfg.ID, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants, No: true}, true)
	}
}
