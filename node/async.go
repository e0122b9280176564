package node

import (
	"context"

	"isochron/txn"
)

// Task is work that its driver runs outside the loop, where it may block. Its result
// goes to Finished.
//
// Invariant: of the tasks that Drain has handed out each is finished at most once, and
// no more than maxTasks are under way.
type Task struct {
	ID   uint64
	Work func(context.Context) any
}

// maxTasks bounds what is under way outside.
const maxTasks = 1024

// asyncTasks are the tasks of a node that have not been finished.
type asyncTasks struct {
	done map[uint64]func(any)
	last uint64
	next []Task // for the next Drain
}

// begin notes a task for the next Drain; false: too many are under way.
func (o *asyncTasks) begin(work func(context.Context) any, done func(any)) bool {
	if len(o.done) >= maxTasks {
		return false
	}
	if o.done == nil {
		o.done = map[uint64]func(any){}
	}
	o.last++
	o.done[o.last] = done
	o.next = append(o.next, Task{o.last, work})
	return true
}

// take hands out the tasks that are to be run.
func (o *asyncTasks) take() []Task {
	next := o.next
	o.next = nil
	return next
}

// finish goes on with the result of a task.
func (o *asyncTasks) finish(id uint64, result any) {
	done := o.done[id]
	if done == nil {
		return
	}
	delete(o.done, id)
	done(result)
}

// RunAsync implements participant.Env.
func (e *shardEnv) RunAsync(work func(context.Context) any, done func(any)) bool {
	return e.async.begin(work, done)
}

// Finished reports the result of a task that a Drain has handed out.
func (n *Node) Finished(now txn.Now, id uint64, result any) {
	n.now = now
	n.touched()
	n.async.finish(id, result)
}
