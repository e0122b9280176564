package raftgroup

import (
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/coverage"
	"isochron/txn"
)

// A leader whose messages arrive but that receives none (an asymmetric partition) keeps its followers from
// electing another. Raft's own quorum check detects this only after up to two election timeouts, after
// which the followers wait for one more. So a leader to which no majority has answered for one election
// timeout asks a follower to take over immediately, and with the next heartbeat another, until it is
// deposed. This breaks no lease: its own has expired by then, and is void from then on.

// handOverIfDeaf runs with each heartbeat.
func (me *member) handOverIfDeaf(now txn.Now) {
	l, voters := me.lead, me.log.meta.Voters
	if !l.serving || len(voters) < 2 || len(me.log.meta.Outgoing) > 0 {
		return
	}
	received := time.Duration(l.lease.echoed(me.electorate(), me.cfg.Self, now.Mono))
	if received == 0 || now.Mono-received < me.cfg.Params.ElectionTimeout {
		return
	}
	me.cfg.Params.Rules.Hit(coverage.UnansweredHandsOver)
	l.lease.void = true
	l.deafChecks++
	if to := voters[l.deafChecks%len(voters)]; txn.NodeID(to) != me.cfg.Self {
		me.send(&pb.Message{Type: pb.MsgTimeoutNow.Enum(), To: proto.Uint64(to),
			From: proto.Uint64(uint64(me.cfg.Self)), Term: proto.Uint64(l.term)})
	}
}
