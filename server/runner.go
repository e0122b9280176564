package server

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/node"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// batchMax bounds the inputs a loop handles before it drains the node: enough to share an fsync, few enough
// that no input waits long.
const batchMax = 256

// runner drives one node: its loop, its disk, its clock.
type runner struct {
	id     txn.NodeID
	region geo.Region
	log    *slog.Logger
	clock  clock
	engine *Engine
	node   *node.Node
	box    *mailbox
	net    network
	syncer *syncer
	timer  *time.Timer   // wakes the node
	armed  time.Duration // the time it is set for; 0: it has fired
	failed func(error)
	watch  *eventListener
	agents *agents
	tasks  tasks

	verifying *verifying

	beat atomic.Int64 // when the loop last began a round, in clock nanoseconds

	adopted    func(*routing.Directory)
	directory  atomic.Pointer[routing.Directory]
	received   txn.Envelope  // reused for each message delivered
	meta       atomic.Uint64 // the node's MetaChanges after the loop's last round
	localReads localReadCache
	awake      int             // clients woken since the last yield to them
	gathered   int             // requests submitted since the node was last drained
	hurry      bool            // another input was handled since
	alive      context.Context // context of tasks: it ends with the loop
	end        context.CancelFunc
	stop       chan struct{}
	stopOnce   sync.Once
	begun      bool // start was called
	ended      chan struct{}
}

func (r *runner) start() {
	r.begun = true
	r.adopt(r.node.Directory())
	r.alive, r.end = context.WithCancel(context.Background())
	r.tasks.next = make(chan node.Task)
	go r.syncer.run()
	go r.run()
	r.agents.start(coordinator.NewDB(port{r: r}))
}

// run is the node's loop, the only goroutine that calls the node.
func (r *runner) run() {
	defer close(r.ended)
	defer r.end()
	defer r.stopOnce.Do(func() { close(r.stop) }) // releases waiting clients
	defer r.recoverFailure()
	r.timer = time.NewTimer(wakeLeast)
	defer r.timer.Stop()
	enough := time.NewTimer(gatherFor)
	defer enough.Stop()
	var spare []input
	r.flush()
	for {
		r.beat.Store(int64(r.clock.mono()))
		select {
		case <-r.stop:
			return
		case <-r.timer.C:
			r.armed = 0
			r.node.Wake(r.clock.now())
		case <-r.syncer.ended:
			r.watch.shared(r.node.Synced(r.clock.now(), r.syncer.synced.Load()))
		case <-enough.C:
		case <-r.box.wake:
			none := r.gathered == 0
			spare = r.handle(r.box.take(spare))
			if r.gathers() {
				if none {
					enough.Reset(gatherFor)
				}
				continue
			}
		}
		r.flush()
	}
}

// wakeLeast is the shortest sleep: whatever time a node requests, the loop does not spin. Ticks are far
// longer; a scheduled departure may be late by this much.
const wakeLeast = 100 * time.Microsecond

// wakeAt sets the timer that wakes the node.
func (r *runner) wakeAt(at time.Duration) {
	if at == r.armed {
		return
	}
	r.armed = at
	r.timer.Reset(max(at-r.clock.mono(), wakeLeast))
}

// woke yields to woken clients every wakeMax replies. A processor's run queue has room for 256 goroutines; if
// more are woken together, the older half must wait behind all others, and replies leave out of order.
func (r *runner) woke() {
	if r.awake++; r.awake >= wakeMax {
		r.awake = 0
		runtime.Gosched()
	}
}

const wakeMax = 16

// gatherFor bounds how long requests are gathered.
const gatherFor = time.Millisecond

// gathers reports whether the requests' proposals may wait for more: while the disk syncs they could not
// become durable anyway, and one log write for several costs little more than for one. Messages to other
// nodes do not wait.
func (r *runner) gathers() bool {
	return !r.hurry && r.gathered < batchMax && r.syncer.busy() && !r.node.Urgent()
}

// handle gives a batch of inputs to the node and returns the slice for reuse.
func (r *runner) handle(batch []input) []input {
	for i := range batch {
		r.handleOne(batch[i])
		batch[i] = input{}
		if (i+1)%batchMax == 0 {
			r.flush()
		}
	}
	return batch
}

func (r *runner) handleOne(in input) {
	r.hurry = r.hurry || in.request == nil
	switch {
	case in.envelope != nil:
		r.deliver(in)
	case in.request != nil:
		r.gathered++
		r.node.Submit(r.clock.now(), in.request)
	case in.call != nil:
		in.call(r.node)
	}
}

// deliver gives a message to the node. The node may keep what the message points to; the envelope is reused
// and keeps no reference to it.
func (r *runner) deliver(in input) {
	env := &r.received
	defer func() { *env = txn.Envelope{} }()
	if err := txn.Decode(in.envelope, env); err != nil {
		r.log.Warn("message dropped: it cannot be decoded", "err", err)
		return
	}
	if in.from != 0 && (env.From != in.from || env.To != r.id) {
		r.log.Warn("message dropped: its sender or receiver differs from its connection's",
			"connection_from", in.from, "from", env.From, "to", env.To)
		return
	}
	r.node.Deliver(r.clock.now(), env)
}

// flush carries out the node's outputs.
func (r *runner) flush() {
	r.gathered, r.hurry = 0, false
	out := r.node.Drain()
	for i := range out.Messages {
		env := &out.Messages[i] // copying it for the encoder would allocate
		r.net.send(r.id, env.To, txn.Encode(env))
	}
	for _, t := range out.Tasks {
		r.runTask(t)
	}
	if out.SyncToken != 0 {
		r.syncer.request(out.SyncToken)
	}
	r.wakeAt(out.WakeAt)
	r.meta.Store(r.node.MetaChanges())
	if d := r.node.Directory(); d != r.directory.Load() {
		r.adopt(d)
	}
}

func (r *runner) adopt(d *routing.Directory) {
	r.reportProtocol(d.Protocol)
	r.directory.Store(d)
	r.agents.adopted(d)
	if r.adopted != nil {
		r.adopted(d)
	}
}

// recoverFailure turns a panic of the core into the end of this node, which can keep no promise any more and
// must not continue.
func (r *runner) recoverFailure() {
	p := recover()
	if p == nil {
		return
	}
	if f, ok := p.(*store.Failure); ok {
		r.fail(f)
		return
	}
	r.log.Error("an invariant of the node is violated", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
	r.fail(fmt.Errorf("an invariant of node %d in %s is violated and the node has stopped: %v", r.id, r.region, p))
}

func (r *runner) fail(err error) {
	r.log.Error("the node stops", "err", err)
	r.failed(err)
}

// inLoop runs f in the node's loop and waits for it; false: the node has stopped or is too busy.
func (r *runner) inLoop(f func(*node.Node)) bool {
	done := make(chan struct{})
	if !r.box.put(input{call: func(n *node.Node) { f(n); close(done) }}) {
		return false
	}
	select {
	case <-done:
		return true
	case <-r.ended:
		return false
	}
}

// close stops the loop, then the disk.
func (r *runner) close() error {
	if !r.begun {
		return r.engine.Close()
	}
	r.stopOnce.Do(func() { close(r.stop) })
	<-r.ended
	r.agents.close()
	r.verifying.close()
	if r.engine.Broken() {
		return nil // a sync under way may never return, and nothing can be saved
	}
	r.syncer.close()
	return r.engine.Close()
}
