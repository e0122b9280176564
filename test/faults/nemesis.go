package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	Terminate    Kind = "SIGTERM of a node"
	KillHolding  Kind = "kill -9, rows locked"
	FullStart    Kind = "start on a full disk"
	Clone        Kind = "a node cloned"
)

// Kinds are all of them, in the order of a summary.
var Kinds = []Kind{KillOne, KillHolding, Terminate, Pause, CutNode, CutPair, CutOneWay, CutDeaf, KillAll, KillMajority, DiskFull, FullStart, Clone}

// onSmallDisk are the kinds that need a disk of a node's own.
var onSmallDisk = []Kind{DiskFull, FullStart}

// lengths of faults, in seconds: shortest and longest.
var lengths = map[Kind][2]float64{
	KillOne: {1, 12}, Pause: {1, 15}, CutNode: {2, 20}, CutPair: {2, 20}, CutOneWay: {2, 20}, CutDeaf: {2, 20},
	KillAll: {0, 3}, KillMajority: {1, 8}, DiskFull: {1, 3}, Terminate: {1, 12}, KillHolding: {1, 12}, FullStart: {1, 3}, Clone: {1, 3},
}

// Event is one fault, from its begin to its end.
type Event struct {
	Kind    Kind    `json:"kind"`
	At      float64 `json:"at_s"` // since the beginning
	Nodes   []int   `json:"nodes"`
	Seconds float64 `json:"seconds"` // it lasted
	// Continues is after how long, counted from the fault, transactions committed
	// through every node that was not hit; negative: a majority was.
	Continues float64 `json:"goes_on_s"`
	// Resumes is the same counted from the healing, through every node.
	Resumes float64 `json:"resumes_s"`
}

func (e Event) String() string {
	continues := "no majority   "
	if e.Continues >= 0 {
		continues = fmt.Sprintf("others %5.1f s", e.Continues)
	}
	return fmt.Sprintf("%7.1f s  %-21s  nodes %-10s  %5.1f s long, %s, all back in %5.1f s",
		e.At, e.Kind, strings.Trim(fmt.Sprint(e.Nodes), "[]"), e.Seconds, continues, e.Resumes)
}

// nemesis does faults to a cluster.
type nemesis struct {
	cluster *Cluster
	probe   *prober
	rand    *rand.Rand
	disk    *smallDisk // of the node diskNode; nil: none
	begun   time.Time
	quick   bool  // the shortest lengths
	clone   *Node // runs, or has run, on a copy of another's data; nil: none
}

// do does one fault, measures, and undoes it.
func (m *nemesis) do(ctx context.Context, kind Kind) (Event, error) {
	hit := m.choose(kind)
	span := lengths[kind]
	length := span[0]
	if !m.quick {
		length += m.rand.Float64() * (span[1] - span[0])
	}
	e := Event{Kind: kind, At: time.Since(m.begun).Seconds(), Continues: -1}
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
		e.Continues = took.Seconds()
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
	case DiskFull, FullStart:
		return []int{m.cluster.diskNode()}
	}
	return order[:1]
}
