package replica

import (
	"isochron/decide"
	"isochron/txn"
)

// member is this replica as one of its shard's: who they are, which view it is in, what
// it has written down, and how it tells others of that. All parts of a replica share it.
type member struct {
	cfg Config
	env Env
	rec *record
}

func (m *member) n() int { return len(m.cfg.Members) }

func (m *member) leaderOf(view uint64) txn.NodeID {
	return m.cfg.Members[view%uint64(m.n())]
}

// takesPart reports whether the replica is in its view, not on the way to one.
func (m *member) takesPart() bool { return m.rec.meta.View == m.rec.meta.Normal }

func (m *member) view() uint64 { return m.rec.meta.View }

func (m *member) leads() bool { return m.takesPart() && m.leaderOf(m.view()) == m.cfg.Self }

func (m *member) toAll(msg txn.Message) {
	for _, id := range m.cfg.Members {
		m.env.Send(txn.Participant(id, m.cfg.ID), msg)
	}
}

// afterSync calls f when everything written so far is durable.
func (m *member) afterSync(f func()) {
	if m.cfg.Params.InjectedBugs.AckBeforeSync {
		f()
		return
	}
	m.env.AfterSync(f)
}

func (m *member) majority() int { return decide.Majority(m.n()) }

// stillValid reports whether what is about to be told of an entry still holds here:
// that it is of this view, and not decided.
func (m *member) stillValid(e txn.Entry) bool {
	now, open := m.rec.entries.Get(e.Prepare.Attempt)
	return open && now.View == e.View && m.takesPart() && e.View == m.view()
}

func (m *member) accepted(e txn.Entry) *txn.Accepted {
	return &txn.Accepted{Shard: m.cfg.ID, Attempt: e.Prepare.Attempt, View: e.View, Replica: m.cfg.Self, Yes: e.Yes, At: e.Prepare.At}
}

// sendAccepted spares a coordinator that still lives the asking.
func (m *member) sendAccepted(e txn.Entry) {
	m.afterSync(func() {
		if m.stillValid(e) {
			m.env.Send(txn.Both(e.Prepare.Attempt.Node, m.cfg.ID), txn.Message{Accepted: m.accepted(e)})
		}
	})
}

// sendEnd answers whoever asks about an attempt that is decided; false if it is not.
func (m *member) sendEnd(to txn.NodeID, a txn.Attempt) bool {
	end, known := m.rec.decidedEntries.Get(a)
	if !known {
		return false
	}
	m.afterSync(func() {
		m.env.Send(txn.Coordinator(to), txn.Message{InquireReply: &txn.InquireReply{Shard: m.cfg.ID, Attempt: a, Result: end.Result, At: end.At}})
	})
	return true
}

// sendView tells a replica that was left behind how this view stands.
func (m *member) sendView(to txn.NodeID) {
	out := &txn.StartView{Shard: m.cfg.ID, View: m.view(), Entries: m.rec.undecided(true), Decided: m.rec.decided()}
	m.afterSync(func() { m.env.Send(txn.Participant(to, m.cfg.ID), txn.Message{StartView: out}) })
}
