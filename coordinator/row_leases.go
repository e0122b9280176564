package coordinator

import (
	"isochron/txn"
	"isochron/yield"
)

// Under row leases (yield.Leases) a transaction collects the leases of its reads, and of rows it
// has locked to write. Its commit timestamp is not before any of the first begins, and above the
// ends of the second: those do not grow while it holds the locks.

// leases are the leases that a transaction has received.
type leases struct {
	rows map[txn.Key]txn.Lease
	from txn.Timestamp // none of its reads begins later
}

// of is the lease of a row; none is like one that has always ended.
func (l *leases) of(k txn.Key) txn.Lease { return l.rows[k] }

// observeLeases records the leases of a reply. Of two of one row the later counts.
func (t *transaction) observeLeases(p *shardRequest, m *txn.AccessReply) {
	if len(m.Leases) == 0 && m.Leased == 0 {
		return
	}
	if t.leases == nil {
		t.leases = &leases{rows: map[txn.Key]txn.Lease{}}
	}
	for i, l := range m.Leases[:min(len(m.Leases), len(m.Rows))] {
		t.leases.rows[m.Rows[i].Key] = l
		t.leases.from = max(t.leases.from, l.From)
	}
	from := m.Leased
	if p.access.Lock == txn.LockExclusive && from != 0 {
		from++ // above the leases of the rows found
	}
	t.leases.from = max(t.leases.from, from)
}

// leaseClock gives commits their timestamps.
type leaseClock struct {
	writes yield.AboveLeases
	behind txn.Timestamp // a timestamp that a shard with leases ahead of a commit would have accepted
}

// at is the timestamp of a commit: not before anything it has read, and above the leases of its
// writes.
func (l *leaseClock) at(t *transaction, prepares []*txn.Prepare) txn.Timestamp {
	at := max(l.behind, 1)
	if t.leases == nil {
		return at
	}
	at = max(at, t.leases.from)
	for _, p := range prepares {
		at = max(at, l.writes.Least(p.Writes, t.leases.of))
	}
	return at
}

// leasesFirst reports whether a commit must know, before it asks for votes, the ends of the leases
// of its writes: the leader of a single vote handles that itself.
func (cs *commitManager) leasesFirst(t *transaction, writes []txn.Write) bool {
	if !cs.cfg.Spec.Yield.RowLeases || len(writes) == 0 {
		return false
	}
	dir := cs.env.Directory()
	first, _ := dir.ShardOf(string(writes[0].Key))
	for _, w := range writes {
		if s, ok := dir.ShardOf(string(w.Key)); ok && s != first {
			return true
		}
	}
	for _, tc := range t.touched {
		if tc.shard != txn.ShardID(first) {
			return true
		}
	}
	return false
}

// observe records that a shard's leases were ahead of a commit: later commits from here are not
// behind them.
func (l *leaseClock) observe(v *txn.Vote) {
	if !v.Yes {
		l.behind = max(l.behind, v.Proposed)
	}
}
