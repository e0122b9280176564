package raftgroup

import (
	"fmt"
	"slices"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"

	"isochron/store"
	"isochron/txn"
)

// A member is replaced: the new one receives the group's initial state, and the old one learns of
// its removal and deletes everything but its vote.
func TestAMemberIsReplaced(t *testing.T) {
	w := founded(t)
	w.propose("a")
	w.open(4, store.NewMem(), nil)
	if !w.members[4].uninitialized() || Kept(w.members[4].engine, 7) {
		t.Error("the joining member is not empty")
	}
	for _, m := range w.members {
		m.SetDesired(Desired{Voters: []txn.NodeID{1, 2, 4}, Preferred: []txn.NodeID{1}})
	}
	if w.members[1].Converged() {
		t.Error("it has converged before anything was done")
	}
	w.run(10 * time.Second)
	w.propose("b")
	w.run(10 * time.Second)
	w.agree([]txn.NodeID{1, 2, 4}, "born", "a", "b")
	if voters, outgoing, learners := w.members[4].Members(); !slices.Equal(voters, []txn.NodeID{1, 2, 4}) || len(outgoing)+len(learners) > 0 {
		t.Errorf("the members are %v, %v, %v", voters, outgoing, learners)
	}
	for _, n := range []txn.NodeID{1, 2, 4} {
		if m := w.members[n]; !m.Converged() || m.Removed() {
			t.Errorf("member %d: converged %v, out %v", n, m.Converged(), m.Removed())
		}
	}
	old := w.members[3]
	if !old.Removed() {
		t.Fatal("the one that was replaced does not know it")
	}
	hard := old.log.hard.GetTerm()
	old.Retire()
	if Kept(old.engine, 7) {
		t.Error("its disk has something still")
	}
	w.open(3, old.engine, nil)
	if m := w.members[3]; !m.uninitialized() || m.term != hard {
		t.Errorf("after the restart: uninitialized %v, in term %d and not %d", m.uninitialized(), m.term, hard)
	}
}

// A member that was partitioned during its replacement campaigns, and learns of its removal.
func TestAPartitionedMemberLearnsItsRemoval(t *testing.T) {
	w := founded(t)
	w.open(4, store.NewMem(), nil)
	w.cut[3] = true
	for _, m := range w.members {
		m.SetDesired(Desired{Voters: []txn.NodeID{1, 2, 4}, Preferred: []txn.NodeID{1}})
	}
	w.run(10 * time.Second)
	if !w.members[1].Converged() || w.members[3].Removed() {
		t.Fatalf("converged %v, out %v", w.members[1].Converged(), w.members[3].Removed())
	}
	w.cut[3] = false
	w.run(10 * time.Second)
	if !w.members[3].Removed() {
		t.Error("it does not know that it is out")
	}
}

// The remaining members do not know that the last change is committed; the removed ones do, and
// have longer logs: without their reports no member could be elected.
func TestARemovedMemberReportsItsRemoval(t *testing.T) {
	w := founded(t)
	w.open(4, store.NewMem(), nil)
	w.open(5, store.NewMem(), nil)
	for _, m := range w.members {
		m.SetDesired(Desired{Voters: []txn.NodeID{3, 4, 5}, Preferred: []txn.NodeID{3}})
	}
	var leave uint64 // the entry that ends the change
	var held []txn.Envelope
	hold, mute := true, true
	w.lose = func(e txn.Envelope) bool {
		if e.Msg.Raft == nil {
			return false
		}
		if e.Msg.Raft.Committed != 0 {
			return mute
		}
		m, err := RaftMessage(e.Msg.Raft)
		if err != nil {
			return false
		}
		for _, x := range m.GetEntries() {
			cc := new(pb.ConfChangeV2)
			if x.GetType() == pb.EntryConfChangeV2 && proto.Unmarshal(x.GetData(), cc) == nil && cc.LeaveJoint() {
				leave = x.GetIndex()
			}
		}
		stays := e.To == 4 || e.To == 5
		switch {
		case asksForVote(m) && hold:
			return e.From != 1
		case m.GetType() == pb.MsgTimeoutNow: // it would transfer its leadership
			return hold
		case e.To == 1 && m.GetType() == pb.MsgAppResp && leave != 0 && hold:
			held = append(held, e)
			return true
		}
		return e.From == 1 && stays && leave != 0 && (m.GetCommit() >= leave || m.GetIndex()+uint64(len(m.GetEntries())) > leave)
	}
	for range 1000 {
		if _, outgoing, _ := w.members[3].Members(); len(outgoing) > 0 {
			break
		}
		w.run(10 * time.Millisecond)
	}
	w.cut[3] = true // in the middle of the change
	for range 1000 {
		if leave != 0 {
			break
		}
		w.run(10 * time.Millisecond)
	}
	if w.leader() != 1 || leave == 0 {
		t.Fatalf("the member to be removed does not lead until the change ends: %d leads, %d", w.leader(), leave)
	}
	for range 1000 {
		if w.members[1].Propose("more") {
			break
		}
		w.run(10 * time.Millisecond)
	}
	w.drain()
	hold, w.queue = false, append(w.queue, held...)
	w.drain()
	for _, n := range []txn.NodeID{1, 2} {
		if w.members[n].log.meta.member(n) || w.members[n].log.last() == leave {
			t.Fatalf("member %d does not know of its removal, or its log is no longer than the others'", n)
		}
	}
	for _, n := range []txn.NodeID{4, 5} {
		if _, outgoing, _ := w.members[n].Members(); len(outgoing) == 0 || w.members[n].log.last() != leave {
			t.Fatalf("member %d knows already that the change is over, or has not got its end", n)
		}
	}
	w.run(10 * time.Second)
	for n, m := range w.members { // order: independent members
		if m.Serving() || m.Removed() {
			t.Errorf("without a report: member %d serves %v, may be destroyed %v", n, m.Serving(), m.Removed())
		}
	}
	mute = false
	w.run(10 * time.Second)
	if l := w.leader(); l != 4 && l != 5 {
		t.Errorf("%d leads", l)
	}
	w.cut[3] = false
	w.run(10 * time.Second)
	for _, n := range []txn.NodeID{1, 2} {
		if !w.members[n].Removed() {
			t.Errorf("member %d was not notified that it may be destroyed", n)
		}
	}
}

