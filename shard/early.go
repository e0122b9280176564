package shard

import (
	"slices"
	"time"

	"isochron/reveal"
	"isochron/txn"
)

// dependence is a leader's part in writes that are revealed before they are decided: what
// its votes and its answers depend on. The rules stand in reveal/early.go.
type dependence struct {
	cfg   *Config
	early *reveal.Early
	known *attempts
}

// writersOf lists the undecided attempts on which a reader of the keys and spans depends.
func (d *dependence) writersOf(keys []txn.Key, spans []txn.Span) []txn.Attempt {
	if d.cfg.Params.Bugs.ReleaseUntracked {
		return nil
	}
	return d.early.WritersOf(keys, spans)
}

// whenDecided answers at once if nothing that was read is undecided, else when
// it is: with false if it was undone.
func (d *dependence) whenDecided(keys []txn.Key, spans []txn.Span, began arrival, then func(committed bool), expire func()) {
	d.early.WhenDecided(d.writersOf(keys, spans), began.Mono+d.cfg.Params.LockWait, then, expire)
}

// of are the attempts on whose commit a vote depends. A one-phase attempt is none of
// them: its entry is its commit, and stands before the vote.
func (d *dependence) of(p *txn.Prepare) []txn.Attempt {
	if !d.cfg.Row.Reveal.Early() {
		return nil
	}
	return slices.DeleteFunc(d.writersOf(readBy(p)), d.known.isOnePhase)
}

// readBy lists what a Prepare says was read.
func readBy(p *txn.Prepare) (keys []txn.Key, spans []txn.Span) {
	for _, checks := range [][]txn.ReadCheck{p.Reads, p.Guards} {
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
// when that is settled.
func (d *dependence) condition(v *voteCmd) {
	if len(v.Deps) == 0 && !v.Doomed {
		return
	}
	a := v.Attempt
	d.early.Condition(a, v.Deps, v.Doomed, func(committed bool) {
		doomed := !committed && !d.cfg.Params.Bugs.DropDependency
		d.cfg.Env.Trace("shard %d: what %v had read is committed: %v", d.cfg.ID, a, committed)
		d.cfg.Env.Send(txn.Coordinator(a.Node), txn.Message{Resolved: &txn.Resolved{Shard: d.cfg.ID, Attempt: a, Doomed: doomed}})
	})
}

// reveal shows the writes of a vote before its decision.
func (d *dependence) reveal(v *voteCmd) { d.early.RevealUndecided(v.Attempt, v.Proposed, v.Writes) }

// ended shows a decision to readers and to who depends on it.
func (d *dependence) ended(v *voteCmd, commit bool) {
	d.early.Decided(v.Attempt, v.Proposed, v.Writes, commit)
}

// OnPreCommit ends an attempt's concurrency control.
func (r *Replica) OnPreCommit(m *txn.PreCommit) {
	if r.Serving() && r.cfg.Row.Reveal.PreCommits() {
		r.lead.preCommit(m.Attempt, m.At)
	}
}

func (l *leadership) preCommit(a txn.Attempt, at txn.Timestamp) {
	v := l.known.undecided(a)
	if v == nil || l.early.Revealed(a) || l.known.deciding[a] != nil {
		return
	}
	if _, doomed := l.known.conditional(a); doomed {
		return
	}
	l.r.clock.Observe(at)
	l.depends.reveal(v)
	l.r.env.Trace("shard %d: pre-commits %v, its writes can be read and its locks are released", l.r.cfg.ID, v.Txn)
	l.release(v.Txn, true)
}

// restore brings back what the undecided votes of the log hold. A vote that
// conflicts with an earlier one proves that the earlier was pre-committed.
func (l *leadership) restore(now time.Duration) {
	if l.r.cfg.Params.Bugs.ForgetVotes {
		return
	}
	byTxn := map[txn.ID]*prepared{}
	var early func(txn.ID)
	if l.r.cfg.Row.Reveal.PreCommits() {
		early = func(id txn.ID) {
			l.depends.reveal(&byTxn[id].voteCmd)
			l.release(id, true)
		}
	}
	for _, p := range l.r.state.byIndex() {
		l.locks.Restore(now, p.Txn, p.Age, p.claim(), early)
		byTxn[p.Txn] = p
		l.patrol.votes(p.Attempt, now)
		l.depends.condition(&p.voteCmd)
		l.reportAgain(p)
	}
}
