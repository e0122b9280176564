package yield

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// timestampRows is an ArrivalQueue over rows that a test holds and releases, and a log of the
// results.
type timestampRows struct {
	q    *ArrivalQueue
	held map[txn.Key]txn.ID
	did  []string
}

func newTimestampTable(p Policy) *timestampRows {
	s := &timestampRows{held: map[txn.Key]txn.ID{}}
	s.q = NewArrivalQueue(p, s.writers, nil)
	return s
}

func (s *timestampRows) holder(i *QueuedPrepare) txn.ID {
	for _, k := range i.LockSet.Exclusive {
		if h := s.held[k]; !h.IsZero() {
			return h
		}
	}
	return txn.ID{}
}

func (s *timestampRows) writers(i *QueuedPrepare) (out []txn.ID) {
	for _, k := range i.LockSet.Exclusive {
		if h := s.held[k]; !h.IsZero() && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// enter queues a prepare for rows at an arrival time, in milliseconds, received at now.
func (s *timestampRows) enter(now, stamp int, seq uint64, high bool, keys ...txn.Key) *QueuedPrepare {
	i := &QueuedPrepare{Attempt: txn.Attempt{Seq: seq}, Txn: txn.ID{Node: 1, Seq: seq}, ArrivalTime: int64(stamp), Ends: int64(stamp + 100), High: high,
		LockSet: LockSet{Exclusive: keys}, Due: time.Duration(max(stamp, now)), Deadline: 1000, Late: now > stamp}
	i.Late = i.Late || s.q.Passed(i)
	i.Refuse = func(reason txn.Refusal) { s.did = append(s.did, fmt.Sprintf("%d refused", seq)) }
	i.Ask = func() {
		h := s.holder(i)
		switch waits := !h.IsZero() || s.q.InTheWay(&i.LockSet, i) != nil; {
		case waits && high:
			s.q.MustFollow(i, h)
			s.q.Wait(i)
		case waits:
			i.Refuse(txn.Refusal{})
		default:
			for _, k := range keys {
				s.held[k] = i.Txn
			}
			s.q.Voted(*i)
			s.did = append(s.did, fmt.Sprintf("%d votes", seq))
		}
	}
	s.q.Enter(i)
	s.q.ProcessDue(time.Duration(now))
	return i
}

func (s *timestampRows) end(seq uint64) {
	id := txn.ID{Node: 1, Seq: seq}
	for k, h := range s.held { // order: each is freed by itself
		if h == id {
			delete(s.held, k)
		}
	}
	s.q.Ended(id)
}

func (s *timestampRows) want(t *testing.T, did ...string) {
	t.Helper()
	if !slices.Equal(s.did, did) {
		t.Errorf("got %v, want %v", s.did, did)
	}
	s.did = nil
}

// Prepares are processed when their arrival times have passed, in that order, and equal ones by id,
// in whatever order they were received.
func TestPreparesRunInArrivalOrder(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 30, 1, false, "a")
	s.enter(1, 20, 3, false, "b")
	s.enter(2, 20, 2, false, "c")
	s.want(t)
	if at := s.q.NextWake(); at != 20 {
		t.Errorf("NextWake is %d", at)
	}
	s.q.ProcessDue(19)
	s.want(t)
	s.q.ProcessDue(20)
	s.want(t, "2 votes", "3 votes")
	s.q.ProcessDue(30)
	s.want(t, "1 votes")
}

// Equal arrival times are ordered by id at all shards, in whatever order each receives them.
func TestEqualArrivalTimesAreOrderedByID(t *testing.T) {
	for _, order := range [][]uint64{{2, 3}, {3, 2}} {
		s := newTimestampTable(InArrivalOrder)
		for _, seq := range order {
			s.enter(0, 20, seq, true, "a")
		}
		s.q.ProcessDue(20)
		s.want(t, "2 votes")
		s.end(2)
		s.want(t, "3 votes")
	}
}

// Low priority aborts on a conflict with a voted or waiting prepare; high priority waits, holding
// nothing, in order.
func TestHighPriorityWaits(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 10, 1, false, "a")
	s.enter(0, 20, 2, true, "a", "b")
	s.enter(0, 30, 3, true, "b", "c")
	s.enter(0, 40, 4, false, "c")
	s.enter(0, 50, 5, false, "d")
	s.q.ProcessDue(10)
	s.want(t, "1 votes")
	s.q.ProcessDue(20)
	s.q.ProcessDue(50)
	s.want(t, "4 refused", "5 votes")
	s.end(1)
	s.want(t, "2 votes")
	s.end(2)
	s.want(t, "3 votes")
}

// A waiting prepare proceeds when its rows are released, before later ones; one that has waited too
// long is refused.
func TestWaitersAreGrantedInOrder(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 10, 1, true, "a")
	s.enter(0, 20, 2, true, "a")
	s.enter(0, 30, 3, true, "a")
	s.q.ProcessDue(30)
	s.want(t, "1 votes")
	s.end(1)
	s.want(t, "2 votes")
	s.q.ProcessDue(1000)
	s.want(t, "3 refused")
	s.end(2)
	if s.q.Len() != 0 {
		t.Errorf("%d left", s.q.Len())
	}
}

// A high-priority prepare received after its arrival time does not wait behind earlier ones, since
// elsewhere they may wait for it. Without a conflict it proceeds; low priority is unaffected.
func TestLatePreparesAbortOnConflict(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 50, 1, true, "a")
	s.q.ProcessDue(50)
	s.enter(60, 40, 2, true, "a")
	s.enter(60, 40, 3, true, "b")
	s.enter(60, 55, 4, false, "c")
	s.want(t, "1 votes", "2 refused", "3 votes", "4 votes")
	// A clock that was set back does not make it early.
	s.enter(10, 45, 5, true, "a")
	s.want(t, "5 refused")
}

