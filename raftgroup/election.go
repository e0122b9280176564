package raftgroup

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/coverage"
	"isochron/txn"
)

// electionTimer has a follower's timers. Raft's own timers draw from a random source that cannot be
// seeded, so only leaders are ticked; followers use these.
type electionTimer struct {
	rng         *rand.Rand
	lastContact time.Duration // last message of a leader; initially the time at which the member was opened
	forgetAt    time.Duration // until then this member votes for no other leader
	campaignAt  time.Duration
	silentTill  time.Duration // after a restart: a promise made before it may still be valid
}

// begin starts the timers of an opened member.
func (me *member) begin(fresh bool) {
	now := me.env.Now().Mono
	if !fresh && !me.cfg.Params.InjectedBugs.ForgetPromise {
		me.election.silentTill = now + me.cfg.Params.ElectionTimeout
	}
	me.election.lastContact = now
	me.term, me.role = me.log.hard.GetTerm(), raft.StateFollower
	me.restartTimer(now)
	if fresh && me.desired.prefers(me.cfg.Self) {
		me.election.campaignAt = now // no promise was made yet
	}
}

// restartTimer restarts a follower's election timer: it has just received a leader's message or given
// its vote.
func (me *member) restartTimer(now time.Duration) {
	p, timeout := &me.election, me.cfg.Params.ElectionTimeout
	p.forgetAt = max(now+timeout, p.silentTill)
	first, spread := turn(timeout, me.log.meta.Voters, me.cfg.Self, me.leader, me.term)
	if me.desired.prefers(me.cfg.Self) { // it campaigns first
		first, spread = 0, timeout/4
	}
	p.campaignAt = p.forgetAt + first + time.Duration(p.rng.Int64N(int64(spread)))
}

// turn returns how long after its timeout a follower campaigns at the earliest, and the length of the
// interval from which the exact time is drawn. The voters take turns, round robin starting after the
// lost leader (at the term's number, if it was unknown): two that campaign together may each get half of
// the votes, and all wait for another timeout. A turn is long enough for the first to be elected.
func turn(all time.Duration, voters []uint64, self, leader txn.NodeID, term uint64) (first, spread time.Duration) {
	at, n := slices.Index(voters, uint64(self)), len(voters)
	if at < 0 { // not a voter now
		return 0, all
	}
	before := slices.Index(voters, uint64(leader)) + 1
	if before == 0 {
		before = int(term % uint64(n))
	}
	turn := all / time.Duration(n)
	return turn*time.Duration((at-before+n)%n) + turn/4, turn / 2
}

// refusesVotes reports whether raft gives no vote to a candidate of a later term because this
// member follows a live leader, or is one.
func (me *member) refusesVotes(m *pb.Message) bool {
	return me.leader != 0 && m.GetTerm() > me.term && string(m.GetContext()) != campaignTransfer
}

// afterStep maintains the promises and the lease carried by raft's messages.
func (g *Group[C]) afterStep(now txn.Now, from txn.NodeID, msg *pb.Message, m *txn.Raft) {
	g.observeRole(now)
	switch msg.GetType() {
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		if msg.GetTerm() == g.term && g.leader == from && g.lead == nil {
			g.lastSentNanos = max(g.lastSentNanos, m.SentNanos)
			g.restartTimer(now.Mono)
			g.election.lastContact, g.removed = now.Mono, false
		}
	case pb.MsgHeartbeatResp, pb.MsgAppResp:
		if g.lead != nil && msg.GetTerm() == g.term {
			g.lead.lease.answered(from, m.EchoNanos)
			g.lead.drains[from] = m.Draining
		}
	}
}

// observeRole handles changes of term, leader and role.
func (g *Group[C]) observeRole(now txn.Now) {
	g.look(now)
	switch {
	case g.role == raft.StateLeader && (g.lead == nil || g.lead.term != g.term):
		g.dropLeadership()
		g.lead = newLeading(g.term, now.Mono+g.cfg.Params.ElectionTimeout)
		g.machine.Lead(g.term)
		g.env.Trace("leads shard %d in term %d", g.cfg.ID, g.term)
		g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventElected, Shard: g.cfg.ID, Term: g.term})
	case g.role != raft.StateLeader && g.lead != nil:
		g.env.Trace("no longer leads shard %d", g.cfg.ID)
		g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventDeposed, Shard: g.cfg.ID, Term: g.term})
		g.dropLeadership()
	}
}

// look reads term, leader and role from raft. It is called after every message,
// and raft's answer stays off the heap only in a function without type parameters.
func (me *member) look(now txn.Now) {
	st := me.rn.BasicStatus()
	if term := st.HardState.GetTerm(); term != me.term {
		me.cfg.Params.Rules.HitIf(me.lastSentNanos != 0, coverage.TimestampOfTerm)
		me.term, me.lastSentNanos = term, 0
		me.restartTimer(now.Mono)
	}
	me.role, me.handing = st.RaftState, st.LeadTransferee != 0
	lead := txn.NodeID(st.Lead)
	if lead == me.leader {
		return
	}
	if me.leader = lead; lead == 0 {
		return
	}
	me.restartTimer(now.Mono)
	if lead != me.cfg.Self {
		me.env.NodeEvent(txn.NodeEvent{Kind: txn.EventFollows, Shard: me.cfg.ID, Term: me.term, Peer: lead})
	}
}

// dropLeadership drops the leader's state.
func (g *Group[C]) dropLeadership() {
	if g.lead != nil {
		g.machine.Deposed()
		g.lead = nil
		g.proposals.drop()
	}
}

// Tick runs the timers of elections and heartbeats.
func (g *Group[C]) Tick() {
	now := g.env.Now()
	if g.lead == nil {
		g.tickFollower(now)
	} else if now.Mono >= g.nextTick {
		g.nextTick = now.Mono + g.cfg.Params.HeartbeatInterval
		g.handOverIfDeaf(now) // before raft's own quorum check deposes it
		g.rn.Tick()
		g.observeRole(now)
	}
}

func (g *Group[C]) tickFollower(now txn.Now) {
	if g.leader != 0 && now.Mono >= g.election.forgetAt {
		_ = g.rn.ForgetLeader()
		g.observeRole(now)
	}
	if now.Mono >= g.election.campaignAt && now.Mono >= g.election.silentTill {
		g.restartTimer(now.Mono)
		if !g.desired.holds(g.cfg.Self) {
			g.askIfGone()
		}
		if g.draining {
			return
		}
		g.counts.Campaigns++
		g.env.NodeEvent(txn.NodeEvent{Kind: txn.EventElectionStarted, Shard: g.cfg.ID, Term: g.term})
		_ = g.rn.Campaign()
		g.observeRole(now)
	}
}
