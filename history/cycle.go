package history

import (
	"math"
	"slices"
)

// anomaly is a cycle and its name.
type anomaly struct {
	name       string
	strictOnly bool
	cycle      []edge
}

// class is a kind of cycle: one edge out of start, and a way back over free.
type class struct {
	name        string
	start, free kinds
}

// sure reports whether an edge it may start with, between two vertices of one knot of
// its free edges, is certainly on a cycle: it is itself free.
func (c class) sure() bool {
	for kind, start := range c.start {
		if start && !c.free[kind] {
			return false
		}
	}
	return true
}

var (
	overRw  = kinds{rw: true}
	overWw  = kinds{ww: true}
	overWr  = kinds{ww: true, wr: true}
	overAll = kinds{ww: true, wr: true, rw: true}
)

// classes of cycles, the worst first: a component is named by the first class it
// has. Every component has the last one if it has none of the others.
var classes = []class{
	{"G0", overWw, overWw},
	{"G1c", overWr, overWr},
	{"G-single", overRw, overWr},
	{"G2-item", overRw, overAll},
}

// realTimeMark ends the names of cycles that need real time.
const realTimeMark = "-realtime"

// searchSteps bounds the edges visited for the shortest cycle of one
// class in one component; beyond it a longer cycle, or a weaker name, is accepted.
const searchSteps = 10_000_000

func (k kinds) with(kind edgeKind) kinds {
	k[kind] = true
	return k
}

// anomalies returns one cycle of each strongly connected component: first over the
// dependencies alone, then, in components without such a cycle, with real time.
func (g *graph) anomalies() []anomaly {
	var out []anomaly
	s := newSearch(g)
	guilty := make([]bool, len(g.out))
	for _, part := range g.components(overAll) {
		out = append(out, s.classify(part, false))
		for _, v := range part {
			guilty[v] = true
		}
	}
	for _, part := range g.components(overAll.with(realTime)) {
		if !slices.ContainsFunc(part, func(v int) bool { return guilty[v] }) {
			out = append(out, s.classify(part, true))
		}
	}
	return out
}

// search searches for cycles in one component after another.
type search struct {
	g     *graph
	part  []int // the component in which a vertex was last seen
	parts int
	been  []int // the walk in which a vertex was last met
	via   []edge
	walks int
	steps int // left
	knot  map[kinds][]int
}

func newSearch(g *graph) *search {
	n := len(g.out)
	return &search{g: g, part: make([]int, n), been: make([]int, n), via: make([]edge, n), knot: map[kinds][]int{}}
}

func (s *search) classify(part []int, strict bool) anomaly {
	s.parts++
	for _, v := range part {
		s.part[v] = s.parts
	}
	for _, c := range classes {
		if strict {
			c.free = c.free.with(realTime)
		}
		if cycle := s.cycle(part, c); cycle != nil {
			return anomaly{nameOf(c.name, cycle, strict), strict, cycle}
		}
	}
	panic("a strongly connected component has no cycle") // Tarjan or the search is wrong
}

// nameOf returns the name of the class, unless the cycle found is more specific.
func nameOf(name string, cycle []edge, strict bool) string {
	switch {
	case strict:
		return name + realTimeMark
	case isLostUpdate(cycle):
		return "lost-update"
	case name == "G2-item" && countRw(cycle) == 1: // the search for it exceeded its bound
		return "G-single"
	}
	return name
}

func countRw(cycle []edge) (n int) {
	for _, e := range cycle {
		if e.kind == rw {
			n++
		}
	}
	return n
}

// isLostUpdate reports whether of two transactions that wrote one key the later one had not
// seen the other's write.
func isLostUpdate(cycle []edge) bool {
	if len(cycle) != 2 || cycle[0].key != cycle[1].key {
		return false
	}
	a, b := cycle[0].kind, cycle[1].kind
	return a == rw && b == ww || a == ww && b == rw || a == rw && b == rw
}

// cycle returns a short cycle of the class in the component, nil if there is none
// or the steps do not suffice. Short ones are searched for everywhere first.
func (s *search) cycle(part []int, c class) []edge {
	starts := s.starts(part, c)
	s.steps = searchSteps
	for depth := 1; len(starts) > 0; depth += max(1, depth/2) {
		for _, e := range starts {
			if back := s.path(e.to, e.from, depth, c.free); back != nil {
				return s.described(append([]edge{e}, back...))
			}
			if s.steps < 0 {
				return s.anyCycle(starts, c)
			}
		}
		if depth >= len(part) {
			break
		}
	}
	return nil
}

// anyCycle searches once without a bound, if success is certain.
func (s *search) anyCycle(starts []edge, c class) []edge {
	if !c.sure() {
		return nil
	}
	s.steps = math.MaxInt
	return s.described(append(starts[:1:1], s.path(starts[0].to, starts[0].from, math.MaxInt, c.free)...))
}

// starts returns the edges a cycle of the class may start with.
func (s *search) starts(part []int, c class) []edge {
	var out []edge
	knot := s.knots(c.free)
	for _, v := range part {
		for _, e := range s.g.out[v] {
			if c.start[e.kind] && s.inside(e) && (!c.sure() || knot[e.from] != 0 && knot[e.from] == knot[e.to]) {
				out = append(out, e)
			}
		}
	}
	return out
}

// knots numbers the components over the free edges: a free edge whose ends are in
// one knot is on a cycle of free edges.
func (s *search) knots(free kinds) []int {
	if s.knot[free] == nil {
		s.knot[free] = make([]int, len(s.g.out))
		for i, part := range s.g.components(free) {
			for _, v := range part {
				s.knot[free][v] = i + 1
			}
		}
	}
	return s.knot[free]
}

func (s *search) inside(e edge) bool { return s.part[e.from] == s.part[e.to] }

// path returns a shortest path over free edges inside the component with at most
// so many records, nil if there is none. Time vertices cost nothing.
func (s *search) path(from, to, most int, free kinds) []edge {
	if from == to {
		return []edge{}
	}
	s.walks++
	s.been[from] = s.walks
	level := []int{from}
	for depth := 1; len(level) > 0 && depth <= most; depth++ {
		var next []int
		for i := 0; i < len(level); i++ {
			for _, e := range s.g.out[level[i]] {
				s.steps--
				if s.been[e.to] == s.walks || !free[e.kind] || !s.inside(e) {
					continue
				}
				s.been[e.to], s.via[e.to] = s.walks, e
				if e.to == to {
					return s.unwind(from, to)
				}
				if e.to >= s.g.records {
					level = append(level, e.to)
				} else {
					next = append(next, e.to)
				}
			}
		}
		level = next
	}
	return nil
}

func (s *search) unwind(from, to int) []edge {
	var path []edge
	for v := to; v != from; v = s.via[v].from {
		path = append(path, s.via[v])
	}
	slices.Reverse(path)
	return path
}

// described removes the time vertices: a path from one record to another over time vertices
// becomes one real-time edge.
func (s *search) described(cycle []edge) []edge {
	first := slices.IndexFunc(cycle, func(e edge) bool { return e.from < s.g.records })
	cycle = append(cycle[first:len(cycle):len(cycle)], cycle[:first]...)
	var out []edge
	for i := 0; i < len(cycle); i++ {
		e := cycle[i]
		for cycle[i].to >= s.g.records {
			i++
			e.to = cycle[i].to
		}
		out = append(out, e)
	}
	return out
}
