package yield

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

var y = Claim{Exclusive: []txn.Key{"y"}}

func at(shard txn.ShardID) txn.WaitEdge { return txn.WaitEdge{Shard: shard, Leader: 1, Term: 1} }

// stay has a transaction wait for a row that it wants to write, since time 0.
func stay(t *testing.T, tab *Table, n uint64, k txn.Key, f func(*Waiter)) *Waiter {
	t.Helper()
	v := tab.request(Execute, id(n), age(n), Claim{Exclusive: []txn.Key{k}})
	if v.wait == nil {
		t.Fatalf("%d does not wait for %s: %+v", n, k, v)
	}
	w := &Waiter{Txn: id(n), Age: age(n), Key: k, Exclusive: true, Alone: true, Number: 100 + n, Deadline: time.Minute}
	if f != nil {
		f(w)
	}
	tab.wait(0, v.wait, w)
	return w
}

func TestWhereDeadlocksOverSeveralShardsCanBe(t *testing.T) {
	for _, p := range []Policy{DetectEager, Detect, DetectQueue, DetectGroup, WoundWaitGroup, WoundWaitRetire} {
		if !p.Deadlocks() {
			t.Errorf("%s: somebody must look for deadlocks", p.Name)
		}
	}
	for _, p := range []Policy{WoundWait, Validate, ValidateInBatches, EachValidates, EachByTimestamp} {
		if p.Deadlocks() {
			t.Errorf("%s: ages keep waits in order, and yet somebody looks for deadlocks", p.Name)
		}
	}
}

func TestWhoIsChased(t *testing.T) {
	const after = 100 * time.Millisecond
	tab := NewTable(Detect, Bounds{}, nil)
	tab.grant(0, id(5), age(5), x)
	tab.grant(0, id(4), age(4), Claim{Exclusive: []txn.Key{"y", "z"}})
	stay(t, tab, 3, "x", nil)
	stay(t, tab, 6, "z", nil) // younger: the chase of 6 will come here
	stay(t, tab, 2, "y", func(w *Waiter) { w.Fresh = true })
	look := func(now time.Duration) (who []uint64) {
		for _, s := range tab.Suspects(now, after, 4, at(1)) {
			who = append(who, s.Txn.Seq)
			if len(s.Into) != 1 || s.Into[0].Txn != id(3) || s.Into[0].For != id(5) {
				t.Errorf("for it waits %+v", s.Into)
			}
		}
		return who
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{after - 1, 0}, {after + 20*time.Millisecond, 1}, {after + 40*time.Millisecond, 0}, {3 * after, 1}, {4 * after, 0}, {5*after + 20*time.Millisecond, 1}} {
		if got := look(c.at); len(got) != c.want || c.want == 1 && got[0] != 5 {
			t.Errorf("after %v %v are chased", c.at, got)
		}
	}
}

// Who has a row shared and wants to write it goes first in its wait queue, however young, and
// is in the way of all others: that they wait for those who have it shared as well, older than these, is seen.
func TestWhoIsChasedBehindAnUpgrade(t *testing.T) {
	const after = 100 * time.Millisecond
	shared := Claim{Shared: []txn.Key{"x"}}
	tab := NewTable(Detect, Bounds{}, nil)
	tab.grant(0, id(6), age(6), shared)
	tab.grant(0, id(7), age(7), shared)
	if w := stay(t, tab, 7, "x", nil); !w.upgrades { // waits for 6
		t.Fatal("7 has the row shared")
	}
	stay(t, tab, 3, "x", nil) // waits for both, older than both
	var who []uint64
	for _, s := range tab.Suspects(after+20*time.Millisecond, after, 4, at(1)) {
		who = append(who, s.Txn.Seq)
		if len(s.Into) == 0 || slices.ContainsFunc(s.Into, func(e txn.WaitEdge) bool { return e.Txn != id(3) }) {
			t.Errorf("for %d it waits %+v", s.Txn.Seq, s.Into)
		}
	}
	if !slices.Equal(who, []uint64{6, 7}) {
		t.Errorf("%v are chased; 3 waits for 6 and 7, which are younger", who)
	}
}

