package faults

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func at(seconds ...float64) (out []time.Duration) {
	for _, s := range seconds {
		out = append(out, time.Duration(s*float64(time.Second)))
	}
	return out
}

func TestLongestGap(t *testing.T) {
	for _, c := range []struct {
		what          string
		commits       []time.Duration
		gap, began    float64
		fromSeconds   float64
		untilSeconds  float64
		firstAfterTwo float64
	}{
		{"none at all", nil, 10, 0, 0, 10, 8},
		{"it began before the window", at(0.5, 4, 5, 6), 4, 6, 1, 10, 2},
		{"only before the window", at(0.5), 9.5, 0.5, 1, 10, 8},
		{"in the midst", at(0.5, 2, 7, 8, 9), 5, 2, 1, 10, 5},
		{"still going on at the end", at(1.5, 2, 3), 7, 3, 1, 10, 1},
		{"one after the window", at(1.5, 9, 14), 7.5, 1.5, 1, 10, 7},
	} {
		from, to := at(c.fromSeconds)[0], at(c.untilSeconds)[0]
		gap, began := longest(c.commits, from, to)
		if gap.Seconds() != c.gap || began.Seconds() != c.began {
			t.Errorf("%s: %v from %v on; want %v from %v on", c.what, gap, began, c.gap, c.began)
		}
		if first := firstAfter(c.commits, at(2)[0], to); first.Seconds() != c.firstAfterTwo {
			t.Errorf("%s: first after two seconds: %v; want %v", c.what, first, c.firstAfterTwo)
		}
	}
}

// Every fault hits its target, a majority stays where it should, and each node but the leader is
// the gateway in turn.
func TestTargetsOfGapFaults(t *testing.T) {
	for _, nodes := range []int{3, 5} {
		for _, f := range gapFaults {
			turns := map[int]bool{}
			for repetition := range nodes - 1 {
				hit, lost := f.hits(nodes-1, nodes, repetition)
				slices.Sort(hit)
				if len(slices.Compact(slices.Clone(hit))) != len(hit) {
					t.Errorf("%s: %v twice", f, hit)
				}
				hasLeader := slices.Contains(hit, nodes-1)
				if want := f.of == ofLeader || f.of == ofBoth || f.of == ofMany; hasLeader != want {
					t.Errorf("%s: the leader is hit: %v, want %v", f, hasLeader, want)
				}
				if f.stops() != (len(hit) > nodes/2) && f.of != ofBoth {
					t.Errorf("%s: %d of %d nodes", f, len(hit), nodes)
				}
				for _, n := range lost {
					turns[n] = true
				}
			}
			if f.of == ofGateway && len(turns) != nodes-1 {
				t.Errorf("%s: only %v are the gateway in turn", f, turns)
			}
		}
	}
}

// A gap beyond the bound is marked and described; a client at the lost node counts apart.
func TestGapsAreMarked(t *testing.T) {
	g := &gapClients{addresses: make([]string, 2)}
	steady := []time.Duration{}
	for i := range 200 {
		steady = append(steady, time.Duration(i)*100*time.Millisecond)
	}
	waits := slices.DeleteFunc(slices.Clone(steady), func(d time.Duration) bool { return d > 2*time.Second && d < 5500*time.Millisecond })
	g.all = []*gapClient{{gapClients: g, home: 0, commits: steady}, {gapClients: g, home: 1, commits: waits, notes: []gapNote{{3 * time.Second, 1, "no answer"}}}}
	m := gapTime{fault: gapFault{Pause, ofLeader}, lost: []int{1}, from: 2 * time.Second, to: 12 * time.Second, back: 10 * time.Second}
	r := &GapReport{}
	r.add(m.fault, g.measure(m))
	if l := r.Lines[0]; !l.Broken || l.Moved.Worst != 3.5 || l.Elsewhere.Worst != 0.1 || l.All.Worst != 0.1 || l.One.Worst != 0.1 {
		t.Errorf("%+v", l)
	}
	if story := strings.Join(r.Lines[0].Times[0].Story, "\n"); !strings.Contains(story, "a client of node 2 committed nothing for 3.50 s") || !strings.Contains(story, "no answer") {
		t.Errorf("the story is %q", story)
	}
	if broken := r.Broken(); len(broken) != 1 {
		t.Errorf("broken are %v", broken)
	}
	m.lost = nil
	r = &GapReport{}
	m.fault = gapFault{KillAll, ofMany}
	r.add(m.fault, g.measure(m))
	if l := r.Lines[0]; l.Broken || l.Moved.Worst != -1 || l.Elsewhere.Worst > 0.1001 {
		t.Errorf("%+v", l)
	}
}

// A client that changes its node skips nodes at fault.
func TestNextNode(t *testing.T) {
	g := &gapClients{addresses: make([]string, 3)}
	if n := g.next(2); n != 0 {
		t.Errorf("node %d", n)
	}
	g.shun([]int{0})
	if n := g.next(2); n != 1 {
		t.Errorf("node %d", n)
	}
	g.shun([]int{0, 1, 2})
	if n := g.next(2); n > 2 {
		t.Errorf("node %d", n)
	}
}
