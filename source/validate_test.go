package source

import (
	"slices"
	"testing"

	"isochron/participant"
	"isochron/protocol"
	"isochron/routing"
	"isochron/txn"
	"isochron/yield"
)

// overVersions is an agent under a protocol with versions, over a store with two records.
func overVersions(t *testing.T, bugs txn.InjectedBugs) (*toy, *shelved) {
	s := newShelf(t)
	w := &toy{t: t}
	open := Factory(Config{Cluster: toyCluster, BranchesMax: 8, Open: func(routing.Shard) (Driver, error) { return s.shelf, nil }})
	p, err := open(participant.OpenOptions{Shard: routing.Shard{ID: toySource, Kind: Kind}, Self: 2, Epoch: toyTerm, Env: w,
		Spec: protocol.Spec{Yield: yield.OverItsSource}, Params: txn.Params{InjectedBugs: bugs}.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	w.g = p.(*Agent)
	s.v = w.g.db.(*versions)
	w.run()
	return w, s
}

func validateOf(n int) *txn.Message {
	m := prepareOf(n)
	m.Prepare.Validate = true
	return m
}

// A Yes is open while reads must be validated. The validation's answer is repeated, whatever changed since;
// nothing is held before the prepare.
func TestAVoteOverVersions(t *testing.T) {
	w, s := overVersions(t, txn.InjectedBugs{})
	w.now = second / 2
	w.receives(access(1, 1, false, "GET a/1", "PUT a/2 1"))
	if b := w.g.branches[attempt(1)]; b.began != 0 {
		t.Errorf("the branch holds records since %v", b.began)
	}
	w.now = second
	w.receives(prepareOf(1), prepareOf(1), validateOf(1))
	w.expect("prepared, and all others are", "9: 2 results", "9: open yes", "9: open yes", "9: yes")
	if b := w.g.branches[attempt(1)]; b.began != second {
		t.Errorf("the branch holds records since %v", b.began)
	}
	s.commit(s.branch(70, "PUT a/1 77"))
	w.receives(validateOf(1), prepareOf(1))
	w.expect("asked again", "9: yes", "9: yes")
	w.receives(decideOf(1, true))
	s.holds("committed", "a/1=77 a/2=1")
	w.expect("its end", "9: ack")
	w.receives(access(2, 1, true, "ADD a/1 1"))
	w.expect("written records are checked by the prepare", "9: 1 results", "9: yes")
	w.receives(decideOf(2, true))
	w.expect("its end", "9: ack")
}

// A branch with stale reads votes No permanently and rolls back immediately: without its Yes there
// is no commit.
func TestStaleReadsAbortOverVersions(t *testing.T) {
	w, s := overVersions(t, txn.InjectedBugs{})
	w.receives(access(1, 1, true, "GET a/1", "PUT a/2 1"))
	s.commit(s.branch(70, "PUT a/1 77"))
	w.receives(validateOf(1))
	w.expect("stale reads", "9: 2 results", "9: open yes", "9: no", "4/5: decide commit=false")
	s.holds("rolled back", "a/1=77 a/2=20")
	w.receives(validateOf(1), prepareOf(1))
	w.expect("asked again", "9: no", "9: no")

	for _, x := range []struct {
		bug          txn.InjectedBugs
		vote, commit string
	}{
		{txn.InjectedBugs{}, "9: no", "a/1=77 a/2=20"},
		{txn.InjectedBugs{UncheckedReads: true}, "9: yes", "a/1=77 a/2=1"},
	} {
		w, s := overVersions(t, x.bug)
		w.receives(access(1, 1, true, "GET a/1", "PUT a/2 1"))
		s.commit(s.branch(70, "PUT a/1 77"))
		w.sent = nil
		w.receives(validateOf(1), decideOf(1, true))
		if !slices.Contains(w.sent, x.vote) {
			t.Errorf("%+v: %q", x.bug, w.sent)
		}
		s.holds("the injected bug", x.commit)
	}
}

// Another incarnation of the agent has not made the reads of a branch it found, and does not validate them.
func TestNewIncarnationDoesNotValidate(t *testing.T) {
	w, s := overVersions(t, txn.InjectedBugs{})
	w.receives(access(1, 1, true, "GET a/1", "PUT a/2 1"))
	w.sent = nil
	next, _ := overVersions(t, txn.InjectedBugs{})
	next.g.db.(*versions).Driver.(*shelf).rows = s.rows
	next.g.recovery.queryDecision()
	next.run()
	if next.g.Undecided() != 1 {
		t.Fatalf("%s", next.g.Summary())
	}
	m := validateOf(1)
	m.Prepare.Term--
	next.receives(m, validateOf(1))
	next.expect("another incarnation", "9: not leader, term 5", "9: no")
	next.receives(decideOf(1, false))
	next.expect("its end", "9: ack")
	s.holds("rolled back", "a/1=10 a/2=20")
}

// The injected bug: the prepared writes of an aborted transaction are rolled forward.
func TestRollForward(t *testing.T) {
	w, s := overVersions(t, txn.InjectedBugs{RollForward: true})
	w.receives(access(1, 1, true, "PUT a/2 1"), decideOf(1, false))
	s.holds("aborted", "a/1=10 a/2=1")
}
