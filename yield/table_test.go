package yield

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

func id(n uint64) txn.ID   { return txn.ID{Node: 1, Epoch: 1, Seq: n} }
func age(n uint64) txn.Age { return txn.Age{Start: txn.Timestamp(n), ID: id(n)} }

func TestConflictRules(t *testing.T) {
	row := LockSet{Exclusive: []txn.Key{"x"}}
	for _, c := range []struct {
		name         string
		policy       Policy
		phase        Phase
		asker        uint64
		holder       uint64
		voted        bool
		wait, die    bool
		woundsHolder bool
	}{
		{"an older one wounds a younger that executes", WoundWait, Execute, 1, 2, false, false, false, true},
		{"a younger one waits for an older that executes", WoundWait, Execute, 2, 1, false, true, false, false},
		{"an older one waits for a voted one", WoundWait, Execute, 1, 2, true, true, false, false},
		{"a prepare wounds a younger that executes", WoundWait, Prepare, 1, 2, false, false, false, true},
		{"a prepare aborts because of an older that executes", WoundWait, Prepare, 2, 1, false, false, true, false},
		{"a prepare waits for a voted younger one", WoundWait, Prepare, 1, 2, true, true, false, false},
		{"a prepare aborts because of a voted older one", WoundWait, Prepare, 2, 1, true, false, true, false},
		{"by wait-die an older one waits for a younger that executes", WaitDie, Execute, 1, 2, false, true, false, false},
		{"by wait-die a younger one aborts because of an older that executes", WaitDie, Execute, 2, 1, false, false, true, false},
		{"by wait-die it aborts because of an older that has voted", WaitDie, Execute, 2, 1, true, false, true, false},
		{"by wait-die a prepare waits for a younger that executes", WaitDie, Prepare, 1, 2, false, true, false, false},
		{"by wait-die a prepare aborts because of an older voted one", WaitDie, Prepare, 2, 1, true, false, true, false},
		{"by no-wait an older one aborts", NoWait, Execute, 1, 2, false, false, true, false},
		{"by no-wait a prepare aborts", NoWait, Prepare, 1, 2, true, false, true, false},
		{"by no-wait an unlocked read waits for a voted writer", NoWait, UnlockedRead, 1, 2, true, true, false, false},
		{"a validation never waits", Validate, Prepare, 1, 2, true, false, true, false},
		{"an unlocked read waits for a voted writer", Validate, UnlockedRead, 1, 2, true, true, false, false},
		{"an unlocked read passes one that executes", Validate, UnlockedRead, 2, 1, false, false, false, false},
	} {
		table := NewTable(c.policy, HotRowConfig{}, nil)
		table.grant(0, id(c.holder), age(c.holder), row).Voted = c.voted
		v := table.request(c.phase, id(c.asker), age(c.asker), LockSet{Shared: []txn.Key{"x"}})
		if (v.wait != nil) != c.wait || (v.die != nil) != c.die || (len(v.victims) == 1) != c.woundsHolder {
			t.Errorf("%s: got %+v", c.name, v)
		}
	}
}

func TestRangesKeepPhantomsOut(t *testing.T) {
	table := NewTable(WoundWait, HotRowConfig{}, nil)
	table.grant(0, id(1), age(1), LockSet{Spans: []txn.Span{{Start: "b", End: "d"}}})
	ask := func(k txn.Key) bool {
		return table.request(Execute, id(2), age(2), LockSet{Exclusive: []txn.Key{k}}).granted()
	}
	if ask("b") || ask("c") || !ask("a") || !ask("d") {
		t.Error("a locked range [b, d) must exclude writers of b and c only")
	}
	table.locks.release(0, id(1))
	if !ask("c") {
		t.Error("a released range excludes writers")
	}
}

func TestUpgradeAndRelease(t *testing.T) {
	table := NewTable(WoundWait, HotRowConfig{}, nil)
	table.grant(0, id(1), age(1), LockSet{Shared: []txn.Key{"x"}})
	table.grant(0, id(1), age(1), LockSet{Exclusive: []txn.Key{"x"}})
	if table.request(Prepare, id(2), age(2), LockSet{Shared: []txn.Key{"x"}}).granted() {
		t.Error("an upgraded lock must be exclusive")
	}
	table.locks.release(0, id(1))
	if len(table.Holders()) != 0 || table.rows.Len() != 1 {
		t.Error("a release must leave nothing behind")
	}
}

