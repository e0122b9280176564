package coordinator

import (
	"isochron/txn"
	"isochron/yield"
)

// Where rows have leases (yield.Leases) a transaction takes along those of what it reads, and of what
// it has locked to write. Its commit is not before any of the first begins, and above where the
// second end: those do not grow any more while it has the locks.

// leases are what a transaction was told of them.
type leases struct {
	rows map[txn.Key]txn.Lease
	from txn.Timestamp // none of what it has read begins later
}

// of is the lease of a row; none is like one that has ended before all time.
func (l *leases) of(k txn.Key) txn.Lease { return l.rows[k] }

// observeLeases takes in what an answer tells of leases. Of two of one row the later counts.
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
		from++ // above the leases of the rows that it has found
	}
	t.leases.from = max(t.leases.from, from)
}

// leaseClock gives commits their timestamps.
type leaseClock struct {
	writes yield.AboveLeases
	behind txn.Timestamp // some shard would have taken it, whose leases were ahead of a commit
}

// at is the timestamp of a commit: not before anything that it has read, and above the leases of what
// it writes.
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

// leasesFirst reports whether a commit has to know, before it asks for votes, until when the leases
// reach of what it writes: a leader whose vote is the only one sees to it by itself.
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

// observe takes in that a shard's leases were ahead of a commit: no later one from here is behind them.
func (l *leaseClock) observe(v *txn.Vote) {
	if !v.Yes {
		l.behind = max(l.behind, v.Proposed)
	}
}
