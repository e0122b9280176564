package source

import (
	"context"
	"testing"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// quick is a toy whose driver is a OneTripDriver.
type quick struct{ *toy }

func (w quick) Once(ctx context.Context, n Name, o BranchOptions, s Statement) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, &Error{Text: "interrupted", Ends: true, Unknown: true}
	}
	r := Result{Affected: 1}
	if s.Text == "large" {
		r.Rows = [][][]byte{{make([]byte, answerBytesMax+1)}}
	}
	return r, w.do("once " + n.Attempt.String() + " " + s.Text + " at " + o.Incarnation)
}

// newQuick returns one that serves and has reported its incarnation.
func newQuick(t *testing.T) *toy {
	w := &toy{t: t, fails: map[string]*Error{}, identity: "one", facts: Facts{Incarnation: "i1", ForgetsReads: true}}
	open := Factory(Config{Cluster: toyCluster, BranchesMax: 8, Open: func(routing.Shard) (Driver, error) { return quick{w}, nil }})
	p, err := open(participant.OpenOptions{Shard: routing.Shard{ID: toySource, Kind: Kind}, Self: 2, Epoch: toyTerm, Params: txn.Params{}.WithDefaults(), Env: w})
	if err != nil {
		t.Fatal(err)
	}
	w.g = p.(*Agent)
	w.run()
	w.did = nil
	return w
}

// whole is a batch that is its whole transaction.
func whole(n int, statements ...string) *txn.Message {
	m := access(n, 1, true, statements...)
	m.Access.Batch.Last.OnePhase, m.Access.Batch.Last.Participants, m.Access.Batch.Peers = true, []txn.ShardID{toySource}, nil
	return m
}

func TestATransactionOfOneStatement(t *testing.T) {
	w := newQuick(t)
	w.receives(whole(1, "a"))
	w.expect("one statement", "9: 1 results, committed")
	w.has("it", "once a9.1.1 a at i1")
	w.receives(whole(1, "a"))
	w.expect("the same again: its answer is lost, and it is not done twice", "9: unknown, refused")
	w.has("nothing")
	w.receives(whole(2, "a", "b"))
	w.expect("two statements", "9: 2 results, committed")
	w.has("a branch", "begin a9.1.2", "a", "b", "commit a9.1.2")
	w.receives(access(3, 1, false, "a"))
	m := whole(3, "b")
	m.Access.Batch.Step, m.Access.Request = 2, 302
	w.receives(m)
	w.has("transactions begun before", "begin a9.1.3", "a", "b", "commit a9.1.3")
	if len(w.g.branches) != 0 {
		t.Errorf("%v is left", w.g.Summary())
	}
}

func TestATransactionOfOneStatementFails(t *testing.T) {
	w := newQuick(t)
	w.fails["once a9.1.1 a at i1"] = &Error{Code: 1062, Text: "twice", Ends: true}
	w.receives(whole(1, "a"), whole(1, "a"))
	w.expect("a refused statement, twice", "9: refused", "9: refused")
	w.fails["once a9.1.2 a at i1"] = &Error{Code: 2013, Text: "broke", Ends: true, Gone: true, Unknown: true}
	w.receives(whole(2, "a"), whole(2, "a"))
	w.expect("a connection that broke, twice", "9: unknown, refused", "9: unknown, refused")
	w.receives(whole(3, "large"))
	w.expect("a reply too large to send of a statement that changed rows", "9: unknown, refused")
	if len(w.g.branches) != 0 {
		t.Errorf("%v is left", w.g.Summary())
	}
}

// A statement abandoned by its gateway while it runs is cancelled; the driver reports its outcome.
func TestATransactionOfOneStatementIsAbandoned(t *testing.T) {
	w := newQuick(t)
	w.g.Deliver(gateway, whole(1, "a"))
	w.g.Deliver(gateway, decideOf(1, false))
	w.run()
	w.expect("abandoned before it ran", "9: unknown, refused", "9: ack")
	w.has("nothing")
	w.receives(inquireOf(1))
	w.expect("an inquiry", "9: finding 2 forgot=true")
}

// It waits behind the restart barrier like every branch that begins.
func TestATransactionOfOneStatementWaitsBehindTheRestartBarrier(t *testing.T) {
	w := newQuick(t)
	w.receives(access(1, 1, true, "a"))
	w.expect("a prepared one", "9: 1 results", "9: yes")
	w.did = nil
	w.facts.Incarnation = "i2"
	w.g.recovery.queryDecision()
	w.run()
	w.did = nil
	w.receives(whole(2, "b"))
	w.expect("while it is open")
	w.has("nothing")
	w.receives(decideOf(1, true))
	w.expect("its end", "9: ack", "9: 1 results, committed")
	w.has("both", "finish a9.1.1 true", "once a9.1.2 b at i2")
}
