package shard

import "isochron/txn"

// replySender is what a leader says of attempts.
type replySender struct {
	cfg       *Config
	switching *switching
	rows      *latestRows // that declared transactions read
	known     *attempts
}

// vote sends a vote. One of No says which protocol is in force here.
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

// serve tells who asked for a declared transaction's vote what it reads, before the vote lasts.
func (s replySender) serve(to txn.NodeID, v *voteCmd) {
	if rows := s.read(v); len(rows) > 0 {
		s.cfg.Env.Send(txn.Coordinator(to), txn.Message{FixedSetReads: &txn.FixedSetReads{Shard: s.cfg.ID, Attempt: v.Attempt, Rows: rows}})
	}
}

// read are the rows that a declared transaction with an undecided vote reads here. They are what
// they were at the vote, whichever leader has it: until it is decided nobody else can write them.
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

// finding tells what the log says of an attempt.
func (s replySender) finding(to txn.NodeID, f txn.InquireReply) {
	f.Shard = s.cfg.ID
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{InquireReply: &f})
}

// ack acknowledges the end of an attempt.
func (s replySender) ack(to txn.NodeID, a txn.Attempt) {
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{DecideAck: &txn.DecideAck{Shard: s.cfg.ID, Attempt: a}})
}

// spread tells the co-coordinators of a vote, where there are any.
func (s replySender) spread(v *voteCmd) {
	if s.cfg.Spec.Decide.Bypasses() {
		s.cfg.Env.Acknowledge(v.ack(s.cfg.ID), true)
	}
}

// spreadNo tells them that the attempt will abort.
func (s replySender) spreadNo(p *txn.Prepare) {
	if s.cfg.Spec.Decide.Bypasses() && len(p.Participants) > 1 {
		s.cfg.Env.Acknowledge(&txn.Ack{Shard: s.cfg.ID, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants, No: true}, true)
	}
}
