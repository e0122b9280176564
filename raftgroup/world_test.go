package raftgroup

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"isochron/store"
	"isochron/txn"
)

// book is a machine that records its commands and events, one line each.
type book struct {
	engine  store.Engine
	prefix  []byte
	page    page
	events  []string // other notifications
	durable []string
}

// page is the content of a disk.
type page struct {
	Index uint64   `cbor:"1,keyasint"`
	Term  uint64   `cbor:"2,keyasint"`
	Lines []string `cbor:"3,keyasint"`
}

func (k *book) key() []byte { return append(bytes.Clone(k.prefix), 'b') }

func (k *book) Found(b *store.Batch, prefix []byte) {
	b.Set(append(bytes.Clone(prefix), 'b'), txn.Encode(page{Lines: []string{"born"}}))
}

func (k *book) Load(prefix []byte) (LogPosition, func(), error) {
	var p page
	if raw, ok := k.engine.Get(append(bytes.Clone(prefix), 'b')); ok {
		if err := txn.Decode(raw, &p); err != nil {
			return LogPosition{}, nil, err
		}
	}
	return LogPosition{p.Index, p.Term}, func() {
		k.prefix, k.page = bytes.Clone(prefix), p
		k.events = append(k.events, fmt.Sprint("loads ", p.Index))
	}, nil
}

func (k *book) Save(b *store.Batch) { k.Finish(b) }

func (k *book) Apply(_ *store.Batch, at LogPosition, commands []string) {
	if at.Index != k.page.Index+1 {
		panic(fmt.Sprintf("entry %d is applied after entry %d", at.Index, k.page.Index))
	}
	k.page.Index, k.page.Term = at.Index, at.Term
	k.page.Lines = append(k.page.Lines, commands...)
}

func (k *book) Finish(b *store.Batch) { b.Set(k.key(), txn.Encode(k.page)) }

func (k *book) Applied(serves bool) {
	if serves {
		k.events = append(k.events, "serves")
	}
}

func (k *book) Durable(e Entries[string]) {
	for at, commands := range e.All() {
		for _, c := range commands {
			k.durable = append(k.durable, fmt.Sprint(c, " ", at.Term == e.Term))
		}
	}
}

func (k *book) Lead(term uint64) { k.events = append(k.events, "leads") }
func (k *book) Deposed()         { k.events = append(k.events, "deposed") }

// world has members of one group, a network without delays, and disks that are synced when their
// owner is processed, unless it is stopped.
type world struct {
	t       *testing.T
	now     time.Duration
	params  txn.Params
	members map[txn.NodeID]*host
	queue   []txn.Envelope
	cut     map[txn.NodeID]bool // neither sends nor receives
	lose    func(txn.Envelope) bool
	cache   *EntryCache[string] // of ephemeral members
	format  messageFormatter
}

type host struct {
	*Group[string]
	w      *world
	self   txn.NodeID
	engine *store.Mem
	book   *book
	syncs  []func()
}

func (m *host) Now() txn.Now            { return txn.Now{Mono: m.w.now} }
func (m *host) AfterSync(f func())      { m.syncs = append(m.syncs, f) }
func (m *host) NodeEvent(txn.NodeEvent) {}
func (m *host) Trace(string, ...any)    {}

func (m *host) Send(to txn.Address, msg txn.Message) {
	if to.Shard != 7 || msg.Raft == nil && msg.SnapFetch == nil && msg.SnapChunk == nil {
		m.w.t.Errorf("a message to %+v that is not the group's: %+v", to, msg)
	}
	m.w.queue = append(m.w.queue, txn.Envelope{From: m.self, To: to.Node, Msg: msg})
}

func newWorld(t *testing.T) *world {
	return &world{t: t, now: time.Second, params: txn.Params{LogEntries: 20}.WithDefaults(), members: map[txn.NodeID]*host{}, cut: map[txn.NodeID]bool{}}
}

