package storetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"isochron/store"
)

// Run holds the engines that open returns to the contract of store.Engine.
func Run(t *testing.T, open func() store.Engine) {
	t.Run("batch", func(t *testing.T) { testBatch(t, open()) })
	t.Run("bounds", func(t *testing.T) { testBounds(t, open()) })
	t.Run("snapshot", func(t *testing.T) { testSnapshot(t, open()) })
	for seed := uint64(1); seed <= 20; seed++ {
		t.Run(fmt.Sprintf("model-%d", seed), func(t *testing.T) { testModel(t, open(), seed) })
	}
}

// testBatch: operations of a batch take effect in order, and as one.
func testBatch(t *testing.T, e store.Engine) {
	var b store.Batch
	b.Set([]byte("a"), []byte("1"))
	b.Set([]byte("b"), nil)
	b.DeleteRange([]byte("a"), []byte("b"))
	b.Set([]byte("c"), []byte("3"))
	b.Set([]byte("c"), []byte("4"))
	b.Delete([]byte("nothing there"))
	e.Apply(&b)
	e.Apply(&store.Batch{})
	wantAbsent(t, e, "a")
	wantValue(t, e, "b", "")
	wantValue(t, e, "c", "4")

	value, _ := e.Get([]byte("c"))
	value[0] = 'x' // Get returns a copy
	wantValue(t, e, "c", "4")
}

// testBounds: an iterator never leaves [start, end), whatever it is asked.
func testBounds(t *testing.T, e store.Engine) {
	var b store.Batch
	for _, k := range []string{"a", "b", "c", "d", "e"} {
		b.Set([]byte(k), []byte(k))
	}
	e.Apply(&b)
	it := e.Iter([]byte("b"), []byte("d"))
	defer it.Close()
	at := func(ok bool, want string) {
		t.Helper()
		if got := entryAt(it, ok); got != want {
			t.Fatalf("the iterator is at %q, want %q", got, want)
		}
	}
	at(it.First(), "b")
	at(it.Prev(), "")
	at(it.Last(), "c")
	at(it.Next(), "")
	at(it.SeekGE([]byte("a")), "b")
	at(it.Next(), "c")
	at(it.Prev(), "b")
	at(it.SeekGE([]byte("d")), "")
	at(it.SeekLT([]byte("z")), "c")
	at(it.SeekLT([]byte("c")), "b")
	at(it.SeekLT([]byte("b")), "")
	at(it.SeekGE([]byte("bb")), "c")
	all := e.Iter(nil, nil)
	defer all.Close()
	if got := entryAt(all, all.Last()); got != "e" {
		t.Fatalf("an iterator without bounds ends at %q, want e", got)
	}
	none := e.Iter([]byte("d"), []byte("b"))
	defer none.Close()
	if none.First() || none.Last() {
		t.Fatal("an iterator over an empty range found a key")
	}
}

// testSnapshot: later batches do not show in earlier iterators and snapshots.
func testSnapshot(t *testing.T, e store.Engine) {
	var b store.Batch
	b.Set([]byte("a"), []byte("old"))
	b.Set([]byte("b"), []byte("old"))
	e.Apply(&b)
	s := e.Snapshot()
	it := e.Iter(nil, nil)
	var later store.Batch
	later.Set([]byte("a"), []byte("new"))
	later.Delete([]byte("b"))
	later.Set([]byte("c"), []byte("new"))
	e.Apply(&later)

	wantValue(t, s, "a", "old")
	wantValue(t, s, "b", "old")
	wantAbsent(t, s, "c")
	if got := dump(it); got != "a=old b=old " {
		t.Fatalf("an iterator sees later batches: %s", got)
	}
	fromSnapshot := s.Iter(nil, nil)
	if got := dump(fromSnapshot); got != "a=old b=old " {
		t.Fatalf("a snapshot's iterator sees later batches: %s", got)
	}
	fromSnapshot.Close()
	it.Close()
	s.Close()
	wantValue(t, e, "a", "new")
	wantAbsent(t, e, "b")
	wantValue(t, e, "c", "new")
}

