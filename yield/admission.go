package yield

import (
	"container/heap"
	"slices"
	"time"

	"isochron/txn"
)

// Admission bounds, at one gateway, how many tries of transactions contend for the same rows. Where
// most tries fail, more of them at a time commit less: each holds locks, or causes wasted
// validation, for work that is thrown away.
//
// # How it works
//
// The rows that a transaction will need are unknown before it requests them, and then it holds some
// of them; a try that holds locks must not wait here, since others may wait for it. So a try waits
// before its first request, and is classified by that request: its Class is the table that it
// begins with. Nothing is recorded of a class until a try of it has lost to another. From then on
// its tries are counted, and it has a window (window.go), which doubles as long as few are lost.
// Tries beyond the window queue: higher priority first, then the older; a try keeps the age of its
// transaction's first try, so retries come before new ones. Waiting for locks is no sign of
// overload: a hot row whose transactions wait and commit keeps all of its waiters.
//
// An admitted try whose client is idle is parked: it does not count until its next request, which
// is never delayed. So the queue moves while anything does. Waits are bounded: a try that has
// waited too long is refused, since to admit it would bring back the overload.
//
// # What the caller owes it
//
// Call Leave exactly once for each try, admitted or not. After Leave, Park and Tick start the tries
// that Next returns.
type Admission struct {
	bounds  AdmissionBounds
	classes []*classQueue // a few, in the order in which they were met
	ready   []*classQueue // in which a place may be free
}

// AdmissionBounds are an operator's settings of admission. Zero fields get defaults.
type AdmissionBounds struct {
	Off   bool
	Least int           // 1: minimum of a window
	Most  int           // 10,000: maximum
	Wait  time.Duration // 50 s: maximum wait of a try
}

func (b AdmissionBounds) withDefaults() AdmissionBounds {
	if b.Least <= 0 {
		b.Least = 1
	}
	if b.Most <= 0 {
		b.Most = 10_000
	}
	if b.Wait <= 0 {
		b.Wait = 50 * time.Second
	}
	b.Most = max(b.Most, b.Least)
	return b
}

// Class is a kind of transaction, as far as it is known before the first lock: the table of its
// first request, and whether that request is all of it.
type Class struct {
	Table txn.Key // the prefix of its keys
	Once  bool
}

// Outcome is the result of a try, as far as admission is concerned.
type Outcome uint8

// The outcomes.
const (
	Neither Outcome = iota // rolled back by its client, or failed for a reason that is no contention
	Committed
	Lost // aborted by a conflict
)

// The bounds of the recorded state.
const (
	classesMax  = 64               // classes in which tries were lost recently
	forgetAfter = 10 * time.Second // without a lost try a class is dropped
)

// AdmissionRequest is a try at a gateway where some were lost recently.
type AdmissionRequest struct {
	Txn      txn.ID
	Age      txn.Age       // set by Enter: end of the wait
	Priority int           // higher goes first
	Deadline time.Duration // set by Enter; of the wait
	in       *classQueue
	position int // in the queue, from 1; 0: not queued
	parked   bool
	at       int // index among the admitted
}

// Waits reports whether it is queued.
func (e *AdmissionRequest) Waits() bool { return e != nil && e.position > 0 }

func (e *AdmissionRequest) before(o *AdmissionRequest) bool {
	switch {
	case e.Priority != o.Priority:
		return e.Priority > o.Priority
	case e.Age.Older(o.Age):
		return true
	case o.Age.Older(e.Age):
		return false
	}
	return e.Txn.Less(o.Txn)
}

// classQueue is the tries of one class.
//
// Invariant: running = members that are not parked.
type classQueue struct {
	class    Class
	members  []*AdmissionRequest // admitted and not ended, in no particular order
	running  int
	queue    requests
	lastLost time.Duration
	window   window
	admitted uint64 // immediately or later
	delayed  uint64 // of the admitted and the refused: had to wait
	refused  uint64 // the wait timed out
}

// requests is a heap of queued tries.
type requests []*AdmissionRequest

// The methods of a heap.
func (q requests) Len() int           { return len(q) }
func (q requests) Less(i, j int) bool { return q[i].before(q[j]) }
func (q requests) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].position, q[j].position = i+1, j+1
}

// Push is of the heap.
func (q *requests) Push(x any) {
	e := x.(*AdmissionRequest)
	*q = append(*q, e)
	e.position = len(*q)
}

// Pop is of the heap.
func (q *requests) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	e.position = 0
	return e
}

// NewAdmission returns the admission of a gateway without history.
func NewAdmission(b AdmissionBounds) *Admission { return &Admission{bounds: b.withDefaults()} }

// Rebound changes the bounds. Queued tries keep waiting, within the new bounds.
func (a *Admission) Rebound(b AdmissionBounds) {
	if b = b.withDefaults(); b == a.bounds {
		return
	}
	a.bounds = b
	a.ready = append(a.ready[:0], a.classes...)
}

// Quiet reports that no try was lost recently: tries need not enter.
func (a *Admission) Quiet() bool { return len(a.classes) == 0 }

func (a *Admission) of(c Class) *classQueue {
	for _, k := range a.classes {
		if k.class == c {
			return k
		}
	}
	return nil
}