// founded returns a group of three founders, led by the first, which serves.
func founded(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for n := range txn.NodeID(3) {
		w.open(n+1, store.NewMem(), []txn.NodeID{1, 2, 3})
	}
	w.run(time.Second)
	if !w.members[1].Serving() {
		t.Fatal("the preferred member does not serve after a second")
	}
	return w
}

func (w *world) open(n txn.NodeID, engine *store.Mem, founders []txn.NodeID) *host {
	w.t.Helper()
	m := &host{w: w, self: n, engine: engine, book: &book{engine: engine}}
	var err error
	m.Group, err = Open(Config{ID: 7, Self: n, Founders: founders, Engine: engine, Params: w.params, Seed: 1, Env: m,
		Ephemeral: w.cache != nil, Desired: Desired{Voters: []txn.NodeID{1, 2, 3}, Preferred: []txn.NodeID{1}}}, m.book, &w.format, w.cache)
	if err != nil {
		w.t.Fatal(err)
	}
	w.members[n] = m
	return m
}

// run advances time in steps of a node's tick.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	for end := w.now + d; w.now < end; w.now += 10 * time.Millisecond {
		for _, n := range slices.Sorted(maps.Keys(w.members)) {
			m := w.members[n]
			m.Tick()
			m.Reconcile()
			m.Trim()
			m.TickSnapshots()
		}
		w.drain()
	}
}

// drain delivers messages until none is under way.
func (w *world) drain() {
	w.t.Helper()
	for range 10_000 {
		for _, n := range slices.Sorted(maps.Keys(w.members)) {
			w.members[n].work()
		}
		queue := w.queue
		if w.queue = nil; len(queue) == 0 {
			return
		}
		for _, e := range queue {
			m := w.members[e.To]
			if m == nil || w.cut[e.From] || w.cut[e.To] || w.lose != nil && w.lose(e) {
				continue
			}
			switch {
			case e.Msg.Raft != nil:
				m.Step(e.From, e.Msg.Raft)
			case e.Msg.SnapFetch != nil:
				m.OnSnapFetch(e.From, e.Msg.SnapFetch)
			case e.Msg.SnapChunk != nil:
				m.OnSnapChunk(e.From, e.Msg.SnapChunk)
			}
		}
	}
	w.t.Fatal("they never come to an end")
}

// work is one turn of a member's loop and a sync of its disk.
func (m *host) work() {
	for {
		m.Process()
		syncs := m.syncs
		if m.syncs = nil; len(syncs) == 0 {
			return
		}
		m.engine.EndSync(m.engine.BeginSync())
		for _, f := range syncs {
			f()
		}
	}
}

// leader returns the member that serves; 0 if none does, or more than one.
func (w *world) leader() (leader txn.NodeID) {
	for n, m := range w.members { // order: at most one matches
		if m.Serving() && leader != 0 {
			return 0
		} else if m.Serving() {
			leader = n
		}
	}
	return leader
}

// propose makes the leader log commands, one entry each.
func (w *world) propose(commands ...string) {
	w.t.Helper()
	for _, c := range commands {
		if !w.members[w.leader()].Propose(c) {
			w.t.Fatalf("the log does not take %.20q", c)
		}
		w.drain()
	}
}

// agree fails unless the members have the same lines, the last of which are the given ones.
func (w *world) agree(members []txn.NodeID, last ...string) {
	w.t.Helper()
	want := w.members[members[0]].book.page.Lines
	if len(want) < len(last) || !slices.Equal(want[len(want)-len(last):], last) {
		w.t.Errorf("member %d has %.60q, which does not end with %.60q", members[0], want, last)
	}
	for _, n := range members[1:] {
		if got := w.members[n].book.page.Lines; !slices.Equal(got, want) {
			w.t.Errorf("member %d has %.60q, member %d %.60q", n, got, members[0], want)
		}
	}
}
