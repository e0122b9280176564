package sim

import (
	"slices"
	"time"

	"isochron/coordinator"
	"isochron/node"
	"isochron/txn"
	"isochron/yield"
)

// A host may have a loop, as a node has that runs on the real clock: messages, requests, ticks
// and the ends of syncs are taken one at a time, each when the one before is done, whatever
// cores there are; these have the work that clients ask for (Client.Work). Without a
// loop every core takes messages and requests.
//
// What a lock table does costs time that nobody knows beforehand: how long a queue
// is, how far a walk goes. With a loop it is charged afterwards: the node has done it
// at once, and what came of it (messages, answers, syncs) leaves when its time is over;
// so does the loop go on.

// loop is a host's, if it has one.
type loop struct {
	waiting []turnOf
	running bool            // a turn is taken, or about to be
	inside  bool            // the node is in the midst of one
	out     node.Output     // of that
	answers []*Client       // that were answered in it
	work    yield.LockStats // that the node's tables had counted when they were last looked at
}

// turnOf is one thing that the loop takes.
type turnOf struct {
	cost time.Duration
	hops chain
	run  func()
}

// inTurn has the loop do something when its turn comes; without a loop it is done at once.
func (h *host) inTurn(cost time.Duration, run func()) {
	if !h.cpu.Loop {
		run()
		return
	}
	h.loop.waiting = append(h.loop.waiting, turnOf{cost, h.w.hops, run})
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
	l.waiting[0] = turnOf{}
	l.waiting = l.waiting[1:]
	h.worked += t.cost
	h.later(t.cost, func() { h.turn(t) })
}

// turn does what it is the turn of, and all that comes of it, and goes on.
func (h *host) turn(t turnOf) {
	life := h.life
	h.w.hops = t.hops
	h.loop.inside = true
	t.run()
	if !h.up() || h.life != life {
		return
	}
	out, answers := h.loop.out, h.loop.answers
	h.loop.inside, h.loop.out, h.loop.answers = false, node.Output{}, nil
	end := func() {
		for _, c := range answers {
			h.w.After(0, c.resume)
		}
		if h.emit(out); h.up() && h.life == life {
			h.nextTurn()
		}
	}
	cost := h.lockCost()
	if cost == 0 {
		end()
		return
	}
	h.worked += cost
	out.Messages = slices.Clone(out.Messages) // the node's list is soon its own again
	h.later(cost, end)
}

// locker is a process that counts what its lock tables do.
type locker interface{ LockWork() yield.LockStats }

// lockCost is the CPU time of what lock tables have done since it was last asked.
func (h *host) lockCost() time.Duration {
	if h.cpu.LockCPU+h.cpu.StepCPU+h.cpu.BesideCPU == 0 {
		return 0
	}
	work := h.w.LockWork(h.id)
	done := work.Since(h.loop.work)
	h.loop.work = work
	return time.Duration(done.Locks)*h.cpu.LockCPU + time.Duration(done.Steps)*h.cpu.StepCPU + time.Duration(done.WaitersExamined)*h.cpu.BesideCPU
}

// answered has a client go on: now, or at the end of the turn that runs.
func (h *host) answered(c *Client) {
	if h.loop.inside && h.up() {
		h.loop.answers = append(h.loop.answers, c)
		return
	}
	h.w.After(0, c.resume)
}

// stopLoop forgets all that waits for its turn; those who were answered go on.
func (h *host) stopLoop() {
	for _, c := range h.loop.answers {
		h.w.After(0, c.resume)
	}
	h.loop = loop{}
}

// requestCost is what a client's request costs.
func (c *Hardware) requestCost(req *coordinator.Request) time.Duration {
	if c.CommitCPU > 0 && isCommit(req) {
		return c.CommitCPU
	}
	return c.RequestCPU
}

// Worked is how long the cores of a node have worked since the world began, added up.
func (w *Cluster) Worked(id txn.NodeID) time.Duration { return w.host(id).worked }

// LockWork is what the lock tables of a node have done, if it is up.
func (w *Cluster) LockWork(id txn.NodeID) yield.LockStats {
	if n, ok := w.host(id).node.(locker); ok {
		return n.LockWork()
	}
	return yield.LockStats{}
}

// Threshold is from where on the gateway of a node reads at leaders what is updated so often, in
// millionths of an update in a round trip there; 0 if it does not go by that, or is not up.
func (w *Cluster) Threshold(id txn.NodeID) (threshold int64) {
	if n, ok := w.host(id).node.(interface{ Temperatures() (int, int64) }); ok {
		_, threshold = n.Temperatures()
	}
	return threshold
}

// LockWaits is how many waits for locks were begun at a node, if it is up.
func (w *Cluster) LockWaits(id txn.NodeID) (n int64) {
	if h := w.host(id); h.up() {
		for _, s := range h.node.Statuses() {
			n += int64(s.Counts.LockWaits)
		}
	}
	return n
}