// testModel runs random batches and random walks against a sorted map.
func testModel(t *testing.T, e store.Engine, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	m := NewModel()
	type frozen struct {
		s store.Snapshot
		m *Model
	}
	var held []frozen
	for range 150 {
		b := RandomBatch(r)
		e.Apply(b)
		m.Apply(b)
		if r.IntN(10) == 0 {
			held = append(held, frozen{e.Snapshot(), m.Clone()})
		}
		if len(held) > 3 {
			Compare(t, held[0].s, held[0].m, r)
			held[0].s.Close()
			held = held[1:]
		}
		Compare(t, e, m, r)
	}
	for _, h := range held {
		Compare(t, h.s, h.m, r)
		h.s.Close()
	}
}

// RandomBatch draws a batch over a small set of keys, so that they collide.
func RandomBatch(r *rand.Rand) *store.Batch {
	b := new(store.Batch)
	for range 1 + r.IntN(6) {
		switch r.IntN(10) {
		case 0:
			b.DeleteRange(randomKey(r), randomKey(r))
		case 1, 2:
			b.Delete(randomKey(r))
		default:
			b.Set(randomKey(r), fmt.Appendf(nil, "%d", r.IntN(1000)))
		}
	}
	return b
}

func randomKey(r *rand.Rand) []byte { return fmt.Appendf(nil, "k%03d", r.IntN(300)) }

// Compare fails the test unless reads of e show the model's content.
func Compare(t *testing.T, e store.Reader, m *Model, r *rand.Rand) {
	t.Helper()
	for range 5 {
		k := randomKey(r)
		got, ok := e.Get(k)
		want, has := m.values[string(k)]
		if ok != has || !bytes.Equal(got, want) {
			t.Fatalf("get %s: %q %v, want %q %v", k, got, ok, want, has)
		}
	}
	var start, end []byte
	if r.IntN(3) > 0 {
		start = randomKey(r)
	}
	if r.IntN(3) > 0 {
		end = randomKey(r)
	}
	it := e.Iter(start, end)
	defer it.Close()
	walk(t, it, m.keysIn(start, end), m, r)
}

// walk makes random moves with the iterator and with an index into keys.
func walk(t *testing.T, it store.Iterator, keys []string, m *Model, r *rand.Rand) {
	t.Helper()
	at := -1 // not on a key
	for range 30 {
		var ok bool
		move := r.IntN(8)
		switch {
		case move == 0:
			ok, at = it.First(), 0
		case move == 1:
			ok, at = it.Last(), len(keys)-1
		case move == 2 || at < 0:
			k := randomKey(r)
			ok, at = it.SeekGE(k), sort.SearchStrings(keys, string(k))
		case move == 3:
			k := randomKey(r)
			ok, at = it.SeekLT(k), sort.SearchStrings(keys, string(k))-1
		case move < 6:
			ok, at = it.Next(), at+1
		default:
			ok, at = it.Prev(), at-1
		}
		want := ""
		if at >= 0 && at < len(keys) {
			want = keys[at]
		} else {
			at = -1
		}
		if got := entryAt(it, ok); got != want {
			t.Fatalf("move %d: the iterator is at %q, want %q", move, got, want)
		}
		if ok && !bytes.Equal(it.Value(), m.values[want]) {
			t.Fatalf("value of %s: %q, want %q", want, it.Value(), m.values[want])
		}
	}
}

func entryAt(it store.Iterator, ok bool) string {
	if !ok {
		return ""
	}
	return string(it.Key())
}

func dump(it store.Iterator) string {
	var out bytes.Buffer
	for ok := it.First(); ok; ok = it.Next() {
		fmt.Fprintf(&out, "%s=%s ", it.Key(), it.Value())
	}
	return out.String()
}

func wantValue(t *testing.T, e store.Reader, key, want string) {
	t.Helper()
	if got, ok := e.Get([]byte(key)); !ok || string(got) != want {
		t.Fatalf("%s is %q (found %v), want %q", key, got, ok, want)
	}
}

func wantAbsent(t *testing.T, e store.Reader, key string) {
	t.Helper()
	if got, ok := e.Get([]byte(key)); ok {
		t.Fatalf("%s is %q, want it absent", key, got)
	}
}
