package shard

import (
	"testing"

	"isochron/reveal"
	"isochron/txn"
)

// A leader's replies about an attempt, before its log has an entry of it and after.
func TestAttemptStatesAtALeader(t *testing.T) {
	s := &state{prepared: map[txn.Attempt]*prepared{}, outcomes: txn.NewByAttempt[outcome]()}
	k := newAttempts(s, reveal.NewEarly(0, nil), &txn.InjectedBugs{})
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: seq} }
	others := []txn.Attempt{{Node: 0, Seq: 1}, {Node: 2, Seq: 1}} // of other gateways: the finished attempts of this one imply nothing about them
	for _, a := range append(others, at(4), at(6)) {
		k.refuse(a)
	}
	k.voting[at(7)] = &votingVote{to: []txn.NodeID{2}, cmd: &voteCmd{OnePhase: true}}
	s.outcomes.Set(at(8), outcome{Result: txn.OutcomeCommitted, At: 30})
	k.sawRetired(at(9), 5)
	k.sawRetired(at(9), 3) // older news
	for _, c := range []struct {
		seq                           uint64
		reply, yes, known, over, find bool
	}{
		{4, false, false, true, true, true}, // retired: its refusal is dropped
		{6, true, false, true, true, false},
		{7, false, false, true, false, false}, // every inquiry is answered with its vote
		{8, true, true, true, false, true},
		{9, false, false, false, false, false},
	} {
		v, reply, known := k.asked(3, at(c.seq))
		_, find := k.finding(at(c.seq))
		if reply != c.reply || v.Yes != c.yes || known != c.known || k.over(at(c.seq)) != c.over || find != c.find {
			t.Errorf("attempt %d: %+v, replies %v, known %v, over %v, found %v", c.seq, v, reply, known, k.over(at(c.seq)), find)
		}
	}
	if k.isRefused(at(4)) || !k.isRefused(others[0]) || !k.isRefused(others[1]) || len(k.voting[at(7)].to) != 2 || !k.isOnePhase(at(7)) || k.undecided(at(7)) == nil || k.undecided(at(9)) != nil {
		t.Errorf("%+v", k)
	}
}
