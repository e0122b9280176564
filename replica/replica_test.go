package replica

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

const (
	ok, abstain, retry, no  = txn.ValidationOK, txn.ValidationAbstain, txn.ValidationRetry, txn.ValidationNo
	carousel, tapir, starry = "carousel-fast", "tapir", "starry"
)

func (n *net) wantOpinions(seq uint64, want ...txn.ValidationResult) {
	n.t.Helper()
	got := n.replicaVotes(seq)
	for i, a := range want {
		if got[n.members[i]] != a {
			n.t.Errorf("attempt %d: replica %d votes %v, not %v (all: %v)", seq, i+1, got[n.members[i]], a, got)
		}
	}
}

func (n *net) wantCounts(seq uint64, want string) {
	n.t.Helper()
	if got := n.counts(seq); got != want {
		n.t.Errorf("attempt %d counts as %q, not %q", seq, got, want)
	}
}

func TestReplicaVotes(t *testing.T) {
	for _, c := range []struct {
		name       string
		committed  *txn.Prepare
		open       *txn.Prepare
		asks       *txn.Prepare
		plain, tsd txn.ValidationResult
	}{
		{"no other transaction", nil, nil, prepare(3, 30, "r:a", "w:a"), ok, ok},
		{"a row it read was written since", prepare(1, 10, "w:a"), nil, prepare(3, 30, "r:a"), no, no},
		{"it read the newest", prepare(1, 10, "w:a"), nil, prepare(3, 30, "r:a=1", "w:a"), ok, ok},
		{"a row has come into its range", prepare(1, 10, "w:ab"), nil, prepare(3, 30, "s:a"), no, no},
		{"it writes below a committed timestamp", prepare(1, 40, "w:a"), nil, prepare(3, 30, "w:a"), retry, retry},
		{"it writes where a later one has read", prepare(1, 40, "r:a"), nil, prepare(3, 30, "w:a"), ok, retry},
		{"it writes into a range that a later one has read", prepare(1, 40, "s:a"), nil, prepare(3, 30, "w:ab"), ok, retry},
		{"it reads under an undecided write", nil, prepare(2, 20, "w:a"), prepare(3, 30, "r:a"), abstain, abstain},
		{"it writes over an undecided read", nil, prepare(2, 20, "r:a"), prepare(3, 30, "w:a"), abstain, ok},
		{"it writes beside an undecided write", nil, prepare(2, 20, "w:a"), prepare(3, 30, "w:a"), abstain, ok},
		{"it writes beside a write of the same timestamp", nil, prepare(2, 30, "w:a"), prepare(3, 30, "w:a"), abstain, retry},
	} {
		for row, want := range map[string]txn.ValidationResult{carousel: c.plain, starry: c.plain, tapir: c.tsd} {
			n := newNet(t, row, 3)
			if c.committed != nil {
				n.sendAll(txn.Message{Prepare: c.committed})
				n.sendAll(decision(c.committed, true, false))
			}
			if c.open != nil {
				n.sendAll(txn.Message{Prepare: c.open})
			}
			n.sendAll(txn.Message{Prepare: c.asks})
			if got := n.replicaVotes(3); got[1] != want || got[2] != want || got[3] != want {
				t.Errorf("%s, %s: %v, not %v", row, c.name, got, want)
			}
		}
	}
}

