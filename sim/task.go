package sim

import (
	"context"
	"iter"
	"slices"
)

// task is work that a node runs outside its loop, as a coroutine: its calls may wait in virtual
// time. It ends with its node's life.
type task struct {
	next  func() (struct{}, bool)
	end   func()
	yield func(struct{}) bool
	done  bool
	// finished is called with its result.
	finished func()
}

type taskKey struct{}

// taskOf returns the task that runs with a context.
func taskOf(ctx context.Context) *task { return ctx.Value(taskKey{}).(*task) }

// start begins a task, and calls finished with its result at its end.
func (h *host) start(work func(context.Context) any, finished func(any)) {
	t := new(task)
	h.tasks = append(h.tasks, t)
	t.next, t.end = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		var result any
		defer func() {
			r := recover()
			if _, ok := r.(stopped); r != nil && !ok {
				panic(r)
			}
			if r == nil && !t.done {
				t.done = true
				h.tasks = slices.DeleteFunc(h.tasks, func(o *task) bool { return o == t })
				t.finished = func() { finished(result) }
			}
		}()
		result = work(context.WithValue(context.Background(), taskKey{}, t))
	})
	t.resume()
}

func (t *task) resume() {
	if t.done {
		return
	}
	t.next()
	if f := t.finished; f != nil {
		t.finished = nil
		f()
	}
}

// await parks the task until the argument of begin is called, for the first time.
func (t *task) await(begin func(resume func())) {
	called, parked := false, false
	begin(func() {
		if again := called; !again {
			called = true
			if parked {
				t.resume()
			}
		}
	})
	if called {
		return
	}
	if parked = true; !t.yield(struct{}{}) {
		panic(stopped{})
	}
}

// stopTasks ends all tasks of a host.
func (h *host) stopTasks() {
	tasks := h.tasks
	h.tasks = nil
	for _, t := range tasks {
		t.done = true
		t.end()
	}
}
