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

// Env is the world as a member sees it.
type Env interface {
	Now() txn.Now
	// Send is given messages of three kinds only, Raft, SnapFetch and SnapChunk, for other
	// members of the group.
	Send(to txn.Address, m txn.Message)
	// AfterSync calls f when everything applied to the engine so far is durable.
	AfterSync(f func())
	// NodeEvent takes what an operator logs.
	NodeEvent(n txn.NodeEvent)
	// Trace takes one line of the story, if anybody listens.
	Trace(format string, args ...any)
}

// Config of a member.
type Config struct {
	ID       txn.ShardID
	Self     txn.NodeID
	Founders []txn.NodeID // with whom the group began; none: this member joins one that exists
	Desired  Desired
	Engine   store.Engine
	Params   txn.Params
	Seed     uint64
	Env      Env
	// Logs is what the members of a node may keep in memory of their log entries; nil: as
	// much as the bounds of each allow.
	Logs *store.Pool
	// Ephemeral says that the member ends with its process: nobody opens its engine again,
	// and those it speaks to are in the same process and treat a message as theirs alone to
	// read. So it does not write what only a restart would read (the log and raft's hard
	// state are in memory anyway), and it passes raft's messages as they are. What it
	// answers, when it waits for a sync and whom it sends what are the same.
	Ephemeral bool
}

// Group is one member of a Raft group: a member as the others see it, with its commands
// and what the machine makes of them.
type Group[C any] struct {
	member
	machine   Machine[C]
	cache     *EntryCache[C]
	proposals proposals[C]
	nextTick  time.Duration // of a leader's raft
	retired   bool          // it has forgotten all: what a sync was for is gone
}

// member is what stands between a member and the others: its log, raft, elections, the
// lease, who takes part and whom it sends its state. What the log says is not its concern.
type member struct {
	cfg     Config
	env     Env
	log     *raftLog
	rn      *raft.RawNode
	applied LogPosition // of the state

	term          uint64
	leader        txn.NodeID
	role          raft.StateType
	handing       bool // it is handing leadership to another, and proposes nothing
	election      electionTimer
	lastSentNanos int64 // latest stamp of the leader of this term
	acked         acked
	lead          *leading // what only a leader knows; nil otherwise

	desired  Desired
	draining bool // it shall not lead
	removed  bool // a leader said that this member is one no more

	counts    Counts
	snapshots snapshotSender
	snapIn    *incomingSnapshot
}

// Counts are totals since the member was opened.
type Counts struct {
	Proposals          uint64 // commands proposed to the log; several may share an entry
	Campaigns          uint64 // elections begun here
	SnapshotsSent      uint64
	SnapshotsInstalled uint64
}

// Open brings a member back from the engine, or makes a new one. memo, if not nil, is
// shared by the members of one goroutine: what one of them has read of an entry that is
// passed as it is the others need not read.
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
		g.cache = NewMemo(codec.Decode)
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

// quiet: raft's log would tell of ordinary elections; what matters is traced by us.
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

// prefix is that of the keys of the state in force.
func (me *member) prefix() []byte { return genPrefix(me.cfg.ID, me.log.meta.Gen) }

// Step hands over a raft message of this group.
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
		return // damaged or strange: as if lost
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
			return // a promise given before the restart may still bind
		}
		g.cfg.Params.Rules.HitIf(g.refusesVotes(msg), coverage.LeaderStickiness)
	case pb.MsgSnap:
		if g.beginSnapshot(from, msg) {
			return
		}
	}
	_ = g.rn.Step(msg) // what raft refuses is as if lost
	g.afterStep(now, from, msg, m)
}

// campaignTransfer marks the votes of a leader's chosen successor.
const campaignTransfer = "CampaignTransfer"

// Trim forgets entries that are applied and old, or for which there is no room. Who
// lags behind what is left is sent a snapshot.
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

// cutTo forgets the entries up to an applied index.
func (me *member) cutTo(upTo uint64) {
	if upTo <= me.log.meta.First {
		return
	}
	var b store.Batch
	me.log.cut(&b, upTo)
	me.env.Trace("cuts the log of shard %d up to %d", me.cfg.ID, me.log.meta.First)
	me.cfg.Engine.Apply(&b)
}

// Holds is what the member keeps in memory of its log, in bytes.
func (g *Group[C]) Holds() int64 { return g.log.bytes + int64(g.proposals.bytes) }

// Leader is who leads, 0 if unknown, and in which term.
func (me *member) Leader() (txn.NodeID, uint64) { return me.leader, me.term }

// Serving reports whether this member leads, and has applied all that the leaders
// before it have committed.
func (me *member) Serving() bool { return me.lead != nil && me.lead.serving }

// Status is how a member stands, for whoever looks at it from outside.
type Status struct {
	Role     string
	Term     uint64
	Leader   txn.NodeID // 0: unknown
	Applied  uint64     // index of the newest entry in the state
	Last     uint64     // of the newest in the log
	Draining bool
	Counts   Counts
}

// Status tells how this member stands now.
func (g *Group[C]) Status() Status {
	return Status{Role: g.role.String(), Term: g.term, Leader: g.leader, Applied: g.applied.Index, Last: g.log.last(),
		Draining: g.draining, Counts: g.counts}
}
