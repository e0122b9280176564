package replica

import (
	"slices"
	"time"

	"isochron/store"
	"isochron/txn"
)

// A change of views. Somebody asks after an attempt that has no end here and on
// which nothing was accepted: perhaps its coordinator is gone, perhaps the leader
// is. Then all replicas leave their view and tell the leader of the next one what
// they remember. Whoever has told takes part in nothing until a view begins, so
// nothing older can come to count behind its back.

// changesApart is how many times Params.ResendAfter lie between two changes that
// one replica begins: what was asked meanwhile is settled by the next.
const changesApart = 2

// maxRetries of one change; then the next view is tried, with another leader.
const maxRetries = 2

// onInquire tells what has become of an attempt, and has it settled if nothing has.
func (r *Replica) onInquire(from txn.NodeID, q *txn.Inquire) {
	a := q.Attempt
	if r.rec.isRetired(a) { // finished everywhere: nobody can act on this any more
		r.env.Send(txn.Coordinator(from), txn.Message{Finding: &txn.Finding{Shard: r.cfg.ID, Attempt: a, Result: txn.OutcomeNo}})
		return
	}
	if r.tellEnd(from, a) {
		return
	}
	if e, known := r.rec.entries.Get(a); known && e.Final && r.takesPart() {
		r.answerAgain(from, e)
		return
	}
	r.addFence(*q)
}

func (r *Replica) addFence(asked ...txn.Inquire) {
	for _, q := range asked {
		same := func(have txn.Inquire) bool { return have.Attempt == q.Attempt }
		if len(r.fence) < maxFence && !slices.ContainsFunc(r.fence, same) {
			r.fence = append(r.fence, q)
		}
	}
}

// tickView begins a change that is wanted, and goes on with one that is stuck.
func (r *Replica) tickView(now time.Duration) {
	if now < r.retryAt {
		return
	}
	switch {
	case r.takesPart() && len(r.fence) > 0:
		r.counts.ViewChanges++
		r.change(r.view() + 1)
	case r.takesPart():
	case r.retries >= maxRetries:
		r.change(r.view() + 1)
	default:
		r.retries++
		r.retryAt = now + r.cfg.Params.ResendAfter
		r.toAll(txn.Message{ChangeView: &txn.ChangeView{Shard: r.cfg.ID, View: r.view(), Fence: r.fence}})
		r.sendRecord()
	}
}

// change calls everybody into a view.
func (r *Replica) change(view uint64) {
	r.env.Trace("shard %d: calls for view %d, with %d attempts to settle", r.cfg.ID, view, len(r.fence))
	r.toAll(txn.Message{ChangeView: &txn.ChangeView{Shard: r.cfg.ID, View: view, Fence: slices.Clone(r.fence)}})
	r.leaveView(view)
}

func (r *Replica) onChangeView(from txn.NodeID, m *txn.ChangeView) {
	switch {
	case m.View > r.view():
		r.addFence(m.Fence...)
		r.leaveView(m.View)
	case r.takesPart() && from != r.cfg.Self:
		r.sendView(from)
	}
}

// leaveView takes part in nothing any more until the view begins.
func (r *Replica) leaveView(view uint64) {
	r.rec.meta.View = view
	var b store.Batch
	r.rec.putMeta(&b)
	r.cfg.Engine.Apply(&b)
	r.forgetView()
	r.retries, r.retryAt = 0, r.env.Now().Mono+r.cfg.Params.ResendAfter
	r.sendRecord()
}

// forgetView drops what counts within one view alone.
func (r *Replica) forgetView() {
	clear(r.records)
	clear(r.proposals)
	r.waiting = txn.NewByAttempt[proposed]()
}

func (r *Replica) sendRecord() {
	m := &txn.ViewRecord{Shard: r.cfg.ID, View: r.view(), Replica: r.cfg.Self, Normal: r.rec.meta.Normal,
		Entries: r.entries(false), Endings: r.endings(), Fence: slices.Clone(r.fence)}
	r.afterSync(func() {
		if m.View == r.view() && !r.takesPart() {
			r.env.Send(txn.Participant(r.leaderOf(m.View), r.cfg.ID), txn.Message{ViewRecord: m})
		}
	})
}

// entries are those of undecided attempts, or of these only the final ones.
func (r *Replica) entries(final bool) []txn.Entry {
	var out []txn.Entry
	r.rec.entries.All(func(_ txn.Attempt, e txn.Entry) bool {
		if e.Final || !final {
			out = append(out, e)
		}
		return true
	})
	return out
}

func (r *Replica) endings() []txn.Ending {
	var out []txn.Ending
	r.rec.endings.All(func(_ txn.Attempt, e txn.Ending) bool {
		out = append(out, e)
		return true
	})
	return out
}

