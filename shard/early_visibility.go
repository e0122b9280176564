package shard

import (
	"slices"

	"isochron/coverage"
	"isochron/reveal"
	"isochron/txn"
)

// dependencyTracker handles a leader's revealed, undecided writes: the dependencies of its votes and
// replies on them. reveal/early.go has the rules.
type dependencyTracker struct {
	cfg   *Config
	early *reveal.Early
	known *attempts
}

// writersOf returns the undecided attempts that a reader of the keys and spans depends on.
func (d *dependencyTracker) writersOf(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if d.cfg.Params.InjectedBugs.ReleaseUntracked {
		return nil
	}
	if d.cfg.Params.InjectedBugs.UntrackedRanges {
		spans = nil
	}
	return d.early.WritersOf(keys, spans)
}

// whenDecided calls then immediately if all writers that were read are decided, otherwise when
// they are: with false if one aborted. expire is called at the deadline.
func (d *dependencyTracker) whenDecided(keys []txn.Key, spans []txn.Span, began arrival, then func(committed bool), expire func()) {
	d.early.WhenDecided(d.writersOf(keys, spans), began.Mono+d.cfg.Params.LockWait, then, expire)
}

// of returns the attempts whose commit a vote depends on. One-phase attempts are
// excluded: their entry is their commit, and precedes the vote.
func (d *dependencyTracker) of(p *txn.Prepare) []txn.Attempt {
	if !d.cfg.Spec.Reveal.Tracked() {
		return nil
	}
	d.count(p)
	return slices.DeleteFunc(d.writersOf(readBy(p)), d.known.isOnePhase)
}

// count counts the rules involved in a vote's dependencies.
func (d *dependencyTracker) count(p *txn.Prepare) {
	rules := d.cfg.Params.Rules
	if !rules.On() {
		return
	}
	keys, spans := readBy(p)
	all := d.early.WritersOf(keys, spans)
	rules.HitIf(len(all) > len(d.early.WritersOf(keys, nil)), coverage.RangesTracked)
	rules.HitIf(slices.ContainsFunc(all, d.known.isOnePhase), coverage.OnePhaseNoDependency)
}

// readBy returns the keys and spans that a Prepare's transaction has read.
func readBy(p *txn.Prepare) (keys []txn.Key, spans []txn.Span) {
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.SchemaChecks} {
		for _, c := range checks {
			keys = append(keys, c.Key)
		}
	}
	for _, s := range p.Spans {
		spans = append(spans, s.Span)
	}
	return keys, spans
}

// condition registers a vote for the outcomes of its dependencies, and reports
// the result to its coordinator.
func (d *dependencyTracker) condition(v *voteCmd) {
	if len(v.AssumesAborted) > 0 {
		d.assumesAborts(v)
		return
	}
	if len(v.Deps) == 0 && !v.Doomed {
		return
	}
	a := v.Attempt
	d.early.Condition(a, v.Deps, v.Doomed, func(committed bool) {
		doomed := !committed && !d.cfg.Params.InjectedBugs.DropDependency
		d.cfg.Env.Trace("shard %d: the writers that %v depends on have committed: %v", d.cfg.ID, a, committed)
		d.cfg.Env.Send(txn.Coordinator(a.Node), txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: d.cfg.ID, Attempt: a, Doomed: doomed}})
	})
}

// reveal makes the writes of a vote visible before its decision.
func (d *dependencyTracker) reveal(v *voteCmd) {
	d.early.RevealUndecided(v.Attempt, v.Proposed, v.Writes)
}

// ended applies a decision to readers and dependents.
func (d *dependencyTracker) ended(v *voteCmd, commit bool) {
	d.early.Decided(v.Attempt, v.Proposed, v.Writes, commit)
}

// committed makes a one-phase vote visible, and ends the dependencies on it.
func (d *dependencyTracker) committed(v *voteCmd) {
	d.applied(v)
	d.early.Settle(v.Attempt, true)
}

// applied records that a commit is in the engine.
func (d *dependencyTracker) applied(v *voteCmd) { d.early.Applied(v.Attempt, v.Proposed, v.Writes) }
