package shard

import "isochron/txn"

// voice is what a leader says of attempts.
type voice struct {
	cfg       *Config
	switching *switching
	rows      *newest // that declared transactions read
	known     *attempts
}

// vote sends a vote. One of No says which protocol is in force here.
func (s voice) vote(to txn.NodeID, v txn.Vote) {
	v.Shard = s.cfg.ID
	if v.Refused != 0 {
		v.ProtocolSeq = s.switching.seq()
	}
	if u := s.known.undecided(v.Attempt); v.Yes && u != nil {
		v.Rows, v.Unless, v.MadeWay = s.read(u), u.Unless, u.MadeWay
	}
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{Vote: &v})
}

// serve tells who asked for a declared transaction's vote what it reads, before the vote lasts.
func (s voice) serve(to txn.NodeID, v *voteCmd) {
	if rows := s.read(v); len(rows) > 0 {
		s.cfg.Env.Send(txn.Coordinator(to), txn.Message{Served: &txn.Served{Shard: s.cfg.ID, Attempt: v.Attempt, Rows: rows}})
	}
}

// read are the rows that a declared transaction with an undecided vote reads here. They are what
// they were at the vote, whichever leader has it: until it is decided nobody else can write them.
func (s voice) read(v *voteCmd) []txn.Row {
	if v == nil || v.Declared == nil {
		return nil
	}
	rows := make([]txn.Row, len(v.Declared.Reads))
	for i, k := range v.Declared.Reads {
		rows[i] = s.rows.row(k)
	}
	return rows
}

// finding tells what the log says of an attempt.
func (s voice) finding(to txn.NodeID, f txn.Finding) {
	f.Shard = s.cfg.ID
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{Finding: &f})
}

// ack acknowledges the end of an attempt.
func (s voice) ack(to txn.NodeID, a txn.Attempt) {
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{DecideAck: &txn.DecideAck{Shard: s.cfg.ID, Attempt: a}})
}

// spread tells the co-coordinators of a vote, where there are any.
func (s voice) spread(v *voteCmd) {
	if s.cfg.Row.Decide.Bypasses() {
		s.cfg.Env.Acknowledge(v.ack(s.cfg.ID), true)
	}
}

// spreadNo tells them that the attempt will abort.
func (s voice) spreadNo(p *txn.Prepare) {
	if s.cfg.Row.Decide.Bypasses() && len(p.Participants) > 1 {
		s.cfg.Env.Acknowledge(&txn.Ack{Shard: s.cfg.ID, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants, No: true}, true)
	}
}
