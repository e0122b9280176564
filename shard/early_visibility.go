package shard

import (
	"slices"

	"isochron/coverage"
	"isochron/reveal"
	"isochron/txn"
)

// dependencyTracker is a leader's part in writes that are revealed before they are decided: what
// its votes and its answers depend on. The rules stand in reveal/early.go.
type dependencyTracker struct {
	cfg   *Config
	early *reveal.Early
	known *attempts
}

// writersOf lists the undecided attempts on which a reader of the keys and spans depends.
func (d *dependencyTracker) writersOf(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if d.cfg.Params.InjectedBugs.ReleaseUntracked {
		return nil
	}
	if d.cfg.Params.InjectedBugs.UntrackedRanges {
		spans = nil
	}
	return d.early.WritersOf(keys, spans)
}

// whenDecided answers at once if nothing that was read is undecided, else when
// it is: with false if it was undone.
func (d *dependencyTracker) whenDecided(keys []txn.Key, spans []txn.Span, began arrival, then func(committed bool), expire func()) {
	d.early.WhenDecided(d.writersOf(keys, spans), began.Mono+d.cfg.Params.LockWait, then, expire)
}

// of are the attempts on whose commit a vote depends. A one-phase attempt is none of
// them: its entry is its commit, and stands before the vote.
func (d *dependencyTracker) of(p *txn.Prepare) []txn.Attempt {
	if !d.cfg.Spec.Reveal.Tracked() {
		return nil
	}
	d.count(p)
	return slices.DeleteFunc(d.writersOf(readBy(p)), d.known.isOnePhase)
}

// count counts the rules that have a part in what a vote depends on.
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

// readBy lists what a Prepare says was read.
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

// condition makes a vote wait for what it depends on, and tells the coordinator
// when that is decided.
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
		d.cfg.Env.Trace("shard %d: what %v had read is committed: %v", d.cfg.ID, a, committed)
		d.cfg.Env.Send(txn.Coordinator(a.Node), txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: d.cfg.ID, Attempt: a, Doomed: doomed}})
	})
}

// reveal shows the writes of a vote before its decision.
func (d *dependencyTracker) reveal(v *voteCmd) {
	d.early.RevealUndecided(v.Attempt, v.Proposed, v.Writes)
}

// ended shows a decision to readers and to who depends on it.
func (d *dependencyTracker) ended(v *voteCmd, commit bool) {
	d.early.Decided(v.Attempt, v.Proposed, v.Writes, commit)
}

// committed shows a vote whose entry was its commit, and ends the dependencies on it.
func (d *dependencyTracker) committed(v *voteCmd) {
	d.applied(v)
	d.early.Settle(v.Attempt, true)
}

// applied hears that a commit is in the engine.
func (d *dependencyTracker) applied(v *voteCmd) { d.early.Applied(v.Attempt, v.Proposed, v.Writes) }
