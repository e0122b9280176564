package raftgroup

import (
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// Env is the environment of a member.
type Env interface {
	Now() txn.Now
	// Send gets messages of three kinds only, Raft, SnapFetch and SnapChunk, for other
	// members of the group.
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// NodeEvent receives events for the operator's log.
	NodeEvent(n txn.NodeEvent)
	// Trace receives one line of the trace, if tracing is on.
	Trace(format string, args ...any)
}

// Config of a member.
type Config struct {
	ID       txn.ShardID
	Self     txn.NodeID
	Founders []txn.NodeID // the group's first members; none: this member joins an existing group
	Desired  Desired
	Engine   store.Engine
	Params   txn.Params
	Seed     uint64
	Env      Env
	// Logs bounds the memory of all members of a node for log entries; nil: each member has
	// bounds of its own.
	Logs *store.Pool
	// Ephemeral: the member ends with its process. Its engine is not opened again, and its peers are
	// in the same process and do not change a message they receive. So it does not write state that only
	// a restart would read (the log and raft's hard state are in memory anyway), and it passes raft's
	// messages without encoding. Its answers, its waits for syncs and the messages it sends are
	// the same.
	Ephemeral bool
}

// Group is one member of a Raft group: the untyped part of it, with its commands
// and the machine that applies them.
type Group[C any] struct {
	member
	machine   Machine[C]
	cache     *EntryCache[C]
	proposals proposals[C]
	nextTick  time.Duration // of a leader's raft
	retired   bool          // all state was deleted; pending syncs have no effect
}

// member is the part of a Group between it and the other members: log, raft, elections, lease,
// membership and snapshots. It does not know the commands in the log.
type member struct {
	cfg     Config
	env     Env
	log     *raftLog
	rn      *raft.RawNode
	applied LogPosition // of the state

	term          uint64
	leader        txn.NodeID
	role          raft.StateType
	handing       bool // leadership is being transferred; it proposes nothing
	election      electionTimer
	lastSentNanos int64 // latest SentNanos of the leader of this term
	acked         acked
	lead          *leading // the leader's state; nil if this member does not lead

	desired  Desired
	draining bool // it must not lead
	removed  bool // a leader has reported that this member is no longer one

	counts    Counts
	snapshots snapshotSender
	snapIn    *incomingSnapshot
}

// Counts are totals since the member was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Campaigns          uint64 // elections started here
	SnapshotsSent      uint64
	SnapshotsInstalled uint64
}

// Open restores a member from the engine, or creates one. memo, if not nil, is
// shared by the members of one goroutine: an entry that is passed unencoded is decoded by one of
// them only.
func Open[C any](cfg Config, machine Machine[C], codec Codec[C], memo *EntryCache[C]) (*Group[C], error) {
	l, fresh, err := openLog(cfg.ID, cfg.Engine, cfg.Founders, cfg.Ephemeral)
	if err != nil {
		return nil, err
	}
	g := &Group[C]{
		member: member{cfg: cfg, env: cfg.Env, log: l, desired: cfg.Desired, snapshots: snapshotSender{lasts: snapshotLasts * cfg.Params.ElectionTimeout},
			election: electionTimer{rng: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.ID)<<32|uint64(cfg.Self)))}},
		machine: machine, cache: memo, proposals: proposals[C]{codec: codec},
	}
	if g.cache == nil {
		g.cache = NewEntryCache(codec.Decode)
	}
	if fresh {
		var b store.Batch
		l.meta.put(&b, cfg.ID)
		machine.Found(&b, g.prefix())
		cfg.Engine.Apply(&b)
	}
	at, install, err := machine.Load(g.prefix())
	if err != nil {
		return nil, err
	}
	install()
	g.applied, l.snapshot, l.careless, l.rules = at, g.makeSnapshot, cfg.Params.InjectedBugs.KeepOverwritten, cfg.Params.Rules
	if g.rn, err = raft.NewRawNode(g.raftConfig()); err != nil {
		return nil, fmt.Errorf("shard %d: raft cannot start: %w", cfg.ID, err)
	}
	g.begin(fresh)
	return g, nil
}

// quiet discards raft's log of ordinary elections; relevant events are traced here.
var quiet = &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)}

func (me *member) raftConfig() *raft.Config {
	p := &me.cfg.Params
	return &raft.Config{
		ID: uint64(me.cfg.Self), Storage: me.log, Applied: me.applied.Index,
		ElectionTick: 10, HeartbeatTick: 1,
		AsyncStorageWrites: true, CheckQuorum: true, PreVote: true,
		MaxSizePerMsg: p.AppendBytes, MaxCommittedSizePerReady: 4 << 20,
		MaxUncommittedEntriesSize: uint64(min(64<<20, me.cfg.Logs.Share(128<<20)/2)), MaxInflightMsgs: 512,
		DisableProposalForwarding: true, StepDownOnRemoval: true,
		Logger: quiet,
	}
}

