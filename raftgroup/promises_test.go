package raftgroup

import (
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// overtaken is a group whose first member has logged entries alone for a while, and has since
// accepted the shorter log of its successor.
func overtaken(t *testing.T) *world {
	t.Helper()
	w := founded(t)
	w.propose("kept")
	old := w.members[1]
	w.cut[1] = true
	for range 9 {
		if !old.Propose("lost") {
			t.Fatal("it knows already that it is alone")
		}
		w.drain()
	}
	alone := old.Status().Last
	for w.run(100 * time.Millisecond); w.leader() < 2; w.run(100 * time.Millisecond) {
		if w.now > time.Minute {
			t.Fatal("no other member is elected")
		}
	}
	w.propose("instead")
	for _, m := range w.members {
		m.SetDesired(Desired{Voters: three}) // the first does not lead again immediately
	}
	w.cut[1] = false
	w.run(time.Second)
	w.agree(three, "kept", "instead")
	if last := old.Status().Last; last >= alone {
		t.Fatalf("its log ends at entry %d, and ended at %d", last, alone)
	}
	return w
}

// Entries that a leader has logged alone are overwritten by its successor's log. Entries after the
// end of the new log are deleted from the disk too: after a restart they are no part of the log.
func TestAnOverwrittenSuffixIsGoneAfterARestart(t *testing.T) {
	w := overtaken(t)
	last := w.members[1].Status().Last
	m := w.open(1, w.members[1].engine.CrashStrict(), three)
	if got := m.Status().Last; got != last {
		t.Errorf("its log ends at entry %d, and did at %d", got, last)
	}
	w.run(3 * time.Second)
	w.propose("more")
	w.run(time.Second)
	w.agree(three, "instead", "more")
}

// Entries of an older term after newer ones do not belong to the log: a disk that has some
// is damaged, and the member refuses to open it.
func TestALogWhoseTermsFallIsNotOpened(t *testing.T) {
	w := overtaken(t)
	m := w.members[1]
	var b store.Batch
	old := &pb.Entry{Index: proto.Uint64(m.log.last() + 1), Term: proto.Uint64(1)}
	b.Set(entryKey(7, old.GetIndex()), marshal(old))
	m.engine.Apply(&b)
	_, _, err := openLog(7, m.engine, three, false)
	if err == nil || !strings.Contains(err.Error(), "an overwritten entry was not deleted") {
		t.Errorf("it is opened: %v", err)
	}
}

// An uninitialized member does not vote, does not campaign, and accepts no log from its start: its
// vote would ignore its lost state, and the log lacks the initial state.
func TestAnUninitializedMemberDoesNotVote(t *testing.T) {
	w := founded(t)
	blank := w.open(4, store.NewMem(), nil)
	for _, m := range []*pb.Message{
		{Type: pb.MsgPreVote.Enum(), Term: proto.Uint64(9), Index: proto.Uint64(99), LogTerm: proto.Uint64(8)},
		{Type: pb.MsgVote.Enum(), Term: proto.Uint64(9), Index: proto.Uint64(99), LogTerm: proto.Uint64(8)},
		{Type: pb.MsgTimeoutNow.Enum(), Term: proto.Uint64(1)},
		{Type: pb.MsgApp.Enum(), Term: proto.Uint64(1), Entries: []*pb.Entry{{Index: proto.Uint64(1), Term: proto.Uint64(1)}}},
	} {
		m.From, m.To = proto.Uint64(3), proto.Uint64(4)
		blank.Step(3, &txn.Raft{Shard: 7, Body: m})
		blank.work()
		if len(w.queue) > 0 || blank.log.last() > 0 || blank.term > 0 {
			t.Errorf("%v: it sends %+v, has %d entries and is in term %d", m.GetType(), w.queue, blank.log.last(), blank.term)
		}
		w.queue = nil
	}
}

// A command names the members at its proposal, so it precedes every change of members proposed
// after it in the log.
func TestCommandsAreAppliedBeforeAChangeOfMembers(t *testing.T) {
	w := founded(t)
	w.open(4, store.NewMem(), nil)
	lead := w.members[1]
	lead.SetDesired(Desired{Voters: three, Learners: []txn.NodeID{4}, Preferred: []txn.NodeID{1}})
	if !lead.Propose("names the members") {
		t.Fatal("it takes no command")
	}
	lead.Reconcile()
	w.drain()
	change := slices.IndexFunc(lead.log.entries, func(e *pb.Entry) bool { return e.GetType() == pb.EntryConfChangeV2 })
	if change < 1 {
		t.Fatalf("there is no change of members behind the command: %d", change)
	}
	if commands, err := w.format.Decode(lead.log.entries[change-1].GetData()); err != nil || !slices.Contains(commands, "names the members") {
		t.Errorf("before the change the log has %v, %v", commands, err)
	}
}

// During a change of members a lease needs the majorities of the old members and of the new ones.
func TestALeaseNeedsBothMajorities(t *testing.T) {
	w := founded(t)
	lead := w.members[1]
	if !lead.Leased() {
		t.Fatal("it has no lease")
	}
	lead.log.meta.Outgoing = []uint64{1, 8, 9} // which never existed
	if lead.Leased() {
		t.Error("it has a lease on which the members before the change have no part")
	}
}

// A new leader serves once an entry of its own term is applied; an entry of an earlier leader is
// not enough.
func TestALeaderServesFromItsOwnTermOn(t *testing.T) {
	w := founded(t)
	lead := w.members[1]
	lead.lead.serving = false
	next := lead.applied.Index
	for _, c := range []struct {
		term   uint64
		serves bool
	}{{lead.term - 1, false}, {lead.term, true}} {
		next++
		lead.storageApply(&pb.Message{Entries: []*pb.Entry{{Index: proto.Uint64(next), Term: proto.Uint64(c.term)}}})
		if lead.Serving() != c.serves {
			t.Errorf("in term %d, after an entry of term %d: serving %v", lead.term, c.term, lead.Serving())
		}
	}
}

// A chunk of a snapshot is accepted if it is the next one and its sender is the requested one; a
// repeated chunk is not.
func TestChunksAreAcceptedInOrderOnly(t *testing.T) {
	in := &incomingSnapshot{from: 1, next: []byte("c"),
		msg: &pb.Message{Snapshot: &pb.Snapshot{Metadata: &pb.SnapshotMetadata{Index: proto.Uint64(5)}}}}
	for _, c := range []struct {
		from  txn.NodeID
		piece txn.SnapChunk
		takes bool
	}{
		{1, txn.SnapChunk{Index: 5, From: []byte("c"), Next: []byte("d")}, true},
		{1, txn.SnapChunk{Index: 5, From: []byte("c")}, true},
		{1, txn.SnapChunk{Index: 5, From: []byte("b"), Next: []byte("d")}, false},
		{1, txn.SnapChunk{Index: 5}, false},
		{1, txn.SnapChunk{Index: 5, From: []byte("c"), Next: []byte("b")}, false},
		{1, txn.SnapChunk{Index: 4, From: []byte("c")}, false},
		{2, txn.SnapChunk{Index: 5, From: []byte("c")}, false},
	} {
		if got := in.awaits(c.from, &c.piece); got != c.takes {
			t.Errorf("a piece of %d from %q to %q of snapshot %d is taken: %v", c.from, c.piece.From, c.piece.Next, c.piece.Index, got)
		}
	}
}

// A member that finds that its leader's log lacks committed entries stops with an error: raft would
// let it stay behind permanently, without a report.
func TestAMemberStopsIfItsLeaderLacksCommittedEntries(t *testing.T) {
	for _, c := range []struct {
		name string
		lag  bool // the second never had the entry; else its disk lost it as well
	}{{"one disk loses an entry", true}, {"two disks lose an entry", false}} {
		t.Run(c.name, func(t *testing.T) {
			w := founded(t)
			w.propose("kept")
			w.run(time.Second)
			before := map[txn.NodeID]*store.Mem{1: w.members[1].engine.CrashStrict(), 2: w.members[2].engine.CrashStrict()}
			w.cut[2] = c.lag
			for range 5 {
				w.propose("acknowledged")
			}
			w.run(time.Second)
			if got := w.members[3].book.page.Lines; got[len(got)-1] != "acknowledged" {
				t.Fatalf("it was not committed: %v", got)
			}
			w.open(1, before[1], three)
			if !c.lag {
				w.open(2, before[2], three)
			}
			w.cut[2], w.cut[3] = false, true
			w.run(5 * time.Second)
			w.propose("instead")
			w.cut[3] = false
			var failed *store.Failure
			func() {
				defer func() { failed, _ = recover().(*store.Failure) }()
				w.run(5 * time.Second)
			}()
			if failed == nil || !strings.Contains(failed.Error(), "has an entry of term") {
				t.Errorf("the third still runs: %v; it has %v, the first %v", failed, w.members[3].book.page.Lines, w.members[1].book.page.Lines)
			}
		})
	}
}