// Two transactions wait for each other at two shards; whoever is asked finds the cycle,
// with all of its waits, and every wait of it stands.
func TestAChaseGoesAroundACycle(t *testing.T) {
	one, two := NewTable(Detect, Bounds{}, nil), NewTable(Detect, Bounds{}, nil)
	one.grant(0, id(1), age(1), x)
	two.grant(0, id(2), age(2), y)
	stay(t, one, 2, "x", nil)
	stay(t, two, 1, "y", nil)
	chase := &txn.Chase{Txn: id(2), Start: id(2), Age: age(2), Budget: 9}
	cycle, next := one.Follow(chase, at(1))
	if cycle != nil || len(next) != 1 || next[0].Txn != id(1) || len(next[0].Path) != 1 {
		t.Fatalf("2 waits for 1: %+v %+v", cycle, next)
	}
	cycle, _ = two.Follow(next[0], at(2))
	want := []txn.WaitEdge{
		{Txn: id(2), For: id(1), Shard: 1, Leader: 1, Term: 1, Request: 102, Tenure: one.Holder(id(1)).tenure},
		{Txn: id(1), For: id(2), Shard: 2, Leader: 1, Term: 1, Request: 101, Tenure: two.Holder(id(2)).tenure},
	}
	if !slices.Equal(cycle, want) || !(&txn.Recheck{Cycle: cycle}).Sane() {
		t.Fatalf("the cycle is %+v", cycle)
	}
	if !one.Stands(cycle[0]) || !two.Stands(cycle[1]) || one.Stands(cycle[1]) {
		t.Error("its waits stand where they were seen")
	}
	// Where the chase begins it is known who waits for 2: then the first shard closes the cycle.
	chase.Into = cycle[1:]
	if short, _ := one.Follow(chase, at(1)); !slices.Equal(short, want) {
		t.Errorf("with what is known at the beginning the cycle is %+v", short)
	}
	if Victim(cycle) != 0 {
		t.Error("the youngest gives way")
	}
	// A chase goes on through older ones alone: that of the elder does not come around.
	if _, next := two.Follow(&txn.Chase{Txn: id(1), Start: id(1), Age: age(1), Budget: 9}, at(2)); next != nil {
		t.Errorf("the chase of 1 goes on to %+v", next)
	}
	if _, next := one.Follow(&txn.Chase{Txn: id(2), Start: id(2), Age: age(2)}, at(1)); next != nil {
		t.Errorf("without a budget it goes on to %+v", next)
	}
}

// A wait that was let go of and came again is another: what was seen of the first
// proves nothing about the time between.
func TestAWaitThatHasComeAgainDoesNotStand(t *testing.T) {
	tab := hotX(DetectGroup, Bounds{})
	take(t, tab, 5)
	first := stay(t, tab, 7, "x", nil)
	_, next := tab.Follow(&txn.Chase{Txn: id(7), Start: id(9), Age: age(9), Budget: 9}, at(1))
	if len(next) != 1 || !tab.Stands(next[0].Path[0]) {
		t.Fatalf("7 waits for 5: %+v", next)
	}
	seen := next[0].Path[0]
	tab.Cancel(first)
	tab.wait(0, nil, first)
	if !tab.Stands(seen) {
		t.Error("a request that asks in vain has waited all the time")
	}
	pass(t, tab, 5, "5")
	if tab.Stands(seen) {
		t.Error("5 has let go of the row")
	}
	tab.unpublish(id(5), "x")
	if tab.Stands(seen) {
		t.Error("5 has let go of the row and taken it back")
	}
	tab.Cancel(first)
	stay(t, tab, 7, "x", func(w *Waiter) { w.Number = 200 })
	if tab.Stands(seen) {
		t.Error("it is another request that waits")
	}
}

// Who waits at its vote for one before it in a chain is undone with it: it gives way itself,
// older or not, and the other lives.
func TestWhoStandsBehindTheYoungestGivesWay(t *testing.T) {
	edge := func(from, to uint64, undone bool) txn.WaitEdge {
		return txn.WaitEdge{Txn: id(from), For: id(to), Undone: undone}
	}
	for _, c := range []struct {
		name  string
		cycle []txn.WaitEdge
		want  int
	}{
		{"locks alone", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"5 goes on from 9", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, true)}, 2},
		{"5 goes on from 9 and 3 from 5", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, true), edge(5, 9, true)}, 1},
		{"9 goes on from 3", []txn.WaitEdge{edge(9, 3, true), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"chains alone", []txn.WaitEdge{edge(9, 3, true), edge(3, 9, true)}, 0},
	} {
		if got := Victim(c.cycle); got != c.want {
			t.Errorf("%s: %v gives way", c.name, c.cycle[got].Txn)
		}
	}
	tab := hotX(DetectGroup, Bounds{})
	take(t, tab, 9)
	pass(t, tab, 9, "9")
	take(t, tab, 5)
	tab.wait(0, tab.Holder(id(9)), &Waiter{Txn: id(5), Age: age(5), Number: 1, Deadline: time.Minute})
	_, next := tab.Follow(&txn.Chase{Txn: id(5), Start: id(20), Age: age(20), Budget: 9}, at(1))
	if len(next) != 1 || !next[0].Path[0].Undone {
		t.Errorf("5 waits for 9 at its vote and is undone with it: %+v", next)
	}
}

