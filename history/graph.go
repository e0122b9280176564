package history

import (
	"cmp"
	"math"
	"slices"
)

// edgeKind is why one transaction must come before another.
type edgeKind uint8

const (
	ww edgeKind = iota // it wrote what the other overwrote
	wr                 // it wrote what the other read
	rw                 // it read what the other overwrote
	realTime
)

type edge struct {
	kind     edgeKind
	from, to int // indices of records
	key      string
	value    int64
}

// graph is the dependencies between the records of a history.
type graph struct {
	out  [][]edge
	seen map[edge]bool
}

func newGraph(n int) *graph { return &graph{out: make([][]edge, n), seen: map[edge]bool{}} }

func (g *graph) add(e edge) {
	one := edge{kind: e.kind, from: e.from, to: e.to}
	if !g.seen[one] {
		g.seen[one] = true
		g.out[e.from] = append(g.out[e.from], e)
	}
}

// addRealTime adds an edge from each acknowledged transaction to each begun
// after that, leaving out those that follow from others: frontier holds the
// acknowledged ones that no later acknowledged one follows.
func (g *graph) addRealTime(records []*Record) {
	type moment struct {
		at       int64
		complete bool
		r        *Record
	}
	var moments []moment
	for _, r := range records {
		if r.Outcome == Fail {
			continue
		}
		moments = append(moments, moment{r.InvokeNanos, false, r})
		if r.Outcome == OK { // an unknown one may take effect at any later time
			moments = append(moments, moment{r.CompleteNanos, true, r})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		if a.complete != b.complete { // at one instant they overlap: no edge
			if a.complete {
				return 1
			}
			return -1
		}
		return 0
	})
	var frontier []*Record
	for _, m := range moments {
		if !m.complete {
			for _, before := range frontier {
				g.add(edge{kind: realTime, from: before.Index, to: m.r.Index})
			}
			continue
		}
		frontier = slices.DeleteFunc(frontier, func(f *Record) bool { return f.CompleteNanos < m.r.InvokeNanos })
		frontier = append(frontier, m.r)
	}
}

// anomaly is a cycle and its name.
type anomaly struct {
	name       string
	strictOnly bool
	cycle      []edge
}

// The kinds of cycle, the worst first. A cycle is named by the first class that
// has it: the edges it may use freely, and how many rw it needs.
var classes = []struct {
	name  string
	free  [4]bool // by edgeKind
	needs int     // rw edges: 0 none, 1 exactly one, 2 at least one (with one only it would have been found before)
}{
	{"G0", [4]bool{ww: true}, 0},
	{"G1c", [4]bool{ww: true, wr: true}, 0},
	{"G-single", [4]bool{ww: true, wr: true}, 1},
	{"G2", [4]bool{ww: true, wr: true, rw: true}, 2},
	{"G0-realtime", [4]bool{ww: true, realTime: true}, 0},
	{"G1c-realtime", [4]bool{ww: true, wr: true, realTime: true}, 0},
	{"G-single-realtime", [4]bool{ww: true, wr: true, realTime: true}, 1},
	{"G2-realtime", [4]bool{ww: true, wr: true, rw: true, realTime: true}, 2},
}

// anomalies names one cycle of each strongly connected component: first of the
// dependencies alone, then, in components that have none, with real time.
func (g *graph) anomalies() []anomaly {
	var out []anomaly
	guilty := make([]bool, len(g.out))
	for _, part := range g.components([4]bool{true, true, true, false}) {
		out = append(out, g.classify(part, 0))
		for _, v := range part {
			guilty[v] = true
		}
	}
	for _, part := range g.components([4]bool{true, true, true, true}) {
		if !slices.ContainsFunc(part, func(v int) bool { return guilty[v] }) {
			out = append(out, g.classify(part, 4))
		}
	}
	return out
}

func (g *graph) classify(part []int, first int) anomaly {
	in := make(map[int]bool, len(part))
	for _, v := range part {
		in[v] = true
	}
	for _, class := range classes[first:] {
		if cycle := g.cycle(part, in, class.free, class.needs); cycle != nil {
			return anomaly{class.name, first > 0, cycle}
		}
	}
	panic("a strongly connected component has no cycle") // Tarjan or the search is wrong
}

// cycle finds a shortest cycle in the component: one of free edges if it needs
// no rw, else one that starts with an rw edge and goes on over free edges.
func (g *graph) cycle(part []int, in map[int]bool, free [4]bool, needs int) []edge {
	var best []edge
	for _, v := range part {
		for _, e := range g.out[v] {
			starts := free[e.kind] && needs == 0 || e.kind == rw && needs > 0
			if !starts || !in[e.to] {
				continue
			}
			if back := g.path(e.to, e.from, in, free); back != nil && (best == nil || len(back)+1 < len(best)) {
				best = append([]edge{e}, back...)
			}
			if len(best) == 2 {
				return best
			}
		}
	}
	return best
}

// path is a shortest way over free edges inside the component, nil if none.
func (g *graph) path(from, to int, in map[int]bool, free [4]bool) []edge {
	via := map[int]edge{}
	queue := []int{from}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, e := range g.out[v] {
			if _, been := via[e.to]; been || !free[e.kind] || !in[e.to] {
				continue
			}
			via[e.to] = e
			if e.to == to {
				return unwind(via, from, to)
			}
			queue = append(queue, e.to)
		}
	}
	return nil
}

func unwind(via map[int]edge, from, to int) []edge {
	var path []edge
	for v := to; ; {
		e := via[v]
		path = append(path, e)
		if v = e.from; v == from {
			slices.Reverse(path)
			return path
		}
	}
}

// components lists the strongly connected components of more than one record
// over the edges of the kinds in use (Tarjan, without recursion: histories are long).
func (g *graph) components(use [4]bool) [][]int {
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
	use        [4]bool
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

// leave takes the finished component of v off the stack.
func (t *tarjan) leave(v int) {
	at := len(t.stack) - 1
	for t.stack[at] != v {
		at--
	}
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, w := range part {
		t.index[w] = math.MaxInt // done: must not lower anyone's low any more
	}
	if len(part) > 1 {
		slices.Sort(part)
		t.parts = append(t.parts, part)
	}
}
