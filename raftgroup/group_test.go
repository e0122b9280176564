package raftgroup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

var three = []txn.NodeID{1, 2, 3}

// The preferred founder is elected immediately; its proposals of one turn are one entry, and every
// member applies them in order.
func TestElectProposeAndApply(t *testing.T) {
	w := founded(t)
	w.agree(three, "born")
	lead := w.members[1]
	before := lead.Status().Last
	for i := range 50 {
		if !lead.Propose(fmt.Sprint(i)) {
			t.Fatal("it accepts no more proposals")
		}
	}
	w.drain()
	if got := lead.Status().Last - before; got != 1 {
		t.Errorf("proposals of one turn are %d entries", got)
	}
	w.propose("a", "b")
	w.run(time.Second) // followers learn of the commit with a heartbeat
	w.agree(three, "48", "49", "a", "b")
	if w.members[2].Propose("x") || w.members[2].AcceptsProposals() {
		t.Error("a follower takes a proposal")
	}
	for n, m := range w.members {
		want := []string{"loads 0"}
		if n == 1 {
			want = append(want, "leads", "serves")
		}
		if !slices.Equal(m.book.events, want) {
			t.Errorf("member %d received the events %v", n, m.book.events)
		}
		if len(m.book.durable) != 52 || m.book.durable[51] != "b true" {
			t.Errorf("member %d was notified of %d durable commands: %v", n, len(m.book.durable), m.book.durable)
		}
	}
}

// No other member leads before a lease has expired; then one does, and the old leader is deposed
// when it learns of that. Only commands that it could not commit are lost.
func TestALeaseEndsBeforeAnotherLeads(t *testing.T) {
	w := founded(t)
	w.propose("kept")
	old := w.members[1]
	until := old.LeaseUntil()
	if !old.Leased() || until > w.now+w.params.ElectionTimeout {
		t.Fatalf("at %v its lease is until %v", w.now, until)
	}
	if w.members[2].Leased() {
		t.Error("a follower has a lease")
	}
	w.cut[1] = true
	if !old.Propose("lost") {
		t.Fatal("it does not know yet that it is alone")
	}
	for w.members[2].lead == nil && w.members[3].lead == nil {
		if w.run(10 * time.Millisecond); w.now > time.Minute {
			t.Fatal("no other member is elected")
		}
	}
	if w.now <= until || old.LeaseUntil() > until {
		t.Errorf("another is elected at %v, the lease was until %v and is until %v", w.now, until, old.LeaseUntil())
	}
	w.run(time.Second)
	w.propose("instead")
	w.cut[1] = false
	w.run(5 * time.Second)
	w.agree(three, "born", "kept", "instead")
	if !slices.Contains(old.book.events, "deposed") {
		t.Errorf("the old leader received the events %v", old.book.events)
	}
}

// A leader that starts to transfer its leadership has no lease any longer.
func TestHandingOverVoidsTheLease(t *testing.T) {
	w := founded(t)
	w.run(3 * time.Second)
	old := w.members[1]
	if !old.CanHandOver() {
		t.Fatal("no member could take over")
	}
	old.SetDraining(true)
	if old.Leased() || old.Propose("x") {
		t.Error("it asks another to lead and answers still")
	}
	w.run(time.Second)
	if n := w.leader(); n == 0 || n == 1 {
		t.Errorf("member %d leads", n)
	}
	w.propose("y")
	w.run(time.Second)
	w.agree(three, "born", "y")
}

// A member that lacks entries deleted from the others' logs is sent the state, in chunks.
func TestASnapshotHasEntriesDeletedFromTheLog(t *testing.T) {
	w := founded(t)
	w.cut[3] = true
	for i := range 60 {
		w.propose(fmt.Sprint(i, strings.Repeat(".", 50_000)))
	}
	w.propose("last")
	w.run(100 * time.Millisecond)
	if first := w.members[1].log.meta.First; first == 0 {
		t.Fatal("the log was not cut")
	}
	// The machine's state is one key here, so the chunks contain other keys.
	var b store.Batch
	prefix, _ := State(w.members[1].engine, 7)
	for i := range 5 {
		b.Set(append(slices.Clone(prefix), fmt.Sprint("c", i)...), make([]byte, snapChunkBytes))
	}
	w.members[1].engine.Apply(&b)
	pieces := 0
	w.lose = func(e txn.Envelope) bool {
		if e.Msg.SnapChunk == nil {
			return false
		}
		pieces++
		return pieces == 2 // it is requested again
	}
	w.cut[3] = false
	w.run(6 * time.Second)
	if pieces < 4 {
		t.Errorf("it came in %d pieces", pieces)
	}
	m := w.members[3]
	if !strings.HasPrefix(m.book.events[len(m.book.events)-1], "loads ") || m.Status().Counts.SnapshotsInstalled != 1 {
		t.Errorf("it received the events %v, and counts %+v", m.book.events, m.Status().Counts)
	}
	w.propose("more")
	w.run(time.Second)
	w.agree(three, "last", "more")
	if got, _ := State(m.engine, 7); slices.Equal(got, genPrefix(7, 1)) {
		t.Error("its state is of the first generation still")
	}
	if _, ok := m.engine.Get(append(genPrefix(7, 1), 'b')); ok {
		t.Error("the old generation is on its disk still")
	}
}