// A replica's vote is sent when it is on the disk, and stays the same after a crash.
func TestAReplicaVoteSurvivesACrash(t *testing.T) {
	n := newNet(t, tapir, 3)
	n.at[2].stuck = true
	x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a", "w:a")
	n.sendAll(txn.Message{Prepare: x})
	if n.replicaVotes(1)[2] != txn.ValidationNone {
		t.Fatal("it sends a vote that is not on its disk")
	}
	n.crash(2)
	n.open(2)
	n.at[2].stuck = false
	n.send(2, txn.Message{Prepare: y})
	n.settle()
	n.wantOpinions(2, txn.ValidationNone, ok) // it never sent the other one
	n.crash(2)
	n.open(2)
	n.send(2, txn.Message{Prepare: x})
	n.settle()
	n.wantOpinions(1, ok, abstain)
	n.crash(2)
	n.open(2)
	n.send(2, txn.Message{Prepare: y})
	n.send(2, txn.Message{Prepare: x})
	n.settle()
	n.wantOpinions(2, txn.ValidationNone, ok)
	n.wantOpinions(1, ok, abstain)
	if got := n.at[2].r.Holders(); got != 1 {
		t.Errorf("%d attempts are in others' way after a restart", got)
	}
}

// Commits are read after a restart, from a timestamp below which no write is accepted any longer,
// and attempts that are over at all replicas are dropped.
func TestARestartKeepsDecisions(t *testing.T) {
	n := newNet(t, tapir, 3)
	x := prepare(5, 50, "r:b", "w:a")
	n.sendAll(txn.Message{Prepare: x})
	n.sendAll(decision(x, true, false))
	for _, id := range n.members {
		n.crash(id)
		n.open(id)
		if n.has(id, "a") != "by 5" || n.at[id].r.Endings() != 1 || n.at[id].r.Undecided() != 0 {
			t.Fatalf("replica %d: %q, %s", id, n.has(id, "a"), n.at[id].r.Summary())
		}
	}
	n.sendAll(txn.Message{Prepare: prepare(6, 49, "w:b")}) // below the read of b
	n.wantOpinions(6, retry, retry, retry)
	late := prepare(7, 70, "w:c")
	late.Retired = 6
	n.sendAll(txn.Message{Prepare: late})
	for _, id := range n.members {
		n.crash(id)
		n.open(id)
		if got := n.at[id].r.Endings(); got != 0 {
			t.Errorf("replica %d remembers %d endings", id, got)
		}
	}
	n.received = nil
	n.sendAll(txn.Message{Prepare: x}) // a duplicate, much too late
	if len(n.received) != 0 {
		t.Errorf("an attempt that is over everywhere is answered: %v", n.received)
	}
}

func TestTheSlowPath(t *testing.T) {
	// Replicas 2 and 3 have received another attempt first; only the leader has not.
	for _, c := range []struct{ spec, want string }{{carousel, "yes"}, {starry, "yes"}} {
		n := newNet(t, c.spec, 3)
		x, y := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a", "w:a")
		n.send(2, txn.Message{Prepare: x})
		n.settle()
		n.lost = func(e txn.Envelope) bool {
			return e.Msg.SlowPathRequest != nil && e.Msg.SlowPathRequest.Prepare.Attempt == attempt(1)
		}
		n.send(1, txn.Message{Prepare: y})
		n.send(2, txn.Message{Prepare: y})
		n.settle()
		n.send(3, txn.Message{Prepare: y})
		n.settle()
		n.wantOpinions(2, ok, abstain)
		n.wantCounts(2, c.want)
	}
	n := newNet(t, tapir, 3)
	x := prepare(1, 10, "w:a")
	n.sendAll(txn.Message{Prepare: x})
	for _, id := range []txn.NodeID{1, 3} {
		n.send(id, txn.Message{Accept: &txn.Accept{Shard: shard, Yes: true, Prepare: x}})
	}
	n.settle()
	n.wantCounts(1, "yes")
}

// A leader that has restarted repeats its proposals, and nothing else.
func TestALeaderRepeatsItsProposal(t *testing.T) {
	for _, row := range []string{carousel, starry} {
		n := newNet(t, row, 3)
		x := prepare(1, 10, "w:a")
		n.lost = func(e txn.Envelope) bool { return e.Msg.Accept != nil && e.To != 1 }
		n.send(1, txn.Message{SlowPathRequest: &txn.SlowPathRequest{Shard: shard, Prepare: x}})
		n.settle()
		n.wantCounts(1, "")
		n.crash(1)
		n.open(1)
		n.lost = nil
		n.send(1, txn.Message{SlowPathRequest: &txn.SlowPathRequest{Shard: shard, Prepare: x}})
		n.settle()
		n.wantCounts(1, "yes")
	}
}