// prefix returns the key prefix of the state in force.
func (me *member) prefix() []byte { return genPrefix(me.cfg.ID, me.log.meta.Gen) }

// Step processes a raft message of this group.
func (g *Group[C]) Step(from txn.NodeID, m *txn.Raft) {
	if m.Gone && len(m.Data) == 0 {
		g.removed = true
		return
	}
	if m.Lost && len(m.Data) == 0 {
		g.noteLost(from)
		return
	}
	if m.Committed != 0 && len(m.Data) == 0 {
		g.noteCommitted(from, LogPosition{m.Committed, m.CommittedTerm})
		g.observeRole(g.env.Now())
		return
	}
	msg, err := RaftMessage(m)
	if err != nil || msg.GetFrom() != uint64(from) || raft.IsLocalMsg(msg.GetType()) {
		return // damaged or unexpected: treated as lost
	}
	if g.uninitialized() && tooEarly(msg) && !(g.cfg.Params.InjectedBugs.UninitializedVotes && asksForVote(msg)) {
		g.cfg.Params.Rules.HitIf(msg.GetType() != pb.MsgHeartbeat, ruleOfBlank(msg))
		g.sendLost(from, msg)
		return
	}
	if !g.log.wellFormed(msg, g.cfg.Self, g.term) {
		return
	}
	g.sendRemoved(from, msg)
	g.sendCommitted(from, msg)
	now := g.env.Now()
	switch msg.GetType() {
	case pb.MsgTimeoutNow:
		if g.draining {
			return
		}
	case pb.MsgVote, pb.MsgPreVote:
		if now.Mono < g.election.silentTill && string(msg.GetContext()) != campaignTransfer {
			g.cfg.Params.Rules.Hit(coverage.PromiseOverRestart)
			return // a promise made before the restart may still be valid
		}
		g.cfg.Params.Rules.HitIf(g.refusesVotes(msg), coverage.LeaderStickiness)
	case pb.MsgSnap:
		if g.beginSnapshot(from, msg) {
			return
		}
	}
	_ = g.rn.Step(msg) // a message that raft refuses is treated as lost
	g.afterStep(now, from, msg, m)
}

// campaignTransfer marks the votes of a leader's chosen successor.
const campaignTransfer = "CampaignTransfer"

// Trim removes entries that are applied and old, or that exceed the memory bound. Members
// that lag behind the rest get a snapshot.
func (me *member) Trim() {
	keep, upTo := me.cfg.Params.LogEntries, uint64(0)
	if uint64(len(me.log.entries)) > 2*keep && me.applied.Index > keep {
		upTo = me.applied.Index - keep
	}
	if room := me.cfg.Logs.Share(math.MaxInt64); me.log.bytes > room {
		upTo = max(upTo, min(me.applied.Index, me.log.beyond(room/2)))
	}
	me.cutTo(me.snapshots.cut(upTo))
}

// cutTo removes the entries up to an applied index.
func (me *member) cutTo(upTo uint64) {
	if upTo <= me.log.meta.First {
		return
	}
	var b store.Batch
	me.log.cut(&b, upTo)
	me.env.Trace("cuts the log of shard %d up to %d", me.cfg.ID, me.log.meta.First)
	me.cfg.Engine.Apply(&b)
}

// Holds returns the memory used for the log, in bytes.
func (g *Group[C]) Holds() int64 { return g.log.bytes + int64(g.proposals.bytes) }

// Leader returns the leader, 0 if unknown, and its term.
func (me *member) Leader() (txn.NodeID, uint64) { return me.leader, me.term }

// Serving reports whether this member leads, and has applied all entries that earlier
// leaders committed.
func (me *member) Serving() bool { return me.lead != nil && me.lead.serving }

// Status describes a member for observers.
type Status struct {
	Role     string
	Term     uint64
	Leader   txn.NodeID // 0: unknown
	Applied  uint64     // index of the newest entry in the state
	Last     uint64     // of the newest in the log
	Draining bool
	Counts   Counts
}

// Status returns the current state of this member.
func (g *Group[C]) Status() Status {
	return Status{Role: g.role.String(), Term: g.term, Leader: g.leader, Applied: g.applied.Index, Last: g.log.last(),
		Draining: g.draining, Counts: g.counts}
}