// TestNoCycleOfWaits drives random transactions over several shards, as they would be driven,
// and searches for a cycle of waits after each step.
func TestNoCycleOfWaits(t *testing.T) {
	for _, policy := range []Policy{WoundWait, WaitDie, NoWait} {
		waits := 0
		for seed := range uint64(300) {
			w := newWaitWorld(seed, policy)
			for range 400 {
				w.step()
				if c := w.cycle(); c != "" {
					t.Fatalf("%s, seed %d: %s", policy.Name, seed, c)
				}
			}
			waits += w.waits
		}
		if (waits > 0) == (policy.OnConflict == ConflictNoWait) {
			t.Errorf("%s: %d waits", policy.Name, waits)
		}
	}
}

// waitWorld is transactions that lock keys in execution one at a time and then prepare at all their
// shards in one round.
type waitWorld struct {
	rng    *rand.Rand
	shards []*Table
	txns   map[uint64]*actor
	next   uint64
	waits  int
}

type actor struct {
	n         uint64
	lockSets  map[int]LockSet // held, by shard
	preparing map[int]bool    // shards asked for a vote
	voted     map[int]bool
	waits     map[int]txn.ID
}

func newWaitWorld(seed uint64, p Policy) *waitWorld {
	w := &waitWorld{rng: rand.New(rand.NewPCG(seed, 7)), txns: map[uint64]*actor{}}
	for range 3 {
		w.shards = append(w.shards, NewTable(p, HotRowConfig{}, nil))
	}
	return w
}

func (w *waitWorld) pick() *actor {
	if len(w.txns) < 6 {
		w.next++
		// Ages are not in order of arrival: a retry inherits its age.
		n := w.next*10 - uint64(w.rng.IntN(60))%(w.next*10)
		for w.txns[n] != nil {
			n++
		}
		w.txns[n] = &actor{n: n, lockSets: map[int]LockSet{}, preparing: map[int]bool{}, voted: map[int]bool{}, waits: map[int]txn.ID{}}
		return w.txns[n]
	}
	i := w.rng.IntN(len(w.txns))
	for n := uint64(0); ; n++ {
		if a := w.txns[n]; a != nil {
			if i == 0 {
				return a
			}
			i--
		}
	}
}

func (w *waitWorld) step() {
	a := w.pick()
	if len(a.waits) > 0 && len(a.preparing) == 0 {
		for s := range a.waits { // retries when its holder has ended
			if w.shards[s].Holder(a.waits[s]) == nil {
				delete(a.waits, s)
			}
		}
		return
	}
	switch {
	case len(a.preparing) > 0:
		w.vote(a)
	case w.rng.IntN(4) == 0:
		for s := range w.shards {
			if w.rng.IntN(2) == 0 || len(a.lockSets[s].Exclusive) > 0 {
				a.preparing[s] = true
			}
		}
		a.waits = map[int]txn.ID{}
	default:
		s := w.rng.IntN(len(w.shards))
		w.ask(a, s, Execute, LockSet{Exclusive: []txn.Key{w.key()}})
	}
}

func (w *waitWorld) key() txn.Key { return txn.Key(rune('a' + w.rng.IntN(3))) }

func (w *waitWorld) vote(a *actor) {
	for s := range w.shards {
		if !a.preparing[s] || a.voted[s] || w.rng.IntN(2) == 0 {
			continue
		}
		c := a.lockSets[s]
		c.Exclusive = append(c.Exclusive[:len(c.Exclusive):len(c.Exclusive)], w.key())
		if w.txns[a.n] == nil || !w.ask(a, s, Prepare, c) {
			return
		}
		w.shards[s].Holder(id(a.n)).Voted = true
		a.voted[s] = true
	}
	if len(a.voted) == len(a.preparing) && w.rng.IntN(3) == 0 {
		w.end(a)
	}
}

func (w *waitWorld) ask(a *actor, s int, phase Phase, c LockSet) bool {
	for {
		v := w.shards[s].request(phase, id(a.n), age(a.n), c)
		delete(a.waits, s)
		switch {
		case v.die != nil:
			w.end(a)
			return false
		case v.wait != nil:
			a.waits[s] = v.wait.Txn
			w.waits++
			return false
		case len(v.victims) > 0:
			for _, victim := range v.victims {
				w.end(w.txns[victim.Seq])
			}
			continue
		}
		w.shards[s].grant(0, id(a.n), age(a.n), c)
		have := a.lockSets[s]
		have.Exclusive = append(have.Exclusive, c.Exclusive...)
		a.lockSets[s] = have
		return true
	}
}

