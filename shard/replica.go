package shard

import (
	"fmt"
	"time"

	"isochron/participant"
	"isochron/raftgroup"
	"isochron/txn"
)

// Replica is one replica of a shard.
type Replica struct {
	raftHandle
	cfg     Config
	env     Env
	state   *state
	effects []effect // of the batch that the group applies
	clock   txn.Clock
	desired participant.Desired

	nextCheck time.Duration // of slowChecks
	ticked    time.Duration // time of the last Tick
	counts    participant.Counts
	arrivals  uint64       // number of requests received that may wait
	lead      *leaderState // nil if this replica does not lead

	sweep sweep // of old versions
}

// Open restores a replica from the engine, or creates one.
func Open(cfg Config) (*Replica, error) {
	r := &Replica{cfg: cfg, env: cfg.Env, desired: cfg.Desired}
	var memo *raftgroup.EntryCache[command]
	if cfg.ephemeral() {
		memo = cfg.Process.cache
	}
	var err error
	r.group, err = raftgroup.Open(raftgroup.Config{
		ID: cfg.ID, Self: cfg.Self, Founders: cfg.Founders, Desired: members(cfg.Desired), Engine: cfg.Engine,
		Params: cfg.Params, Seed: cfg.Seed, Env: cfg.Env, Logs: cfg.Logs, Ephemeral: cfg.ephemeral(),
	}, (*machine)(r), codec{}, memo)
	return r, err
}

// members returns the part of the directory's desired state that concerns the group.
func members(d participant.Desired) raftgroup.Desired {
	return raftgroup.Desired{Voters: d.Voters, Learners: d.Learners, Preferred: d.Preferred}
}

// SetDesired sets the state desired by the directory.
func (r *Replica) SetDesired(w participant.Desired) {
	r.desired = w
	r.group.SetDesired(members(w))
	if r.lead != nil {
		r.lead.locks.Rebound(r.bounds())
		r.lead.changeProtocol()
	}
}

// Tick runs the work that is due; see NextWake.
func (r *Replica) Tick() {
	r.group.Tick()
	now := r.env.Now()
	r.ticked = now.Mono
	if r.lead != nil {
		r.lead.locks.Expire(now.Mono)
		if r.lead.serving && r.cfg.Spec.Yield.Deadlocks() {
			r.lead.deadlocks.Look(now.Mono)
		}
		r.lead.batcher.tick(now.Mono)
		r.lead.arrivalQueue.ProcessDue(now.Mono)
		r.lead.snapshotReads.expire(now)
		r.lead.early.Expire(now.Mono)
		r.lead.changeProtocol()
	}
	if now.Mono >= r.nextCheck {
		r.nextCheck = now.Mono + r.cfg.Params.ElectionTimeout/4
		r.slowChecks(now)
	}
	r.group.TickSnapshots()
	r.sweep.step(now.Mono, r.state, r.cfg.Engine)
}

// slowChecks runs periodic checks that are not urgent.
func (r *Replica) slowChecks(now txn.Now) {
	if r.lead != nil {
		r.lead.lookRound(now)
		r.group.Reconcile()
		if r.lead.serving {
			r.lead.collects.step(now)
		}
	}
	r.group.Trim()
	r.state.cache.Trim()
}

// Holds returns the memory used for rows and for the log, in bytes.
func (r *Replica) Holds() (rows, logs int64) {
	return int64(r.state.cache.Held()), r.group.Holds()
}

// Serving reports whether this replica leads and answers requests.
func (r *Replica) Serving() bool { return r.lead != nil && r.lead.serving }

// Undecided is the number of votes in the log without a decision.
func (r *Replica) Undecided() int { return len(r.state.prepared) }

// Holders is the number of transactions that hold locks or reservations here.
func (r *Replica) Holders() int {
	if r.lead == nil {
		return 0
	}
	if n := len(r.lead.locks.Holders()); n > 0 {
		return n
	}
	return r.lead.locks.Reserved().Count() // without a holder: should be none
}

// Summary returns a one-line description for people.
func (r *Replica) Summary() string {
	s := r.Status()
	return fmt.Sprintf("shard %d: %s of term %d, leader %d, applied %d of %d, %d undecided, %d lock holders",
		s.Shard, s.Role, s.Term, s.Leader, s.Applied, s.Last, s.Undecided, s.Holders)
}

// ReadLocal reads a row of the applied state.
func (r *Replica) ReadLocal(k txn.Key) txn.Row { return r.state.cache.Latest(r.cfg.Engine, k) }
