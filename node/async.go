package node

import (
	"context"

	"isochron/txn"
)

// Task is work that the driver runs outside the loop, where it may block. Its result
// is passed to Finished.
//
// Invariant: each task returned by Drain is finished at most once, and
// at most maxTasks are running.
type Task struct {
	ID   uint64
	Work func(context.Context) any
}

// maxTasks bounds the running tasks.
const maxTasks = 1024

// asyncTasks are the unfinished tasks of a node.
type asyncTasks struct {
	done map[uint64]func(any)
	last uint64
	next []Task // for the next Drain
}

// begin adds a task for the next Drain; false: too many are running.
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

// take returns the tasks to be run.
func (o *asyncTasks) take() []Task {
	next := o.next
	o.next = nil
	return next
}

// finish passes the result of a task to its callback.
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

// Finished reports the result of a task returned by Drain.
func (n *Node) Finished(now txn.Now, id uint64, result any) {
	n.now = now
	n.touched()
	n.async.finish(id, result)
}
