package sim

import (
	"slices"
	"time"

	"isochron/coordinator"
	"isochron/node"
	"isochron/txn"
	"isochron/yield"
)

// A host may have a loop, as a node on the real clock has: messages, requests, ticks and the ends
// of syncs are processed one at a time, each after the one before, however many cores there are;
// the other cores do the work of clients (Client.Work). Without a loop every core processes
// messages and requests.
//
// The cost of a lock table's work is not known in advance: the length of a queue, the depth of a
// walk. With a loop it is charged afterwards: the node has done the work immediately, and its
// output (messages, answers, syncs) leaves when its time is over; the loop continues then.

// loop is the loop of a host, if it has one.
type loop struct {
	waiting []loopTask
	running bool            // a turn runs, or is about to
	inside  bool            // the node is in the middle of one
	out     node.Output     // of that one
	answers []*Client       // that were answered in it
	work    yield.LockStats // the counts of the node's tables when they were last read
}

// loopTask is one unit of the loop's work.
type loopTask struct {
	cost time.Duration
	hops chain
	run  func()
}

// queueWork queues work for the host's loop; without a loop the work is done immediately.
func (h *host) queueWork(cost time.Duration, run func()) {
	if !h.cpu.Loop {
		run()
		return
	}
	h.loop.waiting = append(h.loop.waiting, loopTask{cost, h.w.hops, run})
	if !h.loop.running {
		h.nextTurn()
	}
}

func (h *host) nextTurn() {
	l := &h.loop
	if l.running = len(l.waiting) > 0; !l.running {
		return
	}
	t := l.waiting[0]
	l.waiting[0] = loopTask{}
	l.waiting = l.waiting[1:]
	h.worked += t.cost
	h.later(t.cost, func() { h.turn(t) })
}

// turn does one unit of work, emits its output, and starts the next.
func (h *host) turn(t loopTask) {
	boots := h.boots
	h.w.hops = t.hops
	h.loop.inside = true
	t.run()
	if !h.up() || h.boots != boots {
		return
	}
	out, answers := h.loop.out, h.loop.answers
	h.loop.inside, h.loop.out, h.loop.answers = false, node.Output{}, nil
	end := func() {
		for _, c := range answers {
			h.w.After(0, c.resume)
		}
		if h.emit(out); h.up() && h.boots == boots {
			h.nextTurn()
		}
	}
	cost := h.lockCost()
	if cost == 0 {
		end()
		return
	}
	h.worked += cost
	out.Messages = slices.Clone(out.Messages) // the node soon reuses its own list
	h.later(cost, end)
}

// locker is a process that counts the work of its lock tables.
type locker interface{ LockWork() yield.LockStats }

// lockCost returns the CPU time of the lock tables since the last call.
func (h *host) lockCost() time.Duration {
	if h.cpu.LockCPU+h.cpu.StepCPU+h.cpu.BesideCPU == 0 {
		return 0
	}
	work := h.w.LockWork(h.id)
	done := work.Since(h.loop.work)
	h.loop.work = work
	return time.Duration(done.Locks)*h.cpu.LockCPU + time.Duration(done.Steps)*h.cpu.StepCPU + time.Duration(done.WaitersExamined)*h.cpu.BesideCPU
}

// answered resumes a client: now, or at the end of the running turn.
func (h *host) answered(c *Client) {
	if h.loop.inside && h.up() {
		h.loop.answers = append(h.loop.answers, c)
		return
	}
	h.w.After(0, c.resume)
}

// stopLoop drops all queued work; clients that were answered resume.
func (h *host) stopLoop() {
	for _, c := range h.loop.answers {
		h.w.After(0, c.resume)
	}
	h.loop = loop{}
}

// requestCost returns the CPU time of a client's request.
func (c *Hardware) requestCost(req *coordinator.Request) time.Duration {
	if c.CommitCPU > 0 && isCommit(req) {
		return c.CommitCPU
	}
	return c.RequestCPU
}

// Worked returns the time that the cores of a node have worked since the start, added up.
func (w *Cluster) Worked(id txn.NodeID) time.Duration { return w.host(id).worked }

// LockWork returns the work of the lock tables of a node, if it is up.
func (w *Cluster) LockWork(id txn.NodeID) yield.LockStats {
	if n, ok := w.host(id).node.(locker); ok {
		return n.LockWork()
	}
	return yield.LockStats{}
}

// Threshold returns the update rate from which the gateway of a node reads at leaders, in
// millionths of an update in a round trip there; 0 if it does not use one, or is not up.
func (w *Cluster) Threshold(id txn.NodeID) (threshold int64) {
	if n, ok := w.host(id).node.(interface{ Temperatures() (int, int64) }); ok {
		_, threshold = n.Temperatures()
	}
	return threshold
}

// LockWaits returns the number of waits for locks that began at a node, if it is up.
func (w *Cluster) LockWaits(id txn.NodeID) (n int64) {
	if h := w.host(id); h.up() {
		for _, s := range h.node.Statuses() {
			n += int64(s.Counts.LockWaits)
		}
	}
	return n
}
