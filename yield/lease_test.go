package yield

import (
	"fmt"
	"testing"

	"isochron/coverage"
	"isochron/txn"
)

// leased is a leader's rows and their leases. Version n of a row is written by attempt n; version
// 0: the row is absent.
type leased struct {
	*Leases
	rows map[txn.Key]txn.Row
}

func newLeased(term uint64) *leased {
	return &leased{NewLeases(Lease, term), map[txn.Key]txn.Row{}}
}

func (l *leased) row(k txn.Key) txn.Row {
	if row, ok := l.rows[k]; ok {
		return row
	}
	return txn.Row{Key: k}
}

func (l *leased) scan(s txn.Scan) (out txn.ScanRows) {
	for _, k := range []txn.Key{"a", "b", "c", "x", "y"} {
		if row := l.row(k); s.Span.Contains(k) && row.Value != nil {
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}

// write commits version n of a row at a timestamp; 0 deletes it.
func (l *leased) write(k txn.Key, n uint64, at txn.Timestamp) {
	l.rows[k] = txn.Row{Key: k}
	if n > 0 {
		l.rows[k] = txn.Row{Key: k, Value: []byte{1}, Version: by(n)}
	}
	l.Wrote([]txn.Write{{Key: k}}, at)
}

// read is the read checks of a vote for rows.
func (l *leased) read(keys ...txn.Key) *txn.Prepare {
	p := &txn.Prepare{}
	for _, k := range keys {
		p.Reads = append(p.Reads, txn.ReadCheck{Key: k, Version: l.row(k).Version})
		p.Leases = append(p.Leases, l.Of(k))
	}
	return p
}

// ranged is a read of a span.
func (l *leased) ranged(s txn.Span) *txn.Prepare {
	rows := l.scan(txn.Scan{Span: s}).Rows
	return &txn.Prepare{Spans: []txn.SpanCheck{{Span: s, Count: len(rows), Digest: txn.Digest(rows), From: l.Newest()}}}
}

func (l *leased) digest(s txn.Span, _ int) (int, uint64) {
	rows := l.scan(txn.Scan{Span: s}).Rows
	return len(rows), txn.Digest(rows)
}

// votes is the result of a vote at a timestamp without conflicting locks.
func (l *leased) votes(p *txn.Prepare, at txn.Timestamp) string {
	switch reason, least := l.StillValid(p, at, l.row, l.digest); reason {
	case txn.NotRefused:
		l.Renew(p, at)
		return "yes"
	case txn.ReasonLeaseConflict:
		return fmt.Sprintf("behind %d", least)
	case txn.ReasonRowChanged, txn.ReasonRangeChanged:
		return "changed"
	}
	return "?"
}

func (l *leased) want(t *testing.T, what string, p *txn.Prepare, at txn.Timestamp, want string) {
	t.Helper()
	if got := l.votes(p, at); got != want {
		t.Errorf("%s, at %d: %s, want %s", what, at, got, want)
	}
}

func writing(p *txn.Prepare, keys ...txn.Key) *txn.Prepare {
	for _, k := range keys {
		p.Writes = append(p.Writes, txn.Write{Key: k})
	}
	return p
}

// An overwritten version remains readable up to the end of its lease, and no further; its successor
// is written above that.
func TestALeaseOutlivesItsVersion(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 5)
	l.want(t, "a reader has the lease renewed", l.read("x"), 9, "yes")
	early := l.read("x")
	l.want(t, "a write inside the lease", writing(l.read("x"), "x"), 9, "behind 10")
	l.want(t, "a write after it", writing(l.read("x"), "x"), 10, "yes")
	l.write("x", 2, 10)
	l.want(t, "with the lease", early, 9, "yes")
	l.want(t, "with the lease, after its end", early, 10, "changed")
	if got, want := l.Of("x"), (txn.Lease{From: 10, Until: 10, Term: 1}); got != want {
		t.Errorf("lease of the new version %v, want %v", got, want)
	}
}

// A write reported again after a later one shortens no lease: otherwise the next write could
// precede both.
func TestARepeatedWriteShortensNoLease(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 38)
	l.write("x", 2, 41)
	l.Wrote([]txn.Write{{Key: "x"}}, 38)
	if got := l.Of("x"); got.From != 41 || got.Until != 41 {
		t.Errorf("lease from %d until %d, want 41", got.From, got.Until)
	}
}

