package faults

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// GapReport is a gap table; times are in seconds.
type GapReport struct {
	Seed        uint64     `json:"seed"`
	Dir         string     `json:"dir"`
	Nodes       int        `json:"nodes"`
	LastSeconds float64    `json:"last_seconds"` // of each fault
	Seconds     float64    `json:"seconds"`
	Lines       []*GapLine `json:"lines"`
}

// GapLine is the result of a kind of fault.
type GapLine struct {
	Fault     string    `json:"fault"`
	Bound     float64   `json:"bound_s"`
	Broken    bool      `json:"broken"`    // a worst is beyond the bound
	One       Gap       `json:"one"`       // a client at another node, another one each time
	Elsewhere Gap       `json:"elsewhere"` // the unluckiest of all clients at other nodes
	Moved     Gap       `json:"moved"`     // the unluckiest of those at the lost node
	All       Gap       `json:"all"`       // no client committed
	Times     []GapTime `json:"times"`
	kind      gapFault
}

// Gap sums up repetitions.
type Gap struct {
	Median float64 `json:"median_s"`
	Worst  float64 `json:"worst_s"`
}

// GapTime is one repetition. A figure that does not apply is negative.
type GapTime struct {
	At        float64  `json:"at_s"`  // since the run began
	Nodes     []int    `json:"nodes"` // that were hit
	One       float64  `json:"one_s"`
	Elsewhere float64  `json:"elsewhere_s"`
	Moved     float64  `json:"moved_s"`
	All       float64  `json:"all_s"`
	AllAt     float64  `json:"all_at_s"`        // when that gap began, from the fault
	Healed    float64  `json:"healed_s"`        // when the fault was ended, from its begin
	Story     []string `json:"story,omitempty"` // of gaps beyond the bound
}

func (t GapTime) String() string {
	s := fmt.Sprintf("nodes %-12s one %s, elsewhere %s, moved %s, all %s", fmt.Sprint(t.Nodes), seconds(t.One), seconds(t.Elsewhere), seconds(t.Moved), seconds(t.All))
	if len(t.Story) > 0 {
		s += "  BEYOND THE BOUND"
	}
	return s
}

func seconds(s float64) string {
	if s < 0 {
		return "   -"
	}
	return fmt.Sprintf("%4.2f", s)
}

// gapTime is the time of a fault, and its targets.
type gapTime struct {
	fault      gapFault
	lost       []int
	repetition int
	from, to   time.Duration // of the window
	back       time.Duration // when it was ended, 0: there was none
}

// storyLines bounds the lines about one gap.
const storyLines = 8

// measure returns the clients' gaps in a window. Where a majority was lost, it is the time from the
// restart of its nodes to their first commit; else the longest time without a commit.
func (g *gapClients) measure(m gapTime) GapTime {
	t := GapTime{At: m.from.Seconds(), One: -1, Elsewhere: -1, Moved: -1, Healed: max(0, m.back-m.from).Seconds()}
	bound := m.fault.bound()
	of := func(commits []time.Duration) (gap, began time.Duration) {
		if m.fault.stops() {
			return firstAfter(commits, m.back, m.to), m.back
		}
		return longest(commits, m.from, m.to)
	}
	worst := func(clients []*gapClient) float64 {
		most := -1.0
		for _, c := range clients {
			gap, began := of(c.since(m.from))
			most = max(most, gap.Seconds())
			if gap > bound {
				t.Story = append(t.Story, fmt.Sprintf("a client of node %d committed nothing for %.2f s, from %.2f s after the fault on", c.home+1, gap.Seconds(), (began-m.from).Seconds()))
				t.Story = append(t.Story, c.story(began, began+gap, storyLines)...)
			}
		}
		return most
	}
	there, elsewhere := split(g.all, m.lost)
	if m.fault.stops() {
		there, elsewhere = nil, g.all
	}
	t.Elsewhere, t.Moved = worst(elsewhere), worst(there)
	if len(elsewhere) > 0 {
		one, _ := of(elsewhere[m.repetition%len(elsewhere)].since(m.from))
		t.One = one.Seconds()
	}
	var commits []time.Duration
	for _, c := range g.all {
		commits = append(commits, c.since(m.from)...)
	}
	slices.Sort(commits)
	all, began := of(commits)
	t.All, t.AllAt = all.Seconds(), (began - m.from).Seconds()
	return t
}

// add puts a repetition into its line.
func (r *GapReport) add(f gapFault, t GapTime) {
	i := slices.IndexFunc(r.Lines, func(l *GapLine) bool { return l.kind == f })
	if i < 0 {
		i = len(r.Lines)
		r.Lines = append(r.Lines, &GapLine{Fault: f.String(), Bound: f.bound().Seconds(), kind: f})
	}
	l := r.Lines[i]
	l.Times = append(l.Times, t)
	sum := func(of func(GapTime) float64) Gap {
		var all []float64
		for _, t := range l.Times {
			all = append(all, of(t))
		}
		median, worst := medianAndWorst(all)
		return Gap{median, worst}
	}
	l.One = sum(func(t GapTime) float64 { return t.One })
	l.Elsewhere = sum(func(t GapTime) float64 { return t.Elsewhere })
	l.Moved = sum(func(t GapTime) float64 { return t.Moved })
	l.All = sum(func(t GapTime) float64 { return t.All })
	l.Broken = max(l.One.Worst, l.Elsewhere.Worst, l.Moved.Worst, l.All.Worst) > l.Bound
}

// Broken are the lines whose bound is broken.
func (r *GapReport) Broken() (out []string) {
	for _, l := range r.Lines {
		if l.Broken {
			out = append(out, l.Fault)
		}
	}
	return out
}

// Print is for people.
func (r *GapReport) Print(out io.Writer) {
	fmt.Fprintf(out, `
The longest time without a commit, in seconds: median / worst. %d nodes, each fault lasts %.0f s. The clients of all nodes add one to one
of %d rows, repeatedly, without pauses (BEGIN; SELECT ... FOR UPDATE; UPDATE; COMMIT); a transaction at the node that is hit has all of them locked.
one client: at another node than the lost one, another each time. elsewhere: the unluckiest of all of these; they wait %v for an answer.
moved: the unluckiest of those at the lost node, which wait %v for an answer and %v for a login, and then take the next node that is not at
fault. all clients: no client committed. Where a majority or all are lost: from their start to the first commit. ! is beyond %v, there
beyond %v.

`, r.Nodes, r.LastSeconds, gapRows, gapAnswerWait, gapHastyWait, gapLoginWait, gapMax, recoveryMax)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "fault\ttimes\tone client\telsewhere\tmoved\tall clients\t\n")
	for _, l := range r.Lines {
		mark := ""
		if l.Broken {
			mark = "!"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", l.Fault, len(l.Times), l.One, l.Elsewhere, l.Moved, l.All, mark)
	}
	_ = w.Flush() // a failed write does not change the verdict
	fmt.Fprintf(out, "\nseed %d, %.0f s, %d of %d lines are beyond their bound\n", r.Seed, r.Seconds, len(r.Broken()), len(r.Lines))
}

func (g Gap) String() string { return seconds(g.Median) + " / " + seconds(g.Worst) }
