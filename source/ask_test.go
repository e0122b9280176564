package source

import (
	"strings"
	"testing"

	"isochron/txn"
)

func askOf(what txn.SourceQueryKind, name string) *txn.Message {
	return &txn.Message{SourceQuery: &txn.SourceQuery{Shard: toySource, Request: 77, Kind: what, Name: name}}
}

// reply is the reply to the last query.
func (w *toy) reply() *txn.SourceReply {
	w.t.Helper()
	m := w.last.SourceReply
	if m == nil || m.Request != 77 || m.Shard != toySource {
		w.t.Fatalf("no SourceReply: %+v", w.last)
	}
	w.last, w.sent = txn.Message{}, nil
	return m
}

// A description is the database's; an error of the database is the reply's error.
func TestAnAgentDescribesItsSource(t *testing.T) {
	w := serving(t)
	w.receives(askOf(txn.SourceDescribe, ""))
	if m := w.reply(); m.Schema == nil || m.Schema.Identity != "one" {
		t.Errorf("described as %+v", m)
	}
	w.g.Deliver(gateway, askOf(txn.SourceDescribe, ""))
	w.g.Deliver(gateway, askOf(txn.SourceDescribe, ""))
	if w.run(); len(w.sent) != 1 {
		t.Errorf("a repeated query is answered %q", w.sent)
	}
	w.fails["facts"] = &Error{Text: "the server is down", Gone: true}
	w.receives(askOf(txn.SourceDescribe, ""))
	if m := w.reply(); m.Refused != txn.KindUnavailable || m.Reason != "the server is down" {
		t.Errorf("of one that is down: %+v", m)
	}
	w.full = true
	w.receives(askOf(txn.SourceDescribe, ""))
	if m := w.reply(); m.Refused != txn.KindUnavailable {
		t.Errorf("with too much under way: %+v", m)
	}
	w.receives(askOf(99, ""))
	if m := w.reply(); m.Refused != txn.KindInvalidRequest {
		t.Errorf("asked by a later version: %+v", m)
	}
}

// A prepared branch that has not ended is in doubt. While its gateway answers only the gateway ends it;
// later the log of decisions is queried, and the reply waits for the branch's end.
func TestABranchInDoubtIsResolved(t *testing.T) {
	w := serving(t)
	w.receives(access(1, 1, false, "a"), access(2, 1, true, "b"))
	w.now += second
	w.receives(askOf(txn.SourceInDoubt, ""))
	m := w.reply()
	if len(m.InDoubt) != 1 || m.InDoubt[0].AgeNanos != int64(second) || m.InDoubt[0].Gateway != gateway || m.InDoubt[0].RecordShard != 2 || !strings.Contains(m.InDoubt[0].Reason, "its coordinator, node 9,") {
		t.Fatalf("in doubt: %+v", m.InDoubt)
	}
	name := m.InDoubt[0].Name
	w.receives(askOf(txn.SourceResolve, name))
	if m := w.reply(); m.Refused != txn.KindInvalidRequest || len(w.orphans) != 0 {
		t.Errorf("while its gateway answers: %+v", m)
	}
	w.now += gatewayTimeout(w.g.at.Params)
	w.receives(askOf(txn.SourceResolve, name))
	if len(w.sent) != 0 || len(w.orphans) != 1 || w.orphans[0].RecordShard != 2 || !w.orphans[0].Leftover {
		t.Fatalf("sent %v, orphans %+v", w.sent, w.orphans)
	}
	w.receives(decideOf(2, true))
	if m := w.reply(); m.Refused != 0 {
		t.Errorf("after its end: %+v", m)
	}
	w.has("the decision", "begin a9.1.1", "a", "begin a9.1.2", "b", "prepare a9.1.2", "finish a9.1.2 true")
	w.receives(askOf(txn.SourceResolve, name))
	if m := w.reply(); m.Refused != 0 {
		t.Errorf("one that has ended: %+v", m)
	}
}

// Foreign branches are not touched.
func TestForeignBranchesAreNotResolved(t *testing.T) {
	w := serving(t)
	other := Name{Cluster: toyCluster + 1, Attempt: attempt(1), Source: toySource, RecordShard: 2}
	elsewhere := Name{Cluster: toyCluster, Attempt: attempt(1), Source: toySource + 1, RecordShard: 2}
	w.prepared = []Name{other}
	for _, name := range []string{"billing-7", other.String(), elsewhere.String()} {
		w.receives(askOf(txn.SourceResolve, name))
		if m := w.reply(); m.Refused != txn.KindInvalidRequest || len(w.orphans) != 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// An operator's command ends a branch without the log, but not while its gateway answers.
func TestABranchIsForced(t *testing.T) {
	for how, want := range map[txn.SourceQueryKind]string{txn.SourceCommit: "finish a9.1.1 true", txn.SourceUndo: "finish a9.1.1 false"} {
		w := serving(t)
		w.receives(access(1, 1, true, "a"))
		name := w.prepared[0].String()
		w.did = nil
		w.receives(askOf(how, name))
		if m := w.reply(); m.Refused != txn.KindInvalidRequest || len(w.did) != 0 {
			t.Errorf("while its gateway answers: %+v, %v", m, w.did)
		}
		w.now += gatewayTimeout(w.g.at.Params)
		w.receives(askOf(how, name))
		if m := w.reply(); m.Refused != 0 || len(w.orphans) != 0 || w.g.Holders() != 0 {
			t.Errorf("forced: %+v, %v", m, w.orphans)
		}
		w.has("by force", want)
	}
}
