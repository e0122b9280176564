package decide

import (
	"time"

	"isochron/txn"
)

// Decider decides the attempts of a gateway by the choices of one protocol. After a protocol switch
// the gateway opens another; attempts already begun end in their own.
type Decider struct {
	Policy     Policy
	Prepares   PrepareMode
	PreCommits bool       // the row reveals what every leader has voted on
	Params     txn.Params // writes that every leader has voted on are revealed
	Env        Env
}

// AttemptInit is the immutable start of an attempt.
type AttemptInit struct {
	ID           txn.Attempt
	Txn          txn.ID
	Participants []txn.ShardID
	// Prepares are the Prepares for Participants, in their order; none for the attempt of a
	// coordinator that seems lost.
	Prepares []*txn.Prepare
	ReadOnly bool // each leader answers by its lease, and holds nothing
	// RecordShard is the shard in which the decision is logged before any participant is notified;
	// 0: it is not logged.
	RecordShard txn.ShardID
	// Underway are participants that were asked before, with the transaction's last statement.
	Underway []txn.ShardID
	// Leftover and FixedSet as in a txn.Orphan.
	Leftover, FixedSet bool
	// Asked is notified of requests for votes; may be nil.
	Asked Asked
}

// Asked records which nodes an attempt asks for votes.
type Asked interface {
	AskedFor(s txn.ShardID, n txn.NodeID)
}

// Open begins an attempt and fills in its Prepares; nothing is sent yet.
func (d *Decider) Open(o AttemptInit) *Attempt {
	a := d.attempt(o)
	a.onePhase = (len(o.Prepares) == 1 && !validates(a) || d.Prepares == NoPrepare) && !d.Policy.CountsReplicaVotes() && !o.FixedSet
	a.terminateAt = d.Env.Now().Mono + 4*d.Params.ResendAfter*time.Duration(d.Prepares.turns(len(o.Prepares)))
	for _, p := range o.Prepares {
		p.Attempt, p.Participants = a.ID, a.Participants
		p.OnePhase, p.ReadOnly, p.RecordShard = a.onePhase && !a.ReadOnly, a.ReadOnly, a.RecordShard
	}
	return a
}

// Adopt opens an attempt of a coordinator that seems lost; Terminate finishes it. It is safe if
// that coordinator is alive, since both decide from the same logs.
func (d *Decider) Adopt(o txn.Orphan) *Attempt {
	return d.attempt(AttemptInit{ID: o.Attempt, Txn: o.Txn, Participants: o.Participants, RecordShard: o.RecordShard, Leftover: o.Leftover, FixedSet: o.FixedSet})
}

// attempt allocates an attempt with its vote path in one piece of memory.
func (d *Decider) attempt(o AttemptInit) (a *Attempt) {
	switch choice := d.choiceOf(o); {
	case choice.CountsReplicaVotes():
		x := &struct {
			Attempt
			s replicas
		}{}
		a = &x.Attempt
		a.votePath = &x.s
		x.s.Attempt, x.s.slow = a, slowPathOf(d.Policy)
	case choice.Bypasses():
		x := &struct {
			Attempt
			s bypass
		}{}
		a = &x.Attempt
		a.votePath = &x.s
		x.s.Attempt = a
	case choice.LeaderDecides():
		return d.elects(o)
	default:
		x := &struct {
			Attempt
			s leaders
		}{}
		a = &x.Attempt
		a.votePath = &x.s
		x.s.Attempt = a
	}
	return a.opened(d, o)
}

// choiceOf returns the policy by which an attempt is decided: by a logged decision where one is
// required, whatever the protocol's policy for others.
func (d *Decider) choiceOf(o AttemptInit) Policy {
	if o.RecordShard != 0 && !d.Policy.CountsReplicaVotes() {
		return LoggedDecision
	}
	return d.Policy
}

// opened initialises an attempt that has its vote path.
func (a *Attempt) opened(d *Decider, o AttemptInit) *Attempt {
	a.AttemptInit, a.decider, a.tally = o, d, *NewTally(o.Participants).InjectBug(d.Params.InjectedBugs).Count(d.Params.Rules)
	a.tally.refusalsAgreed = d.Params.AbortsLikeCommits
	a.decidedAt(o.RecordShard, o.FixedSet)
	return a
}