// Nor does it wait behind a waiting prepare with a smaller arrival time, though its row is free.
func TestLatePreparesDoNotQueue(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.enter(0, 10, 1, true, "a")
	s.enter(0, 20, 2, true, "a", "b")
	s.q.ProcessDue(30)
	s.enter(60, 25, 3, true, "b")
	s.want(t, "1 votes", "3 refused")
}

// A low-priority prepare is aborted before its vote for a high-priority one with a later arrival
// time, whichever is received first; not if it should have ended by then, and not if it follows.
func TestLowPriorityIsPriorityAborted(t *testing.T) {
	s := newTimestampTable(InArrivalOrderPreempting)
	s.enter(0, 20, 1, false, "a")
	s.enter(1, 30, 2, true, "a")
	s.want(t, "1 refused")
	s.enter(2, 25, 3, false, "a")
	s.want(t, "3 refused")
	s.enter(2, 35, 4, false, "a")
	s.enter(2, 25, 5, false, "b")
	s.enter(2, 200, 6, true, "b")
	s.want(t)
	s.q.ProcessDue(200)
	s.want(t, "5 votes", "2 votes", "4 refused")
}

// The assertion that no wait closes a cycle compares arrival times, and of equal ones ids.
func TestWaitsLeadToSmallerArrivalTimes(t *testing.T) {
	for _, c := range []struct {
		seq   uint64
		stamp int64
		ok    bool
	}{{9, 50, true}, {9, 40, true}, {1, 40, false}, {9, 30, false}} {
		func() {
			defer func() {
				if r := recover(); (r == nil) != c.ok {
					t.Errorf("%+v: %v", c, r)
				}
			}()
			q := NewArrivalQueue(InArrivalOrder, nil, nil)
			q.Voted(QueuedPrepare{Txn: txn.ID{Node: 1, Seq: 5}, ArrivalTime: 40})
			q.MustFollow(&QueuedPrepare{Txn: txn.ID{Node: 1, Seq: c.seq}, ArrivalTime: c.stamp}, txn.ID{Node: 1, Seq: 5})
		}()
	}
}

// After a protocol switch the next policy decides about priority aborts.
func TestFollowChangesPolicy(t *testing.T) {
	s := newTimestampTable(InArrivalOrder)
	s.q.Follow(InArrivalOrderPreempting)
	s.enter(0, 10, 1, false, "a")
	s.enter(1, 20, 2, true, "a")
	if !slices.Equal(s.did, []string{"1 refused"}) {
		t.Errorf("got %v", s.did)
	}
}

// In random runs no prepare that may proceed keeps waiting: one that follows no waiting prepare,
// and whose rows are free. Nor is one retried that may not proceed: it would wait again.
func TestEveryRunnablePrepareIsRetried(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	keys := []txn.Key{"a", "b", "c", "d", "e", "f"}
	s := newTimestampTable(InArrivalOrder)
	var waited int
	for step := range 4000 {
		switch n := r.IntN(10); {
		case n < 5 && s.q.Len() < 40:
			picked := keys[:1+r.IntN(2)]
			s.enter(step, step+r.IntN(20), uint64(step)+1, r.IntN(3) > 0, picked[r.IntN(len(picked))], keys[r.IntN(len(keys))])
		case n < 6 && len(s.q.waits.list) > 0:
			s.q.Cancel(s.q.waits.list[r.IntN(len(s.q.waits.list))].Attempt)
			s.q.Freed()
		default:
			for _, k := range keys {
				if h := s.held[k]; !h.IsZero() && r.IntN(4) == 0 {
					s.end(h.Seq)
				}
			}
		}
		s.q.ProcessDue(time.Duration(step))
		for at, i := range s.q.waits.list {
			waited++
			clashes := func(o *QueuedPrepare) bool { return o.LockSet.Clashes(&i.LockSet) }
			if !slices.ContainsFunc(s.q.waits.list[:at], clashes) && s.holder(i).IsZero() {
				t.Fatalf("step %d: %v waits without a conflict", step, i.Txn)
			}
		}
		for k, h := range s.held { // order: each is judged by itself
			for _, o := range s.did {
				if o == fmt.Sprintf("%d refused", h.Seq) {
					t.Fatalf("step %d: %v holds %s and was refused", step, h, k)
				}
			}
		}
		s.did = nil
	}
	if waited < 1000 {
		t.Errorf("only %d waits examined", waited)
	}
}

// However many wait, an end examines only the waiters that it may unblock.
func TestAnEndExaminesFewWaiters(t *testing.T) {
	const many = 500
	s := newTimestampTable(InArrivalOrder)
	key := func(n int) txn.Key { return txn.Key(fmt.Sprint("row ", n)) }
	for n := range many {
		s.enter(0, 1, uint64(n)+1, true, key(n))
	}
	for n := range 2 * many { // two follow each
		s.enter(0, 2, many+uint64(n)+1, true, key(n%many))
	}
	s.q.ProcessDue(2)
	looked := 0
	s.q.conflictingVotes = func(i *QueuedPrepare) []txn.ID {
		looked++
		return s.writers(i)
	}
	s.end(1) // all are examined once
	looked, s.did = 0, nil
	for n := range uint64(10) {
		s.end(n + 2)
	}
	if len(s.did) != 10 || looked > 40 {
		t.Errorf("ten ends unblocked %d, and %d were examined", len(s.did), looked)
	}
}
