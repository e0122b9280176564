package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds.
const (
	KillOne      Kind = "kill -9 of a node"
	Pause        Kind = "a node paused"
	CutNode      Kind = "a node cut off"
	CutPair      Kind = "two nodes cut apart"
	CutOneWay    Kind = "a node unheard"
	CutDeaf      Kind = "a node deaf"
	KillAll      Kind = "kill -9 of all"
	KillMajority Kind = "kill -9 of a majority"
	DiskFull     Kind = "disk full"
)

// Kinds are all of them, in the order of a summary.
var Kinds = []Kind{KillOne, Pause, CutNode, CutPair, CutOneWay, CutDeaf, KillAll, KillMajority, DiskFull}

// lengths of faults, in seconds: shortest and longest.
var lengths = map[Kind][2]float64{
	KillOne: {1, 12}, Pause: {1, 15}, CutNode: {2, 20}, CutPair: {2, 20}, CutOneWay: {2, 20}, CutDeaf: {2, 20},
	KillAll: {0, 3}, KillMajority: {1, 8}, DiskFull: {1, 3},
}

// Event is one fault that was done and undone.
type Event struct {
	Kind    Kind    `json:"kind"`
	At      float64 `json:"at_s"` // since the beginning
	Nodes   []int   `json:"nodes"`
	Seconds float64 `json:"seconds"` // it lasted
	// GoesOn is after how long, counted from the fault, transactions committed
	// through every node that was not hit; negative: a majority was.
	GoesOn float64 `json:"goes_on_s"`
	// Resumes is the same counted from the healing, through every node.
	Resumes float64 `json:"resumes_s"`
}

func (e Event) String() string {
	goesOn := "no majority   "
	if e.GoesOn >= 0 {
		goesOn = fmt.Sprintf("others %5.1f s", e.GoesOn)
	}
	return fmt.Sprintf("%7.1f s  %-21s  nodes %-10s  %5.1f s long, %s, all back in %5.1f s",
		e.At, e.Kind, strings.Trim(fmt.Sprint(e.Nodes), "[]"), e.Seconds, goesOn, e.Resumes)
}

// nemesis does faults to a cluster.
type nemesis struct {
	cluster *Cluster
	probe   *prober
	rand    *rand.Rand
	disk    *smallDisk // of the node diskNode (from 0); nil: none
	begun   time.Time
	quick   bool // the shortest lengths
}

// diskNode is the node on the small disk.
const diskNode = 4

// do does one fault, measures, and undoes it.
func (m *nemesis) do(ctx context.Context, kind Kind) (Event, error) {
	hit := m.choose(kind)
	span := lengths[kind]
	length := span[0]
	if !m.quick {
		length += m.rand.Float64() * (span[1] - span[0])
	}
	e := Event{Kind: kind, At: time.Since(m.begun).Seconds(), GoesOn: -1}
	var others []int
	for i := range m.cluster.Nodes {
		if slices.Contains(hit, i) {
			e.Nodes = append(e.Nodes, i+1)
		} else {
			others = append(others, i)
		}
	}
	begun := time.Now()
	if err := m.inflict(ctx, kind, hit); err != nil {
		return e, fmt.Errorf("%s, nodes %v: %w", kind, e.Nodes, err)
	}
	if len(others) > len(m.cluster.Nodes)/2 {
		took, err := m.probe.measure(ctx, others)
		if err != nil {
			return e, fmt.Errorf("during %s, nodes %v: %w", kind, e.Nodes, errors.Join(err, m.heal(ctx, kind, hit)))
		}
		e.GoesOn = took.Seconds()
	}
	select {
	case <-time.After(time.Until(begun.Add(time.Duration(length * float64(time.Second))))):
	case <-ctx.Done():
	}
	healing := time.Now()
	e.Seconds = healing.Sub(begun).Seconds()
	if err := m.heal(ctx, kind, hit); err != nil {
		return e, fmt.Errorf("after %s, nodes %v: %w", kind, e.Nodes, err)
	}
	all := append(slices.Clone(others), hit...)
	if _, err := m.probe.measure(ctx, all); err != nil {
		return e, fmt.Errorf("after %s, nodes %v: %w", kind, e.Nodes, err)
	}
	e.Resumes = time.Since(healing).Seconds()
	return e, nil
}

// choose picks the nodes to be hit, counted from 0.
func (m *nemesis) choose(kind Kind) []int {
	order := m.rand.Perm(len(m.cluster.Nodes))
	switch kind {
	case KillAll:
		return order
	case KillMajority:
		return order[:len(order)/2+1]
	case CutPair:
		return order[:2]
	case DiskFull:
		return []int{diskNode}
	}
	return order[:1]
}

func (m *nemesis) inflict(ctx context.Context, kind Kind, hit []int) error {
	first := m.cluster.Nodes[hit[0]]
	switch kind {
	case Pause:
		return first.Signal(syscall.SIGSTOP, false)
	case CutNode:
		return first.Links("--cut", m.allBut(hit[0]))
	case CutPair:
		return first.Links("--cut", fmt.Sprint(hit[1]+1))
	case CutOneWay:
		return first.Links("--cut-to", m.allBut(hit[0]))
	case CutDeaf:
		return first.Links("--cut-from", m.allBut(hit[0]))
	case DiskFull:
		return m.fillDisk(ctx, first)
	}
	var errs []error
	for _, i := range hit { // the signals first: all at once
		errs = append(errs, m.cluster.Nodes[i].Signal(syscall.SIGKILL, true))
	}
	for _, i := range hit {
		errs = append(errs, m.cluster.Nodes[i].Kill())
	}
	return errors.Join(errs...)
}

func (m *nemesis) heal(ctx context.Context, kind Kind, hit []int) error {
	first := m.cluster.Nodes[hit[0]]
	switch kind {
	case Pause:
		return first.Signal(syscall.SIGCONT, false)
	case CutNode, CutPair, CutOneWay, CutDeaf:
		return first.Links("--heal")
	case DiskFull:
		if err := m.disk.free(); err != nil {
			return err
		}
	}
	for _, i := range hit {
		if err := m.cluster.Nodes[i].Start(); err != nil {
			return err
		}
	}
	for _, i := range hit {
		if err := m.cluster.Nodes[i].Await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// allBut lists the other nodes.
func (m *nemesis) allBut(node int) string {
	var ids []string
	for i := range m.cluster.Nodes {
		if i != node {
			ids = append(ids, fmt.Sprint(i+1))
		}
	}
	return strings.Join(ids, ",")
}

// fullWait bounds how long a node may go on, on a full disk: it has some room
// that it took before.
const fullWait = 3 * time.Minute

// fillDisk fills the disk and waits for the node's end: one clear line, exit 1.
func (m *nemesis) fillDisk(ctx context.Context, n *Node) error {
	n.mu.Lock()
	r := n.run
	r.meant = true
	n.mu.Unlock()
	if err := m.disk.fill(); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go m.probe.fatten(ctx, (diskNode+1)%len(m.cluster.Nodes), stop)
	select {
	case <-r.ended:
	case <-time.After(fullWait):
		return fmt.Errorf("node %d still runs %v after its disk was filled", n.ID, fullWait)
	case <-ctx.Done():
		return ctx.Err()
	}
	if code := r.cmd.ProcessState.ExitCode(); code != 1 || !strings.HasPrefix(n.lastLine(), "isochron: ") || !strings.Contains(n.lastLine(), "is full") {
		return fmt.Errorf("node %d ended on a full disk with exit code %d and the last line %q; want 1, and a line that says what is full", n.ID, code, n.lastLine())
	}
	return nil
}