// onViewRecord collects, and begins the view when a majority has spoken.
func (r *Replica) onViewRecord(from txn.NodeID, m *txn.ViewRecord) {
	switch {
	case m.View > r.view():
		r.addFence(m.Fence...)
		r.leaveView(m.View)
	case r.takesPart():
		r.sendView(from)
		return
	}
	if m.View != r.view() || r.leaderOf(m.View) != r.cfg.Self {
		return
	}
	r.records[m.Replica] = m
	if len(r.records) < r.majority() {
		return
	}
	var all []*txn.ViewRecord
	for _, id := range r.cfg.Members {
		if rec := r.records[id]; rec != nil {
			all = append(all, rec)
		}
	}
	settled, enough := r.merge(all)
	if !enough {
		r.env.Trace("shard %d: view %d waits for one record more", r.cfg.ID, m.View)
		return
	}
	r.begin(m.View, settled, endingsOf(all))
	for _, id := range r.cfg.Members {
		if id != r.cfg.Self {
			r.sendView(id)
		}
	}
}

// begin takes part in a view, with what its leader has settled.
func (r *Replica) begin(view uint64, entries []txn.Entry, endings []txn.Ending) {
	r.env.Trace("shard %d: begins view %d, led by %d, with %d attempts settled", r.cfg.ID, view, r.leaderOf(view), len(entries))
	for _, end := range endings {
		r.learn(end)
	}
	var b store.Batch
	stay := map[txn.Attempt]bool{}
	for _, e := range entries {
		stay[e.Prepare.Attempt] = true
	}
	for _, e := range r.entries(false) { // what nobody has settled is void
		if !stay[e.Prepare.Attempt] {
			r.rec.dropEntry(&b, e.Prepare.Attempt)
			r.leave(&e.Prepare, false)
		}
	}
	for _, e := range entries {
		a := e.Prepare.Attempt
		if _, over := r.rec.endings.Get(a); over || r.rec.isRetired(a) {
			continue
		}
		if old, open := r.rec.entries.Get(a); open && !known(&e.Prepare) {
			e.Prepare = old.Prepare
		}
		r.rec.putEntry(&b, e)
		r.enter(e)
		r.tellAccepted(e)
	}
	r.rec.meta.View, r.rec.meta.Normal = view, view
	r.rec.putMeta(&b)
	r.cfg.Engine.Apply(&b)
	r.fence = nil
	r.forgetView()
	r.retries, r.retryAt = 0, r.env.Now().Mono+changesApart*r.cfg.Params.ResendAfter
	r.env.Note(txn.Note{Kind: txn.NoteFollows, Shard: r.cfg.ID, Term: view, Peer: r.leaderOf(view)})
	r.wake()
}

// tellAccepted spares a coordinator that still lives the asking.
func (r *Replica) tellAccepted(e txn.Entry) {
	r.afterSync(func() {
		if r.stands(e) {
			r.env.Send(txn.Both(e.Prepare.Attempt.Node, r.cfg.ID), txn.Message{Accepted: r.accepted(e)})
		}
	})
}

// sendView tells a replica that was left behind how this view stands.
func (r *Replica) sendView(to txn.NodeID) {
	m := &txn.StartView{Shard: r.cfg.ID, View: r.view(), Entries: r.entries(true), Endings: r.endings()}
	r.afterSync(func() { r.env.Send(txn.Participant(to, r.cfg.ID), txn.Message{StartView: m}) })
}

func (r *Replica) onStartView(m *txn.StartView) {
	if m.View < r.view() || m.View == r.view() && r.takesPart() {
		return
	}
	r.begin(m.View, m.Entries, m.Endings)
}

// learn takes in an ending of which another replica has told.
func (r *Replica) learn(end txn.Ending) {
	if _, known := r.rec.endings.Get(end.Attempt); !known && !r.rec.isRetired(end.Attempt) {
		r.end(end)
	}
}

// compare asks one of the others, in turn, for what this replica has missed.
func (r *Replica) compare() {
	if r.n() == 1 {
		return
	}
	for {
		r.compareWith = (r.compareWith + 1) % r.n()
		if to := r.cfg.Members[r.compareWith]; to != r.cfg.Self {
			r.ask(to)
			return
		}
	}
}

func (r *Replica) ask(of txn.NodeID) {
	if of != r.cfg.Self {
		r.env.Send(txn.Participant(of, r.cfg.ID), txn.Message{Compare: &txn.Compare{Shard: r.cfg.ID, View: r.rec.meta.Normal, Count: r.rec.endings.Len(), Sum: r.rec.sum}})
	}
}

func (r *Replica) onCompare(from txn.NodeID, m *txn.Compare) {
	switch {
	case m.View < r.view() && r.takesPart():
		r.sendView(from)
	case m.Count != r.rec.endings.Len() || m.Sum != r.rec.sum:
		out := &txn.Endings{Shard: r.cfg.ID, Endings: r.endings()}
		r.afterSync(func() { r.env.Send(txn.Participant(from, r.cfg.ID), txn.Message{Endings: out}) })
	}
}

func (r *Replica) onEndings(m *txn.Endings) {
	for _, end := range m.Endings {
		r.learn(end)
	}
}
