package node

import (
	"context"
	"slices"
	"testing"

	"isochron/txn"
)

// A request for a sync is answered by the first sync that begins after the request.
func TestASyncCoversRequestsFromBeforeItsStart(t *testing.T) {
	var s syncs
	var went []int
	wait := func(i int) { s.after(func() { went = append(went, i) }) }
	wait(1)
	wait(2)
	first := s.ask()
	if again := s.ask(); first == 0 || again != 0 {
		t.Fatalf("one sync is asked for as %d and then as %d", first, again)
	}
	wait(3) // while the disk is busy
	second := s.ask()
	if n := s.done(first); n != 2 || !slices.Equal(went, []int{1, 2}) {
		t.Errorf("the first sync has released %d: %v", n, went)
	}
	if n := s.done(second); n != 1 || !slices.Equal(went, []int{1, 2, 3}) {
		t.Errorf("the second sync has released %d: %v", n, went)
	}
}

// A task is handed out once and finished once, and there is room for so many.
func TestATaskIsFinishedOnce(t *testing.T) {
	var o asyncTasks
	finished := 0
	begin := func() bool {
		return o.begin(func(context.Context) any { return nil }, func(any) { finished++ })
	}
	for i := range maxTasks {
		if !begin() {
			t.Fatalf("there is no room for task %d", i)
		}
	}
	if begin() {
		t.Error("there is room for one more than the bound")
	}
	tasks := o.take()
	if len(tasks) != maxTasks || len(o.take()) != 0 {
		t.Fatalf("%d tasks are handed out, or some twice", len(tasks))
	}
	o.finish(tasks[0].ID, nil)
	o.finish(tasks[0].ID, nil)
	if finished != 1 || !begin() {
		t.Errorf("finished %d times, or its room is not free", finished)
	}
}

// Messages to this node stay, messages to others are handed out once.
func TestOutboxSortsByReceiver(t *testing.T) {
	o := outbox{self: 1}
	o.send(txn.Coordinator(1), txn.Message{ContentionQuery: &txn.ContentionQuery{}})
	o.send(txn.Coordinator(2), txn.Message{ContentionQuery: &txn.ContentionQuery{}})
	if out := o.take(); len(out) != 1 || out[0].To != 2 || out[0].From != 1 || len(o.local) != 1 || len(o.take()) != 0 {
		t.Errorf("handed out: %v; for itself: %v", out, o.local)
	}
}