// The leader of a view also repeats the message with which the view began.
func TestALeaderResendsTheStartOfItsView(t *testing.T) {
	n := newNet(t, starry, 3)
	x := prepare(1, 10, "w:a")
	n.sendAll(txn.Message{Prepare: x})
	n.lost = func(e txn.Envelope) bool { return e.Msg.Accepted != nil && e.From != 2 }
	n.sendAll(inquire(x))
	n.pass(2 * resend)
	n.wantCounts(1, "")
	n.lost = nil
	n.send(2, txn.Message{SlowPathRequest: &txn.SlowPathRequest{Shard: shard, View: 1, Prepare: x}})
	n.settle()
	n.wantCounts(1, "yes")
}

// Reads wait for undecided writers, for a bounded time.
func TestReadsWait(t *testing.T) {
	n := newNet(t, carousel, 1)
	x := prepare(1, 10, "w:a")
	n.sendAll(txn.Message{Prepare: x})
	read := func(request uint64) {
		n.send(1, txn.Message{Access: &txn.Access{Shard: shard, Request: request, Keys: []txn.Key{"a"},
			Scans: []txn.Scan{{Span: txn.Span{Start: "a", End: "b"}}}}})
		n.settle()
	}
	reply := func(request uint64) *txn.AccessReply {
		for _, m := range n.received {
			if m.AccessReply != nil && m.AccessReply.Request == request {
				return m.AccessReply
			}
		}
		return nil
	}
	read(1)
	n.pass(lockWait - 20*time.Millisecond)
	if reply(1) != nil {
		t.Fatal("it does not wait")
	}
	n.pass(40 * time.Millisecond)
	if got := reply(1); got == nil || got.Rows[0].Value != nil {
		t.Fatalf("it waits without a bound, or reads an undecided write: %+v", got)
	}
	read(2)
	n.sendAll(decision(x, true, false))
	if got := reply(2); got == nil || string(got.Rows[0].Value) != "by 1" || len(got.Scans[0].Rows) != 1 || got.WaitedNanos != 0 || got.At != 10 {
		t.Fatalf("after the end: %+v", got)
	}
	n.send(1, txn.Message{Access: &txn.Access{Shard: shard, Request: 3, AsOf: 5}})
	n.settle()
	if got := reply(3); got == nil || got.Refused != txn.KindInvalidRequest {
		t.Errorf("a snapshot read: %+v", got)
	}
}

// Under ReadsUnwaited reads return committed rows without a wait, and a decision that is only
// stored changes neither reads nor conflicts.
func TestNonblockingReadsAndMajorityDecisions(t *testing.T) {
	n := newNet(t, tapir, 3)
	n.params.ReadsUnwaited = true
	for _, id := range n.members {
		n.open(id)
	}
	x := prepare(1, 10, "w:a")
	n.sendAll(txn.Message{Prepare: x})
	read := func(request uint64) string {
		n.send(1, txn.Message{Access: &txn.Access{Shard: shard, Request: request, Keys: []txn.Key{"a"}}})
		n.settle()
		for _, m := range n.received {
			if m.AccessReply != nil && m.AccessReply.Request == request {
				return string(m.AccessReply.Rows[0].Value)
			}
		}
		return "no answer"
	}
	if got := read(1); got != "" {
		t.Errorf("under an undecided write: %s", got)
	}
	end := decision(x, true, false)
	end.Decide.Tentative = true
	n.acks = nil
	n.sendAll(end)
	for _, ack := range n.acks {
		if !ack.Msg.DecideAck.Tentative {
			t.Error("it reports a stored decision as applied")
		}
	}
	if len(n.acks) != 3 || read(2) != "" {
		t.Errorf("noted: %d say so, read %q", len(n.acks), read(2))
	}
	n.sendAll(txn.Message{Prepare: prepare(2, 20, "r:a")})
	n.wantOpinions(2, abstain, abstain, abstain)
	end.Decide.Tentative, n.acks = false, nil
	n.sendAll(end)
	if got := read(3); got != "by 1" || len(n.acks) != 3 || n.acks[0].Msg.DecideAck.Tentative {
		t.Errorf("ended: %q, %v", got, n.acks)
	}
}