// A crash while a snapshot is received leaves the old state whole.
func TestACrashAmidASnapshot(t *testing.T) {
	w := founded(t)
	w.cut[3] = true
	for i := range 60 {
		w.propose(fmt.Sprint(i))
	}
	w.run(100 * time.Millisecond)
	w.lose = func(e txn.Envelope) bool { return e.Msg.SnapChunk != nil }
	w.cut[3] = false
	w.run(4 * time.Second)
	if w.members[3].snapIn == nil {
		t.Fatal("it fetches none")
	}
	w.open(3, w.members[3].engine.CrashStrict(), three)
	w.members[3].work()
	if got := w.members[3].book.page.Lines; !slices.Equal(got, []string{"born"}) {
		t.Errorf("it has %q", got)
	}
	for i := range 60 { // entries after a snapshot that is fetched are not deleted
		w.propose(fmt.Sprint(100 + i))
	}
	w.run(100 * time.Millisecond)
	if lead := w.members[1]; lead.log.meta.First > lead.snapshots.held.index {
		t.Errorf("the log begins after entry %d, a snapshot at %d is fetched", lead.log.meta.First, lead.snapshots.held.index)
	}
	w.lose = nil
	w.run((snapshotLasts + 2) * w.params.ElectionTimeout) // until the leader no longer believes that it fetches
	w.agree(three, "158", "159")
}

// A restarted member has its term and vote, and does not vote for as long as a promise that it may
// have given is binding.
func TestAMemberRestarts(t *testing.T) {
	w := founded(t)
	w.propose("a", "b", "c")
	term := w.members[2].term
	w.open(2, w.members[2].engine.CrashStrict(), three)
	m := w.members[2]
	if m.term != term || m.Status().Last != w.members[1].Status().Last {
		t.Errorf("it restarts in term %d with %+v", m.term, m.Status())
	}
	vote := &pb.Message{Type: pb.MsgPreVote.Enum(), From: proto.Uint64(3), To: proto.Uint64(2),
		Term: proto.Uint64(99), Index: proto.Uint64(999), LogTerm: proto.Uint64(98)}
	asks := func() (answers int) {
		m.Step(3, &txn.Raft{Shard: 7, Body: vote})
		m.work()
		n := len(w.queue)
		w.queue = nil
		return n
	}
	if asks() != 0 {
		t.Error("it votes while a promise may bind it")
	}
	w.now += w.params.ElectionTimeout
	if asks() != 1 {
		t.Error("it does not vote though no promise can bind it any more")
	}
	w.run(3 * time.Second)
	w.agree(three, "a", "b", "c")
	var sent []string
	Logged(m.engine, 7, func(data []byte) bool {
		c, _ := w.format.Decode(data)
		sent = append(sent, c...)
		return len(sent) >= 2
	})
	if len(sent) < 2 || !slices.Equal(sent[:2], []string{"c", "b"}) || !Kept(m.engine, 7) || Kept(store.NewMem(), 7) {
		t.Errorf("its disk has %v", sent)
	}
}

// Ephemeral members decode an entry once for all of them, and save their state for a snapshot.
func TestEphemeralMembersReadAnEntryOnce(t *testing.T) {
	w := newWorld(t)
	w.cache = NewEntryCache(w.format.Decode)
	for _, n := range three {
		w.open(n, store.NewMem(), three)
	}
	w.run(time.Second)
	w.cut[3] = true
	for i := range 60 {
		w.propose(fmt.Sprint(i))
	}
	w.run(100 * time.Millisecond)
	w.cut[3] = false
	w.run(4 * time.Second)
	w.agree(three, "58", "59")
	if w.format.decoded != 0 {
		t.Errorf("%d entries were read that were proposed beside", w.format.decoded)
	}
	if _, ok := w.members[1].engine.Get(groupKey(7, 'h')); ok {
		t.Error("it writes what only a restart reads")
	}
}
