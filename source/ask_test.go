package source

import (
	"strings"
	"testing"

	"isochron/txn"
)

func askOf(what txn.SourceQuestion, name string) *txn.Message {
	return &txn.Message{SourceAsk: &txn.SourceAsk{Shard: toySource, Request: 77, What: what, Name: name}}
}

// told is the answer to the last question.
func (w *toy) told() *txn.SourceTold {
	w.t.Helper()
	m := w.last.SourceTold
	if m == nil || m.Request != 77 || m.Shard != toySource {
		w.t.Fatalf("it was answered %+v", w.last)
	}
	w.last, w.sent = txn.Message{}, nil
	return m
}

// What a source says of itself comes from the database; what it cannot say is an error.
func TestAnAgentDescribesItsSource(t *testing.T) {
	w := serving(t)
	w.hears(askOf(txn.SourceDescribe, ""))
	if m := w.told(); m.Schema == nil || m.Schema.Identity != "one" {
		t.Errorf("described as %+v", m)
	}
	w.g.Deliver(gateway, askOf(txn.SourceDescribe, ""))
	w.g.Deliver(gateway, askOf(txn.SourceDescribe, ""))
	if w.run(); len(w.sent) != 1 {
		t.Errorf("asked again it answers %q", w.sent)
	}
	w.fails["facts"] = &Error{Text: "it is down", Gone: true}
	w.hears(askOf(txn.SourceDescribe, ""))
	if m := w.told(); m.Refused != txn.KindUnavailable || m.Reason != "it is down" {
		t.Errorf("of one that is down: %+v", m)
	}
	w.full = true
	w.hears(askOf(txn.SourceDescribe, ""))
	if m := w.told(); m.Refused != txn.KindUnavailable {
		t.Errorf("with too much under way: %+v", m)
	}
	w.hears(askOf(99, ""))
	if m := w.told(); m.Refused != txn.KindMisuse {
		t.Errorf("asked by a later version: %+v", m)
	}
}

// In doubt is what is prepared and has not ended. While its gateway answers nobody else ends
// it; after that the log of decisions is asked, and the answer waits for the end.
func TestABranchInDoubtIsResolved(t *testing.T) {
	w := serving(t)
	w.hears(access(1, 1, false, "a"), access(2, 1, true, "b"))
	w.now += second
	w.hears(askOf(txn.SourceInDoubt, ""))
	m := w.told()
	if len(m.InDoubt) != 1 || m.InDoubt[0].AgeNanos != int64(second) || m.InDoubt[0].Gateway != gateway || m.InDoubt[0].DecidedAt != 2 || !strings.Contains(m.InDoubt[0].Why, "node 9 coordinates it") {
		t.Fatalf("in doubt: %+v", m.InDoubt)
	}
	name := m.InDoubt[0].Name
	w.hears(askOf(txn.SourceResolve, name))
	if m := w.told(); m.Refused != txn.KindMisuse || len(w.orphans) != 0 {
		t.Errorf("while its gateway answers: %+v", m)
	}
	w.now += patience(w.g.at.Params)
	w.hears(askOf(txn.SourceResolve, name))
	if len(w.sent) != 0 || len(w.orphans) != 1 || w.orphans[0].DecidedAt != 2 || !w.orphans[0].Leftover {
		t.Fatalf("it says %v and has %+v looked after", w.sent, w.orphans)
	}
	w.hears(decideOf(2, true))
	if m := w.told(); m.Refused != 0 {
		t.Errorf("after its end: %+v", m)
	}
	w.has("the decision", "begin a9.1.1", "a", "begin a9.1.2", "b", "prepare a9.1.2", "finish a9.1.2 true")
	w.hears(askOf(txn.SourceResolve, name))
	if m := w.told(); m.Refused != 0 {
		t.Errorf("one that has ended: %+v", m)
	}
}

// What is somebody else's is not touched.
func TestForeignBranchesAreNotResolved(t *testing.T) {
	w := serving(t)
	other := Name{Cluster: toyCluster + 1, Attempt: attempt(1), Source: toySource, DecidedAt: 2}
	elsewhere := Name{Cluster: toyCluster, Attempt: attempt(1), Source: toySource + 1, DecidedAt: 2}
	w.prepared = []Name{other}
	for _, name := range []string{"billing-7", other.String(), elsewhere.String()} {
		w.hears(askOf(txn.SourceResolve, name))
		if m := w.told(); m.Refused != txn.KindMisuse || len(w.orphans) != 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// By an operator's word a branch ends without the log; but not while its gateway answers.
func TestABranchIsForced(t *testing.T) {
	for how, want := range map[txn.SourceQuestion]string{txn.SourceCommit: "finish a9.1.1 true", txn.SourceUndo: "finish a9.1.1 false"} {
		w := serving(t)
		w.hears(access(1, 1, true, "a"))
		name := w.prepared[0].String()
		w.did = nil
		w.hears(askOf(how, name))
		if m := w.told(); m.Refused != txn.KindMisuse || len(w.did) != 0 {
			t.Errorf("while its gateway answers: %+v, %v", m, w.did)
		}
		w.now += patience(w.g.at.Params)
		w.hears(askOf(how, name))
		if m := w.told(); m.Refused != 0 || len(w.orphans) != 0 || w.g.Holders() != 0 {
			t.Errorf("forced: %+v, %v", m, w.orphans)
		}
		w.has("by force", want)
	}
}
