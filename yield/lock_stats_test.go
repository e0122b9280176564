package yield

import (
	"testing"
	"time"
)

// Each lock granted or released counts the waiters of its row at that time.
func TestLockStatsCountWaiters(t *testing.T) {
	tab := NewTable(DetectEager, HotRowConfig{}, nil)
	tab.grant(0, id(1), age(1), x)
	if w := tab.LockStats(); w != (LockStats{Locks: 1}) {
		t.Fatalf("no transaction waits: %+v", w)
	}
	for n := uint64(2); n <= 4; n++ {
		tab.waits.enter(0, nil, &Waiter{Txn: id(n), Age: age(n), Key: "x", Deadline: time.Second})
	}
	tab.waits.enter(0, nil, &Waiter{Txn: id(5), Age: age(5), Key: "y", Deadline: time.Second}) // another row
	tab.locks.release(0, id(1))
	if w := tab.LockStats(); w.Locks != 2 || w.WaitersExamined != 3 {
		t.Fatalf("released with three waiters: %+v", w)
	}
	next := tab.waits.next()
	tab.grant(0, next.Txn, next.Age, x)
	if w := tab.LockStats(); w.Locks != 3 || w.WaitersExamined != 5 {
		t.Errorf("granted with two waiters: %+v", w)
	}
}

func TestLockStatsPlusAndSince(t *testing.T) {
	a, b := LockStats{Locks: 5, Steps: 7, WaitersExamined: 9}, LockStats{Locks: 1, Steps: 2, WaitersExamined: 3}
	if s := a.Plus(b); s != (LockStats{6, 9, 12}) || s.Since(b) != a {
		t.Errorf("%+v, %+v", s, s.Since(b))
	}
	if d := b.Since(a); d != (LockStats{}) {
		t.Errorf("a new table: %+v", d)
	}
}
