package server

import (
	"sync/atomic"

	"isochron/node"
)

// idleTasksMax bounds the goroutines that are kept when they have nothing to do.
const idleTasksMax = 64

// tasks runs what participants want run where it may block; the node bounds how many there are at
// once. A goroutine that is done waits for more: one that is new would have to let its stack grow
// again through all of a database's driver.
type tasks struct {
	next chan node.Task
	idle atomic.Int32 // that wait, or are about to
}

// runTask runs a task, and tells the loop what came of it.
func (r *runner) runTask(t node.Task) {
	select {
	case r.tasks.next <- t:
	default:
		go r.work(t)
	}
}

// work runs a task, and those that come when it is done.
func (r *runner) work(t node.Task) {
	for {
		id, result := t.ID, t.Work(r.alive)
		t = node.Task{} // what it holds may go
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
