package yield

import (
	"github.com/tidwall/btree"

	"isochron/coverage"
	"isochron/txn"
)

// Leases of rows (Sundial, PVLDB 11(10), 2018, section 3). A version has a lease: the commit
// timestamps at which it is the version to read. A read locks nothing and returns the lease. A
// transaction commits at one timestamp: not before the versions it has read begin, and above the
// leases of the rows it overwrites; and the leases of its reads must reach it. If the lease
// returned with the read does, the row may have been overwritten since: the transaction precedes
// that writer, regardless of real time. If it does not, the lease is renewed, for which the version
// must still be the newest and no other transaction may have locked the row.
//
// Leases are kept by the leader only, not in a log. They survive a change of leader through the
// timestamp of each vote, which is in the log: a later leader promises for all rows that nothing is
// written at or below the largest of those (floor), and accepts no lease of an earlier term.
//
// Invariant: no row is written at or below the end of a valid lease of it, and a row's lease is not
// extended while another transaction may write it: a writer has locked the row.
type Leases struct {
	rows   btree.Map[txn.Key, txn.Lease] // rows whose lease differs from the floor
	spans  []spanTimestamp               // up to when nothing appears or changes in them
	floor  txn.Timestamp                 // all other rows are valid from and until here
	newest txn.Timestamp                 // at or above all of these
	term   uint64
	room   int              // maximum of rows
	Rules  *coverage.Counts // nil: nothing is counted
	Writes AboveLeases
}

// AboveLeases is the rule of writers: no row is written at or below the end of its lease. Leaders
// apply it, and coordinators that propose commit timestamps. Inside injects the bug that breaks it:
// see txn.InjectedBugs.WriteInsideLease.
type AboveLeases struct{ Inside bool }

// Least is the least timestamp at which rows with these leases may be written; 0: any.
func (a AboveLeases) Least(writes []txn.Write, lease func(txn.Key) txn.Lease) (at txn.Timestamp) {
	if a.Inside {
		return 0
	}
	for _, w := range writes {
		at = max(at, lease(w.Key).Until+1)
	}
	return at
}

// NewLeases returns the leases of a leader in a term, nil where the policy has none.
func NewLeases(p Policy, term uint64) *Leases {
	if !p.RowLeases {
		return nil
	}
	return &Leases{term: term, room: maxReadsKept, floor: 1, newest: 1}
}

// Begin continues after earlier leaders: floor is at or above the timestamps of all votes that they
// have logged.
func (l *Leases) Begin(floor txn.Timestamp) {
	if l != nil {
		l.raise(floor)
	}
}

// raise makes all rows valid from and until this timestamp.
func (l *Leases) raise(floor txn.Timestamp) {
	l.floor = max(l.floor, floor)
	l.newest = max(l.newest, l.floor)
	l.rows.Clear()
	l.spans = nil
}

// Of is a row's present lease.
func (l *Leases) Of(k txn.Key) txn.Lease {
	out, ok := l.rows.Get(k)
	if !ok {
		out = txn.Lease{From: l.floor, Until: l.floor}
	}
	for _, s := range l.spans {
		if s.span.Contains(k) {
			out.Until = max(out.Until, s.at)
		}
	}
	out.Term = l.term
	return out
}

// Newest is at or above the ends of all leases.
func (l *Leases) Newest() txn.Timestamp { return l.newest }

// FillReply adds the leases of the rows and ranges in a reply.
func (l *Leases) FillReply(out *txn.AccessReply) {
	if l == nil {
		return
	}
	for _, row := range out.Rows {
		out.Leases = append(out.Leases, l.Of(row.Key))
	}
	if len(out.Scans) > 0 {
		out.Leased = l.newest
	}
}

// At is the commit timestamp of a vote: the coordinator's maximum over all leases or, of a
// one-phase vote, what the leases here require.
func (l *Leases) At(p *txn.Prepare, row func(txn.Key) txn.Row) txn.Timestamp {
	if !p.OnePhase {
		return p.At
	}
	least := l.least(p, row)
	l.Rules.HitIf(least > p.At, coverage.AboveLeases)
	return max(p.At, least)
}

// least is the least timestamp above the leases of a vote's writes and not before its schema checks
// begin to hold.
func (l *Leases) least(p *txn.Prepare, row func(txn.Key) txn.Row) (at txn.Timestamp) {
	at = l.Writes.Least(p.Writes, l.Of)
	for _, g := range p.SchemaChecks {
		if row(g.Key).Value != nil { // else the shard does not have the row
			at = max(at, l.Of(g.Key).From)
		}
	}
	return at
}

