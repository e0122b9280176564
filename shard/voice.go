package shard

import "isochron/txn"

// voice is what a leader says of attempts.
type voice struct {
	cfg       *Config
	switching *switching
}

// vote sends a vote. One of No says which protocol is in force here.
func (s voice) vote(to txn.NodeID, v txn.Vote) {
	v.Shard = s.cfg.ID
	if v.Refused != 0 {
		v.ProtocolSeq = s.switching.seq()
	}
	s.cfg.Env.Send(txn.Coordinator(to), txn.Message{Vote: &v})
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
