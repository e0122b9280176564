package server

import (
	"context"
	"runtime"
	"testing"
	"time"

	"isochron/node"
)

// Idle goroutines run the next tasks, a bounded number is kept, and none remains after the loop has ended.
func TestTasksReuseIdleGoroutines(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	r := &runner{box: newMailbox(0), alive: ctx}
	r.tasks.next = make(chan node.Task)
	before := runtime.NumGoroutine()
	free := make(chan struct{})
	const many = idleTasksMax + 30
	for i := range many {
		r.runTask(node.Task{ID: uint64(i), Work: func(context.Context) any { <-free; return i }})
	}
	close(free)
	calls := 0
	settled := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d goroutines, %d of them idle, %d calls", what, runtime.NumGoroutine()-before, r.tasks.idle.Load(), calls)
			}
		}
	}
	settled("all have run", func() bool {
		calls += len(r.box.take(nil))
		return calls == many && runtime.NumGoroutine()-before == idleTasksMax && r.tasks.idle.Load() == idleTasksMax
	})
	for i := range 3 * many { // one after the other
		ran := make(chan struct{})
		settled("an idle goroutine waits", func() bool { return r.tasks.idle.Load() == idleTasksMax })
		r.runTask(node.Task{ID: uint64(i), Work: func(context.Context) any { close(ran); return nil }})
		<-ran
	}
	if n := runtime.NumGoroutine() - before; n > idleTasksMax+idleTasksMax/2 {
		t.Errorf("%d goroutines after tasks one by one, with %d idle", n, idleTasksMax)
	}
	end()
	settled("the end", func() bool { return runtime.NumGoroutine() <= before })
}
