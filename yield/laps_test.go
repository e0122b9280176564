package yield

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// chaseLog is what a Chaser has said and done, in order.
type chaseLog struct {
	said []string
	mail []txn.Message
}

func (l *chaseLog) note(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

func (l *chaseLog) Send(to txn.Address, m txn.Message) {
	l.mail = append(l.mail, m)
	if m.Recheck != nil {
		l.note("recheck at %d", m.Recheck.Shard)
	} else {
		l.note("chase %d", m.Chase.Txn.Seq)
	}
}

func (l *chaseLog) Chased(id, waiter txn.ID) {
	l.note("%d is chased for %d", id.Seq, waiter.Seq)
}
func (l *chaseLog) CycleSeen(cycle []txn.WaitEdge) { l.note("a cycle of %d", len(cycle)) }
func (l *chaseLog) NoDeadlock(e txn.WaitEdge)      { l.note("%d does not wait", e.Txn.Seq) }
func (l *chaseLog) Broken(victim txn.ID, wide bool) {
	l.note("%d gives way, wide %v", victim.Seq, wide)
}
func (l *chaseLog) heard(t *testing.T, want ...string) { // since it was asked last
	t.Helper()
	if !slices.Equal(l.said, want) {
		t.Errorf("it has said %q, not %q", l.said, want)
	}
	l.said = nil
}

// knotAt is two shards, at which 1 and 2 wait for each other: 2 at the first, for its refusal.
func knotAt(t *testing.T) (log *chaseLog, one, two *Chaser, refused *txn.Refusal) {
	log, refused = &chaseLog{}, &txn.Refusal{}
	tabs := []*Table{NewTable(Detect, Bounds{}, nil), NewTable(Detect, Bounds{}, nil)}
	tabs[0].grant(0, id(1), age(1), x)
	tabs[1].grant(0, id(2), age(2), y)
	stay(t, tabs[0], 2, "x", func(w *Waiter) { w.phase, w.Refuse = Execute, func(why txn.Refusal) { *refused = why } })
	stay(t, tabs[1], 1, "y", nil)
	chasing := Chasing{Here: at(1), After: time.Second}
	one = NewChaser(tabs[0], chasing, log)
	chasing.Here = at(2)
	return log, one, NewChaser(tabs[1], chasing, log), refused
}

func TestADeadlockEndsInTwoLaps(t *testing.T) {
	log, one, two, refused := knotAt(t)
	two.Look(2 * time.Second) // 1, older, waits there for 2
	log.heard(t, "2 is chased for 1", "chase 2")
	one.Chase(log.mail[0].Chase) // its coordinator has sent it to where it waits
	log.heard(t, "a cycle of 2", "recheck at 2")
	two.Recheck(log.mail[1].Recheck)
	log.heard(t, "recheck at 1")
	if refused.Refused() {
		t.Fatal("a wait has ended before the second lap did")
	}
	one.Recheck(log.mail[2].Recheck)
	log.heard(t, "2 gives way, wide true")
	if refused.Why != txn.WhyWideDeadlock || one.table.Waiting() != 0 {
		t.Errorf("2 is refused with %v, and %d wait", refused.Why, one.table.Waiting())
	}
	one.Recheck(log.mail[2].Recheck) // it comes twice
	log.heard(t, "2 does not wait")
}

func TestACycleThatDoesNotStandIsNone(t *testing.T) {
	for _, c := range []struct {
		name    string
		between func(one, two *Chaser, m *txn.Recheck)
	}{
		{"its wait has ended", func(_, two *Chaser, _ *txn.Recheck) { two.table.Cancel(two.table.waits.numbered(id(1), 101)) }},
		{"another term has begun", func(_, two *Chaser, _ *txn.Recheck) { two.here.Term++ }},
		{"the lock was let go of", func(_, two *Chaser, _ *txn.Recheck) { two.table.holders.renew(two.table.Holder(id(2))) }},
	} {
		log, one, two, refused := knotAt(t)
		two.Look(2 * time.Second)
		one.Chase(log.mail[0].Chase)
		c.between(one, two, log.mail[1].Recheck)
		log.said = nil
		two.Recheck(log.mail[1].Recheck)
		if log.heard(t, "1 does not wait"); refused.Refused() {
			t.Errorf("%s: a phantom is ended", c.name)
		}
	}
}

// With the planted bug a shard in the middle of the way is not asked: what does not stand there is ended.
func TestASecondLapThatIsSkippedEndsPhantoms(t *testing.T) {
	log, one, two, refused := knotAt(t)
	one.oneLap, two.oneLap = true, true
	two.Look(2 * time.Second)
	two.table.Cancel(two.table.waits.numbered(id(1), 101))
	one.Chase(log.mail[0].Chase)
	one.Recheck(log.mail[1].Recheck)
	if !refused.Refused() {
		t.Error("the bug ends nobody")
	}
}

// A cycle whose waits are all at one shard needs no message.
func TestADeadlockOfOneShardEndsAtOnce(t *testing.T) {
	log, _, two, _ := knotAt(t)
	two.table.grant(0, id(1), age(1), LockSet{Exclusive: []txn.Key{"z"}})
	w := &Waiter{Txn: id(2), Age: age(2), Key: "z", Exclusive: true, Request: 7, Deadline: time.Hour, Refuse: func(txn.Refusal) {}}
	two.table.waits.enter(0, nil, w) // as if nobody had looked for a cycle when it came
	two.Look(2 * time.Second)
	log.heard(t, "2 is chased for 1", "a cycle of 2", "2 gives way, wide false", "chase 2")
	if two.table.Asks(id(2), w.Request) {
		t.Error("2 still waits")
	}
}
