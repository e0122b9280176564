package shard

import (
	"fmt"
	"time"

	"isochron/group"
	"isochron/participant"
	"isochron/txn"
)

// Replica is one replica of a shard.
type Replica struct {
	cfg     Config
	env     Env
	group   *group.Group[command]
	state   *state
	effects []effect // of the batch that the group applies
	clock   txn.Clock
	wish    participant.Desired

	nextCheck time.Duration // of the slow checks
	ticked    time.Duration // when Tick was called last
	counts    participant.Counts
	arrivals  uint64      // requests that may wait
	lead      *leadership // what only a leader knows; nil otherwise

	sweep   []byte // cursor of the collection of old versions
	sweepTS txn.Timestamp
	sweepAt time.Duration
}

// Open brings a replica back from the engine, or makes a new one.
func Open(cfg Config) (*Replica, error) {
	r := &Replica{cfg: cfg, env: cfg.Env, wish: cfg.Wish}
	var memo *group.Memo[command]
	if cfg.ephemeral() {
		memo = cfg.Process.memo
	}
	var err error
	r.group, err = group.Open(group.Config{
		ID: cfg.ID, Self: cfg.Self, Founders: cfg.Founders, Desired: members(cfg.Wish), Engine: cfg.Engine,
		Params: cfg.Params, Seed: cfg.Seed, Env: cfg.Env, Logs: cfg.Logs, Ephemeral: cfg.ephemeral(),
	}, (*machine)(r), codec{}, memo)
	return r, err
}

// members is the part of what the directory wants that is the group's.
func members(d participant.Desired) group.Desired {
	return group.Desired{Voters: d.Voters, Learners: d.Learners, Preferred: d.Preferred}
}

// Want tells a replica of what the directory wants from now on.
func (r *Replica) Want(w participant.Desired) {
	r.wish = w
	r.group.Want(members(w))
	if r.lead != nil {
		r.lead.locks.Rebound(r.bounds())
		r.lead.changeProtocol()
	}
}

// takes reports whether the log takes another command now.
func (r *Replica) takes() bool { return r.group.Takes() }

// propose has a command appended to the log; false if the log takes no more now.
func (r *Replica) propose(c command) bool { return r.group.Propose(c) }

// Process carries out what the group wants done, until it wants nothing more.
func (r *Replica) Process() { r.group.Process() }

// Tick does what is due; see NextWake.
func (r *Replica) Tick() {
	r.group.Tick()
	now := r.env.Now()
	r.ticked = now.Mono
	if r.lead != nil {
		r.lead.locks.Expire(now.Mono)
		r.lead.lookForDeadlocks(now)
		r.lead.tickBatch(now.Mono)
		r.lead.expireAsOf(now)
		r.lead.early.Expire(now.Mono)
		r.lead.changeProtocol()
	}
	if now.Mono >= r.nextCheck {
		r.nextCheck = now.Mono + r.cfg.Params.ElectionTimeout/4
		r.slowChecks(now)
	}
	r.group.TickSnapshots()
	r.sweepVersions(now)
}

// slowChecks are those that need no haste.
func (r *Replica) slowChecks(now txn.Now) {
	if r.lead != nil {
		r.lead.checkHolders(now)
		r.group.Steer()
		r.proposeCollect(now)
	}
	r.group.Trim()
	r.state.cache.Trim()
}

// Holds is what the replica keeps in memory of its rows and of its log, in bytes.
func (r *Replica) Holds() (rows, logs int64) {
	return int64(r.state.cache.Held()), r.group.Holds()
}

// Leader is who leads, 0 if unknown, and in which term.
func (r *Replica) Leader() (txn.NodeID, uint64) { return r.group.Leader() }

// LeaseUntil is the instant of this node's clock up to which this replica may answer
// reads without asking the others; 0: it may not.
func (r *Replica) LeaseUntil() time.Duration { return r.group.LeaseUntil() }

// Converged reports whether this replica knows that it has the members that the
// directory wants.
func (r *Replica) Converged() bool { return r.group.Converged() }

// SetDraining has the replica lead no more, or lead again if it is wanted to.
func (r *Replica) SetDraining(on bool) { r.group.SetDraining(on) }

// CanHandOver reports whether this replica leads and somebody could lead instead.
func (r *Replica) CanHandOver() bool { return r.group.CanHandOver() }

// Out reports whether this replica is a member no more, and has heard nothing
// for so long that nobody can be about to take it back.
func (r *Replica) Out() bool { return r.group.Out() }

// Retire forgets all of a replica that is out and not wanted, so that it is blank if
// it ever comes back. It is not used again.
func (r *Replica) Retire() { r.group.Retire() }

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
