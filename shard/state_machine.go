package shard

import (
	"isochron/raftgroup"
	"isochron/store"
	"isochron/txn"
)

// machine is a replica as its group sees it: the applied state and the
// leader's state.
type machine Replica

var _ raftgroup.Machine[command] = (*machine)(nil)

// Found writes the rows the shard starts with.
func (m *machine) Found(b *store.Batch, prefix []byte) {
	rows := rowsPrefix(prefix)
	for _, w := range m.cfg.Genesis {
		store.PutVersion(b, rows, w, 1, txn.Version{Seq: 1})
	}
}

// Load reads another state, without installing it.
func (m *machine) Load(prefix []byte) (at raftgroup.LogPosition, install func(), err error) {
	st, err := loadState(m.cfg, prefix, int64(m.env.Now().Mono))
	if err != nil {
		return raftgroup.LogPosition{}, nil, err
	}
	return raftgroup.LogPosition{Index: st.applied.Index, Term: st.applied.Term}, func() { m.install(st) }, nil
}

// install puts a state in force: at the start, and after a snapshot.
func (m *machine) install(st *state) {
	opened := m.state != nil
	m.state, m.sweep.next = st, nil
	m.followProtocol()
	m.clock.Observe(st.applied.MaxTS)
	if opened {
		m.env.Applied(m.cfg.ID, nil) // anything may have changed
	}
}

// Save writes the state that an ephemeral replica keeps only in memory.
func (m *machine) Save(b *store.Batch) { m.state.save(b) }

// Apply applies the commands of an entry.
func (m *machine) Apply(b *store.Batch, at raftgroup.LogPosition, commands []command) {
	m.state.applied.Index, m.state.applied.Term = at.Index, at.Term
	now := int64(m.env.Now().Mono)
	var checks []uint64
	for place, c := range commands {
		m.effects = append(m.effects, m.state.apply(b, place, c, now))
		if c.Verify != nil {
			checks = append(checks, c.Verify.Check)
		}
	}
	if len(checks) > 0 {
		m.protect(b, checks)
	}
}

// Finish writes the applied index.
func (m *machine) Finish(b *store.Batch) { m.state.putApplied(b) }

// effectsKept bounds the reused memory for effects.
const effectsKept = 256

// Applied notifies the leader and the node of the effects of applied entries.
func (m *machine) Applied(serves bool) {
	effects := m.effects
	m.clock.Observe(m.state.applied.MaxTS)
	for _, e := range effects {
		if e.protocol {
			m.followProtocol()
		}
		if m.lead != nil {
			m.lead.applied(e, m.state.applied.Term)
		}
		if len(e.visible) > 0 {
			m.env.Applied(m.cfg.ID, e.visible)
		}
	}
	clear(effects)
	m.effects = effects[:0]
	if cap(effects) > effectsKept {
		m.effects = nil
	}
	if m.lead == nil {
		return
	}
	if serves {
		m.lead.serve()
	}
	m.lead.changeProtocol()
	m.lead.snapshotReads.retry()
}

// Lead starts a term as leader.
func (m *machine) Lead(term uint64) {
	m.lead = newLeaderState((*Replica)(m), term, m.env.Now())
}

// Deposed ends it. Waiting requests get no answer; their senders ask the next leader.
func (m *machine) Deposed() {
	for _, h := range m.lead.locks.Holders() {
		m.env.Held(m.cfg.ID, h.Txn, int64(h.Since))
	}
	m.lead = nil
}

// codec encodes commands in log entries.
type codec struct{}

var _ raftgroup.Codec[command] = codec{}

// Encode returns the form of commands in an entry.
func (codec) Encode(commands []command) []byte { return encodeEntry(commands) }

// Decode reads an entry.
func (codec) Decode(data []byte) ([]command, error) { return decodeEntry(data) }

// Size estimates the size of a command in the log.
func (codec) Size(c command) uint64 { return c.bytes() }
