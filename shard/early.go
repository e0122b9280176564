package shard

import (
	"time"

	"isochron/reveal"
	"isochron/txn"
)

// Early reveal (D2PC sections 4.2 and 4.3). When every leader of an attempt has
// voted Yes, its place in the serial order is fixed: its locks can go and its
// writes be read, though one of the votes may still be lost with its leader.
// Whoever reads such a write depends on its writer: a vote names it and counts
// when it has committed; an answer that nobody will validate waits for it.
//
// Invariant: what is revealed and undecided stands in voting or in the log's
// undecided votes, before every vote that depends on it.

// early is what a leader knows of writes that it revealed before their decision.
type early struct {
	overlay  reveal.Overlay
	revealed map[txn.Attempt]bool      // undecided
	waiters  map[txn.Attempt][]*settle // who waits for the decision of an attempt
	open     map[txn.Attempt]*settle   // conditional votes
	expiring []*settle                 // those with a deadline, in the order they came
}

// settle waits until some attempts are decided.
type settle struct {
	left     int
	failed   bool // one of them aborted
	over     bool
	deadline time.Duration // 0: none
	then     func(committed bool)
	expire   func()
}

// maxSettles bounds the answers that wait for decisions at one leader.
const maxSettles = 10_000

func newEarly() early {
	return early{revealed: map[txn.Attempt]bool{}, waiters: map[txn.Attempt][]*settle{}, open: map[txn.Attempt]*settle{}}
}

// await calls w.then once all of the attempts have committed, or one aborted.
func (e *early) await(on []txn.Attempt, w *settle) {
	w.left = len(on)
	for _, a := range on {
		e.waiters[a] = append(e.waiters[a], w)
	}
}

// decided tells who waits for an attempt how it ended.
func (e *early) decided(a txn.Attempt, commit bool) {
	delete(e.revealed, a)
	ws := e.waiters[a]
	delete(e.waiters, a)
	for _, w := range ws {
		w.left--
		w.failed = w.failed || !commit
		if !w.over && (w.failed || w.left == 0) {
			w.over = true
			w.then(!w.failed)
		}
	}
}

// expire ends the waits whose time is over.
func (e *early) expireAt(now time.Duration) {
	var rest []*settle
	for _, w := range e.expiring {
		switch {
		case w.over:
		case now >= w.deadline:
			w.over = true
			w.expire()
		default:
			rest = append(rest, w)
		}
	}
	e.expiring = rest
}

// whenDecided answers at once if nothing that was read is undecided, else when
// it is: with false if it was undone.
func (l *leadership) whenDecided(keys []txn.Key, spans []txn.Span, began arrival, then func(committed bool), expire func()) {
	var on []txn.Attempt
	if l.r.cfg.Row.Reveal.Early() {
		on = l.early.overlay.Undecided(keys, spans)
	}
	if len(on) == 0 || l.r.cfg.Params.Bugs.ReleaseUntracked {
		then(true)
		return
	}
	if len(l.early.expiring) >= maxSettles {
		expire()
		return
	}
	w := &settle{deadline: began.Mono + l.r.cfg.Params.LockWait, then: then, expire: expire}
	l.early.expiring = append(l.early.expiring, w)
	l.early.await(on, w)
}

