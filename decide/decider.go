package decide

import (
	"time"

	"isochron/txn"
)

// Decider is where the attempts of a gateway are decided, by the choices of one row. When a
// gateway goes over to another row it opens another; what was begun ends in its own.
type Decider struct {
	Policy     Policy
	Prepares   PrepareMode
	PreCommits bool // the row reveals what every leader has voted on
	Params     txn.Params
	Env        Env
}

// AttemptInit is what an attempt is begun with. Nobody changes it.
type AttemptInit struct {
	ID           txn.Attempt
	Txn          txn.ID
	Participants []txn.ShardID
	// Prepares are what is asked, of the Participants in their order; none for the
	// attempt of a coordinator that seems lost.
	Prepares []*txn.Prepare
	ReadOnly bool // each leader answers by its lease, and nobody holds anything
	// RecordShard is the shard in which the decision is logged before anybody is told; 0:
	// it need not be.
	RecordShard txn.ShardID
	// Underway are participants that were asked before, with the last that they had to do.
	Underway []txn.ShardID
	// Leftover as in a txn.Orphan, Declared too.
	Leftover, FixedSet bool
	// Asked is told who is asked for a vote; nil if nobody wants to know.
	Asked Asked
}

// Asked takes note of whom an attempt asks for a vote.
type Asked interface {
	AskedFor(s txn.ShardID, n txn.NodeID)
}

// Open begins an attempt. Its Prepares say from now on whose they are; nothing is sent yet.
func (d *Decider) Open(o AttemptInit) *Attempt {
	a := d.attempt(o)
	a.onePhase = (len(o.Prepares) == 1 && !validates(a) || d.Prepares == NoPrepare) && !d.Policy.CountsOpinions() && !o.FixedSet
	a.terminateAt = d.Env.Now().Mono + 4*d.Params.ResendAfter*time.Duration(d.Prepares.turns(len(o.Prepares)))
	for _, p := range o.Prepares {
		p.Attempt, p.Participants = a.ID, a.Participants
		p.OnePhase, p.ReadOnly, p.RecordShard = a.onePhase && !a.ReadOnly, a.ReadOnly, a.RecordShard
	}
	return a
}

// Adopt is an attempt of a coordinator that seems lost; Terminate finishes it. That its
// coordinator still lives does no harm, for both decide from the same logs.
func (d *Decider) Adopt(o txn.Orphan) *Attempt {
	return d.attempt(AttemptInit{ID: o.Attempt, Txn: o.Txn, Participants: o.Participants, RecordShard: o.RecordShard, Leftover: o.Leftover, FixedSet: o.FixedSet})
}

// attempt is one with the scheme of the decider's choice, in one piece of memory.
func (d *Decider) attempt(o AttemptInit) (a *Attempt) {
	switch choice := d.choiceOf(o); {
	case choice.CountsOpinions():
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

// choiceOf is how an attempt is decided: whose decision is logged first, that one is decided
// so whatever the row says of others.
func (d *Decider) choiceOf(o AttemptInit) Policy {
	if o.RecordShard != 0 && !d.Policy.CountsOpinions() {
		return LoggedDecision
	}
	return d.Policy
}

// opened gives an attempt, which has its scheme, what it begins with.
func (a *Attempt) opened(d *Decider, o AttemptInit) *Attempt {
	a.AttemptInit, a.decider, a.tally = o, d, *NewTally(o.Participants).InjectBug(d.Params.InjectedBugs).Count(d.Params.Rules)
	a.tally.refusalsAgreed = d.Params.AbortsLikeCommits
	a.decidedAt(o.RecordShard, o.FixedSet)
	return a
}
