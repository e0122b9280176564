package shard

import (
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/participant"
	"isochron/store"
	"isochron/txn"
)

// Replica is one replica of a shard.
type Replica struct {
	cfg  Config
	env  Env
	rng  *rand.Rand
	log  *raftLog
	memo *memo
	rn   *raft.RawNode
	// proposals of this leader that are not appended yet.
	proposals proposals
	state     *state
	clock     txn.Clock

	// Elections: raft's own timers draw from a random source that nobody can
	// seed, so only leaders are ticked; a follower's timers are these.
	term       uint64
	leader     txn.NodeID
	role       raft.StateType
	handing    bool          // it is handing leadership to another, and proposes nothing
	heardAt    time.Duration // when a leader was heard last; at first, when the replica was opened
	forgetAt   time.Duration // until then this replica elects nobody else
	campaignAt time.Duration
	silentTill time.Duration // after a restart: a promise made before it may still bind
	heardStamp int64         // latest stamp of the leader of this term
	nextTick   time.Duration // of a leader's raft
	nextCheck  time.Duration // of the slow checks

	wish     participant.Desired // what the directory wants
	draining bool                // it shall not lead
	toldGone bool                // a leader said that this replica is a member no more
	retired  bool                // it has forgotten all: what a sync was for is gone

	acked    acked
	counts   participant.Counts
	arrivals uint64      // requests that may wait
	lead     *leadership // what only a leader knows; nil otherwise

	snapOut *outgoingSnapshot
	snapIn  *incomingSnapshot
	sweep   []byte // cursor of the collection of old versions
	sweepTS txn.Timestamp
	sweepAt time.Duration
}

// Open brings a replica back from the engine, or makes a new one.
func Open(cfg Config) (*Replica, error) {
	l, fresh, err := openLog(cfg)
	if err != nil {
		return nil, err
	}
	now := cfg.Env.Now()
	if fresh {
		genesis(cfg, l)
	}
	st, err := loadState(cfg, l.meta.Gen, int64(now.Mono))
	if err != nil {
		return nil, err
	}
	r := &Replica{
		cfg: cfg, env: cfg.Env, log: l, memo: newMemo(), state: st, wish: cfg.Wish,
		rng: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.ID)<<32|uint64(cfg.Self))),
	}
	if cfg.ephemeral() {
		r.memo = cfg.Process.memo
	}
	r.followProtocol()
	r.clock.Observe(st.applied.MaxTS)
	l.snapshot = r.makeSnapshot
	r.rn, err = raft.NewRawNode(&raft.Config{
		ID: uint64(cfg.Self), Storage: l, Applied: st.applied.Index,
		ElectionTick: 10, HeartbeatTick: 1,
		AsyncStorageWrites: true, CheckQuorum: true, PreVote: true,
		MaxSizePerMsg: cfg.Params.AppendBytes, MaxCommittedSizePerReady: 4 << 20,
		MaxUncommittedEntriesSize: uint64(min(64<<20, cfg.Logs.Share(128<<20)/2)), MaxInflightMsgs: 512,
		DisableProposalForwarding: true, StepDownOnRemoval: true,
		Logger: quiet,
	})
	if err != nil {
		return nil, fmt.Errorf("shard %d: raft cannot start: %w", cfg.ID, err)
	}
	if !fresh {
		r.silentTill = now.Mono + cfg.Params.ElectionTimeout
	}
	r.heardAt = now.Mono
	r.term, r.role = l.hard.GetTerm(), raft.StateFollower
	r.setElectionTimers(now.Mono)
	if fresh && r.preferred() {
		r.campaignAt = now.Mono // nobody else was promised anything yet
	}
	return r, nil
}

// quiet: raft's log would tell of ordinary elections; what matters is traced by us.
var quiet = &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)}

// genesis writes the rows that a shard is born with: the same at every replica.
func genesis(cfg Config, l *raftLog) {
	var b store.Batch
	l.meta.put(&b, cfg.ID)
	rows := append(genPrefix(cfg.ID, l.meta.Gen), 'v')
	for _, w := range cfg.Genesis {
		store.PutVersion(&b, rows, w, 1, txn.Version{Seq: 1})
	}
	cfg.Engine.Apply(&b)
}

func (r *Replica) preferred() bool { return slices.Contains(r.wish.Preferred, r.cfg.Self) }

// setElectionTimers starts a follower's patience anew: it has just heard from a
// leader or given its vote.
func (r *Replica) setElectionTimers(now time.Duration) {
	r.forgetAt = max(now+r.cfg.Params.ElectionTimeout, r.silentTill)
	first, spread := r.turn(r.cfg.Params.ElectionTimeout)
	r.campaignAt = r.forgetAt + first + time.Duration(r.rng.Int64N(int64(spread)))
}