// dependencies are the attempts on whose commit a vote depends. A one-phase
// attempt is none of them: its entry is its commit, and stands before the vote.
func (l *leadership) dependencies(p *txn.Prepare) []txn.Attempt {
	if !l.r.cfg.Row.Reveal.Early() || l.r.cfg.Params.Bugs.ReleaseUntracked {
		return nil
	}
	keys, spans := readBy(p)
	var out []txn.Attempt
	for _, a := range l.early.overlay.Undecided(keys, spans) {
		if v := l.voting[a]; v == nil || !v.cmd.OnePhase {
			out = append(out, a)
		}
	}
	return out
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
func (l *leadership) condition(v *voteCmd) {
	if v.Doomed {
		l.early.open[v.Attempt] = &settle{failed: true, over: true}
		return
	}
	if len(v.Deps) == 0 {
		return
	}
	a := v.Attempt
	w := &settle{then: func(committed bool) {
		doomed := !committed && !l.r.cfg.Params.Bugs.DropDependency
		if !doomed {
			delete(l.early.open, a)
		}
		l.r.env.Trace("shard %d: what %v had read is committed: %v", l.r.cfg.ID, a, committed)
		l.r.env.Send(txn.Coordinator(a.Node), txn.Message{Resolved: &txn.Resolved{Shard: l.r.cfg.ID, Attempt: a, Doomed: doomed}})
	}}
	l.early.open[a] = w
	l.early.await(v.Deps, w)
}

// conditional tells how a vote stands: whether what it depends on is open, and
// whether some of it is lost.
func (l *leadership) conditional(a txn.Attempt) (open, doomed bool) {
	if d := l.deciding[a]; d != nil { // decided, though the log has not got it yet
		return false, !d.commit
	}
	w := l.early.open[a]
	if w == nil || l.r.cfg.Params.Bugs.DropDependency && w.failed {
		return false, false
	}
	return !w.failed, w.failed
}

// undecidedVote is an attempt's Yes, logged or on its way into the log.
func (l *leadership) undecidedVote(a txn.Attempt) *voteCmd {
	if v := l.voting[a]; v != nil {
		return v.cmd
	}
	if p := l.r.state.prepared[a]; p != nil {
		return &p.voteCmd
	}
	return nil
}

// OnPreCommit ends an attempt's concurrency control.
func (r *Replica) OnPreCommit(m *txn.PreCommit) {
	if r.Serving() && r.cfg.Row.Reveal.PreCommits() {
		r.lead.preCommit(m.Attempt, m.At)
	}
}

func (l *leadership) preCommit(a txn.Attempt, at txn.Timestamp) {
	v := l.undecidedVote(a)
	if v == nil || l.early.revealed[a] || l.deciding[a] != nil {
		return
	}
	if _, doomed := l.conditional(a); doomed {
		return
	}
	l.r.clock.Observe(at)
	l.revealUndecided(v)
	l.r.env.Trace("shard %d: pre-commits %v, its writes can be read and its locks are released", l.r.cfg.ID, v.Txn)
	l.release(v.Txn, true)
}

func (l *leadership) revealUndecided(v *voteCmd) {
	l.early.revealed[v.Attempt] = true
	l.early.overlay.Reveal(v.Attempt, v.Proposed, true, l.newestOf(v))
}

// newestOf leaves out the writes than which the engine has newer ones: after a
// change of leaders a vote may hold its locks again though they were free once.
func (l *leadership) newestOf(v *voteCmd) []txn.Write {
	if !l.r.cfg.Row.Reveal.Early() {
		return v.Writes
	}
	var out []txn.Write
	for _, w := range v.Writes {
		if l.r.state.cache.NewestAt(l.r.cfg.Engine, w.Key) < v.Proposed {
			out = append(out, w)
		}
	}
	return out
}

// ended shows a decision to readers and to who depends on it.
func (l *leadership) ended(v *voteCmd, commit bool) {
	a := v.Attempt
	switch {
	case commit && l.early.revealed[a]:
		l.early.overlay.Decide(a, v.Writes)
	case commit:
		l.early.overlay.Reveal(a, v.Proposed, false, l.newestOf(v))
	default:
		l.early.overlay.Retract(a, v.Writes)
	}
	if w := l.early.open[a]; w != nil {
		w.over = true
		delete(l.early.open, a)
	}
	l.early.decided(a, commit)
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
			l.revealUndecided(&byTxn[id].voteCmd)
			l.release(id, true)
		}
	}
	for _, p := range l.r.state.byIndex() {
		l.locks.Restore(now, p.Txn, p.Age, p.claim(), early)
		byTxn[p.Txn] = p
		l.orphanAt[p.Attempt] = now + l.r.cfg.Params.RecoverAfter
		l.condition(&p.voteCmd)
		l.reportAgain(p)
	}
}
