package source

import (
	"testing"

	"isochron/txn"
)

// Who is asked of an attempt that it does not have says so, and does not begin it afterwards.
func TestWhatWasDeniedIsNotBegun(t *testing.T) {
	w := serving(t)
	w.receives(inquireOf(1), access(1, 1, true, "a"))
	w.expect("both", "9: finding 2 forgot=true", "9: refused")
	w.has("nothing is begun")
}

// A fence stands until the last of those has ended that were prepared before.
func TestAFenceOfTwo(t *testing.T) {
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

// What a look has not seen during which the connection broke may be prepared since: that a
// prepare has failed is known when the source was looked at once more.
func TestALookThatBroke(t *testing.T) {
	w := serving(t)
	w.fails["prepare a9.1.1"] = &Error{Text: "broke", Unknown: true, Gone: true}
	w.fails["facts"] = &Error{Text: "down", Gone: true}
	w.receives(access(1, 1, true, "a"))
	w.sent = nil
	w.g.links.again = true
	w.g.recovery.decisionQueried(look{facts: Facts{Identity: w.identity, PreparedMax: -1}})
	w.expect("it is not there, and nobody knows")
	delete(w.fails, "facts")
	w.prepared = []Name{{Cluster: toyCluster, Attempt: attempt(1), Source: toySource}}
	w.pass(second)
	w.expect("it is there", "9: yes")
	if b := w.g.branches[attempt(1)]; b == nil || b.phase != prepared || txn.ID(attempt(1)) != b.txn {
		t.Errorf("%+v", b)
	}
}