// turn is how long after its patience has ended a follower calls an election at the
// earliest, and within what time from there. The voters take turns, in a circle from the
// lost leader on (from the term on, if none was known): if two of them call one at once
// each may get half of the votes, and all wait for another time-out. A turn is long
// enough for the first to be elected; who is preferred goes first.
func (r *Replica) turn(all time.Duration) (first, spread time.Duration) {
	voters := r.log.meta.Voters
	self, n := slices.Index(voters, uint64(r.cfg.Self)), len(voters)
	switch {
	case r.preferred():
		return 0, all / 4
	case self < 0: // it will have a vote, or had one
		return 0, all
	}
	before := slices.Index(voters, uint64(r.leader)) + 1
	if before == 0 {
		before = int(r.term % uint64(n))
	}
	turn := all / time.Duration(n)
	return turn*time.Duration((self-before+n)%n) + turn/4, turn / 2
}

// Step hands over a raft message of this shard.
func (r *Replica) Step(from txn.NodeID, m *txn.Raft) {
	if m.Gone && len(m.Data) == 0 {
		r.toldGone = true
		return
	}
	if m.Lost && len(m.Data) == 0 {
		r.noteLost(from)
		return
	}
	msg, err := RaftMessage(m)
	if err != nil || msg.GetFrom() != uint64(from) || raft.IsLocalMsg(msg.GetType()) {
		return // damaged or strange: as if lost
	}
	if r.blank() && r.tooEarly(msg) {
		r.tellLost(from, msg)
		return
	}
	if !r.sane(msg) {
		return
	}
	r.tellGone(from, msg)
	now := r.env.Now()
	switch msg.GetType() {
	case pb.MsgTimeoutNow:
		if r.draining {
			return
		}
	case pb.MsgVote, pb.MsgPreVote:
		if now.Mono < r.silentTill && string(msg.GetContext()) != campaignTransfer {
			return // a promise given before the restart may still bind
		}
	case pb.MsgSnap:
		if r.beginSnapshot(from, msg) {
			return
		}
	}
	_ = r.rn.Step(msg) // what raft refuses is as if lost
	r.afterStep(now, from, msg, m)
}

// campaignTransfer marks the votes of a leader's chosen successor.
const campaignTransfer = "CampaignTransfer"

// afterStep keeps the promises and the lease that ride on raft's messages.
func (r *Replica) afterStep(now txn.Now, from txn.NodeID, msg *pb.Message, m *txn.Raft) {
	r.observeRole(now)
	switch msg.GetType() {
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		if msg.GetTerm() == r.term && r.leader == from && r.lead == nil {
			r.heardStamp = max(r.heardStamp, m.StampNanos)
			r.setElectionTimers(now.Mono)
			r.heardAt, r.toldGone = now.Mono, false
		}
	case pb.MsgHeartbeatResp, pb.MsgAppResp:
		if r.lead != nil && msg.GetTerm() == r.term {
			r.lead.stamps[from] = max(r.lead.stamps[from], m.EchoNanos)
			r.lead.drains[from] = m.Draining
		}
	}
}

// observeRole notices changes of term, leader and role.
func (r *Replica) observeRole(now txn.Now) {
	st := r.rn.BasicStatus()
	if term := st.HardState.GetTerm(); term != r.term {
		r.term, r.heardStamp = term, 0
		r.setElectionTimers(now.Mono)
	}
	r.role, r.handing = st.RaftState, st.LeadTransferee != 0
	if lead := txn.NodeID(st.Lead); lead != r.leader {
		r.leader = lead
		if lead != 0 {
			r.setElectionTimers(now.Mono)
		}
		if lead != 0 && lead != r.cfg.Self {
			r.env.Note(txn.Note{Kind: txn.NoteFollows, Shard: r.cfg.ID, Term: r.term, Peer: lead})
		}
	}
	switch {
	case st.RaftState == raft.StateLeader && (r.lead == nil || r.lead.term != r.term):
		r.dropLeadership()
		r.lead = newLeadership(r, now)
		r.env.Trace("leads shard %d in term %d", r.cfg.ID, r.term)
		r.env.Note(txn.Note{Kind: txn.NoteLeads, Shard: r.cfg.ID, Term: r.term})
	case st.RaftState != raft.StateLeader && r.lead != nil:
		r.env.Trace("no longer leads shard %d", r.cfg.ID)
		r.env.Note(txn.Note{Kind: txn.NoteDeposed, Shard: r.cfg.ID, Term: r.term})
		r.dropLeadership()
	}
}

