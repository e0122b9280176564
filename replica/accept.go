package replica

import (
	"fmt"

	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
)

// onDispute has the leader settle an attempt on which the replicas' votes differ: the leader's own decides.
func (r *Replica) onDispute(m *txn.SlowPathRequest) {
	p := m.Prepare
	if p == nil || !r.leads() || m.View != r.view() || r.rec.isRetired(p.Attempt) {
		return
	}
	if _, over := r.rec.decidedEntries.Get(p.Attempt); over {
		return
	}
	if e, known := r.rec.entries.Get(p.Attempt); known {
		r.afterSync(func() { r.settle(e) })
		return
	}
	r.form(p, func(e txn.Entry, _ txn.ReplicaVote) { r.settle(e) })
}

// settle proposes the leader's own vote, or again the vote it proposed
// before a restart.
func (r *Replica) settle(e txn.Entry) {
	now, open := r.rec.entries.Get(e.Prepare.Attempt)
	if !open || !r.leads() || e.View != r.view() {
		return // it was decided while the disk was syncing
	}
	yes := now.Result == txn.ValidationOK || r.cfg.Params.InjectedBugs.IgnoreAbort
	if now.Final {
		yes = now.Yes
	}
	r.slow.propose(&now.Prepare, yes)
}

// onAccept accepts a proposal, or queues it.
func (r *Replica) onAccept(from txn.NodeID, m *txn.Accept) {
	p := m.Prepare
	switch {
	case p == nil || r.rec.isRetired(p.Attempt) || r.sendEnd(p.Attempt.Node, p.Attempt):
		return
	case m.View > r.view():
		r.comparing.ask(r.leaderOf(m.View))
		return
	case m.View < r.view() || !r.takesPart():
		r.cfg.Params.Rules.HitIf(m.View < r.view(), coverage.OldView)
		r.cfg.Params.Rules.HitIf(!r.takesPart(), coverage.LeftView)
		return
	}
	e, known := r.rec.entries.Get(p.Attempt)
	switch {
	case known && e.Final && e.Yes != m.Yes:
		panic(fmt.Sprintf("shard %d: in view %d both %s and %s were proposed for %v", r.cfg.ID, m.View, yesNo(e.Yes), yesNo(m.Yes), p.Attempt))
	case known && e.Final:
	case m.Yes && r.holds.conflicts(p):
		r.cfg.Params.Rules.Hit(coverage.ConflictsWithOpen)
		r.slow.await(from, m)
		return
	default:
		e = txn.Entry{Prepare: *p, Result: e.Result, View: m.View, Final: true, Yes: m.Yes}
		var b store.Batch
		r.rec.putEntry(&b, e)
		r.cfg.Engine.Apply(&b)
		r.holds.enter(e)
		if !m.Yes {
			r.wake() // the attempt may have been validated OK before
		}
	}
	r.afterSync(func() {
		if r.stillValid(e) {
			r.env.Send(txn.Both(from, r.cfg.ID), txn.Message{Accepted: r.accepted(e)})
		}
	})
}

// wake retries the reads and proposals that wait for the end of an attempt.
func (r *Replica) wake() {
	r.readers.wake()
	for _, p := range r.slow.awaken() {
		r.onAccept(p.from, p.m)
	}
}

// onDecide handles the outcome of an attempt.
func (r *Replica) onDecide(from txn.NodeID, d *txn.Decide) {
	a := d.Attempt
	ack := func() {
		if !r.takesPart() {
			return // its record of open attempts may have been sent before this: Decide is sent again
		}
		r.afterSync(func() {
			r.env.Send(txn.Coordinator(from), txn.Message{DecideAck: &txn.DecideAck{Shard: r.cfg.ID, Attempt: a, Tentative: d.Tentative}})
		})
	}
	if d.Tentative { // only in the coordinator's memory; a node that finishes the attempt asks the replicas
		ack()
		return
	}
	if _, over := r.rec.decidedEntries.Get(a); over || r.rec.isRetired(a) {
		ack()
		return
	}
	p := d.Prepare
	if e, open := r.rec.entries.Get(a); open && known(&e.Prepare) {
		p = &e.Prepare
	}
	if d.Commit && p == nil {
		r.comparing.ask(r.leaderOf(r.view())) // this replica lacks the Prepare of the commit
		return
	}
	end := txn.DecidedEntry{Attempt: a, Result: txn.OutcomeAborted}
	if d.Commit {
		end.Result, end.At, end.Prepare = txn.OutcomeCommitted, d.At, p
	}
	r.end(end)
	ack()
}

// end applies the outcome of an attempt.
func (r *Replica) end(end txn.DecidedEntry) {
	var b store.Batch
	e, open := r.rec.entries.Get(end.Attempt)
	commit := end.Result == txn.OutcomeCommitted
	if open {
		r.rec.dropEntry(&b, end.Attempt)
	}
	r.rec.putEnding(&b, end)
	r.cfg.Engine.Apply(&b)
	if open && commit && !known(&e.Prepare) {
		e.Prepare = *end.Prepare // its Prepare was unknown
	}
	switch {
	case open:
		r.leave(&e.Prepare, commit)
	case commit:
		r.leave(end.Prepare, true)
	}
	if commit {
		r.outvote(end)
		r.env.Trace("shard %d: %v is committed, its writes can be read", r.cfg.ID, end.Prepare.Txn)
		r.env.Applied(r.cfg.ID, end.Prepare.Writes)
	}
	r.wake()
}

// outvote marks attempts validated OK here that are overtaken by the commit of a later one, which
// has read a row that they write, and not from them. They have not been voted for and never will be, but a
// change of views can derive that only from the commit (merge.go). The commit is dropped once all
// replicas know it: from then on this replica's records of those attempts must carry the
// mark.
func (r *Replica) outvote(end txn.DecidedEntry) {
	if !r.cfg.Spec.Yield.ByTimestamp || len(end.Prepare.Reads)+len(end.Prepare.SchemaChecks)+len(end.Prepare.Spans) == 0 {
		return
	}
	var b store.Batch
	for _, a := range r.holds.timestamps.WritersOf(lockSetOf(end.Prepare)) {
		e, open := r.rec.entries.Get(a)
		if !open || e.Final || e.Overtaken || e.Result != txn.ValidationOK || e.Prepare.At >= end.At || !missed(end.Prepare, &e.Prepare) {
			continue
		}
		r.cfg.Params.Rules.Hit(coverage.Overtaken)
		e.Overtaken = true
		r.rec.putEntry(&b, e)
	}
	if !b.Empty() {
		r.cfg.Engine.Apply(&b)
	}
}
