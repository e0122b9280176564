package yield

import (
	"container/heap"
	"slices"
	"time"

	"isochron/txn"
)

// Admission bounds, at one gateway, how many tries of transactions contend for the
// same rows. Where most tries fail, more of them at once make less: each holds
// locks, or makes others check in vain, for work that is thrown away.
//
// How it thinks. What rows a transaction will want is not known before it has
// asked for them, and then it holds some of them; nobody who holds anything may
// wait here, for others may wait for that. So a try waits before its first
// request, and is judged by that request: its Class is the table that it begins
// with. Transactions of one kind begin alike. Nothing is known of a class, and
// nothing is spent on it, until a try of it has lost to another; then its tries
// are counted, and it has a window (window.go), which doubles as long as hardly any
// are lost. Beyond it tries queue: higher priority first, then the older,
// and a try keeps the age of its transaction's first, so those that were tried
// before come before those that were not. Waiting alone says nothing: a hot row
// whose transactions wait and commit keeps all of its waiters.
//
// Who is inside and is silent, its client thinking, is parked: it counts no more
// until it asks again, and then goes on at once whether there is room or not. So
// the queue moves while anything does. Waits are bounded: whoever has waited for
// so long is refused, for to let it in would bring back what the window is for.
//
// What the caller owes it. It calls Leave exactly once for each try, whether it
// entered or not, and after Leave, Park and Tick lets those go on whom Next names.
type Admission struct {
	bounds  AdmissionBounds
	classes []*classQueue // a few, in the order in which they were met
	ready   []*classQueue // in which a place may be free
}

// AdmissionBounds are what an operator may say about admission. Zero fields get
// defaults.
type AdmissionBounds struct {
	Off   bool
	Least int           // 1: a window is never smaller
	Most  int           // 10,000: nor larger
	Wait  time.Duration // 50 s: a try waits no longer
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

// Class is a kind of transaction, as far as it is known before the first lock: the
// table that its first request touches, and whether that request is all of it.
type Class struct {
	Table txn.Key // the prefix of its keys
	Once  bool
}

// Outcome is how a try ended, as far as admission cares.
type Outcome uint8

// The endings.
const (
	Neither   Outcome = iota // its client rolled it back, or for a reason that is no contention
	Committed                // what it did counts
	Lost                     // to others
)

// The bounds of what is remembered.
const (
	classesMax  = 64               // classes in which tries have lost of late
	forgetAfter = 10 * time.Second // a class in which none did for so long
)

// AdmissionRequest is a try that has come to a gateway where some have lost of late.
type AdmissionRequest struct {
	Txn      txn.ID
	Age      txn.Age
	Priority int           // higher goes first
	Deadline time.Duration // set by Enter; of the wait
	in       *classQueue
	position int // in the queue, 1 for the first; 0: it does not wait
	parked   bool
	at       int // among those who were let in
}

// Waits reports whether it waits to be let in.
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
// Invariant: inside is how many of those let in are not parked.
type classQueue struct {
	class    Class
	members  []*AdmissionRequest // let in and not left, in no order that means anything
	running  int
	queue    requests
	lastLost time.Duration
	window   window
	admitted uint64 // let in, at once or later
	delayed  uint64 // of them and of those refused: had to wait
	refused  uint64 // waited in vain
}

// requests is a queue of those who wait, a heap.
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

// NewAdmission is of a gateway that has seen nothing yet.
func NewAdmission(b AdmissionBounds) *Admission { return &Admission{bounds: b.withDefaults()} }

// Rebound changes the bounds. Those who wait go on waiting, within the new ones.
func (a *Admission) Rebound(b AdmissionBounds) {
	if b = b.withDefaults(); b == a.bounds {
		return
	}
	a.bounds = b
	a.ready = append(a.ready[:0], a.classes...)
}

// Quiet reports that nobody has lost of late: tries need not enter.
func (a *Admission) Quiet() bool { return len(a.classes) == 0 }

func (a *Admission) of(c Class) *classQueue {
	for _, k := range a.classes {
		if k.class == c {
			return k
		}
	}
	return nil
}

// Enter lets a try in, or has it wait: then it is false, and Next will name it.
// wait, if not 0, bounds it in place of the bounds.
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

// Leave takes in how a try of the class ended; e is nil if it did not enter.
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

// meet begins to count the tries of a class. If there are too many, the one in
// which nobody has lost for longest makes room.
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

// forget drops the classes in which nobody waits and nobody has lost since a
// moment, or if there is none, the one of them in which it is longest ago.
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

// Park says that a try which is inside has long been silent.
func (a *Admission) Park(e *AdmissionRequest) {
	if e.in != nil && e.position == 0 && !e.parked {
		e.parked = true
		e.in.running--
		a.ready = append(a.ready, e.in)
	}
}

// Resume says that one which was parked asks again. It holds locks, and waits for nobody.
func (a *Admission) Resume(e *AdmissionRequest) {
	if e != nil && e.parked {
		e.parked = false
		e.in.running++
	}
}

// Running calls f with each that is inside, in an order that is the same in every run.
func (a *Admission) Running(f func(*AdmissionRequest)) {
	for _, k := range a.classes {
		for _, e := range k.members {
			f(e)
		}
	}
}

// Next takes out one who may go on now, nil if there is nobody.
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

// Tick forgets what is long over, and takes out those who have waited in vain, in
// the order in which they would have been let in: their tries were not begun.
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

// Classes lists the classes for people, in the order in which they were met.
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