// Tick moves the timers.
func (r *Replica) Tick() {
	now := r.env.Now()
	if r.lead != nil {
		if now.Mono >= r.nextTick {
			r.nextTick = now.Mono + r.cfg.Params.HeartbeatInterval
			r.lead.handOverIfDeaf(now) // before raft finds out and has it lead no more
			r.rn.Tick()
			r.observeRole(now)
		}
	} else {
		r.tickFollower(now)
	}
	if r.lead != nil {
		r.expireWaiters(now)
		r.lead.lookForDeadlocks(now)
		r.lead.tickBatch(now.Mono)
		r.lead.expireAsOf(now)
		r.lead.early.expireAt(now.Mono)
		r.lead.changeProtocol()
	}
	if now.Mono >= r.nextCheck {
		r.nextCheck = now.Mono + r.cfg.Params.ElectionTimeout/4
		r.slowChecks(now)
	}
	r.tickSnapshots(now)
	r.sweepVersions(now)
}

func (r *Replica) tickFollower(now txn.Now) {
	if r.leader != 0 && now.Mono >= r.forgetAt {
		_ = r.rn.ForgetLeader()
		r.observeRole(now)
	}
	if now.Mono >= r.campaignAt && now.Mono >= r.silentTill {
		r.setElectionTimers(now.Mono)
		if r.draining {
			return
		}
		if !r.wish.Holds(r.cfg.Self) {
			r.askIfGone()
		}
		r.counts.Campaigns++
		r.env.Note(txn.Note{Kind: txn.NoteCampaigns, Shard: r.cfg.ID, Term: r.term})
		_ = r.rn.Campaign()
		r.observeRole(now)
	}
}

// slowChecks are those that need no haste.
func (r *Replica) slowChecks(now txn.Now) {
	if r.lead != nil {
		r.lead.checkHolders(now)
		r.preferLeader(now)
		r.changeMembers(now)
		r.proposeCollect(now)
	}
	r.cutLog()
	r.state.cache.Trim()
}

// cutLog forgets entries that are applied and old, or for which there is no room. Who
// lags behind what is left is sent a snapshot.
func (r *Replica) cutLog() {
	keep, upTo := r.cfg.Params.LogEntries, uint64(0)
	if uint64(len(r.log.entries)) > 2*keep && r.state.applied.Index > keep {
		upTo = r.state.applied.Index - keep
	}
	if room := r.cfg.Logs.Share(math.MaxInt64); r.log.bytes > room {
		upTo = max(upTo, min(r.state.applied.Index, r.log.beyond(room/2)))
	}
	if r.snapOut != nil { // whoever fetches it goes on from there
		upTo = min(upTo, r.snapOut.index)
	}
	r.cutTo(upTo)
}

// cutTo forgets the entries up to an applied index.
func (r *Replica) cutTo(upTo uint64) {
	if upTo <= r.log.meta.First {
		return
	}
	var b store.Batch
	r.log.cut(&b, upTo)
	r.env.Trace("cuts the log of shard %d up to %d", r.cfg.ID, r.log.meta.First)
	r.cfg.Engine.Apply(&b)
}

// Holds is what the replica keeps in memory of its rows and of its log, in bytes.
func (r *Replica) Holds() (rows, logs int64) {
	return int64(r.state.cache.Held()), r.log.bytes + int64(r.proposals.bytes)
}

// Leader is who leads, 0 if unknown, and in which term.
func (r *Replica) Leader() (txn.NodeID, uint64) { return r.leader, r.term }

// Serving reports whether this replica leads and answers requests.
func (r *Replica) Serving() bool { return r.lead != nil && r.lead.serving }

// Undecided is the number of votes in the log without a decision.
func (r *Replica) Undecided() int { return len(r.state.prepared) }

// Holders is the number of transactions that hold locks here.
func (r *Replica) Holders() int {
	if r.lead == nil {
		return 0
	}
	return len(r.lead.locks.Holders())
}

// Summary is one line for a person.
func (r *Replica) Summary() string {
	s := r.Status()
	return fmt.Sprintf("shard %d: %s of term %d, leader %d, applied %d of %d, %d undecided, %d lock holders",
		s.Shard, s.Role, s.Term, s.Leader, s.Applied, s.Last, s.Undecided, s.Holders)
}

// Peek reads a row of the applied state.
func (r *Replica) Peek(k txn.Key) txn.Row { return r.state.cache.Latest(r.cfg.Engine, k) }