// reaches reports whether a lease returned earlier is valid up to a commit timestamp.
func (l *Leases) reaches(given txn.Lease, at txn.Timestamp) bool {
	return given.Term == l.term && given.Until >= at
}

// leaseOf is the lease that came with a read, or an invalid one.
func leaseOf(p *txn.Prepare, i int) txn.Lease {
	if i < len(p.Leases) {
		return p.Leases[i]
	}
	return txn.Lease{}
}

// StillValid checks that a vote may commit at a timestamp. ReasonLeaseConflict: it may at a later
// one, of which least is the smallest here.
func (l *Leases) StillValid(p *txn.Prepare, at txn.Timestamp, row func(txn.Key) txn.Row, digest SpanDigest) (reason txn.AbortReason, least txn.Timestamp) {
	if least = l.least(p, row); at < least {
		l.Rules.Hit(coverage.AboveLeases)
		return txn.ReasonLeaseConflict, least
	}
	var renewed []txn.ReadCheck
	for i, c := range p.Reads {
		given, now := leaseOf(p, i), row(c.Key)
		switch {
		case l.reaches(given, at):
			l.Rules.HitIf(now.Version != c.Version, coverage.LeaseReaches)
			continue
		case given.Until >= at:
			l.Rules.Hit(coverage.LeaseOfTerm)
		}
		if c.Version.IsZero() && l.Of(c.Key).From > given.From {
			return txn.ReasonRowChanged, 0 // the row is absent again: it may have existed meanwhile
		}
		renewed = append(renewed, c)
	}
	for _, s := range p.Spans {
		if l.writtenIn(s.Span, s.From) {
			return txn.ReasonRangeChanged, 0
		}
	}
	return StillValid(row, digest, renewed, p.Spans), 0
}

// writtenIn reports whether a row of a span may have been written after a timestamp.
func (l *Leases) writtenIn(span txn.Span, since txn.Timestamp) (yes bool) {
	if l.floor > since {
		return true
	}
	l.rows.Ascend(span.Start, func(k txn.Key, have txn.Lease) bool {
		if k >= span.End {
			return false
		}
		yes = have.From > since
		return !yes
	})
	return yes
}

// Renews lists the rows and spans whose leases a vote renews; no other transaction may have locked
// them.
func (l *Leases) Renews(p *txn.Prepare, at txn.Timestamp) (keys []txn.Key, spans []txn.Span) {
	for i, c := range p.Reads {
		if !l.reaches(leaseOf(p, i), at) {
			keys = append(keys, c.Key)
		}
	}
	for _, g := range p.SchemaChecks {
		keys = append(keys, g.Key)
	}
	for _, s := range p.Spans {
		spans = append(spans, s.Span)
	}
	return keys, spans
}

// Renew extends the leases of a vote's reads to its timestamp; later votes must be above.
func (l *Leases) Renew(p *txn.Prepare, at txn.Timestamp) {
	if l == nil {
		return
	}
	keys, spans := l.Renews(p, at)
	for _, k := range keys {
		have := l.Of(k)
		l.set(k, have.From, max(have.Until, at))
	}
	for _, s := range spans {
		l.renewSpan(s, at)
	}
}

// renewSpan extends a span's lease to a timestamp. With too many spans the floor is raised instead.
func (l *Leases) renewSpan(span txn.Span, at txn.Timestamp) {
	l.newest = max(l.newest, at)
	for i := range l.spans {
		if have := &l.spans[i]; have.span == span {
			have.at = max(have.at, at)
			return
		}
	}
	if len(l.spans) >= maxRangesKept {
		l.raise(l.newest)
		return
	}
	l.spans = append(l.spans, spanTimestamp{span, timestampEntry{at: at}})
}

// Wrote begins the leases of new versions, at their commit timestamp. It may be called for a write
// again after a later one: a one-phase commit is shown when a majority has acknowledged it, and
// again when it is applied here.
func (l *Leases) Wrote(writes []txn.Write, at txn.Timestamp) {
	if l == nil {
		return
	}
	for _, w := range writes {
		have := l.Of(w.Key)
		l.set(w.Key, max(have.From, at), max(have.Until, at))
	}
}

// set sets a row's lease. With too many rows the floor is raised instead.
func (l *Leases) set(k txn.Key, from, until txn.Timestamp) {
	l.newest = max(l.newest, until)
	l.rows.Set(k, txn.Lease{From: from, Until: until})
	if l.rows.Len() > l.room {
		l.raise(l.newest)
	}
}
