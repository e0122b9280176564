package replica

import (
	"isochron/decide"
	"isochron/txn"
)

// member is this replica as a member of its shard: the list of members, its view, its persistent
// record, and messages about these. All parts of a replica share it.
type member struct {
	cfg Config
	env Env
	rec *record
}

func (m *member) n() int { return len(m.cfg.Members) }

func (m *member) leaderOf(view uint64) txn.NodeID {
	return m.cfg.Members[view%uint64(m.n())]
}

// takesPart reports whether the replica is active in its view, not changing to one.
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

// stillValid reports whether an entry is unchanged when it is about to be reported:
// of this view, and not decided.
func (m *member) stillValid(e txn.Entry) bool {
	now, open := m.rec.entries.Get(e.Prepare.Attempt)
	return open && now.View == e.View && m.takesPart() && e.View == m.view()
}

func (m *member) accepted(e txn.Entry) *txn.Accepted {
	return &txn.Accepted{Shard: m.cfg.ID, Attempt: e.Prepare.Attempt, View: e.View, Replica: m.cfg.Self, Yes: e.Yes, At: e.Prepare.At}
}

// sendAccepted sends an acceptance to the coordinator, so that it need not ask.
func (m *member) sendAccepted(e txn.Entry) {
	m.afterSync(func() {
		if m.stillValid(e) {
			m.env.Send(txn.Both(e.Prepare.Attempt.Node, m.cfg.ID), txn.Message{Accepted: m.accepted(e)})
		}
	})
}

// sendEnd answers a request about a decided attempt; false if it is not decided.
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

// sendView sends the state of this view to a replica that was left behind.
func (m *member) sendView(to txn.NodeID) {
	out := &txn.StartView{Shard: m.cfg.ID, View: m.view(), Entries: m.rec.undecided(true), Decided: m.rec.decided()}
	m.afterSync(func() { m.env.Send(txn.Participant(to, m.cfg.ID), txn.Message{StartView: out}) })
}