// An append that was read within a lease and committed after it is checked: another write may have
// come between.
func TestAWriterChecksItsOwnRead(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 5)
	first, second := writing(l.read("x"), "x"), writing(l.read("x"), "x")
	l.want(t, "the first", first, 6, "yes")
	l.write("x", 2, 6)
	l.want(t, "the second, at the first's timestamp", second, 6, "behind 7")
	l.want(t, "the second, above it", second, 7, "changed")
}

// An absent row has no version that distinguishes it from one that existed meanwhile.
func TestAnAbsentRowMayHaveBeenThere(t *testing.T) {
	l := newLeased(1)
	l.write("y", 1, 8)
	gone := l.read("x")
	l.want(t, "nothing has happened", gone, 8, "yes")
	gone = l.read("x")
	l.write("x", 2, 12)
	l.write("x", 0, 20)
	l.want(t, "it was there from 12 to 20", gone, 15, "changed")
	l.want(t, "before that", gone, 8, "yes")
	l.want(t, "a read after that", l.read("x"), 20, "yes")
}

// A lease is valid in the term of the leader that gave it. A later leader honours what the votes in
// its log have promised, and checks versions.
func TestALeaseOfAnEarlierTerm(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 5)
	l.want(t, "a reader", l.read("x"), 9, "yes")
	old, gone := l.read("x"), l.read("y")
	next := newLeased(2)
	next.rows = l.rows
	next.Begin(9)
	next.want(t, "a write that the earlier leader would not have taken", writing(next.read("x"), "x"), 9, "behind 10")
	next.want(t, "the version is the same", old, 9, "yes")
	next.want(t, "the same row is not there", gone, 9, "changed")
	next.write("x", 2, 10)
	next.want(t, "the version is another, and the lease of no use", old, 9, "changed")
}

// A range read holds the same rows at the commit, and nothing appears in it before.
func TestLeasesOfRanges(t *testing.T) {
	span := txn.Span{Start: "a", End: "m"}
	l := newLeased(1)
	l.write("b", 1, 5)
	l.want(t, "a reader", l.ranged(span), 9, "yes")
	l.want(t, "a write into the range", writing(&txn.Prepare{}, "c"), 9, "behind 10")
	l.want(t, "a write beside it", writing(&txn.Prepare{}, "x"), 9, "yes")
	before := l.ranged(span)
	l.write("c", 2, 12)
	l.want(t, "another row is there", before, 12, "changed")
	l.write("c", 0, 13)
	l.want(t, "it was there meanwhile", before, 12, "changed")
	l.want(t, "a read after that", l.ranged(span), 13, "yes")
	next := newLeased(2)
	next.rows = l.rows
	next.Begin(13)
	next.want(t, "a later leader does not know the rows in between", before, 13, "changed")
}

// The leader of a one-phase vote chooses the timestamp; otherwise all use the coordinator's.
func TestOneVoteChoosesItsTimestamp(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 5)
	l.write("g", 2, 30)
	l.want(t, "a reader", l.read("x"), 9, "yes")
	p := writing(&txn.Prepare{At: 3}, "x")
	for _, c := range []struct {
		onePhase, guarded bool
		want              txn.Timestamp
	}{{false, false, 3}, {true, false, 10}, {true, true, 30}} {
		if p.OnePhase, p.SchemaChecks = c.onePhase, nil; c.guarded {
			p.SchemaChecks = []txn.ReadCheck{{Key: "g", Version: by(2)}}
		}
		if got := l.At(p, l.row); got != c.want {
			t.Errorf("%+v: at %d", c, got)
		}
	}
	l.want(t, "the guard begins later", p, 20, "behind 30")
	l.want(t, "a guard of which this shard knows nothing", &txn.Prepare{SchemaChecks: []txn.ReadCheck{{Key: "none"}}}, 2, "yes")
	l.want(t, "the guard may not change before that", p, 31, "yes")
	if got := l.Of("g").Until; got != 31 {
		t.Errorf("the lease of the schema check ends at %d", got)
	}
}

