package replica

import (
	"testing"

	"isochron/txn"
)

// viewRecord returns a replica's record of attempts: in view 7, unless it was left behind.
func viewRecord(id txn.NodeID, entries ...txn.Entry) *txn.ViewRecord {
	return &txn.ViewRecord{Shard: shard, View: 8, Replica: id, Normal: 7, Entries: entries}
}

func opined(p *txn.Prepare, a txn.ValidationResult) txn.Entry {
	return txn.Entry{Prepare: *p, Result: a, View: 7}
}

func took(p *txn.Prepare, yes bool) txn.Entry {
	return txn.Entry{Prepare: *p, View: 7, Final: true, Yes: yes}
}

func ended(rec *txn.ViewRecord, p *txn.Prepare, commit bool) *txn.ViewRecord {
	end := txn.DecidedEntry{Attempt: p.Attempt, Result: txn.OutcomeAborted}
	if commit {
		end = txn.DecidedEntry{Attempt: p.Attempt, Result: txn.OutcomeCommitted, At: p.At, Prepare: p}
	}
	rec.Decided = append(rec.Decided, end)
	return rec
}

func behind(rec *txn.ViewRecord) *txn.ViewRecord {
	rec.Normal = 6
	return rec
}

func fence(rec *txn.ViewRecord, p *txn.Prepare) *txn.ViewRecord {
	rec.Fence = append(rec.Fence, txn.Inquire{Shard: shard, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants})
	return rec
}

// The leader of view 7 is replica 2 of three, replica 3 of five.
func TestMerge(t *testing.T) {
	x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a", "w:a")
	blind := prepare(2, 20, "w:a")
	early := prepare(3, 5, "r:a")
	reads := prepare(4, 20, "r:a=1")
	over := prepare(5, 20, "w:a", "r:a=1")
	type want map[uint64]string // of open attempts, by their numbers
	for _, c := range []struct {
		name    string
		rows    []string
		n       int
		records []*txn.ViewRecord
		want    want
	}{
		{"what two of three call OK may be a fast path", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(3, opined(x, ok))}, want{1: "yes"}},
		{"what one of three calls OK is none", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(3)}, want{1: "no"}},
		{"without the leader of the last view there is none", []string{carousel, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, abstain))}, want{1: "no"}},
		{"an accepted vote is kept", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, took(x, true)), viewRecord(3, opined(x, abstain))}, want{1: "yes"}},
		{"an accepted No is kept", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, took(x, false)), viewRecord(3, opined(x, ok))}, want{1: "no"}},
		{"a replica of an older view does not count for open attempts", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), behind(viewRecord(3, opined(x, ok), took(y, true)))}, want{1: "no"}},
		{"but of endings", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), behind(ended(viewRecord(3), x, true))}, want{}},
		{"an unknown attempt is refused", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1), fence(viewRecord(3), x)}, want{1: "no"}},
		{"of two that clash one alone can be a fast path", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok), opined(y, abstain)), viewRecord(3, opined(x, ok), opined(y, abstain))}, want{1: "yes", 2: "no"}},
		{"what does not fit with a commit was none", []string{carousel, tapir, starry}, 3,
			[]*txn.ViewRecord{ended(viewRecord(1, opined(y, ok)), x, true), viewRecord(3, opined(y, ok))}, want{2: "no"}},
		{"writes in the order of timestamps stand beside each other", []string{tapir}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok), opined(blind, ok)), viewRecord(3, opined(x, ok), took(blind, true))}, want{1: "yes", 2: "yes"}},
		{"a read before an accepted write stays valid", []string{tapir}, 3,
			[]*txn.ViewRecord{viewRecord(1, opined(early, ok), took(x, true)), viewRecord(3, opined(early, ok))}, want{1: "yes", 3: "yes"}},
		{"a read before a committed write stays valid", []string{tapir}, 3,
			[]*txn.ViewRecord{ended(viewRecord(1, opined(early, ok)), x, true), viewRecord(3, opined(early, ok))}, want{3: "yes"}},
		{"a write that a later read has missed was none", []string{tapir}, 3,
			[]*txn.ViewRecord{ended(viewRecord(1, opined(x, ok)), prepare(6, 20, "r:a"), true), viewRecord(3, opined(x, ok))}, want{1: "no"}},
		{"a write of which a later one has read counts", []string{tapir}, 3,
			[]*txn.ViewRecord{ended(viewRecord(1, opined(x, ok)), reads, true), viewRecord(3, opined(x, ok))}, want{1: "yes"}},
		{"one is enough if there is no other", []string{carousel, tapir, starry}, 1,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok), opined(y, abstain))}, want{1: "yes", 2: "no"}},
		{"two of five may be a fast path", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4)}, want{1: "yes"}},
		{"where all must agree they are none", []string{starry}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4)}, want{1: "no"}},
		{"and what clashes with them may count too: one record more is needed", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4, took(over, true))}, nil},
		{"or be committed", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(y, ok)), viewRecord(2, opined(y, ok)), ended(viewRecord(4), x, true)}, nil},
		{"a fourth vote excludes it", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4, took(over, true)), viewRecord(5, took(over, true))}, want{1: "no", 5: "yes"}},
		{"a fourth knows how the first ended", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4, took(over, true)), ended(viewRecord(5, opined(over, ok)), x, true)}, want{5: "yes"}},
		{"of four, three for one leave no majority for the other", []string{carousel, tapir}, 5,
			[]*txn.ViewRecord{viewRecord(1, opined(x, ok)), viewRecord(2, opined(x, ok)), viewRecord(4, took(over, true)), viewRecord(5, opined(x, ok))}, want{1: "yes", 5: "no"}},
	} {
		for _, row := range c.rows {
			n := newNet(t, row, c.n)
			r := n.at[1].r
			r.rec.meta.View = 8
			for _, end := range endingsOf(c.records) {
				r.learn(end)
			}
			entries, enough := r.merger.merge(c.records)
			if enough != (c.want != nil) {
				t.Errorf("%s, %s: enough is %v", row, c.name, enough)
				continue
			}
			if !enough {
				continue
			}
			if len(entries) != len(c.want) {
				t.Errorf("%s, %s: %d attempts are settled, not %d", row, c.name, len(entries), len(c.want))
			}
			for _, e := range entries {
				if got := yesNo(e.Yes); got != c.want[e.Prepare.Attempt.Seq] || !e.Final || e.View != 8 {
					t.Errorf("%s, %s: attempt %d is settled as %s in view %d", row, c.name, e.Prepare.Attempt.Seq, got, e.View)
				}
			}
		}
	}
}