// In the queue of a hot row stands one who holds nothing: nobody looks whether it closes a
// cycle. It can be between two others of one, and the chase finds it.
func TestAWaiterWhoHoldsNothingIsPartOfACycle(t *testing.T) {
	tab := NewTable(DetectQueue, Bounds{HotWaiters: -1}, nil)
	tab.grant(0, id(5), age(5), Claim{Shared: []txn.Key{"x"}})
	tab.grant(0, id(4), age(4), x2)
	fresh := stay(t, tab, 2, "x", func(w *Waiter) { w.Fresh = true })
	reader := &Waiter{Txn: id(4), Age: age(4), Key: "x", Number: 104, Deadline: time.Minute, Alone: true}
	tab.wait(0, nil, reader)
	// 5, at another shard, waits for 4; 4 waits for 2, which is before it; 2 waits for 5.
	start := &txn.Chase{Txn: id(4), Start: id(5), Age: age(5), Budget: 9, Path: []txn.WaitEdge{{Txn: id(5), For: id(4), Shard: 2}}}
	cycle, _ := tab.Follow(start, at(1))
	if len(cycle) != 3 || cycle[1].For != id(2) || cycle[2].Txn != id(2) {
		t.Fatalf("the cycle is %+v", cycle)
	}
	if !tab.Stands(cycle[1]) || !tab.Stands(cycle[2]) {
		t.Error("its waits stand")
	}
	if s := tab.Suspects(time.Second, time.Millisecond, 8, at(1)); len(s) != 1 || s[0].Txn != id(5) || s[0].Into[0] != cycle[2] {
		t.Errorf("4 waits behind 2, which waits for 5: %+v", s)
	}
	tab.Cancel(fresh)
	if tab.Stands(cycle[1]) {
		t.Error("2 has left the queue")
	}
}

var x2 = Claim{Exclusive: []txn.Key{"other"}}

// The proof in chase.go, tried out: transactions at several shards wait, let go early and take
// back while messages are under way. Whenever a deadlock is ended all of its waits stood together
// at the instant between the laps; and when nothing moves any more, no deadlock is left.
func TestNoPhantomIsEndedAndNoDeadlockLeft(t *testing.T) {
	ended, phantoms := 0, 0
	for _, p := range []Policy{DetectEager, DetectQueue, DetectGroup, WoundWaitGroup, WoundWaitRetire} {
		for seed := range uint64(150) {
			w := newChaseWorld(p, seed)
			for range 400 {
				w.step()
			}
			w.calm()
			if w.wrong != "" {
				t.Fatalf("%s, seed %d: %s", p.Name, seed, w.wrong)
			}
			ended, phantoms = ended+w.ended, phantoms+w.phantoms
		}
	}
	t.Logf("%d deadlocks were ended, %d phantoms were seen", ended, phantoms)
	if ended < 500 || phantoms < 20 {
		t.Errorf("only %d deadlocks were ended and %d phantoms seen", ended, phantoms)
	}
}

// chaseWorld is a few tables and transactions, and the messages between them.
type chaseWorld struct {
	rng      *rand.Rand
	now      time.Duration
	tables   []*Table // of shards 1, 2, ...
	txns     map[uint64]*member
	next     uint64
	number   uint64
	mail     []any // *txn.Chase, lap
	ended    int
	phantoms int // cycles whose waits did not stand together
	busy     bool
	wrong    string
}

// lap is a second lap on its way; real: its waits stood together when it began.
type lap struct {
	txn.Recheck
	real bool
}

type member struct {
	n       uint64
	waits   txn.ShardID // where, 0: nowhere
	voting  bool
	touched map[txn.ShardID]bool
}

func newChaseWorld(p Policy, seed uint64) *chaseWorld {
	w := &chaseWorld{rng: rand.New(rand.NewPCG(seed, 3)), txns: map[uint64]*member{}}
	for range 3 {
		w.tables = append(w.tables, NewTable(p, Bounds{HotWaiters: -1, GroupSize: 2}, nil))
	}
	return w
}