// A learner that has lost its disk starts again without state; a voter could not.
func TestALearnerThatLostItsDiskStartsAgain(t *testing.T) {
	w := founded(t)
	w.open(4, store.NewMem(), nil)
	want := Desired{Voters: three, Learners: []txn.NodeID{4}, Preferred: []txn.NodeID{1}}
	for _, m := range w.members {
		m.SetDesired(want)
	}
	w.run(5 * time.Second)
	w.propose("a")
	w.run(5 * time.Second)
	w.agree([]txn.NodeID{1, 4}, "born", "a")
	w.open(4, store.NewMem(), nil)
	w.members[4].SetDesired(want)
	w.run(10 * time.Second)
	w.propose("b")
	w.run(time.Second)
	w.agree([]txn.NodeID{1, 4}, "born", "a", "b")
}

// A leader's next proposed change depends on which members have the log and which are missing.
func TestTheNextChangeOfMembers(t *testing.T) {
	has := tracker.Progress{RecentActive: true, Match: 90, State: tracker.StateReplicate}
	lags := tracker.Progress{RecentActive: true, Match: 10, State: tracker.StateReplicate}
	for _, c := range []struct {
		name     string
		meta     meta
		desired  Desired
		progress map[uint64]tracker.Progress
		lost     txn.NodeID
		want     []string
	}{
		{"all is so", meta{Voters: []uint64{1, 2, 3}}, Desired{Voters: three}, map[uint64]tracker.Progress{2: has, 3: has}, 0, nil},
		{"one is missing", meta{Voters: []uint64{1, 2, 3}}, Desired{Voters: []txn.NodeID{1, 2, 4}}, map[uint64]tracker.Progress{2: has, 3: has}, 0,
			[]string{"ConfChangeAddLearnerNode 4"}},
		{"it has not got the log", meta{Voters: []uint64{1, 2, 3}, Learners: []uint64{4}}, Desired{Voters: []txn.NodeID{1, 2, 4}},
			map[uint64]tracker.Progress{2: has, 3: has, 4: lags}, 0, nil},
		{"it has got the log", meta{Voters: []uint64{1, 2, 3}, Learners: []uint64{4}}, Desired{Voters: []txn.NodeID{1, 2, 4}},
			map[uint64]tracker.Progress{2: has, 3: has, 4: has}, 0, []string{"ConfChangeAddNode 4", "ConfChangeRemoveNode 3"}},
		{"too few of those to come answer", meta{Voters: []uint64{1, 2, 3, 4}}, Desired{Voters: []txn.NodeID{1, 3, 4}}, map[uint64]tracker.Progress{2: has}, 0, nil},
		{"the leader is to be removed and another member can lead", meta{Voters: []uint64{1, 2, 3}}, Desired{Voters: []txn.NodeID{2, 3}}, map[uint64]tracker.Progress{2: has, 3: has}, 0, nil},
		{"a learner has lost all", meta{Voters: []uint64{1, 2, 3}, Learners: []uint64{4}}, Desired{Voters: three, Learners: []txn.NodeID{4}},
			map[uint64]tracker.Progress{2: has, 3: has, 4: has}, 4, []string{"ConfChangeRemoveNode 4", "ConfChangeAddLearnerNode 4"}},
		{"a learner is no longer desired", meta{Voters: []uint64{1, 2, 3}, Learners: []uint64{4}}, Desired{Voters: three},
			map[uint64]tracker.Progress{2: has, 3: has}, 0, []string{"ConfChangeRemoveNode 4"}},
	} {
		s := membershipState{&c.meta, 1, &c.desired, 100, c.progress, nil, nil}
		var got []string
		for _, ch := range s.changes(&c.lost) {
			got = append(got, fmt.Sprint(ch.GetType(), " ", ch.GetNodeId()))
		}
		if !slices.Equal(got, c.want) || c.lost != 0 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
