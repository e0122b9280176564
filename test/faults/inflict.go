package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// inflict does a fault to nodes, counted from 0, and returns when it is done.
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
	case FullStart:
		return m.startFull(ctx, first)
	case Terminate:
		return first.Terminate()
	case KillHolding:
		hold, err := m.probe.hold(ctx, hit[0])
		if err != nil {
			return err
		}
		defer hold.close() // when the node is gone
	case Clone:
		return m.startClone(ctx, first)
	}
	var errs []error
	for _, i := range hit { // the signals first: all at the same time
		errs = append(errs, m.cluster.Nodes[i].Signal(syscall.SIGKILL, true))
	}
	for _, i := range hit {
		errs = append(errs, m.cluster.Nodes[i].Kill())
	}
	return errors.Join(errs...)
}

// heal undoes it, and returns when every node has said that it is ready.
func (m *nemesis) heal(ctx context.Context, kind Kind, hit []int) error {
	if err := m.undo(kind, hit); err != nil || !ends(kind) {
		return err
	}
	for _, i := range hit {
		if err := m.cluster.Nodes[i].Await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ends reports whether a fault of this kind ends the processes that it hits.
func ends(kind Kind) bool {
	switch kind {
	case Pause, CutNode, CutPair, CutOneWay, CutDeaf, Clone:
		return false
	}
	return true
}

// undo resumes paused nodes, heals links, and starts ended nodes, without waiting for it.
func (m *nemesis) undo(kind Kind, hit []int) error {
	first := m.cluster.Nodes[hit[0]]
	switch kind {
	case Pause:
		return first.Signal(syscall.SIGCONT, false)
	case CutNode, CutPair, CutOneWay, CutDeaf:
		return first.Links("--reset")
	case Clone:
		return m.endClone()
	case DiskFull, FullStart:
		if err := m.disk.free(); err != nil {
			return err
		}
	}
	for _, i := range hit {
		if err := m.cluster.Nodes[i].Start(); err != nil {
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

// How long a node may go on, on a full disk, for it has some room that it took before;
// and how long a start may take to find that there is none.
const (
	fullWait      = 3 * time.Minute
	fullStartWait = time.Minute
)

// fillDisk fills the disk and waits for the node's end.
func (m *nemesis) fillDisk(ctx context.Context, n *Node) error {
	r := n.mayEnd()
	if err := m.disk.fill(); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go m.probe.fatten(ctx, (m.cluster.diskNode()+1)%len(m.cluster.Nodes), stop)
	return n.endsFull(ctx, r, fullWait)
}

// startFull kills the node, fills its disk, and starts it: it must say so and end,
// neither hang nor serve.
func (m *nemesis) startFull(ctx context.Context, n *Node) error {
	if err := n.Kill(); err != nil {
		return err
	}
	if err := m.disk.fill(); err != nil {
		return err
	}
	if err := n.Start(); err != nil {
		return err
	}
	return n.endsFull(ctx, n.mayEnd(), fullStartWait)
}

// endsFull waits until a process has ended for want of room: one clear line, exit 1.
func (n *Node) endsFull(ctx context.Context, r *nodeRun, wait time.Duration) error {
	select {
	case <-r.ended:
	case <-time.After(wait):
		return fmt.Errorf("node %d still runs %v after its disk was filled", n.ID, wait)
	case <-ctx.Done():
		return ctx.Err()
	}
	if code := r.cmd.ProcessState.ExitCode(); code != 1 || !strings.HasPrefix(n.lastLine(), "isochron: ") || !strings.Contains(n.lastLine(), "is full") {
		return fmt.Errorf("node %d ended on a full disk with exit code %d and the last line %q; want 1, and a line that names the full disk", n.ID, code, n.lastLine())
	}
	return nil
}
