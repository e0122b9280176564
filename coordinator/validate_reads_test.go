package coordinator

import (
	"testing"

	"isochron/txn"
)

// A row that exists now and did not in a span read before is new.
func TestCovered(t *testing.T) {
	span := func(from, to txn.Key) readSpan {
		return readSpan{SpanCheck: txn.SpanCheck{Span: txn.Span{Start: from, End: to}}}
	}
	in := covered([]readSpan{span("m", "p"), span("a", "z1"), span("b", "c"), span("zz", "zzz")})
	for key, want := range map[txn.Key]bool{"A": false, "a": true, "b": true, "c": true, "n": true, "z0": true, "z1": false, "zy": false, "zz": true, "zzz": false} {
		if in(key) != want {
			t.Errorf("covered(%q) = %v, want %v", key, !want, want)
		}
	}
	if covered(nil)("a") {
		t.Error("nothing covers a key")
	}
}

// opened is a transaction that has read a row of shard 2 without a lock, and one with.
func opened(c *Coordinator) *transaction {
	t := &transaction{id: txn.ID{Node: 1, Seq: 7}, touched: []participantState{{shard: 2, locked: true}}}
	t.seen.add(readRow{row: txn.Row{Key: "\x10loose"}})
	t.seen.add(readRow{row: txn.Row{Key: "\x10held"}, lock: txn.LockExclusive})
	t.spans = []readSpan{{SpanCheck: txn.SpanCheck{Span: txn.Span{Start: "\x10a", End: "\x10b"}}}, {SpanCheck: txn.SpanCheck{Span: txn.Span{Start: "\x10h", End: "\x10i"}}}}
	c.txns[t.id] = t
	return t
}

// Confirm requests a read-only vote on all reads, since a lock may be gone unknown to the gateway;
// whatever the result, it does not end the transaction, and no state is left.
func TestConfirm(t *testing.T) {
	for _, valid := range []bool{true, false} {
		c, env := openFake(t)
		open := opened(c)
		var got []Response
		c.run(open, &Request{Op: OpConfirm, Txn: open.id, Done: func(r Response) { got = append(got, r) }})
		if len(env.sent) != 1 || env.sent[0].Prepare == nil {
			t.Fatalf("sent: %+v", env.sent)
		}
		p := env.sent[0].Prepare
		if !p.ReadOnly || p.Txn != open.id || len(p.Reads) != 2 || p.Reads[0].Key != "\x10held" || len(p.Spans) != 2 || len(p.Writes) != 0 {
			t.Errorf("asked: %+v", p)
		}
		env.sent = nil
		v := &txn.Vote{Shard: 2, Attempt: p.Attempt, Yes: valid}
		if !valid {
			v.Refused, v.Reason = txn.KindAborted, "a range it read has changed since"
		}
		c.Deliver(1, &txn.Message{Vote: v})
		if len(got) != 1 || (got[0].Err == nil) != valid || got[0].Txn != open.id {
			t.Fatalf("answered: %+v", got)
		}
		if c.txns[open.id] != open || len(c.commits.all) != 0 || len(c.attempts.active) != 0 || len(env.ended) != 0 || open.commit != nil {
			t.Errorf("valid %v: %d transactions, %d commits, active %v, ended %+v", valid, len(c.txns), len(c.commits.all), c.attempts.active, env.ended)
		}
		if released := len(env.sent) == 1 && env.sent[0].Release != nil; released == valid || (open.failed == nil) != valid {
			t.Errorf("valid %v: sent %+v, failed %v", valid, env.sent, open.failed)
		}
	}
}

// A transaction without reads, or with snapshot reads only, asks no node.
func TestValidationWithoutReadsSendsNothing(t *testing.T) {
	for name, change := range map[string]func(*transaction){
		"nothing": func(t *transaction) { t.seen, t.spans = readSet{}, nil },
		"weaker":  func(t *transaction) { t.level = txn.RepeatableRead },
	} {
		c, env := openFake(t)
		open := opened(c)
		change(open)
		var got []Response
		c.run(open, &Request{Op: OpConfirm, Txn: open.id, Done: func(r Response) { got = append(got, r) }})
		if len(got) != 1 || got[0].Err != nil || len(env.sent) != 0 {
			t.Errorf("%s: answered %+v, sent %+v", name, got, env.sent)
		}
	}
}
