package yield

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// The proof in deadlock_detector.go, tried out: transactions at several shards wait, release early
// and withdraw values while messages are in flight. Whenever a deadlock is broken all of its waits
// existed together between the passes; and when nothing moves any more, no deadlock is left.
func TestNoPhantomIsBrokenAndNoDeadlockLeft(t *testing.T) {
	ended, phantoms := 0, 0
	for _, p := range []Policy{DetectEager, DetectQueue, DetectGroup, WoundWaitGroup, WoundWaitRetire} {
		for seed := range uint64(250) {
			w := newProbeNetwork(p, seed)
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
	t.Logf("%d deadlocks broken, %d phantoms seen", ended, phantoms)
	if ended < 500 || phantoms < 20 {
		t.Errorf("only %d deadlocks broken and %d phantoms seen", ended, phantoms)
	}
}

// probeNetwork is a few tables and transactions, and the messages between them.
type probeNetwork struct {
	rng       *rand.Rand
	now       time.Duration
	tables    []*Table // of shards 1, 2, ...
	detectors []*DeadlockDetector
	txns      map[uint64]*member
	next      uint64
	number    uint64
	messages  []any // *txn.DeadlockProbe, *probePass
	ended     int
	phantoms  int // cycles whose waits did not exist together
	busy      bool
	pass      *probePass // being delivered
	wrong     string
}

// probePass is a confirmation in flight; real: its waits existed together when it began.
type probePass struct {
	*txn.DeadlockConfirm
	real bool
}

type member struct {
	n       uint64
	waits   txn.ShardID // shard at which it waits, 0: none
	voting  bool
	touched map[txn.ShardID]bool
}

func newProbeNetwork(p Policy, seed uint64) *probeNetwork {
	w := &probeNetwork{rng: rand.New(rand.NewPCG(seed, 3)), txns: map[uint64]*member{}}
	for range 3 {
		tab := NewTable(p, HotRowConfig{HotWaiters: -1, GroupSize: 2}, nil)
		w.tables = append(w.tables, tab)
		w.detectors = append(w.detectors, NewDeadlockDetector(tab, DetectorConfig{Here: at(txn.ShardID(len(w.tables))), After: 4 * time.Millisecond}, w))
	}
	return w
}

func (w *probeNetwork) table(s txn.ShardID) *Table { return w.tables[s-1] }

func (w *probeNetwork) step() {
	w.now += time.Millisecond
	switch n := w.rng.IntN(10); {
	case n < 3 && len(w.messages) > 0:
		w.deliver(w.rng.IntN(len(w.messages)))
	case n < 4:
		w.look()
	default:
		w.act()
	}
}

// calm starts nothing new until nothing moves.
func (w *probeNetwork) calm() {
	for range 4000 {
		w.now += time.Millisecond
		if len(w.messages) > 0 {
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
	w.wrong = fmt.Sprintf("%d transactions wait without end", len(w.txns))
	for s, tab := range w.tables {
		for _, x := range tab.listWaits() {
			w.wrong += fmt.Sprintf("; at %d %v waits for %v", s+1, x.Txn, x.For)
		}
	}
}

func (w *probeNetwork) members() []uint64 {
	var out []uint64
	for n := range w.txns { // order: sorted below
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (w *probeNetwork) act() {
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
		w.end(m, false) // its client leaves
	case m.waits != 0 && n < 3 || m.waits == 0 && n < 5:
		w.publish(m, s) // of a waiting transaction the message arrives late
	case m.waits != 0:
	case n == 5:
		w.commit(m)
	default:
		w.number++
		fresh := len(m.touched) == 0
		c := LockSet{HoldsNothing: fresh}
		if k := []txn.Key{txn.Key(rune('a' + w.rng.IntN(2)))}; w.rng.IntN(4) == 0 {
			c.Shared = k
		} else {
			c.Exclusive = k
		}
		w.ask(m, s, c, w.number)
	}
}

func (w *probeNetwork) publish(m *member, s txn.ShardID) {
	tab := w.table(s)
	h := tab.Holder(id(m.n))
	if h == nil || h.Voted {
		return
	}
	k := txn.Key(rune('a' + w.rng.IntN(2)))
	if slices.ContainsFunc(h.written, func(r txn.Row) bool { return r.Key == k }) {
		w.atOnce(func() {
			w.abortDependents(tab, m.n, k)
			if w.txns[m.n] == m { // at two shards each may follow the other
				tab.chains.unpublish(id(m.n), k)
			}
		})
		return
	}
	tab.chains.publish(id(m.n), row(k, "v", m.n))
	w.wake()
}

func (w *probeNetwork) ask(m *member, s txn.ShardID, c LockSet, number uint64) {
	tab := w.table(s)
	m.waits = 0
	m.touched[s] = true
	v := tab.request(Execute, id(m.n), age(m.n), c)
	switch {
	case v.die != nil:
		w.end(m, false)
	case v.wait != nil:
		k := append(c.Exclusive, c.Shared...)[0]
		if tab.rows.near(v.wait, []txn.Key{k}) == "" {
			k = ""
		}
		m.waits = s
		tab.waits.enter(w.now, v.wait, &Waiter{Txn: id(m.n), Age: age(m.n), Key: k, Exclusive: len(c.Exclusive) > 0, HoldsNothing: c.HoldsNothing, WaitsOnlyHere: true,
			Number: number, Since: w.now, Deadline: time.Hour, Retry: func() { w.ask(m, s, c, number) }, Refuse: w.refused(m)})
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

// commit ends a transaction once its predecessors in chains have ended.
func (w *probeNetwork) commit(m *member) {
	for i, tab := range w.tables {
		on := tab.chains.ahead(id(m.n))
		if on == nil {
			continue
		}
		if tab.graph.closesCycle(id(m.n), age(m.n), []*Holder{on}, nil) {
			w.end(m, false)
			return
		}
		w.number++
		number := w.number
		m.waits, m.voting = txn.ShardID(i+1), true
		var wait func(*Holder)
		wait = func(on *Holder) {
			tab.waits.enter(w.now, on, &Waiter{Txn: id(m.n), Age: age(m.n), Number: number, WaitsOnlyHere: true, Since: w.now, Deadline: time.Hour, Refuse: w.refused(m), Retry: func() {
				if next := tab.chains.ahead(id(m.n)); next != nil {
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

func (w *probeNetwork) end(m *member, committed bool) {
	if w.txns[m.n] != m {
		return
	}
	delete(w.txns, m.n)
	for _, tab := range w.tables {
		tab.waits.take(id(m.n))
	}
	w.atOnce(func() {
		for _, tab := range w.tables {
			if !committed {
				w.abortDependents(tab, m.n, "")
			}
			tab.chains.ended(id(m.n), committed)
			tab.locks.release(w.now, id(m.n))
		}
	})
}

// atOnce runs a step in the middle of which no waiter is retried.
func (w *probeNetwork) atOnce(f func()) {
	was := w.busy
	w.busy = true
	f()
	w.busy = was
	w.wake()
}

func (w *probeNetwork) abortDependents(tab *Table, n uint64, k txn.Key) {
	for _, behind := range tab.chains.dependents(id(n), k) {
		if o := w.txns[behind.Seq]; o != nil {
			w.end(o, false)
		}
	}
}

func (w *probeNetwork) wake() {
	if w.busy {
		return
	}
	w.busy = true
	for asked := true; asked; {
		asked = false
		for _, tab := range w.tables {
			for r := tab.waits.next(); r != nil; r = tab.waits.next() {
				asked = true
				r.Retry()
			}
		}
	}
	w.busy = false
}

func (w *probeNetwork) look() {
	for _, c := range w.detectors {
		c.Look(w.now)
	}
}

// Send queues a message; sometimes the state at the start of a probe is dropped.
func (w *probeNetwork) Send(_ txn.Address, m txn.Message) {
	switch {
	case m.DeadlockConfirm != nil:
		w.messages = append(w.messages, &probePass{m.DeadlockConfirm, w.pass.real})
	case w.rng.IntN(2) == 0:
		on := *m.DeadlockProbe
		on.Into = nil
		w.messages = append(w.messages, &on)
	default:
		w.messages = append(w.messages, m.DeadlockProbe)
	}
}

func (w *probeNetwork) Probed(txn.ID, txn.ID)   {}
func (w *probeNetwork) NoDeadlock(txn.WaitEdge) {}

// CycleSeen records whether the waits of a cycle exist together as its confirmation begins.
func (w *probeNetwork) CycleSeen(cycle []txn.WaitEdge) {
	w.pass = &probePass{&txn.DeadlockConfirm{Cycle: cycle}, true}
	for _, e := range cycle {
		w.pass.real = w.pass.real && w.table(e.Shard).graph.stillWaits(e)
	}
	if !w.pass.WellFormed() {
		w.wrong = fmt.Sprintf("this is no cycle: %+v", cycle)
	}
	if !w.pass.real {
		w.phantoms++
	}
}

// Broken: a deadlock is broken, of which all waits existed together as its confirmation began.
func (w *probeNetwork) Broken(txn.ID, bool) {
	w.ended++
	if !w.pass.real {
		w.wrong = fmt.Sprintf("a phantom is ended: %+v", w.pass.Cycle)
	}
}

// refused is a client's reaction to a refused wait.
func (w *probeNetwork) refused(m *member) func(txn.Refusal) {
	return func(reason txn.Refusal) {
		if reason.Reason == txn.ReasonDistributedDeadlock {
			w.end(m, false)
		}
	}
}

func (w *probeNetwork) deliver(i int) {
	mail := w.messages[i]
	if w.rng.IntN(8) > 0 { // else it is delivered twice
		w.messages = slices.Delete(w.messages, i, i+1)
	}
	switch m := mail.(type) {
	case *txn.DeadlockProbe:
		w.probe(m)
	case *probePass:
		w.pass = m
		w.detectors[m.Shard-1].Confirm(m.DeadlockConfirm)
	}
}

// probe runs a coordinator's part and then a leader's.
func (w *probeNetwork) probe(c *txn.DeadlockProbe) {
	m := w.txns[c.Txn.Seq]
	if m == nil || m.waits == 0 {
		return
	}
	w.detectors[m.waits-1].Probe(c)
}
