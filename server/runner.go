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

// batchMax bounds the inputs a loop takes before it asks the node what is to be
// done: enough to share an fsync, few enough that nobody waits long for it.
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
	armed  time.Duration // for when, 0: it has rung
	failed func(error)
	watch  *eventListener
	agents *agents
	tasks  tasks

	verifying *verifying

	beat atomic.Int64 // when the loop last came round, in clock nanoseconds

	adopted    func(*routing.Directory)
	directory  atomic.Pointer[routing.Directory]
	received   txn.Envelope  // room for the message that is being delivered
	meta       atomic.Uint64 // the node's MetaChanges, as far as the loop has told
	localReads localReadCache
	awake      int             // clients whose answers they have not been let take since
	gathered   int             // requests that the node has and that it was not asked about since
	hurry      bool            // something else was handed over since
	alive      context.Context // of tasks: it ends with the loop
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
	defer r.stopOnce.Do(func() { close(r.stop) }) // lets waiting clients go
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

// wakeLeast is the shortest sleep: whatever instant a node names, it does not spin.
// Ticks are far longer; a departure (schedule) may be late by so much.
const wakeLeast = 100 * time.Microsecond

// wakeAt has the node be woken then.
func (r *runner) wakeAt(at time.Duration) {
	if at == r.armed {
		return
	}
	r.armed = at
	r.timer.Reset(max(at-r.clock.mono(), wakeLeast))
}

// woke lets clients take their answers from time to time. A processor has room for
// 256 goroutines that can run; where more are woken at once the older half of them
// has to wait behind all others, and answers leave in another order than they came.
func (r *runner) woke() {
	if r.awake++; r.awake >= wakeMax {
		r.awake = 0
		runtime.Gosched()
	}
}

const wakeMax = 16

// gatherFor bounds how long requests are gathered.
const gatherFor = time.Millisecond

// gathers reports whether what requests have had proposed may wait for more: while
// the disk syncs it could not become durable anyway, and what goes into the log
// together costs little more than one. What others are to hear waits for nothing.
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

// deliver gives a message to the node. What the message points to the node may keep; the envelope is
// the same for all, and holds on to none of it.
func (r *runner) deliver(in input) {
	env := &r.received
	defer func() { *env = txn.Envelope{} }()
	if err := txn.Decode(in.envelope, env); err != nil {
		r.log.Warn("a message was thrown away", "err", err)
		return
	}
	if in.from != 0 && (env.From != in.from || env.To != r.id) {
		r.log.Warn("a message was thrown away: it says another sender or receiver than its connection",
			"connection_from", in.from, "from", env.From, "to", env.To)
		return
	}
	r.node.Deliver(r.clock.now(), env)
}

// flush carries out what the node wants done.
func (r *runner) flush() {
	r.gathered, r.hurry = 0, false
	out := r.node.Drain()
	for i := range out.Messages {
		env := &out.Messages[i] // a copy for the encoder would be made on the heap
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

// recoverFailure turns a panic of the core into the end of this node: it can
// promise nothing any more, and it must not carry on.
func (r *runner) recoverFailure() {
	p := recover()
	if p == nil {
		return
	}
	if f, ok := p.(*store.Failure); ok {
		r.fail(f)
		return
	}
	r.log.Error("the node found one of its invariants broken", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
	r.fail(fmt.Errorf("node %d in %s found one of its invariants broken and stopped: %v", r.id, r.region, p))
}

func (r *runner) fail(err error) {
	r.log.Error("the node stops", "err", err)
	r.failed(err)
}

// inLoop runs f in the node's loop and waits for it; false means that the node
// has stopped, or is too busy to take anything in.
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