// A read of several rows waits for the last of their writers, and reads that can be answered at the
// same time are answered in the order of their arrival.
func TestReadsWaitForAllOfTheirRows(t *testing.T) {
	n := newNet(t, carousel, 1)
	x, y := prepare(1, 10, "w:a", "w:b"), prepare(2, 20, "w:c")
	n.sendAll(txn.Message{Prepare: x})
	n.sendAll(txn.Message{Prepare: y})
	for request, keys := range [][]txn.Key{{"b", "c"}, {"b"}, {"a"}, {"c", "a"}} {
		n.send(1, txn.Message{Access: &txn.Access{Shard: shard, Request: uint64(request), Keys: keys}})
	}
	n.settle()
	answered := func(want ...uint64) {
		t.Helper()
		var got []uint64
		for _, m := range n.received {
			if m.AccessReply != nil {
				got = append(got, m.AccessReply.Request)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v are answered, not %v", got, want)
		}
	}
	answered()
	n.sendAll(decision(x, true, false))
	answered(1, 2)
	n.sendAll(decision(y, true, false))
	answered(1, 2, 0, 3)
}

// An attempt that stays undecided for long is reported, by one replica after the other.
func TestOrphansAreReported(t *testing.T) {
	n := newNet(t, starry, 3)
	n.sendAll(txn.Message{Prepare: prepare(1, 10, "w:a")})
	n.pass(recoverAt + recoverAt/4)
	if len(n.at[1].orphans) == 0 || !slices.Contains(n.at[1].orphans, attempt(1)) {
		t.Errorf("no replica reports it")
	}
	if len(n.at[3].orphans) > 0 {
		t.Errorf("all replicas report it at the same time")
	}
}

// A shard with one replica has its majority in all protocol steps.
func TestOneReplica(t *testing.T) {
	for _, row := range []string{carousel, tapir, starry} {
		n := newNet(t, row, 1)
		x, y, z := prepare(1, 10, "r:a", "w:a"), prepare(2, 20, "r:a", "w:a"), prepare(3, 30, "w:c")
		n.sendAll(txn.Message{Prepare: x})
		n.sendAll(txn.Message{Prepare: y})
		n.wantOpinions(1, ok)
		n.wantOpinions(2, abstain)
		for _, p := range []*txn.Prepare{x, y, z} { // its coordinator is lost; z was never received
			n.sendAll(txn.Message{Inquire: &txn.Inquire{Shard: shard, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants}})
		}
		n.pass(4 * resend)
		for _, p := range []*txn.Prepare{x, y, z} {
			n.sendAll(txn.Message{Inquire: &txn.Inquire{Shard: shard, Attempt: p.Attempt, Txn: p.Txn, Participants: p.Participants}})
		}
		n.wantCounts(1, "yes")
		n.wantCounts(2, "no")
		n.wantCounts(3, "no")
		n.sendAll(txn.Message{Prepare: z})
		if len(n.replicaVotes(3)) != 0 {
			t.Errorf("%s: it votes on a permanently refused attempt", row)
		}
		n.sendAll(decision(x, true, false))
		if n.has(1, "a") != "by 1" || n.at[1].r.Undecided() != 2 {
			t.Errorf("%s: %q, %s", row, n.has(1, "a"), n.at[1].r.Summary())
		}
	}
}
