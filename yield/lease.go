package yield

import (
	"github.com/tidwall/btree"

	"isochron/coverage"
	"isochron/txn"
)

// Leases of rows (Sundial, PVLDB 11(10), 2018, section 3). A version has a lease: the commit
// timestamps for which it is the one to be read. Who reads locks nothing and takes the lease along.
// Who commits does so at one timestamp, not before what it has read begins and above all that was
// promised of what it writes; and what it has read has to reach up to there. If the lease that it
// took along does, the row may have been overwritten since: it comes before who did that, whatever
// real time says. If not, the lease is renewed, for which the version must be the newest one still
// and nobody else may have locked the row.
//
// Leases are the leader's alone and no log has them. What makes them last is the timestamp of each
// vote, which the log has: a later leader promises of all rows at once that nothing is written at or
// below the largest of those (floor), and heeds no lease of an earlier term.
//
// Invariant: no row is written at or below the end of a lease of it that counts, and a row's lease is
// never longer while another may yet write it: whoever is about to has locked it.
type Leases struct {
	rows   btree.Map[txn.Key, txn.Lease] // that are other than the floor has them
	spans  []spanTimestamp               // until when nothing appears in them, or changes
	floor  txn.Timestamp                 // from when on, and up to when, all other rows are as they are
	newest txn.Timestamp                 // at or above all of these
	term   uint64
	room   int              // of rows
	Rules  *coverage.Counts // nil: nothing is counted
	Writes AboveLeases
}

// AboveLeases is the rule of who writes: no row at or below the end of a lease of it. A leader has it,
// and so has who proposes the timestamps of commits. Inside plants the bug that breaks it: see
// txn.Bugs.WriteInsideLease.
type AboveLeases struct{ Inside bool }

// Least is the least timestamp at which rows may be written whose leases are these; 0 is any.
func (a AboveLeases) Least(writes []txn.Write, lease func(txn.Key) txn.Lease) (at txn.Timestamp) {
	if a.Inside {
		return 0
	}
	for _, w := range writes {
		at = max(at, lease(w.Key).Until+1)
	}
	return at
}

// NewLeases are those of a leader of a term, nil where the policy has none.
func NewLeases(p Policy, term uint64) *Leases {
	if !p.RowLeases {
		return nil
	}
	return &Leases{term: term, room: maxReadsKept, floor: 1, newest: 1}
}

// Begin takes over from earlier leaders: floor is at or above the timestamps of all votes that they
// have logged.
func (l *Leases) Begin(floor txn.Timestamp) {
	if l != nil {
		l.raise(floor)
	}
}

// raise has all rows be as they are from this timestamp on, and up to it.
func (l *Leases) raise(floor txn.Timestamp) {
	l.floor = max(l.floor, floor)
	l.newest = max(l.newest, l.floor)
	l.rows.Clear()
	l.spans = nil
}

// Of is a row's lease now.
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

// FillReply adds the leases of rows, and of ranges, to an answer that has them.
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

// At is the commit timestamp of a vote: what its coordinator has made of all leases, or, if nobody
// else votes, whatever the leases here ask for.
func (l *Leases) At(p *txn.Prepare, row func(txn.Key) txn.Row) txn.Timestamp {
	if !p.OnePhase {
		return p.At
	}
	least := l.least(p, row)
	l.Rules.HitIf(least > p.At, coverage.AboveLeases)
	return max(p.At, least)
}

// least is the least timestamp that is above the leases of what a vote writes, and not before what
// guards it begins.
func (l *Leases) least(p *txn.Prepare, row func(txn.Key) txn.Row) (at txn.Timestamp) {
	at = l.Writes.Least(p.Writes, l.Of)
	for _, g := range p.SchemaChecks {
		if row(g.Key).Value != nil { // else the shard has no opinion
			at = max(at, l.Of(g.Key).From)
		}
	}
	return at
}

// reaches reports whether a lease that was given counts, up to a commit timestamp.
func (l *Leases) reaches(given txn.Lease, at txn.Timestamp) bool {
	return given.Term == l.term && given.Until >= at
}

// leaseOf is the lease that came with a read, or one that counts for nothing.
func leaseOf(p *txn.Prepare, i int) txn.Lease {
	if i < len(p.Leases) {
		return p.Leases[i]
	}
	return txn.Lease{}
}

// StillValid checks that a vote may be at a timestamp. If it says ReasonLeaseConflict, it may be at a later
// one: least is one that would do here.
func (l *Leases) StillValid(p *txn.Prepare, at txn.Timestamp, row func(txn.Key) txn.Row, scan func(txn.Scan) txn.ScanRows) (reason txn.AbortReason, least txn.Timestamp) {
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
			return txn.ReasonRowChanged, 0 // it is not there again: it may have been, meanwhile
		}
		renewed = append(renewed, c)
	}
	for _, s := range p.Spans {
		if l.writtenIn(s.Span, s.From) {
			return txn.ReasonRangeChanged, 0
		}
	}
	return StillValid(row, scan, renewed, p.Spans), 0
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

// Renews is what a vote has to have unlocked by others, for its leases there are to be renewed.
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

// Renew has the leases of a vote reach up to its timestamp. What it says holds for whoever votes later.
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

// renewSpan has a span reach up to a timestamp. Of too many all rows reach as far as any.
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

// Wrote begins the leases of new versions, at the commit timestamp that wrote them. It may say so of a
// write once more, when another has come after it: who commits in one phase is shown when majorities
// have told of it, and again when the log has come that far here.
func (l *Leases) Wrote(writes []txn.Write, at txn.Timestamp) {
	if l == nil {
		return
	}
	for _, w := range writes {
		have := l.Of(w.Key)
		l.set(w.Key, max(have.From, at), max(have.Until, at))
	}
}

// set sets a row's lease. Of too many all rows are as they are from the newest on.
func (l *Leases) set(k txn.Key, from, until txn.Timestamp) {
	l.newest = max(l.newest, until)
	l.rows.Set(k, txn.Lease{From: from, Until: until})
	if l.rows.Len() > l.room {
		l.raise(l.newest)
	}
}