func (w *chaseWorld) table(s txn.ShardID) *Table { return w.tables[s-1] }

func (w *chaseWorld) step() {
	w.now += time.Millisecond
	switch n := w.rng.IntN(10); {
	case n < 3 && len(w.mail) > 0:
		w.deliver(w.rng.IntN(len(w.mail)))
	case n < 4:
		w.look()
	default:
		w.act()
	}
}

// calm lets nobody do anything new until nothing moves.
func (w *chaseWorld) calm() {
	for range 4000 {
		w.now += time.Millisecond
		if len(w.mail) > 0 {
			w.deliver(0)
			continue
		}
		moved := false
		for _, n := range w.members() {
			if m := w.txns[n]; m != nil && m.waits == 0 {
				w.commit(m)
				moved = true
			}
		}
		if !moved && len(w.txns) == 0 {
			return
		}
		w.look()
	}
	w.wrong = fmt.Sprintf("%d transactions wait for ever", len(w.txns))
	for s, tab := range w.tables {
		for _, x := range tab.listWaits() {
			w.wrong += fmt.Sprintf("; at %d %v waits for %v", s+1, x.Txn, x.For)
		}
	}
}

func (w *chaseWorld) members() []uint64 {
	var out []uint64
	for n := range w.txns { // order: sorted below
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (w *chaseWorld) act() {
	if len(w.txns) < 6 {
		w.next++
		n := w.next*10 - uint64(w.rng.IntN(40))%(w.next*10)
		for w.txns[n] != nil {
			n++
		}
		w.txns[n] = &member{n: n, touched: map[txn.ShardID]bool{}}
	}
	all := w.members()
	m := w.txns[all[w.rng.IntN(len(all))]]
	s := txn.ShardID(1 + w.rng.IntN(len(w.tables)))
	switch n := w.rng.IntN(12); {
	case m.waits != 0 && n == 0:
		w.end(m, false) // its client goes away
	case m.waits != 0 && n < 3 || m.waits == 0 && n < 5:
		w.publish(m, s) // of one that waits, it comes late
	case m.waits != 0:
	case n == 5:
		w.commit(m)
	default:
		w.number++
		fresh := len(m.touched) == 0
		c := Claim{Fresh: fresh}
		if k := []txn.Key{txn.Key(rune('a' + w.rng.IntN(2)))}; w.rng.IntN(4) == 0 {
			c.Shared = k
		} else {
			c.Exclusive = k
		}
		w.ask(m, s, c, w.number)
	}
}

func (w *chaseWorld) publish(m *member, s txn.ShardID) {
	tab := w.table(s)
	h := tab.Holder(id(m.n))
	if h == nil || h.Voted {
		return
	}
	k := txn.Key(rune('a' + w.rng.IntN(2)))
	if slices.ContainsFunc(h.written, func(r txn.Row) bool { return r.Key == k }) {
		w.atOnce(func() {
			w.undoBehind(tab, m.n, k)
			if w.txns[m.n] == m { // at two shards each may stand behind the other
				tab.unpublish(id(m.n), k)
			}
		})
		return
	}
	tab.publish(id(m.n), row(k, "v", m.n))
	w.wake()
}

func (w *chaseWorld) ask(m *member, s txn.ShardID, c Claim, number uint64) {
	tab := w.table(s)
	m.waits = 0
	m.touched[s] = true
	v := tab.request(Execute, id(m.n), age(m.n), c)
	switch {
	case v.die != nil:
		w.end(m, false)
	case v.wait != nil:
		k := append(c.Exclusive, c.Shared...)[0]
		if !tab.at(v.wait, k) {
			k = ""
		}
		m.waits = s
		tab.wait(w.now, v.wait, &Waiter{Txn: id(m.n), Age: age(m.n), Key: k, Exclusive: len(c.Exclusive) > 0, Fresh: c.Fresh, Alone: true,
			Number: number, Since: w.now, Deadline: time.Hour, Retry: func() { w.ask(m, s, c, number) }, Refuse: func(txn.Refusal) {}})
	case len(v.victims) > 0:
		for _, victim := range v.victims {
			if o := w.txns[victim.Seq]; o != nil {
				w.end(o, false)
			}
		}
		if w.txns[m.n] == m {
			w.ask(m, s, c, number)
		}
	default:
		tab.grant(w.now, id(m.n), age(m.n), c)
	}
}

// commit ends a transaction once those before it in chains have ended.
func (w *chaseWorld) commit(m *member) {
	for i, tab := range w.tables {
		on := tab.ahead(id(m.n))
		if on == nil {
			continue
		}
		if tab.closesCycle(id(m.n), age(m.n), []*Holder{on}, nil) {
			w.end(m, false)
			return
		}
		w.number++
		number := w.number
		m.waits, m.voting = txn.ShardID(i+1), true
		var wait func(*Holder)
		wait = func(on *Holder) {
			tab.wait(w.now, on, &Waiter{Txn: id(m.n), Age: age(m.n), Number: number, Alone: true, Since: w.now, Deadline: time.Hour, Refuse: func(txn.Refusal) {}, Retry: func() {
				if next := tab.ahead(id(m.n)); next != nil {
					wait(next)
					return
				}
				m.waits = 0
				w.commit(m)
			}})
		}
		wait(on)
		return
	}
	w.end(m, true)
}

func (w *chaseWorld) end(m *member, committed bool) {
	if w.txns[m.n] != m {
		return
	}
	delete(w.txns, m.n)
	for _, tab := range w.tables {
		tab.waitersOf(id(m.n))
	}
	w.atOnce(func() {
		for _, tab := range w.tables {
			if !committed {
				w.undoBehind(tab, m.n, "")
			}
			tab.ended(id(m.n), committed)
			tab.release(w.now, id(m.n))
		}
	})
}

// atOnce does what nobody who waits may see the half of.
func (w *chaseWorld) atOnce(f func()) {
	was := w.busy
	w.busy = true
	f()
	w.busy = was
	w.wake()
}

func (w *chaseWorld) undoBehind(tab *Table, n uint64, k txn.Key) {
	for _, behind := range tab.behind(id(n), k) {
		if o := w.txns[behind.Seq]; o != nil {
			w.end(o, false)
		}
	}
}

func (w *chaseWorld) wake() {
	if w.busy {
		return
	}
	w.busy = true
	for asked := true; asked; {
		asked = false
		for _, tab := range w.tables {
			for r := tab.next(); r != nil; r = tab.next() {
				asked = true
				r.Retry()
			}
		}
	}
	w.busy = false
}

func (w *chaseWorld) look() {
	for i, tab := range w.tables {
		for _, s := range tab.Suspects(w.now, 4*time.Millisecond, 4, at(txn.ShardID(i+1))) {
			c := &txn.Chase{Txn: s.Txn, Start: s.Txn, Age: s.Age, Budget: txn.ChaseBudgetMax, Turn: s.Turn}
			if w.rng.IntN(2) == 0 {
				c.Into = s.Into
			}
			w.mail = append(w.mail, c)
		}
	}
}

func (w *chaseWorld) deliver(i int) {
	mail := w.mail[i]
	if w.rng.IntN(8) > 0 { // else it comes twice
		w.mail = slices.Delete(w.mail, i, i+1)
	}
	switch m := mail.(type) {
	case *txn.Chase:
		w.chase(m)
	case lap:
		w.recheck(m)
	}
}

// chase is a coordinator's part and then that of a leader.
func (w *chaseWorld) chase(c *txn.Chase) {
	m := w.txns[c.Txn.Seq]
	if m == nil || m.waits == 0 {
		return
	}
	cycle, next := w.table(m.waits).Follow(c, at(m.waits))
	for _, n := range next {
		w.mail = append(w.mail, n)
	}
	if cycle == nil {
		return
	}
	l := lap{txn.Recheck{Cycle: cycle, Victim: Victim(cycle)}, true}
	for _, e := range cycle {
		l.real = l.real && w.table(e.Shard).Stands(e)
		l.Route = append(l.Route, e.Shard)
	}
	if !l.Sane() {
		w.wrong = fmt.Sprintf("this is no cycle: %+v", cycle)
	}
	if !l.real {
		w.phantoms++
	}
	w.mail = append(w.mail, l)
}

func (w *chaseWorld) recheck(l lap) {
	for _, e := range l.Cycle {
		if e.Shard == l.Route[0] && !w.table(e.Shard).Stands(e) {
			return
		}
	}
	if l.Route = l.Route[1:]; len(l.Route) > 0 {
		w.mail = append(w.mail, l)
		return
	}
	if !l.real {
		w.wrong = fmt.Sprintf("a phantom is ended: %+v", l.Cycle)
	}
	if v := w.txns[l.Cycle[l.Victim].Txn.Seq]; v != nil {
		w.ended++
		w.end(v, false)
	}
}
