package history

import (
	"cmp"
	"math"
	"slices"
)

// edgeKind is the reason why one transaction must precede another.
type edgeKind uint8

const (
	ww edgeKind = iota // wrote the version that the other overwrote
	wr                 // wrote the version that the other read
	rw                 // read the version that the other overwrote
	realTime
)

// kinds is a set of edge kinds, indexed by edgeKind.
type kinds [4]bool

type edge struct {
	kind     edgeKind
	from, to int // vertices of a graph
	key      string
	value    int64
}

// graph has the dependencies between the records of a history. The vertices below
// records are the records; those above are points in time between them, so that
// real time costs one or two edges a record, not one for each pair.
type graph struct {
	records int
	out     [][]edge
}

func newGraph(n int) *graph { return &graph{records: n, out: make([][]edge, n)} }

func (g *graph) add(e edge) { g.out[e.from] = append(g.out[e.from], e) }

// newInstant adds a time vertex.
func (g *graph) newInstant() int {
	g.out = append(g.out, nil)
	return len(g.out) - 1
}

// addRealTime adds that every acknowledged transaction precedes each begun after
// that: through time vertices, each of which follows the previous one.
func (g *graph) addRealTime(records []*Record) {
	last, open := -1, false // the newest time vertex, and whether no transaction has begun since
	for _, m := range snapshotReadsOf(records) {
		if !m.complete {
			if last >= 0 {
				g.add(edge{kind: realTime, from: last, to: m.r.Index})
			}
			open = false
			continue
		}
		if !open {
			next := g.newInstant()
			if last >= 0 {
				g.add(edge{kind: realTime, from: last, to: next})
			}
			last, open = next, true
		}
		g.add(edge{kind: realTime, from: m.r.Index, to: last})
	}
}

// snapshotRead is the time at which a transaction began or was acknowledged.
type snapshotRead struct {
	at       int64
	complete bool
	r        *Record
}

// snapshotReadsOf returns these times in order. At equal times transactions overlap: beginnings
// come first.
func snapshotReadsOf(records []*Record) []snapshotRead {
	var all []snapshotRead
	for _, r := range records {
		if r.Outcome == Fail {
			continue
		}
		all = append(all, snapshotRead{r.InvokeNanos, false, r})
		if r.Outcome == OK { // an unknown one may take effect at any later time
			all = append(all, snapshotRead{max(r.InvokeNanos, r.CompleteNanos), true, r})
		}
	}
	slices.SortStableFunc(all, func(a, b snapshotRead) int {
		switch {
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		case a.complete == b.complete:
			return 0
		case a.complete:
			return 1
		}
		return -1
	})
	return all
}

// components returns the strongly connected components of more than one vertex
// over the edges of the kinds in use (Tarjan, without recursion: histories are long).
func (g *graph) components(use kinds) [][]int {
	t := &tarjan{g: g, use: use, index: make([]int, len(g.out)), low: make([]int, len(g.out))}
	for v := range g.out {
		if t.index[v] == 0 {
			t.visit(v)
		}
	}
	return t.parts
}

type tarjan struct {
	g          *graph
	use        kinds
	index, low []int // index 0: not visited; done vertices have index MaxInt
	next       int
	stack      []int
	parts      [][]int
}

type tarjanFrame struct{ v, edge int }

func (t *tarjan) enter(v int) tarjanFrame {
	t.next++
	t.index[v], t.low[v] = t.next, t.next
	t.stack = append(t.stack, v)
	return tarjanFrame{v: v}
}

func (t *tarjan) visit(root int) {
	frames := []tarjanFrame{t.enter(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.edge < len(t.g.out[f.v]) {
			e := t.g.out[f.v][f.edge]
			f.edge++
			if !t.use[e.kind] {
				continue
			}
			if t.index[e.to] == 0 {
				frames = append(frames, t.enter(e.to))
			} else {
				t.low[f.v] = min(t.low[f.v], t.index[e.to])
			}
			continue
		}
		v := f.v
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			p := frames[len(frames)-1].v
			t.low[p] = min(t.low[p], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.leave(v)
		}
	}
}

// leave removes the finished component of v from the stack.
func (t *tarjan) leave(v int) {
	at := len(t.stack) - 1
	for t.stack[at] != v {
		at--
	}
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, w := range part {
		t.index[w] = math.MaxInt // done: must not lower another vertex's low
	}
	if len(part) > 1 {
		slices.Sort(part)
		t.parts = append(t.parts, part)
	}
}