func (w *waitWorld) end(a *actor) {
	for _, t := range w.shards {
		t.locks.release(0, id(a.n))
	}
	delete(w.txns, a.n)
	for _, o := range w.txns {
		for s, h := range o.waits {
			if h == id(a.n) {
				delete(o.waits, s)
			}
		}
	}
}

// cycle follows every wait; a path longer than the number of transactions is one.
func (w *waitWorld) cycle() string {
	for n := range w.txns {
		seen := map[uint64]bool{}
		if path, found := w.follow(n, seen, nil); found {
			return fmt.Sprint("these wait in a cycle: ", path)
		}
	}
	return ""
}

func (w *waitWorld) follow(n uint64, onPath map[uint64]bool, path []uint64) ([]uint64, bool) {
	if onPath[n] {
		return append(path, n), true
	}
	onPath[n] = true
	defer delete(onPath, n)
	if a := w.txns[n]; a != nil {
		for _, h := range a.waits {
			if p, found := w.follow(h.Seq, onPath, append(path, n)); found {
				return p, true
			}
		}
	}
	return nil, false
}

// Many wait in the queue of a row, and the oldest is retried first.
func TestTheQueueOfARow(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	c := LockSet{Exclusive: []txn.Key{"hot"}}
	holder := tab.grant(0, id(1), age(1), c)
	var asked []uint64
	for _, n := range []uint64{5, 3, 4, 2} {
		w := &Waiter{Txn: id(n), Age: age(n), Key: "hot", Deadline: time.Second}
		w.Retry = func() {
			asked = append(asked, n)
			tab.grant(0, id(n), age(n), c)
		}
		if !tab.waits.enter(0, holder, w) {
			t.Fatal("the request does not wait")
		}
	}
	for range 4 {
		tab.locks.release(0, tab.Holders()[0].Txn)
		for w := tab.waits.next(); w != nil; w = tab.waits.next() {
			w.Retry()
		}
	}
	if !slices.Equal(asked, []uint64{2, 3, 4, 5}) || tab.Waiting() != 0 {
		t.Errorf("retried in the order %v, %d still waiting", asked, tab.Waiting())
	}
}

// A waiter that is retried without success must not be retried without end, and one that leaves
// must not keep the next from its retry.
func TestAFailedRetryDoesNotBlockTheQueue(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	shared := LockSet{Shared: []txn.Key{"x"}}
	tab.grant(0, id(1), age(1), shared)
	h := tab.grant(0, id(2), age(2), shared)
	tries := map[uint64]int{}
	wait := func(n uint64, retry func()) {
		tab.waits.enter(0, h, &Waiter{Txn: id(n), Age: age(n), Key: "x", Deadline: time.Second, Retry: func() { tries[n]++; retry() }})
	}
	wait(3, func() { wait(3, func() {}) })
	wait(4, func() {})
	drain := func() {
		for w := tab.waits.next(); w != nil; w = tab.waits.next() {
			w.Retry()
		}
	}
	tab.locks.release(0, id(1))
	drain()
	if tries[3] != 1 || tries[4] != 0 {
		t.Errorf("with another still reading the row the first is retried once: %v", tries)
	}
	tab.locks.release(0, id(2))
	drain()
	if tries[3] != 2 || tries[4] != 1 || tab.Waiting() != 0 {
		t.Errorf("the first has left, so the next must be retried: %v", tries)
	}
}

// A request for several rows waits in no queue, and must not be starved by requests for one.
func TestTheOldestIsRetriedFirst(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	both := LockSet{Exclusive: []txn.Key{"x", "y"}}
	h := tab.grant(0, id(1), age(1), both)
	var asked []uint64
	wait := func(n uint64, k txn.Key) {
		tab.waits.enter(0, h, &Waiter{Txn: id(n), Age: age(n), Key: k, Deadline: time.Second, Retry: func() { asked = append(asked, n) }})
	}
	wait(4, "")
	wait(6, "x")
	wait(2, "")
	wait(3, "y")
	wait(5, "y")
	tab.locks.release(0, id(1))
	for w := tab.waits.next(); w != nil; w = tab.waits.next() {
		w.Retry()
	}
	if !slices.Equal(asked, []uint64{2, 3, 4, 5, 6}) {
		t.Errorf("retried in the order %v", asked)
	}
}
