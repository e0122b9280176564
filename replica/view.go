package replica

import (
	"isochron/store"
	"isochron/txn"
)

// onInquire answers with the outcome of an attempt, and starts settling it if there is none.
func (r *Replica) onInquire(from txn.NodeID, q *txn.Inquire) {
	a := q.Attempt
	if r.rec.isRetired(a) { // ended everywhere: no node acts on this any more
		r.env.Send(txn.Coordinator(from), txn.Message{InquireReply: &txn.InquireReply{Shard: r.cfg.ID, Attempt: a, Result: txn.OutcomeNo}})
		return
	}
	if r.sendEnd(from, a) {
		return
	}
	if e, known := r.rec.entries.Get(a); known && e.Final && r.takesPart() {
		r.answerAgain(from, e)
		return
	}
	r.change.addFence(*q)
}

// onViewRecord collects records, and begins the view when a majority has sent them.
func (r *Replica) onViewRecord(from txn.NodeID, m *txn.ViewRecord) {
	all := r.change.collect(from, m)
	if all == nil {
		return
	}
	for _, end := range endingsOf(all) {
		r.learn(end)
	}
	settled, enough := r.merger.merge(all)
	if !enough {
		r.env.Trace("shard %d: view %d waits for one more record", r.cfg.ID, m.View)
		return
	}
	r.begin(m.View, settled, endingsOf(all))
	for _, id := range r.cfg.Members {
		if id != r.cfg.Self {
			r.sendView(id)
		}
	}
}

// begin enters a view, with the attempts that its leader has settled.
func (r *Replica) begin(view uint64, entries []txn.Entry, endings []txn.DecidedEntry) {
	r.env.Trace("shard %d: begins view %d, led by %d, with %d attempts settled", r.cfg.ID, view, r.leaderOf(view), len(entries))
	for _, end := range endings {
		r.learn(end)
	}
	var b store.Batch
	stay := map[txn.Attempt]bool{}
	for _, e := range entries {
		stay[e.Prepare.Attempt] = true
	}
	for _, e := range r.rec.undecided(false) { // entries that were not settled are void
		if !stay[e.Prepare.Attempt] {
			r.rec.dropEntry(&b, e.Prepare.Attempt)
			r.leave(&e.Prepare, false)
		}
	}
	for _, e := range entries {
		a := e.Prepare.Attempt
		if _, over := r.rec.decidedEntries.Get(a); over || r.rec.isRetired(a) {
			continue
		}
		if old, open := r.rec.entries.Get(a); open && !known(&e.Prepare) {
			e.Prepare = old.Prepare
		}
		r.rec.putEntry(&b, e)
		r.holds.enter(e)
		r.sendAccepted(e)
	}
	r.rec.meta.View, r.rec.meta.Normal = view, view
	r.rec.putMeta(&b)
	r.cfg.Engine.Apply(&b)
	r.change.done()
	r.env.NodeEvent(txn.NodeEvent{Kind: txn.EventFollows, Shard: r.cfg.ID, Term: view, Peer: r.leaderOf(view)})
	r.wake()
}

func (r *Replica) onStartView(m *txn.StartView) {
	if m.View < r.view() || m.View == r.view() && r.takesPart() {
		return
	}
	r.begin(m.View, m.Entries, m.Decided)
}

// learn applies a decision received from another replica.
func (r *Replica) learn(end txn.DecidedEntry) {
	if _, known := r.rec.decidedEntries.Get(end.Attempt); !known && !r.rec.isRetired(end.Attempt) {
		r.end(end)
	}
}

func (r *Replica) onEndings(m *txn.AntiEntropyReply) {
	for _, end := range m.Entries {
		r.learn(end)
	}
}
