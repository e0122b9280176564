package shard

import (
	"bytes"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// A shard that never switched its protocol stores none.
func TestAnUnchangedProtocolIsNotStored(t *testing.T) {
	a := applied{Index: 7, Term: 2, MaxTS: 9}
	b := a
	b.Protocol = protocolCmd{Seq: 1, Name: "txsql"}
	if got := txn.Encode(a); bytes.Contains(got, []byte{0x17}) || len(got) >= len(txn.Encode(b)) {
		t.Errorf("% x", got)
	}
}

// A switch takes effect once, in log order, and never while a vote is undecided.
func TestAChangeOfTheProtocolInTheLog(t *testing.T) {
	s := &state{prepared: map[txn.Attempt]*prepared{}}
	var b store.Batch
	change := func(seq uint64, name string) bool {
		return s.apply(&b, 0, command{Switch: &protocolCmd{Seq: seq, Name: name}}, 0).protocol
	}
	if !change(2, "txsql") || change(2, "d2pc+occ") || change(1, "d2pc+occ") || s.applied.Protocol.Name != "txsql" {
		t.Errorf("%+v", s.applied.Protocol)
	}
	s.prepared[txn.Attempt{Node: 1, Seq: 1}] = &prepared{}
	if change(2, "d2pc+occ") {
		t.Error("the same change twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("the protocol changed while a vote was undecided")
		}
	}()
	change(3, "d2pc+occ")
}

// A leader votes under the protocol of its log, refuses prepares of a protocol that it leaves or
// has left, and has transactions of a later one retry.
func TestALeaderRecognisesLateAndEarlyPrepares(t *testing.T) {
	r := &Replica{state: &state{}}
	s := switching{state: r.state, desired: &r.desired}
	for _, c := range []struct {
		has, wanted, asks uint64
		late, early       bool
	}{
		{0, 0, 0, false, false}, {0, 0, 1, false, true},
		{0, 1, 0, true, false}, {0, 1, 1, false, true},
		{1, 1, 0, true, false}, {1, 1, 1, false, false}, {1, 1, 2, false, true},
		{2, 1, 1, true, false}, {2, 1, 2, false, false}, // the node's directory is old
	} {
		r.state.applied.Protocol.Seq, r.desired.Protocol.Seq = c.has, c.wanted
		if late, early := s.refuses(c.asks), s.ahead(c.asks); late != c.late || early != c.early {
			t.Errorf("%+v: late %v, early %v", c, late, early)
		}
	}
}
