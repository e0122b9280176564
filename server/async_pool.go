package server

import (
	"sync/atomic"

	"isochron/node"
)

// idleTasksMax bounds the idle goroutines kept for reuse.
const idleTasksMax = 64

// tasks runs participants' blocking tasks; the node bounds how many run in parallel. A goroutine that has
// finished a task waits for the next: a new one would have to grow its stack again through a whole driver.
type tasks struct {
	next chan node.Task
	idle atomic.Int32 // goroutines that wait for a task, or are about to
}

// runTask runs a task and passes its result to the loop.
func (r *runner) runTask(t node.Task) {
	select {
	case r.tasks.next <- t:
	default:
		go r.work(t)
	}
}

// work runs a task, then tasks that arrive while it is idle.
func (r *runner) work(t node.Task) {
	for {
		id, result := t.ID, t.Work(r.alive)
		t = node.Task{} // release its references
		r.box.putAlways(input{call: func(n *node.Node) { n.Finished(r.clock.now(), id, result) }})
		if r.tasks.idle.Add(1) > idleTasksMax {
			r.tasks.idle.Add(-1)
			return
		}
		select {
		case t = <-r.tasks.next:
		case <-r.alive.Done():
		}
		if r.tasks.idle.Add(-1); t.Work == nil {
			return
		}
	}
}