// Rows whose leases are renewed must be free of others' locks; rows within a lease returned earlier
// need not.
func TestRenewsOnlyBeyondTheLease(t *testing.T) {
	l := newLeased(1)
	l.write("x", 1, 5)
	p := l.read("x", "y")
	p.SchemaChecks = []txn.ReadCheck{{Key: "g"}}
	p.Spans = l.ranged(txn.Span{Start: "a", End: "m"}).Spans
	for at, want := range map[txn.Timestamp]string{5: "[y g] 1", 6: "[x y g] 1"} { // order: each by itself
		keys, spans := l.Renews(p, at)
		if got := fmt.Sprint(keys, " ", len(spans)); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// With too many rows or ranges all rows are valid from and until the newest timestamp.
func TestLeasesAreBounded(t *testing.T) {
	for what, fill := range map[string]func(*leased){ // order: each by itself
		"rows": func(l *leased) {
			l.room = 2
			l.write("a", 2, 40)
			l.write("b", 3, 30)
		},
		"ranges": func(l *leased) {
			for i := range maxRangesKept + 1 {
				l.renewSpan(txn.Span{Start: "a", End: txn.Key(fmt.Sprint("b", i))}, 40)
			}
		},
	} {
		l := newLeased(1)
		l.write("x", 1, 5)
		early := l.read("x")
		fill(l)
		if got := l.Of("x"); got.From != 40 || got.Until != 40 || l.Leases.rows.Len() != 0 || len(l.spans) > 1 {
			t.Errorf("too many %s: lease of x %+v, %d rows and %d ranges kept", what, got, l.Leases.rows.Len(), len(l.spans))
		}
		l.want(t, "too many "+what+": a write inside", writing(l.read("x"), "x"), 40, "behind 41")
		l.want(t, "too many "+what+": the old lease", early, 5, "yes")
		l.want(t, "too many "+what+": it is renewed", early, 7, "yes")
	}
}

// Policies without leases have a nil Leases.
func TestNoLeases(t *testing.T) {
	l := NewLeases(Validate, 1)
	out := &txn.AccessReply{Rows: []txn.Row{{Key: "x"}}, Scans: []txn.ScanRows{{}}}
	l.Begin(5)
	l.FillReply(out)
	l.Renew(&txn.Prepare{}, 5)
	l.Wrote([]txn.Write{{Key: "x"}}, 5)
	if l != nil || out.Leases != nil || out.Leased != 0 {
		t.Errorf("there are leases: %v, %+v", l, out)
	}
}

// The rules are counted where they refuse, or accept what would otherwise be refused.
func TestLeasesCount(t *testing.T) {
	l := newLeased(2)
	l.Rules = &coverage.Counts{}
	l.write("x", 1, 5)
	early := l.read("x")
	l.votes(l.read("x"), 5)
	for _, r := range []coverage.Rule{coverage.LeaseReaches, coverage.LeaseOfTerm, coverage.AboveLeases} {
		if l.Rules.Times(r) != 0 {
			t.Errorf("%s was hit", r.Name())
		}
	}
	l.votes(writing(l.read("x"), "x"), 5)
	l.write("x", 2, 6)
	l.votes(early, 5)
	early.Leases[0].Term = 1
	l.votes(early, 5)
	for _, r := range []coverage.Rule{coverage.LeaseReaches, coverage.LeaseOfTerm, coverage.AboveLeases} {
		if l.Rules.Times(r) != 1 {
			t.Errorf("%s was hit %d times", r.Name(), l.Rules.Times(r))
		}
	}
}
