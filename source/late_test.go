package source

import (
	"testing"

	"isochron/txn"
)

// An agent that denies an attempt it does not have never begins that attempt afterwards.
func TestDeniedAttemptIsNotBegun(t *testing.T) {
	w := serving(t)
	w.receives(inquireOf(1), access(1, 1, true, "a"))
	w.expect("both", "9: finding 2 forgot=true", "9: refused")
	w.has("nothing is begun")
}

// The restart barrier holds until the last of the branches prepared before has ended.
func TestRestartBarrierOfTwo(t *testing.T) {
	w := serving(t)
	w.facts = Facts{Incarnation: "1", ForgetsReads: true}
	w.pass(queryDecisionEvery*w.g.at.Params.RecoverAfter + second)
	w.receives(access(1, 1, true, "a"), access(2, 1, true, "b"))
	w.facts.Incarnation = "2"
	w.g.broke()
	w.pass(second)
	w.sent = nil
	w.receives(access(3, 1, false, "c"), decideOf(1, true))
	w.expect("one has ended", "9: ack")
	w.receives(decideOf(2, false))
	w.expect("both have", "9: ack", "9: 1 results")
}

// A prepare may take effect after a listing during which its connection broke. It counts as failed only
// after one more listing.
func TestConnectionBreaksDuringListing(t *testing.T) {
	w := serving(t)
	w.fails["prepare a9.1.1"] = &Error{Text: "broke", Unknown: true, Gone: true}
	w.fails["facts"] = &Error{Text: "down", Gone: true}
	w.receives(access(1, 1, true, "a"))
	w.sent = nil
	w.g.links.again = true
	w.g.recovery.decisionQueried(look{facts: Facts{Identity: w.identity, PreparedMax: -1}})
	w.expect("not listed, outcome unknown")
	delete(w.fails, "facts")
	w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource}}
	w.pass(second)
	w.expect("listed", "9: yes")
	if b := w.g.branches[attempt(1)]; b == nil || b.phase != prepared || txn.ID(attempt(1)) != b.txn {
		t.Errorf("%+v", b)
	}
}