// Enter admits a try, or queues it and returns false; Next returns it later. wait, if not 0,
// replaces the bound on its wait.
func (a *Admission) Enter(now time.Duration, c Class, e *AdmissionRequest, wait time.Duration) bool {
	k := a.of(c)
	if k == nil {
		return true
	}
	if wait <= 0 {
		wait = a.bounds.Wait
	}
	e.in, e.Deadline = k, now+wait
	if k.room(a.bounds) && len(k.queue) == 0 {
		k.let(e)
		return true
	}
	k.delayed++
	heap.Push(&k.queue, e)
	return false
}

func (k *classQueue) room(b AdmissionBounds) bool {
	return b.Off || k.running < k.window.within(b)
}

func (k *classQueue) let(e *AdmissionRequest) {
	e.at = len(k.members)
	k.members = append(k.members, e)
	k.running++
	k.admitted++
}

func (k *classQueue) drop(e *AdmissionRequest) {
	last := len(k.members) - 1
	k.members[e.at] = k.members[last]
	k.members[e.at].at = e.at
	k.members[last] = nil
	k.members = k.members[:last]
	if !e.parked {
		k.running--
	}
}

// Leave records how a try of the class ended; e is nil if it did not enter.
func (a *Admission) Leave(now time.Duration, c Class, e *AdmissionRequest, how Outcome) {
	if e == nil || e.in == nil {
		if how == Lost && !a.bounds.Off {
			a.meet(now, c)
		}
		return
	}
	k := e.in
	e.in = nil
	a.ready = append(a.ready, k)
	if e.position > 0 {
		heap.Remove(&k.queue, e.position-1)
		return
	}
	k.drop(e)
	if how == Lost {
		k.lastLost = now
	}
	k.window.count(now, how, k.running, len(k.queue), a.bounds)
}

// meet begins to record a class. If there are too many, the class whose last loss is longest ago is
// dropped.
func (a *Admission) meet(now time.Duration, c Class) {
	k := a.of(c)
	if k == nil {
		if len(a.classes) >= classesMax && !a.forget(0) {
			return
		}
		k = &classQueue{class: c, window: newWindow(now)}
		a.classes = append(a.classes, k)
	}
	k.lastLost = now
}

// forget drops the classes without queued tries and without a loss since a time; for 0, the one of
// them whose last loss is longest ago. It reports whether it dropped any.
func (a *Admission) forget(since time.Duration) bool {
	before := len(a.classes)
	a.classes = slices.DeleteFunc(a.classes, func(k *classQueue) bool { return len(k.queue) == 0 && k.lastLost < since })
	if len(a.classes) < before || since > 0 {
		return len(a.classes) < before
	}
	oldest := -1
	for i, k := range a.classes {
		if len(k.queue) == 0 && (oldest < 0 || k.lastLost < a.classes[oldest].lastLost) {
			oldest = i
		}
	}
	if oldest >= 0 {
		a.classes = slices.Delete(a.classes, oldest, oldest+1)
	}
	return oldest >= 0
}

// Park notes that an admitted try has been idle for long.
func (a *Admission) Park(e *AdmissionRequest) {
	if e.in != nil && e.position == 0 && !e.parked {
		e.parked = true
		e.in.running--
		a.ready = append(a.ready, e.in)
	}
}

// Resume notes a request of a parked try. It holds locks, and does not wait.
func (a *Admission) Resume(e *AdmissionRequest) {
	if e != nil && e.parked {
		e.parked = false
		e.in.running++
	}
}

// Running calls f with each admitted try, in an order that is the same in every run.
func (a *Admission) Running(f func(*AdmissionRequest)) {
	for _, k := range a.classes {
		for _, e := range k.members {
			f(e)
		}
	}
}

// Next admits and returns the next queued try, nil if there is none or no room.
func (a *Admission) Next() *AdmissionRequest {
	for len(a.ready) > 0 {
		k := a.ready[0]
		if len(k.queue) > 0 && k.room(a.bounds) {
			e := heap.Pop(&k.queue).(*AdmissionRequest)
			k.let(e)
			return e
		}
		a.ready = a.ready[1:]
	}
	a.ready = nil
	return nil
}

// Tick drops classes without recent losses, and returns the tries whose wait timed out, in queue
// order: they have not begun.
func (a *Admission) Tick(now time.Duration) (refused []*AdmissionRequest) {
	if a.Quiet() {
		return nil
	}
	if now > forgetAfter {
		a.forget(now - forgetAfter)
	}
	for _, k := range a.classes {
		from := len(refused)
		for _, e := range k.queue {
			if now >= e.Deadline {
				refused = append(refused, e)
			}
		}
		for _, e := range refused[from:] {
			heap.Remove(&k.queue, e.position-1)
			e.in = nil
			k.refused++
		}
		slices.SortFunc(refused[from:], func(x, y *AdmissionRequest) int {
			if x.before(y) {
				return -1
			}
			return 1
		})
	}
	return refused
}

// Classes lists the classes for display, in the order in which they were first seen.
func (a *Admission) Classes() []txn.AdmissionClass {
	out := make([]txn.AdmissionClass, 0, len(a.classes))
	for _, k := range a.classes {
		s := txn.AdmissionClass{Table: k.class.Table, Once: k.class.Once, Running: k.running, Queue: len(k.queue),
			Admitted: k.admitted, Delayed: k.delayed, Refused: k.refused, LostPercent: k.window.lostPercent}
		if !a.bounds.Off {
			s.Window = k.window.within(a.bounds)
		}
		out = append(out, s)
	}
	return out
}
